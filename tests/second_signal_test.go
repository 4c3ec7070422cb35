package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A stubbornPlace is one whose program does not end when it is to.
type stubbornPlace struct {
	*testing.T
	dir string
}

// newStubbornPlace returns a place whose program is that command of a shell.
func newStubbornPlace(t *testing.T, command string) *stubbornPlace {
	t.Helper()
	p := &stubbornPlace{t, t.TempDir()}
	program := fmt.Sprintf("#!/bin/sh\ncd '%s' && echo $$ >pid.new && mv pid.new pid\nexec %s\n", p.dir, command)
	if err := os.WriteFile(filepath.Join(p.dir, "far"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

// sits has a person run a command there, and returns the process of the place's program.
func (p *stubbornPlace) sits(flags ...string) (c *console, leave func(), pid int) {
	p.Helper()
	os.Remove(filepath.Join(p.dir, "pid"))
	args := append([]string{"-c", around, "sh", "run", "--on", "exec:" + filepath.Join(p.dir, "far")}, flags...)
	c, leave, err := sitAtConsole(exec.Command("sh", append(args, "--", "sleep", "1000")...))
	if err != nil {
		p.Fatal(err)
	}
	eventually(p.T, func() bool {
		text, _ := os.ReadFile(filepath.Join(p.dir, "pid"))
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	return c, leave, pid
}

// opens returns when somebody else has opened the FIFO called name to write.
func (p *stubbornPlace) opens(name string) *os.File {
	p.Helper()
	f, err := os.Open(filepath.Join(p.dir, name))
	if err != nil {
		p.Fatal(err)
	}
	return f
}

// fifo makes one.
func (p *stubbornPlace) fifo(name string) string {
	p.Helper()
	path := filepath.Join(p.dir, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		p.Fatal(err)
	}
	return path
}

// leavesSoon has attempt give up twice at a time, and fails unless that took less than the program
// of a place has to end by itself. On a machine that is busy it may take longer.
func (p *stubbornPlace) leavesSoon(attempt func() (c *console, leave func(), pid int)) {
	p.Helper()
	const closeLimit = 2 * time.Second // of package place
	var took []time.Duration
	for range 20 {
		c, leave, pid := attempt()
		began := time.Now()
		// Of one signal that comes twice the system may tell once, and two may come in any order.
		for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			if err := syscall.Kill(c.pid, sent); err != nil && err != syscall.ESRCH {
				p.Fatal(err)
			}
		}
		// What the shell around it does then is not its time.
		eventually(p.T, func() bool { return syscall.Kill(c.pid, 0) == syscall.ESRCH })
		took = append(took, time.Since(began))
		exit, err := c.expect(`\[exit (130|143) (\S+)\]\r\n`)
		if err != nil {
			p.Fatalf("%v\nthe terminal shows:\n%q", err, c.seen)
		}
		if exit[2] != c.before {
			p.Fatalf("got terminal settings %s, want %s", exit[2], c.before)
		}
		eventually(p.T, func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
		leave()
		if took[len(took)-1] < closeLimit {
			return
		}
	}
	p.Errorf("got %v from the first signal to the end, want less than %v", took, closeLimit)
}

// A second signal does not wait until a connection that was given up has ended.
func TestSecondSignalConnecting(t *testing.T) {
	watchModule(t)
	p := newStubbornPlace(t, "sleep 1000")
	p.leavesSoon(func() (*console, func(), int) { return p.sits() })
}

// Nor until a start has. Two files that nobody reads yet hold it up: behind the first there is a
// connection, and behind the second it starts.
func TestSecondSignalStarting(t *testing.T) {
	watchModule(t)
	p := newStubbornPlace(t, "terrarium host serve --stdio")
	trace, record := p.fifo("trace"), p.fifo("record")
	p.leavesSoon(func() (*console, func(), int) {
		c, leave, pid := p.sits("--trace", trace, "--record", record)
		connected := p.opens("trace")
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			p.Fatal(err)
		}
		starts := p.opens("record")
		return c, func() {
			leave()
			connected.Close()
			starts.Close()
		}, pid
	})
}

// Where a file is opened that nobody reads, a first one does not wait for that.
func TestSignalWhileOpening(t *testing.T) {
	watchModule(t)
	p := newStubbornPlace(t, "sh -c 'terrarium host serve --stdio | tee answered'")
	answered := filepath.Join(p.dir, "answered")
	for _, flag := range []string{"--trace", "--record"} {
		os.Remove(answered)
		c, leave, _ := p.sits(flag, p.fifo(flag[2:]))
		eventually(t, func() bool {
			info, err := os.Stat(answered)
			return err == nil && info.Size() > 0
		})
		if err := syscall.Kill(c.pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if _, err := c.expect(`\[exit 143 ` + regexp.QuoteMeta(c.before) + `\]\r\n`); err != nil {
			t.Errorf("%s: %v\nthe terminal shows:\n%q", flag, err, c.seen)
		}
		leave()
	}
}
