package hostnative_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// mechanisms are the ways to find a tree, each without the better ones.
var mechanisms = []struct {
	name   string
	config hostnative.Config
}{
	{"cgroup", hostnative.Config{}},
	{"cgroup alone", hostnative.Config{NoKeeper: true}},
	{"subreaper", hostnative.Config{NoCgroup: true}},
	{"environment", hostnative.Config{NoCgroup: true, NoKeeper: true}},
}

// daemon becomes a daemon as thoroughly as one can: two forks, two sessions,
// no descriptor of ours, no signal that could be ignored. It says "up" on the
// FIFO $1, which it then keeps open: end of file is the end of the last one.
const daemon = `
trap "" HUP
setsid sh -c '
	trap "" HUP INT TERM
	cd / && exec 3>"$1" </dev/null >/dev/null 2>&1
	(setsid sh -c "echo up >&3; while :; do sleep 1000; done" &)
' sh "$1" &
`

// startDaemon starts c, whose $1 is a FIFO, and returns the FIFO's reader once
// the daemon is up.
func startDaemon(t *testing.T, h *hostnative.Host, script string, mode func(core.Command) core.Command) (driver.Process, *os.File) {
	t.Helper()
	return startDaemonIn(t, h, t.TempDir(), script, mode)
}

// startDaemonIn is startDaemon with the directory of the FIFO.
func startDaemonIn(t *testing.T, h *hostnative.Host, dir, script string, mode func(core.Command) core.Command) (driver.Process, *os.File) {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, h, mode(line(script, fifo)))
	w := watchOutput(p)
	r := openFIFO(t, fifo)
	up := make([]byte, len("up\n"))
	if n, err := io.ReadFull(r, up); string(up) != "up\n" {
		left := processesOf(p)
		// SIGTERM ends a script that has lost its daemon, and what is left says how.
		p.Signal("SIGTERM")
		exit, waitErr := p.Wait()
		t.Fatalf("got %q, %v from the daemon; its script has printed %q, and ended with %+v, %v; before, there were %q",
			up[:n], err, w.output(), exit, waitErr, left)
	}
	return p, r
}

// processesOf says of each process in a command's cgroup what it is, and where in the kernel it is.
func processesOf(p driver.Process) (list []string) {
	pid, cgroup := p.(driver.Placer).Place()
	pids := strays.Cgroup(cgroup).Processes(nil)
	if len(pids) == 0 {
		pids = []int{pid}
	}
	for _, pid := range pids {
		var said []string
		for _, name := range []string{"stat", "wchan", "syscall"} {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
			if err != nil {
				b = []byte(err.Error())
			}
			said = append(said, strings.TrimSpace(string(b)))
		}
		list = append(list, strings.Join(said, "; "))
	}
	return list
}

func TestNothingSurvives(t *testing.T) {
	for _, mechanism := range mechanisms {
		for _, m := range modes {
			for _, end := range []struct {
				name   string
				script string
				f      func(t *testing.T, p driver.Process) error
			}{
				{"close", daemon + `wait; sleep 1000`, func(_ *testing.T, p driver.Process) error { return p.Close() }},
				{"close after exit", daemon, func(t *testing.T, p driver.Process) error { waitExit(t, p); return p.Close() }},
				{"kill", daemon + `sleep 1000`, func(_ *testing.T, p driver.Process) error { return p.Signal("SIGKILL") }},
				{"kill after exit", daemon, func(t *testing.T, p driver.Process) error { waitExit(t, p); return p.Signal("SIGKILL") }},
			} {
				t.Run(mechanism.name+"/"+m.name+"/"+end.name, func(t *testing.T) {
					p, fifo := startDaemon(t, newHost(t, mechanism.config), end.script, m.mode)
					if err := end.f(t, p); err != nil {
						t.Error(err)
					}
					if _, err := io.ReadAll(fifo); err != nil { // the last one's end
						t.Error(err)
					}
				})
			}
		}
	}
}

// A server that has made itself a daemon is asked to end, too.
func TestSignalReachesDaemon(t *testing.T) {
	script := strings.Replace(daemon, `"" HUP INT TERM`, `"" HUP INT`, 1)
	for _, mechanism := range mechanisms {
		t.Run(mechanism.name, func(t *testing.T) {
			p, fifo := startDaemon(t, newHost(t, mechanism.config), script, modes[0].mode)
			if err := p.Signal("SIGTERM"); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(fifo); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a shell starts when it is asked to end, to clear away, is not asked too.
func TestSignalSparesTrap(t *testing.T) {
	const script = `
mkfifo "$1.shell" "$1.trap"
setsid sh -c '
	exec 3>"$1" 4<>"$1.trap" 5<>"$1.shell" </dev/null >/dev/null 2>&1
	trap "sh -c \"read x <&4; echo done >&3\"; exit" TERM
	echo up >&3
	read x <&5
' sh "$1" &`
	for _, mechanism := range mechanisms {
		t.Run(mechanism.name, func(t *testing.T) {
			p, fifo := startDaemon(t, newHost(t, mechanism.config), script, modes[0].mode)
			if err := p.Signal("SIGTERM"); err != nil {
				t.Fatal(err)
			}
			// The shell goes on too: one that gets the signal just before it
			// reads runs its trap afterwards.
			for _, name := range []string{".trap", ".shell"} {
				f, err := os.OpenFile(fifo.Name()+name, os.O_RDWR, 0) // waits for nobody
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				f.WriteString("go on\n")
			}
			if got, err := io.ReadAll(fifo); string(got) != "done\n" || err != nil {
				t.Errorf("got %q, %v, want what the trap says", got, err)
			}
		})
	}
}

// It takes two ways to find one that hides from the other: its environment is
// empty, or it has left its cgroup, which root may do.
func TestHiddenDaemon(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	cgroup := ownCgroup(t)
	for _, test := range []struct{ name, prepare, shell string }{
		{"no environment", ``, `env -i /bin/sh`},
		{"out of its cgroup", `echo $$ >` + cgroup + `/cgroup.procs; `, `sh`},
	} {
		t.Run(test.name, func(t *testing.T) {
			script := test.prepare + strings.Replace(daemon, "setsid sh", "setsid "+test.shell, 1)
			p, fifo := startDaemon(t, h, script, modes[0].mode)
			waitExit(t, p)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if _, err := io.ReadAll(fifo); err != nil {
				t.Error(err)
			}
		})
	}
}

// Without cgroups one that has emptied its environment outlives its terminal, but not its keeper.
func TestHiddenDaemonEndsWithKeeper(t *testing.T) {
	h := newHost(t, hostnative.Config{NoCgroup: true})
	script := strings.Replace(daemon, "setsid sh", "setsid env -i /bin/sh", 1)
	p, fifo := startDaemon(t, h, script, modes[0].mode)
	waitExit(t, p)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	h.Close()
	fifo.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.ReadAll(fifo); err != nil {
		t.Errorf("it has survived its keeper: %v", err)
	}
}

// Orphans that have come to us leave no zombies, and cgroups no directories.
func TestTreesLeaveNothing(t *testing.T) {
	withoutGC(t)
	h := newHost(t, hostnative.Config{})
	cgroup := ownCgroup(t)
	run(t, h, line(`exit`))
	before := holding(t)
	for range 5 {
		p, _ := startDaemon(t, h, daemon+`(sleep 0 &)`, modes[0].mode)
		waitExit(t, p)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	if now := holding(t); now.children > before.children {
		t.Errorf("got %d children, before %d", now.children, before.children)
	}
	keeper := keeperOf(t, h)
	h.Close()
	checkNoCgroups(t, cgroup, keeper)
}

// cgroupsLeft returns the cgroups in parent that are of a host's keeper: there may
// be other hosts.
func cgroupsLeft(t *testing.T, parent string, keeper int) []string {
	t.Helper()
	left, err := filepath.Glob(fmt.Sprintf("%s/terrarium-*-%d-*-*", parent, keeper))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// checkNoCgroups reports cgroups that a keeper has not removed at its end. Close of its host
// waits a second for that, which is little on a busy machine.
func checkNoCgroups(t *testing.T, parent string, keeper int) {
	t.Helper()
	left := cgroupsLeft(t, parent, keeper)
	for late := time.Now().Add(patience); len(left) > 0 && time.Now().Before(late); left = cgroupsLeft(t, parent, keeper) {
		time.Sleep(time.Millisecond)
	}
	if len(left) > 0 {
		t.Errorf("got %d cgroups, want none: %q", len(left), left[:min(3, len(left))])
	}
}

// What another part of this program has started stays its own business.
func TestOthersChildren(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	for _, attr := range []*syscall.SysProcAttr{nil, {Setsid: true}} {
		cmd := exec.Command("/bin/sh", "-c", "exit 7")
		cmd.SysProcAttr = attr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Until it is a zombie:
		var info unix.Siginfo
		if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
			t.Fatal(err)
		}
		run(t, h, line(`exit`))
		cmd.Wait()
		if got, want := cmd.ProcessState.ExitCode(), 7; got != want {
			t.Errorf("got exit code %d, want %d", got, want)
		}
	}
}

// keeperOf returns the id of a host's keeper.
func keeperOf(t *testing.T, h *hostnative.Host) (pid int) {
	t.Helper()
	m := mechanism(t, h, "keeper")
	if _, err := fmt.Sscanf(m.Detail, "process %d", &pid); err != nil {
		t.Fatalf("got %+v, want a process: %v", m, err)
	}
	return pid
}

// mechanism returns what a host reports of one.
func mechanism(t *testing.T, h *hostnative.Host, name string) hostnative.Mechanism {
	t.Helper()
	for _, m := range h.Report() {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no %s in the report", name)
	return hostnative.Mechanism{}
}

// ownCgroup returns the cgroup that ours are made in.
func ownCgroup(t *testing.T) string {
	t.Helper()
	h := newHost(t, hostnative.Config{})
	defer h.Close()
	e, err := h.Resolve(context.Background(), line(`exec sed -n s/^0:://p /proc/self/cgroup`))
	if err != nil {
		t.Fatal(err)
	}
	out, _ := run(t, h, e.Command)
	path, _, found := strings.Cut(strings.TrimSpace(out), "/terrarium-")
	if !found {
		t.Skip("no cgroups here for commands")
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for mount := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(mount); strings.Contains(mount, " - cgroup2 ") {
			return filepath.Join(fields[4], path)
		}
	}
	t.Skip("no cgroup2 mount")
	return ""
}
