package bench

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// BenchmarkSandbox says what the sandbox costs: the same, outside and inside, in turns.
//
//	go test -run '^$' -bench BenchmarkSandbox -benchtime 1x ./tests/bench
func BenchmarkSandbox(b *testing.B) {
	s, err := newSandboxed(b)
	if err != nil {
		b.Skip("skipped: ", err)
	}
	t := &table{
		title:  "the sandbox: outside and inside, create to exit; medians, in turns",
		header: []string{"", "off, ms", "workspace, ms", "", "aim"},
	}
	tables = append(tables, t)
	for _, w := range sandboxWork {
		b.Run(w.name, func(b *testing.B) {
			off, on, err := s.compare(b, w)
			if err != nil {
				t.row(w.name, "-", "-", "", "skipped: "+err.Error())
				b.Skip(err)
			}
			t.row(w.name, milliseconds(off), milliseconds(on), times(on.Seconds(), off.Seconds()), w.aim)
			b.ReportMetric(on.Seconds()/off.Seconds(), "inside/outside")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// A sandboxed has a directory, and two drivers whose commands run in it.
type sandboxed struct {
	dir     string
	off, on *driver.Driver
	server  string // on loopback, which may be connected to
}

// A sandboxedWork is what is compared.
type sandboxedWork struct {
	name, aim   string
	turns, each int
	// prepare is called once, and says what can't be had. The line is run each time.
	prepare func(s *sandboxed) error
	line    func(s *sandboxed, n int) core.Command
	// fresh gives each command inside a session of its own, and so a keeper.
	fresh bool
	// tells says that the command prints how long it took, in nanoseconds.
	tells bool
}

var sandboxWork = []sandboxedWork{
	{name: "start of true", aim: "1.25x", turns: 6, each: 20, line: trueLine},
	{name: "first start of a session", aim: "15x", turns: 4, each: 3, line: trueLine, fresh: true},
	{name: "connect", aim: "10x", turns: 5, each: 1, line: connectLine, tells: true},
	{name: "git status", aim: "noise", turns: 5, each: 2, prepare: prepareGit, line: func(*sandboxed, int) core.Command {
		return core.Command{Command: "git", Args: []string{"status", "--short"}}
	}},
	{name: "go build", aim: "noise", turns: 3, each: 1, prepare: prepareGo, line: func(_ *sandboxed, n int) core.Command {
		return core.Command{Command: fmt.Sprintf("echo '// %d' >>main.go && go build -o /dev/null .", n)}
	}},
}

func newSandboxed(b *testing.B) (*sandboxed, error) {
	s := &sandboxed{dir: b.TempDir()}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b.Cleanup(func() { listener.Close() })
	go func() { // ends with the listener
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	s.server = listener.Addr().String()
	rule, err := egress.Parse(s.server)
	if err != nil {
		return nil, err
	}
	host, err := hostnative.New(hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxWorkspace, Required: true, Roots: []string{s.dir}, Private: b.TempDir(), Net: []egress.Rule{rule},
	}})
	if err != nil {
		return nil, err
	}
	b.Cleanup(func() { host.Close() })
	s.off, s.on = driver.New(driver.Config{Host: nativeHost(b)}), driver.New(driver.Config{Host: host})
	b.Cleanup(func() { s.off.Close(); s.on.Close() })
	return s, nil
}

// compare returns the medians.
func (s *sandboxed) compare(b *testing.B, w sandboxedWork) (off, on time.Duration, err error) {
	if w.prepare != nil {
		if err := w.prepare(s); err != nil {
			return 0, 0, err
		}
	}
	n := 0
	run := func(d *driver.Driver) (time.Duration, error) {
		n++
		c := w.line(s, n)
		c.Cwd = s.dir
		session := core.SessionID("one")
		if w.fresh && d == s.on {
			session = core.SessionID(fmt.Sprint("session", n))
		}
		begin := time.Now()
		term, err := d.Create(context.Background(), session, c)
		if err != nil {
			return 0, err
		}
		defer term.Release()
		exit, err := term.Wait(context.Background())
		took := time.Since(begin)
		out, _ := term.AppendOutput(nil)
		switch {
		case err != nil:
			return 0, err
		case exit.Status != (core.ExitStatus{}):
			return 0, fmt.Errorf("%s ended with %v: %s", c.Command, exit.Status, lastLine(out))
		case w.tells:
			ns, err := strconv.ParseInt(string(out), 10, 64)
			return time.Duration(ns), err
		}
		return took, nil
	}
	var took [2][]time.Duration
	for turn := range w.turns + 1 { // the first does what is done once
		for i, d := range []*driver.Driver{s.off, s.on} {
			for range w.each {
				t, err := run(d)
				if err != nil {
					return 0, 0, err
				}
				if turn > 0 {
					took[i] = append(took[i], t)
				}
			}
		}
	}
	return percentile(took[0], 50), percentile(took[1], 50), nil
}

func trueLine(*sandboxed, int) core.Command { return core.Command{Command: "/bin/true"} }

// connectVariable has this program connect to an address, and print the median time.
const connectVariable = "TERRARIUM_BENCH_CONNECT"

func connectLine(s *sandboxed, _ int) core.Command {
	self, err := os.Executable()
	if err != nil {
		self = "no-such-program"
	}
	return core.Command{Command: self, Args: []string{"-"}, Env: []core.EnvVariable{{Name: connectVariable, Value: s.server}}}
}

func connectMain(address string) {
	var took []time.Duration
	for range 300 {
		begin := time.Now()
		c, err := net.Dial("tcp", address)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		took = append(took, time.Since(begin))
		c.Close()
	}
	fmt.Print(int64(percentile(took, 50)))
	os.Exit(0)
}

// prepareGit makes a repository of some hundred files.
func prepareGit(s *sandboxed) error {
	for i := range 500 {
		dir := filepath.Join(s.dir, fmt.Sprint("dir", i%20))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte("x\n"), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = s.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w: %s", cmd, err, out)
		}
	}
	time.Sleep(settles)
	return nil
}

// settles is longer than a file has to be old for its times to say that it is still the same: until
// then who compares protected files lists each directory anew. Most that commands find are older.
const settles = 3 * time.Second

// prepareGo makes a module of one file.
func prepareGo(s *sandboxed) error {
	if _, err := exec.LookPath("go"); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.dir, "go.mod"), []byte("module hello\n\ngo 1.21\n"), 0o644); err != nil {
		return err
	}
	const program = "package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(\"hello\\n\") }\n"
	return os.WriteFile(filepath.Join(s.dir, "main.go"), []byte(program), 0o644)
}
