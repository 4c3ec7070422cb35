package hostnative_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A hangingExec is a program whose execve(2) hangs until release, as on a file system
// that does not answer: here somebody listens to it (fanotify(7)) and does not answer.
type hangingExec struct {
	path string
	fan  int // -1 after release
}

func newHangingExec(t *testing.T) *hangingExec {
	t.Helper()
	x := &hangingExec{path: filepath.Join(t.TempDir(), "hang")}
	program, err := os.ReadFile("/bin/true")
	if err == nil {
		err = os.WriteFile(x.path, program, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	if x.fan, err = unix.FanotifyInit(unix.FAN_CLASS_CONTENT|unix.FAN_CLOEXEC|unix.FAN_NONBLOCK, unix.O_RDONLY); err != nil {
		t.Skip("no listening to files here: ", err)
	}
	t.Cleanup(x.release)
	if err := unix.FanotifyMark(x.fan, unix.FAN_MARK_ADD, unix.FAN_OPEN_EXEC_PERM, unix.AT_FDCWD, x.path); err != nil {
		t.Skip("no listening to files here: ", err)
	}
	return x
}

// await returns when n more starts hang.
func (x *hangingExec) await(t *testing.T, n int) {
	t.Helper()
	for late := time.Now().Add(patience); n > 0; n-- {
		fds := []unix.PollFd{{Fd: int32(x.fan), Events: unix.POLLIN}}
		for {
			left := time.Until(late)
			if left <= 0 {
				t.Fatalf("after %v: %d starts do not hang", patience, n)
			}
			if ready, err := unix.Poll(fds, int(left.Milliseconds())+1); ready > 0 && err == nil {
				break
			}
		}
		var event unix.FanotifyEventMetadata // room for one
		b := unsafe.Slice((*byte)(unsafe.Pointer(&event)), unsafe.Sizeof(event))
		if _, err := unix.Read(x.fan, b); err != nil {
			t.Fatal(err)
		}
		unix.Close(int(event.Fd)) // which is no answer
	}
}

// release lets all go on.
func (x *hangingExec) release() {
	if x.fan >= 0 {
		unix.Close(x.fan)
	}
	x.fan = -1
}

// One program that hangs in its start holds up no other: not their start, nor their
// signals and end, nor its own client.
func TestHangingStart(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	x := newHangingExec(t)
	other := start(t, h, line(`trap "echo asked" TERM; echo up; while :; do sleep 0.01; done`))
	said := watchOutput(other)
	said.wait(t, "up")

	e, err := h.Resolve(t.Context(), core.Command{Command: x.path, Args: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, giveUp := context.WithCancel(t.Context())
	hung := make(chan error, 1)
	go func() {
		p, err := h.Start(ctx, e)
		if err == nil {
			p.Close()
		}
		hung <- err
	}()
	x.await(t, 1)
	for range 20 {
		run(t, h, line(`exit`))
	}
	if err := other.Signal("SIGTERM"); err != nil {
		t.Error(err)
	}
	said.wait(t, "asked")
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-hung:
		t.Fatalf("the start did not hang: %v", err)
	default:
	}
	giveUp()
	if err := <-hung; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	x.release()
	run(t, h, line(`exit`))
}

// A keeper that dies takes no command with it that is not told of, and nothing of
// theirs lives when they are closed. The next one is there for what comes then.
func TestKilledKeeper(t *testing.T) {
	killKeepers(t, hostnative.Config{})
}

// So it is with the keepers of confined commands.
func TestKilledKeeperConfined(t *testing.T) {
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	killKeepers(t, confinedTo(t.TempDir()))
}

func killKeepers(t *testing.T, config hostnative.Config) {
	withoutGC(t)
	h := newHost(t, config)
	startDaemon := func(t *testing.T, h *hostnative.Host, script string, mode func(core.Command) core.Command) (driver.Process, *os.File) {
		if len(config.Sandbox.Roots) == 0 {
			return startDaemon(t, h, script, mode)
		}
		root, err := os.MkdirTemp(config.Sandbox.Roots[0], "")
		if err != nil {
			t.Fatal(err)
		}
		return startDaemonIn(t, h, root, script, func(c core.Command) core.Command {
			c = mode(c)
			c.Cwd = root
			return c
		})
	}
	ended, _ := startDaemon(t, h, daemon, modes[0].mode)
	waitExit(t, ended)
	before := holding(t)
	times := *kills
	if testing.Short() {
		times /= 4
	}
	for i := range times {
		var processes []driver.Process
		var fifos []*os.File
		for n := range 1 + i%3 { // closing the last one must not hide that there was one
			p, fifo := startDaemon(t, h, daemon+`wait; sleep 1000`, modes[n%2].mode)
			processes, fifos = append(processes, p), append(fifos, fifo)
		}
		timer := time.NewTimer(rand.N(3 * time.Millisecond))
		starting := make(chan error, 1)
		go func() { // at any moment of a start
			e, err := h.Resolve(context.Background(), line(`exit`))
			if err == nil {
				var p driver.Process
				if p, err = h.Start(context.Background(), e); err == nil {
					err = p.Close()
				}
			}
			starting <- err
		}()
		var parents []int
		for _, p := range processes {
			parents = append(parents, parentOf(t, p))
		}
		pid := parents[0]
		<-timer.C
		unix.Kill(pid, unix.SIGKILL)
		for n, p := range processes {
			if parent := parents[n]; parent != pid {
				p.Close() // of another keeper
				fifos[n].Close()
				continue
			}
			if exit, err := p.Wait(); err == nil || exit.Reason != core.ReasonLost || !exit.Status.Unknown {
				t.Errorf("kill %d: got %+v, %v, want it lost", i, exit, err)
			}
			if err := p.Close(); err != nil {
				t.Errorf("kill %d: %v", i, err)
			}
			fifos[n].SetReadDeadline(time.Now().Add(patience))
			if _, err := io.ReadAll(fifos[n]); err != nil {
				t.Fatalf("kill %d: some of its processes live: %v", i, err)
			}
			fifos[n].Close()
		}
		<-starting // whatever came of it
		run(t, h, line(`exit`))
	}
	if err := ended.Close(); err != nil {
		t.Error(err)
	}
	h.Close()
	// Close waits a second for one keeper, and the last of those that were replaced may be ending.
	now := holding(t)
	for late := time.Now().Add(patience); now.children > before.children && time.Now().Before(late); now = holding(t) {
		time.Sleep(time.Millisecond)
	}
	if now.children > before.children {
		t.Errorf("got %d children, before %d", now.children, before.children)
	}
}

// parentOf returns the keeper of a process. A host may have more than one, where a start
// has taken long.
func parentOf(t *testing.T, p driver.Process) (pid int) {
	t.Helper()
	own, _ := p.(driver.Placer).Place()
	s, err := strays.ReadStat(own)
	if err != nil {
		t.Fatal(err)
	}
	return s.Parent
}

// A keeper that stands still is ended, and so what it has.
func TestStoppedKeeper(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits until the keeper is given up")
	}
	t.Parallel()
	h := newHost(t, hostnative.Config{})
	p, fifo := startDaemon(t, h, daemon+`wait; sleep 1000`, modes[0].mode)
	unix.Kill(keeperOf(t, h), unix.SIGSTOP)
	if err := p.Signal("SIGTERM"); err != nil {
		t.Errorf("Signal: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(fifo); err != nil {
		t.Error(err)
	}
	run(t, h, line(`exit`))
}

// Daemons of what the embedding program has started itself become init's children,
// and not ours to wait for.
func TestOthersDaemons(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	run(t, h, line(`exit`))
	before := holding(t)
	if out, err := exec.Command("/bin/sh", "-c", `for i in 1 2 3 4 5; do setsid sh -c 'exit' & done; wait`).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run(t, h, line(`exit`))
	if now := holding(t); now.children > before.children {
		t.Errorf("got %d children, before %d", now.children, before.children)
	}
}

// Arguments and environment of megabytes reach the command.
func TestLongStart(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	c := line(`echo $# ${#1} ${#LONG}`)
	long := strings.Repeat("x", 100_000)
	for range 8 {
		c.Args = append(c.Args, long)
	}
	c.Env = append(c.Env, core.EnvVariable{Name: "LONG", Value: long})
	if got, _ := run(t, h, c); got != "8 100000 100000\n" {
		t.Errorf("got %q, want all of it", got)
	}
}

// So they do where this program may write no large files, as after ulimit -f: what is
// handed to the keeper is none.
func TestLongStartWithoutLargeFiles(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `ulimit -f 1; exec "$0"`, self)
	cmd.Env = hostEnv("long")
	if got, err := cmd.Output(); err != nil || string(got) != "100000\n" {
		t.Errorf("got %q, %v, want all of it", got, err)
	}
}

// beLong says how long a variable of a command is.
func beLong() {
	c := line(`echo ${#LONG}`)
	c.Env = append(c.Env, core.EnvVariable{Name: "LONG", Value: strings.Repeat("x", 100_000)})
	fmt.Print(aloneOutput(c))
	os.Exit(0)
}

// aloneOutput runs a command in a host of its own, or ends this program.
func aloneOutput(c core.Command) string {
	h, err := hostnative.New(hostnative.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	e, err := h.Resolve(context.Background(), c)
	if err != nil {
		log.Fatal(err)
	}
	p, err := h.Start(context.Background(), e)
	if err != nil {
		log.Fatal(err)
	}
	var out strings.Builder
	p.Output(func(_ uint8, b []byte) { out.Write(b) })
	p.Close()
	return out.String()
}

// A command begins with the signals ignored that this program was told to ignore, as
// by nohup(1) or a shell without job control, and with no others: the keeper heeds
// none.
func TestIgnoredSignals(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", `trap "" HUP TSTP TTIN TTOU; exec "$0"`, self)
	cmd.Env = hostEnv("signals")
	out, err := cmd.Output()
	want := "SIGHUP"
	if signal.Ignored(unix.SIGINT) { // and so the shell does
		want += "\nSIGINT"
	}
	want += "\nSIGTSTP\nSIGTTIN\nSIGTTOU"
	if got := strings.TrimSpace(string(out)); err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// beSignals says which signals a command ignores.
func beSignals() {
	out := aloneOutput(core.Command{Command: "cat", Args: []string{"/proc/self/status"}})
	_, rest, _ := strings.Cut(out, "SigIgn:")
	var ignored uint64
	fmt.Sscanf(rest, "%x", &ignored)
	for _, sig := range []syscall.Signal{
		unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGPIPE, unix.SIGCHLD, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU,
	} {
		if ignored>>(sig-1)&1 != 0 {
			fmt.Println(unix.SignalName(sig))
		}
	}
	os.Exit(0)
}

// Whoever ends this program gently does not end its keeper, which has the commands to
// end: a signal for all of a service, or of a container, reaches both.
func TestKeeperHeedsNoSignal(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	pid := keeperOf(t, h)
	for _, sig := range []syscall.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGTERM, unix.SIGQUIT, unix.SIGUSR1, unix.SIGPIPE, 40} {
		if err := unix.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := run(t, h, line(`echo well`)); got != "well\n" {
		t.Errorf("got %q", got)
	}
	if now := keeperOf(t, h); now != pid {
		t.Errorf("got keeper %d, before %d", now, pid)
	}
}

// What this program has open for others to inherit is the command's, too.
func TestInheritedDescriptor(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := unix.FcntlInt(file.Fd(), unix.F_SETFD, 0); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, hostnative.Config{})
	run(t, h, line(fmt.Sprintf(`echo hello >&%d`, file.Fd())))
	if got, err := os.ReadFile(file.Name()); string(got) != "hello\n" {
		t.Errorf("got %q, %v", got, err)
	}
}
