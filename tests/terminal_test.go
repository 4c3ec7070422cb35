package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// TestTerminal sits at a terminal, in the sandbox's shell: it edits a line with arrow keys, turns
// pages, makes the window wider while a line is open, and reads git's history. What it looks at is
// the screen.
func TestTerminal(t *testing.T) {
	if raceDetector() {
		t.Skip("takes minutes to compile the shell and git with the race detector, which sees nothing inside the sandbox")
	}
	needBox(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte(numbers(100)), 0o666); err != nil {
		t.Fatal(err)
	}
	p := sitDown(t, exec.Command("terrarium", "run", "--host", "wasm", "--mount", dir, "--env", "PS1=% ", "--", "bash", "--norc", "-i"))
	p.sees(`(?m)^% $`)
	p.types("echo onetwo\x1b[D\x1b[D\x1b[D \r")
	p.sees(`(?m)^% echo one two\none two\n% $`)

	p.types("less file\r")
	p.sees(`^line 1\n(.*\n)*line 23\nfile$`)
	p.types(" ")
	p.sees(`^line 24\n(.*\n)*line 46\n:$`)
	p.types("\x1b[A")
	p.sees(`^line 23\n`)
	p.types("q")
	p.sees(`(?m)^% echo one two\n(.*\n)*% less file\n% $`)
	if p.screen.Alt() {
		t.Error("less has left the screen that it came with")
	}

	// The open line takes two rows of 80 columns, and one of 200.
	long := strings.Repeat("x", 90)
	p.types("clear\r")
	p.sees(`^% $`)
	p.types("echo " + long)
	p.sees(`^% echo x{73}\nx{17}$`)
	p.resize(24, 200)
	p.sees(`^% echo x{90}$`)
	p.types("\x1b[D\x1b[Dy\r")
	p.sees(`^% echo x{88}yxx\nx{88}yxx\n% $`)
	p.resize(24, 80)

	p.types("clear; git init -q -b main; git add file; git -c user.name=Ann -c user.email=ann@example.org commit -qm first; echo committed\r")
	p.sees(`(?m)^committed\n% $`)
	p.types("git show\r")
	p.sees(`commit [0-9a-f]{40} \(HEAD -> main\)\nAuthor: Ann(.*\n)*:$`)
	if escapes := string(p.screen.AppendEscapes(nil, 0)); !strings.Contains(escapes, "33mcommit ") {
		t.Errorf("the commit's name is not yellow: %q", escapes)
	}
	p.types("G")
	p.sees(`\+line 100\n\(END\)$`)
	p.types("q")
	p.sees(`(?m)^% $`)
	first, end := p.screen.History()
	if history := string(p.screen.AppendHistory(nil, first, end, true)); !strings.Contains(history, "committed\n% git show") {
		t.Errorf("the pager drew over what was there before: what has scrolled out is\n%s", history)
	}
	p.types("clear; git status; git --no-pager show | tail -1\r")
	p.sees(`(?m)^On branch main\nnothing to commit, working tree clean\n\+line 100\n% $`)
	p.types("exit 3\r")
	p.exits(3)
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("line " + strconv.Itoa(i+1) + "\n")
	}
	return b.String()
}

// A person sits at a terminal of a command's.
type person struct {
	t      *testing.T
	cmd    *exec.Cmd
	tty    *os.File
	output chan []byte // closed at its end
	screen *vt.Screen
}

// sitDown starts a command at a terminal of 80 columns and 24 rows.
func sitDown(t *testing.T, cmd *exec.Cmd) *person {
	cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t, cmd, tty, make(chan []byte, 1<<10), vt.NewScreen(vt.Options{Rows: 24, Cols: 80})}
	done := make(chan struct{})
	go readTerminal(tty, p.output, done) // ends when the terminal is closed
	t.Cleanup(func() {
		close(done)
		tty.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return p
}

func (p *person) types(keys string) {
	p.t.Helper()
	if _, err := p.tty.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) resize(rows, cols int) {
	p.t.Helper()
	p.screen.Resize(rows, cols)
	if err := pty.Setsize(p.tty, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)}); err != nil {
		p.t.Fatal(err)
	}
}

// text is the screen, without what is blank behind rows and below the cursor.
func (p *person) text() string {
	var rows []string
	height, _ := p.screen.Size()
	for y := range height {
		rows = append(rows, strings.TrimRight(string(p.screen.AppendRow(nil, y)), " "))
	}
	last := p.screen.Cursor()
	for len(rows) > last.Y+1 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	if y := len(rows) - 1; y == last.Y {
		for len(rows[y]) < last.X {
			rows[y] += " "
		}
	}
	return strings.Join(rows, "\n")
}

// sees waits until the screen shows pattern, as long as it takes a busy machine to compile two
// modules.
func (p *person) sees(pattern string) {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	for late := time.After(patience); !re.MatchString(p.text()); {
		select {
		case b, ok := <-p.output:
			if !ok {
				p.t.Fatalf("the terminal has closed; it shows\n%s\nwant %s", p.text(), pattern)
			}
			p.screen.Write(b)
		case <-late:
			p.t.Fatalf("the terminal still shows\n%s\nwant %s", p.text(), pattern)
		}
	}
}

// exits waits for the end of the command.
func (p *person) exits(status int) {
	p.t.Helper()
	for b := range p.output {
		p.screen.Write(b)
	}
	p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != status {
		p.t.Errorf("got exit status %d, want %d; the terminal shows\n%s", got, status, p.text())
	}
}
