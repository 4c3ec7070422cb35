package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/plugins"
)

const (
	prompt      = "bash-5.2$ "
	ctrlC       = "\x03"
	interrupted = "^C\n" + prompt
)

// TestInterrupt types ^C while something runs in the shell's foreground, which ends as at a
// terminal of the system's. Each line first prints a, so that it is known to run.
func TestInterrupt(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 14 MB for each engine")
	}
	for _, on := range backends {
		t.Run(on.name, func(t *testing.T) {
			// What runs it is a process of its own.
			other := &hostwasm.Module{Name: "other", Load: plugins.Modules()[0].Load}
			s := openShell(t, newSandboxBeside(t, on, map[string]*hostwasm.Module{"cksum": other}))
			for _, line := range []string{
				"echo a; sleep 1000; echo b",
				"echo a; cat; echo b",
				"echo a; read x; echo b",
				"echo a; while :; do :; done",
				"echo a; while ((1)); do ((i++)); done",
				"echo a; yes >/dev/null",
				"echo a; cat /dev/zero | sort",
				"echo a; cat | sort",
				"echo a; awk 'BEGIN { while (1); }'",
				"echo a; jq -n 'last(range(1e12))'",
				"echo a; sed ':a;ba' <<<x",
				"echo a; cksum",
				"echo a; find /bin | while read -r f; do sleep 1000; done",
				"f() { echo a; sleep 1000; }; f; f",
				"(echo a; sleep 1000); echo b",
				"x=$(echo a >&2; sleep 1000)",
				"bash -c 'echo a; sleep 1000; echo b'; echo c",
				"echo a; timeout 1000 sleep 1000",
			} {
				s.types(line+"\r", line+"\na\n")
				s.types(ctrlC, interrupted)
				s.types("echo $?\r", "echo $?\n130\n"+prompt)
			}
		})
	}
}

// TestInterruptedPrompt types ^C where the shell reads, and more besides what TestInterrupt does.
func TestInterruptedPrompt(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 14 MB for each engine")
	}
	type step struct{ typed, want string }
	for _, on := range backends {
		h := newSandboxOn(t, on)
		for _, test := range []struct {
			name  string
			steps []step
		}{
			{"a line", []step{{"echo no", "echo no"}, {ctrlC, interrupted}, {"echo $?\r", "echo $?\n130\n" + prompt}}},
			{"a command of two lines", []step{{"if true\r", "if true\n> "}, {ctrlC, interrupted}, {"echo a\r", "echo a\na\n" + prompt}}},
			{"what was typed ahead", []step{
				{"echo a; sleep 1000\r", "echo a; sleep 1000\na\n"}, {"echo no\recho n", "echo no\necho n"}, {ctrlC, interrupted},
				{"echo $?\r", "echo $?\n130\n" + prompt},
			}},
			{"cat again", []step{
				{"cat\r", "cat\n"}, {"a\rb", "a\nba\n"}, {ctrlC, interrupted}, {"cat\r", "cat\n"}, {"c\r", "c\nc\n"}, {"\x04", prompt},
			}},
			{"a shell in the shell", []step{
				{"bash\r", "bash\n" + prompt}, {"echo a; cat\r", "echo a; cat\na\n"}, {ctrlC, interrupted}, {ctrlC, interrupted},
				{"echo $SHLVL; exit 3\r", "echo $SHLVL; exit 3\n2\n" + prompt}, {"echo $?\r", "echo $?\n3\n" + prompt},
				{"sleep 1000\r", "sleep 1000\n"}, {ctrlC, interrupted},
			}},
			{"a trap", []step{
				{"trap 'echo trapped' INT\r", "trap 'echo trapped' INT\n" + prompt}, {ctrlC, "^C\ntrapped\n" + prompt},
				{"trap - INT\r", "trap - INT\n" + prompt}, {ctrlC, interrupted},
			}},
			{"names in columns", []step{
				{"cd /tmp; mkdir n; cd n; touch 'a b' c\r", "cd /tmp; mkdir n; cd n; touch 'a b' c\n" + prompt},
				{"ls\r", "ls\n'a b'   c\n" + prompt}, {"ls | cat\r", "ls | cat\na b\nc\n" + prompt},
			}},
			{"in the background", []step{
				{"sleep 1000 & sleep 1000 & echo a; sleep 1000\r", "sleep 1000 & sleep 1000 & echo a; sleep 1000\na\n"}, {ctrlC, interrupted},
				{"kill %1 %2 && echo b\r", "kill %1 %2 && echo b\nb\n" + prompt},
			}},
			{"a loop in the background", []step{
				{"while :; do :; done & echo a\r", "while :; do :; done & echo a\na\n" + prompt}, {ctrlC, interrupted},
				{"kill $!\r", "kill $!\n" + prompt},
			}},
		} {
			t.Run(on.name+"/"+test.name, func(t *testing.T) {
				s := openShell(t, h)
				for _, step := range test.steps {
					s.types(step.typed, step.want)
				}
			})
		}
	}
}

// TestAtTerminal does what needs a terminal: its size and modes, keys, colours, and the shell's
// editor of lines.
func TestAtTerminal(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 14 MB")
	}
	const marks = "\x1b]133;"
	s := openShellAs(t, newSandbox(t), "xterm-256color", marks+"A\a"+prompt+marks+"B\a")
	const ready = marks + "B\a"
	for _, step := range []struct{ typed, want string }{
		{"mkdir /tmp/w; cd /tmp/w; mkdir d; >f; echo a$((1+1))\r", "a2\n"},
		{"tty; stty size; tput cols; echo $LINES $COLUMNS\r", "/dev/tty\n24 80\n80\n24 80\n"},
		{"for i in 0 1 2 3; do [ -t $i ]; echo -n $?; done\r", "0001"},
		{"[ -t 0 ] </dev/null || [ -t 1 ] | cat; echo n$?\r", "n0"},
		{"ls --color=auto\r", "\x1b[0m\x1b[01;34md\x1b[0m  f\n"},
		{"ls --color=auto | cat\r", "d\nf\n"},
		{"echo xay | grep --color=auto a\r", "x\x1b[01;31m\x1b[Ka\x1b[m\x1b[Ky\n"},
		{"stty -g | wc -c; stty | tail -1\r", "line = 0;\n"},
		{"stty rows 30 cols 100; stty size; stty rows 24 columns 80\r", "30 100\n"},
		{"x=$(stty -g); stty raw -echo; stty -a | grep -o -e '-icanon\\|-echo ' | tr '\\n' /; stty $x; stty -a | grep -o ' icanon'\r", "-icanon/-echo / icanon\n"},
		{"stty ixon; echo s$?\r", "unable to perform all requested operations\ns1\n"},
		{"stty </dev/null\r", "Inappropriate ioctl"},
		{"read -s -p 'pw: ' x; echo \"[$x]\"\r", "pw: "},
		{"secret\r", "[secret]\n"},
		{"read -n1 x; echo \"<$x>\"\r", "<$x>\"\n" + marks + "C\a"},
		{"q", "q<q>\n"},
		{"read -e -i abc x; echo \"<$x>\"\r", "abc"},
		{"\x1b[D\x1b[DZ\r", "<aZbc>\n"},
		{"echo old\x01\x1bd\x0becho new\r", "new\n"},
		{"\x1b[A\x7f\x7f\x7fagain\r", marks + "C\aagain\n"},
		{"\x12agai\r", marks + "C\aagain\n"},
		{"\x15ec\tho hi\r", "hi\n"},
		{"cd /tmp/\techo $PWD\x01cd /tmp/w; \x0b\r", ""},
		{"cat d\x7ff\t&& echo y$((1+1))\r", "y2\n"},
		{"trap 'w=1; echo got $COLUMNS' WINCH\r", ""},
	} {
		s.sees(step.typed, step.want)
		if strings.HasPrefix(step.typed, "read") { // and so it goes on
			continue
		}
		s.sees("", ready)
	}
	// Keys are the editor's as soon as the prompt is there, however fast somebody types.
	s.sees("echo again\r", ready)
	for range 100 {
		s.sees("\x1b[A\x7f\x7f\x7f\x7f\x7fagain\r", marks+"C\aagain\n")
		s.sees("", ready)
	}
	if err := s.p.Resize(50, 132); err != nil {
		t.Fatal(err)
	}
	// The shell may learn of it before this line, or during it: a trap runs between commands.
	s.sees("until [ $w ]; do sleep .05; done; stty size; tput lines\r", "got 132\n")
	s.sees("", "50 132\n50\n")
	s.sees("", ready)
	s.sees("exec 9>&1; bash -c \"trap 'echo sized; exit' WINCH; echo re''ady; while :; do sleep .05; done\"\r", "ready\n")
	s.p.Resize(40, 80)
	s.sees("", "sized\n")
	s.sees("", ready)
	s.sees("echo no", "echo no")
	s.sees("\x03", "^C\n")
	s.sees("", ready)
	s.sees("echo $?\r", "130\n")
}

// TestLess turns pages, at two sizes of the terminal, and finds what it looks for.
func TestLess(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 14 MB")
	}
	const (
		ready = "\x1b]133;B\a"
		eol   = "\x1b[m\x1b[K\n"
	)
	s := openShellAs(t, newSandbox(t), "xterm-256color", "\x1b]133;A\a"+prompt+ready)
	s.sees("seq -f 'line %g' 500 >/tmp/f; seq -w 9 | tr -d '\\n' >/tmp/wide; echo >>/tmp/wide; printf 'a\\e[31mred\\e[m\\e[2Jb\\x80\\t.\\n' >/tmp/raw; cd /tmp\r", ready)
	for _, step := range []struct{ typed, want string }{
		{"less f\r", "\x1b[?1049h"},
		{"", "line 23" + eol + "\x1b[K\x1b[7mf\x1b[27m"},
		{" ", "line 24" + eol},
		{"", "line 46" + eol + "\x1b[K:"},
		{"j", "\x1b[Hline 25" + eol},
		{"\x1b[A", "\x1b[Hline 24" + eol},
		{"b", "\x1b[Hline 1" + eol},
		{"/e 30.$\r", "\x1b[Hlin\x1b[7me 300\x1b[27m" + eol},
		{"n", "\x1b[Hlin\x1b[7me 301\x1b[27m" + eol},
		{"N", "\x1b[Hlin\x1b[7me 300\x1b[27m" + eol},
		{"G", "line 500" + eol + "\x1b[K\x1b[7m(END)\x1b[27m"},
		{"/nosuch\r", "Pattern not found"},
		{"7g", "\x1b[Hline 7" + eol},
		{"-N", "\x1b[H      7 line 7" + eol},
		{"q", "\x1b[?1049l"},
		{"", ready},
		{"less +G f | tail -1\r", "line 500\n"},
		{"", ready},
		{"seq 100 | less -X\r", "23" + eol},
		{"G", "100" + eol},
		{"q", ready},
		{"less -F wide; echo s$?\r", "s0\n"},
		{"", ready},
		{"less raw\r", "a^[[31mred^[[m^[[2Jb<80>        ." + eol},
		{"-R", "a\x1b[31mred\x1b[m^[[2Jb<80>  ." + eol},
		{"q", ready},
		{"less nosuch; echo s$?\r", "nosuch: No such file or directory\ns1\n"},
		{"", ready},
		{"more f\r", "--More--"},
		{"q", ready},
		{"more wide; echo s$?\r", "123456789\ns0\n"}, // it fits
		{"", ready},
		{"less f\r", "line 23" + eol},
	} {
		s.sees(step.typed, step.want)
	}
	if err := s.p.Resize(10, 200); err != nil {
		t.Fatal(err)
	}
	s.sees("", "line 9"+eol+"\x1b[K\x1b[7mf\x1b[27m")
	s.sees("q", ready)
	s.sees("stty | wc -l\r", "1\n") // the modes are those that there were
}

// Where nobody types less prints everything.
func TestLessAlone(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 14 MB")
	}
	c := core.Command{Command: "bash", Args: []string{"-c", "seq 500 | less; seq 500 >/tmp/f; less /tmp/f; echo $PAGER $GIT_PAGER; : </dev/tty"}, Pty: true}
	stdout, _, _ := runCommand(t, newSandbox(t), c)
	var want strings.Builder
	for range 2 {
		for i := range 500 {
			fmt.Fprintln(&want, i+1)
		}
	}
	got := strings.ReplaceAll(stdout.String(), "\r", "")
	rest, ok := strings.CutPrefix(got, want.String()+"cat cat\n")
	if !ok || !strings.Contains(rest, "/dev/tty: No such device or address") {
		t.Errorf("got %d bytes that end in %q, want 500 numbers twice, and no /dev/tty", len(got), got[max(0, len(got)-100):])
	}
}

// A shellAt is a shell at a terminal.
type shellAt struct {
	t      *testing.T
	p      driver.Process
	screen chan string
	seen   string // of what sees has read, what comes after that
}

// openShell starts a shell, until the test ends, and awaits its prompt.
func openShell(t *testing.T, h *hostwasm.Host) *shellAt { return openShellAs(t, h, "dumb", prompt) }

func openShellAs(t *testing.T, h *hostwasm.Host, term, prompt string) *shellAt {
	t.Helper()
	dir := t.TempDir()
	e, err := h.Resolve(t.Context(), core.Command{
		Command: "bash", Env: []core.EnvVariable{{Name: "TERM", Value: term}}, Cwd: dir, Roots: []string{dir}, Pty: true, Interactive: true,
		Rows: 24, Cols: 80,
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	s := &shellAt{t: t, p: p, screen: make(chan string, 1<<10)}
	read := make(chan struct{})
	go func() { // ends with the shell
		defer close(read)
		defer close(s.screen)
		p.Output(func(_ uint8, b []byte) { s.screen <- strings.ReplaceAll(string(b), "\r", "") })
	}()
	t.Cleanup(func() {
		p.Close()
		<-read
	})
	s.types("", prompt)
	return s
}

// types types keys, and awaits what is printed then: want, and nothing else.
func (s *shellAt) types(keys, want string) {
	s.t.Helper()
	if _, err := s.p.Write([]byte(keys)); err != nil {
		s.t.Fatal(err)
	}
	got, overdue := "", time.After(time.Minute)
	for len(got) < len(want) {
		select {
		case b, ok := <-s.screen:
			if !ok {
				s.t.Fatalf("typed %q: got %q and then the end, want %q", keys, got, want)
			}
			got += b
		case <-overdue:
			s.t.Fatalf("typed %q: got %q and no more, want %q", keys, got, want)
		}
	}
	if got != want {
		s.t.Fatalf("typed %q: got %q, want %q", keys, got, want)
	}
}

// sees types keys, and awaits that want is printed, whatever comes before.
func (s *shellAt) sees(keys, want string) {
	s.t.Helper()
	if _, err := s.p.Write([]byte(keys)); err != nil {
		s.t.Fatal(err)
	}
	overdue := time.After(time.Minute)
	for !strings.Contains(s.seen, want) {
		select {
		case b, ok := <-s.screen:
			if !ok {
				s.t.Fatalf("typed %q: got %q and then the end, want %q", keys, s.seen, want)
			}
			s.seen += b
		case <-overdue:
			s.t.Fatalf("typed %q: got %q and no more, want %q", keys, s.seen, want)
		}
	}
	_, s.seen, _ = strings.Cut(s.seen, want)
}
