//go:build unix

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
)

// The cases are the command lines of testdata/*.txt. Those of one file run one after the other in a
// directory of their own, as sh runs them, those of terminal.txt at a terminal; what Debian 12's
// git 2.39.5 did is recorded below each: its output after "| ", its errors after "! ", its status
// after "? ", and after "= " what it changed, which is HEAD's branch and digests of the references,
// the index and the files. A "#" begins a remark.
//
//	go test ./plugins/git -run Recorded -record    # with that git: record what it does

var record = flag.Bool("record", false, "record what the installed git does")

// TestMain is git, if the binary is called so.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "git" {
		cli.HTTP = overSockets
		main()
	}
	os.Exit(m.Run())
}

// installed is the git that a case may call by this name for what ours can't do.
const installed = "/usr/bin/git"

func isInstalled() bool {
	_, err := os.Stat(installed)
	return err == nil
}

// A step is a command line and what it did.
type step struct{ remark, line, want string }

func readSteps(t *testing.T, file string) (steps []step) {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	remark := ""
	for line := range strings.Lines(string(b)) {
		switch {
		case strings.HasPrefix(line, "# "):
			remark += line
		case strings.HasPrefix(line, "$ "):
			steps = append(steps, step{remark, strings.TrimSuffix(line[2:], "\n"), ""})
			remark = ""
		default:
			steps[len(steps)-1].want += line
		}
	}
	return steps
}

// runner runs lines in a directory; bin is where git is.
type runner struct{ dir, home, bin string }

func newRunner(t *testing.T, bin string) runner {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := runner{dir: filepath.Join(dir, "work"), home: filepath.Join(dir, "home"), bin: bin}
	for _, d := range []string{r.dir, r.home} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// run returns the outputs and the status: each line of stdout after "| ", of stderr after "! ".
func (r runner) run(t *testing.T, line string) string {
	cmd := r.command(line)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var b strings.Builder
	places := strings.NewReplacer(r.dir, "$WORK", filepath.Dir(r.dir), "$TOP")
	prefixed(&b, "| ", places.Replace(stdout.String()))
	prefixed(&b, "! ", places.Replace(stderr.String()))
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		fmt.Fprintf(&b, "? %d\n", code)
	}
	return b.String()
}

// atTerminal is run where a person sits: both outputs are one terminal, of 60 columns.
func (r runner) atTerminal(t *testing.T, line string) string {
	cmd := r.command(line)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 60})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	all, _ := io.ReadAll(terminal) // it ends with an error, when nobody has the terminal any longer
	cmd.Wait()
	var b strings.Builder
	prefixed(&b, "| ", strings.ReplaceAll(string(all), "\r\n", "\n"))
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		fmt.Fprintf(&b, "? %d\n", code)
	}
	return b.String()
}

func (r runner) command(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", "umask 022; "+line)
	cmd.Dir = r.dir
	cmd.Env = []string{"PATH=" + r.bin + ":/usr/bin:/bin", "HOME=" + r.home, "LC_ALL=C", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1",
		"GORACE=atexit_sleep_ms=0", // or each command takes a second with -race
		"GOMAXPROCS=1", "GOGC=off", // most of what a case takes is the start of its commands
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org", "GIT_AUTHOR_DATE=2026-11-21T05:35:00+0000",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org", "GIT_COMMITTER_DATE=2026-11-21T05:35:00+0000"}
	return cmd
}

func prefixed(b *strings.Builder, prefix, text string) {
	for line := range strings.Lines(text) {
		b.WriteString(prefix + strings.TrimSuffix(line, "\n") + "\n")
	}
}

// ours returns a directory in which git is this test's binary.
func ours(t *testing.T) string {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(exe, filepath.Join(bin, "git")); err != nil {
		t.Fatal(err)
	}
	return bin
}

// outcome is what line does, at a terminal or without one, as the file's name says.
func (r runner) outcome(t *testing.T, file, line string) string {
	if filepath.Base(file) == "terminal.txt" {
		return r.atTerminal(t, line)
	}
	return r.run(t, line)
}

// TestRecorded compares our git with what Debian's did, and lets Debian's, if it is there, read the
// result.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	total, failing := 0, 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			if *record {
				recordFile(t, file)
			}
			r := newRunner(t, ours(t))
			last := ""
			for _, s := range readSteps(t, file) {
				if strings.Contains(s.line, installed) && !isInstalled() {
					t.Skip("needs " + installed)
				}
				total++
				if strings.Contains(s.want, "\n? ") || strings.HasPrefix(s.want, "? ") {
					failing++
				}
				got, state := r.outcome(t, file, s.line), r.state(t)
				if strings.Contains(s.remark, "# differs: ") {
					got, s.want = ends(got), ends(s.want)
				}
				if now := state.String(); now != last {
					got += now
					last = now
				}
				if got != s.want {
					t.Errorf("%s\n%s", s.line, difference(s.want, got))
					if !strings.HasSuffix(s.want, state.String()) {
						t.Log("the state is\n" + state.listing())
					}
				}
			}
			readable(t, r)
		})
	}
	t.Logf("%d cases, %d of them failing", total, failing)
}

// TestNoColor: where NO_COLOR is set there are colours only on demand. Debian's git does not know
// it.
func TestNoColor(t *testing.T) {
	r := newRunner(t, ours(t))
	r.run(t, "git init -q -b main; git commit -q --allow-empty -m one")
	if got, want := r.atTerminal(t, "NO_COLOR=1 git --no-pager branch; git --no-pager branch"), "| * main\n| * \x1b[32mmain\x1b[m\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// difference is a patch from what is wanted to what was got.
func difference(want, got string) string {
	var b strings.Builder
	diff.Write(&b, []byte(want), []byte(got), 2, false)
	return b.String()
}

// ends returns the first line and those of the status and the state: what must be equal where the
// rest differs.
func ends(outcome string) string {
	lines := strings.SplitAfter(outcome, "\n")
	b := lines[0]
	for _, l := range lines[1:] {
		if strings.HasPrefix(l, "? ") || strings.HasPrefix(l, "= ") {
			b += l
		}
	}
	return b
}

func recordFile(t *testing.T, file string) {
	r := newRunner(t, "/usr/bin")
	var b strings.Builder
	last := ""
	for _, s := range readSteps(t, file) {
		fmt.Fprintf(&b, "%s$ %s\n%s", s.remark, s.line, r.outcome(t, file, s.line))
		if now := r.state(t).String(); now != last {
			b.WriteString(now)
			last = now
		}
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// readable lets the installed git look for damage, and at the index.
func readable(t *testing.T, r runner) {
	if _, err := os.Stat(filepath.Join(r.dir, ".git")); err != nil {
		return
	}
	if !isInstalled() {
		return
	}
	mine := r.run(t, "git status --porcelain; git ls-files -s")
	r.bin = "/usr/bin"
	if got := r.run(t, "git fsck --strict --no-dangling"); got != "" {
		t.Errorf("fsck: got %s", got)
	}
	if got := r.run(t, "git status --porcelain; git ls-files -s"); got != mine {
		t.Errorf("status: the installed git sees\n%swe see\n%s", got, mine)
	}
}
