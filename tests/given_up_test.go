package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// hangingEngine is a docker that starts no container while there is a file called hangs in its
// folder. Then the file called hanging has the process that was to be one. All else the stand-in
// does.
const hangingEngine = `#!/bin/sh
d='%s'
if test "$1" = run && test -e "$d/hangs"; then
	echo $$ >"$d/hanging.new"
	mv "$d/hanging.new" "$d/hanging"
	while test -e "$d/hangs"; do sleep 0.05; done
fi
exec '%s' "$@"
`

// A hangingBox is a fleet with one worker, whose engine may hang.
type hangingBox struct {
	*engineBox
	hangs, hanging string
}

func newHangingBox(t *testing.T) *hangingBox {
	t.Helper()
	b := &hangingBox{engineBox: newEngineBox(t)}
	b.hangs, b.hanging = filepath.Join(b.folder, "hangs"), filepath.Join(b.folder, "hanging")
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "docker"), fmt.Appendf(nil, hangingEngine, b.folder, filepath.Join(b.bin, "docker")), 0o755); err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, "PATH="+bin+":"+os.Getenv("PATH"))
	worker := b.join("one")
	b.until("a worker has joined", func() bool { return strings.Contains(worker.errs.String(), "joined") })
	if err := os.WriteFile(b.hangs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

// sits has a person run a script in the fleet, and returns when its container hangs, with the
// process of that.
func (b *hangingBox) sits(script string, flags ...string) (c *console, pid int) {
	b.Helper()
	args := append([]string{"-c", around, "sh", "run", "--on", "fleet:" + b.url, "--cwd", "/"}, flags...)
	cmd := exec.Command("sh", append(args, "--", "sh", "-c", script)...)
	cmd.Env = b.environ("NATS_CREDS=" + b.user)
	c, leave, err := sitAtConsole(cmd)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(leave)
	b.until("a container hangs", func() bool {
		text, err := os.ReadFile(b.hanging)
		if err != nil {
			return false
		}
		_, err = fmt.Sscan(string(text), &pid)
		return err == nil
	})
	os.Remove(b.hanging)
	return c, pid
}

func (b *hangingBox) steps(c *console, lines ...string) {
	b.Helper()
	for _, line := range lines {
		if err := c.step(line); err != nil {
			b.Fatalf("%s: %v\nthe terminal shows:\n%q", line, err, c.seen)
		}
	}
}

// TestFleetGivenUp has a person give up while their container starts. The terminal is theirs again,
// and the worker has given up, too.
func TestFleetGivenUp(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newHangingBox(t)
	for _, test := range []struct {
		how    string
		flags  []string
		status int
	}{
		{`type "\x03"`, nil, 130},
		{`type "\x1c"`, nil, 131},
		{`type "\x03"`, []string{"--pipe"}, 130},
		{"signal INT", nil, 130},
		{"signal TERM", nil, 143},
		{"signal TERM", []string{"--json"}, 143},
	} {
		c, pid := b.sits("echo started", test.flags...)
		b.steps(c, test.how, fmt.Sprintf("exit %d", test.status))
		b.until("the worker has given up", func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
	}
	if n := len(b.containers()); n != 0 {
		t.Errorf("got %d containers of those who have given up", n)
	}
	os.Remove(b.hangs)
	next := b.run("echo placed")
	if status := b.status(next); status != 0 || next.out.String() != "placed\n" {
		t.Errorf("the next one: got %d, %q and %q, want that it was placed", status, &next.out, &next.errs)
	}
}

// TestFleetTypedAhead: while a container starts, the keys that send signals are the person's. What
// else was typed is the command's, and all keys are as soon as it runs.
func TestFleetTypedAhead(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newHangingBox(t)
	c, _ := b.sits(`trap "echo caught; seen=1" INT; read line; echo "got $line"; while test -z "$seen"; do sleep 0.01; done; exit 7`)
	b.steps(c, `type "ahead\r"`)
	os.Remove(b.hangs)
	b.steps(c, "expect got ahead", `type "\x03"`, "expect caught", "exit 7")
}
