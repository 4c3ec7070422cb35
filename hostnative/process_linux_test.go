package hostnative_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// held is what a process must give back: descriptors, children, goroutines.
type held struct {
	fds, children, goroutines int
}

func holding(t *testing.T) (h held) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range lists {
		list, _ := os.ReadFile(name) // a thread may have ended
		h.children += len(strings.Fields(string(list)))
	}
	h.fds, h.goroutines = len(fds), runtime.NumGoroutine()
	return h
}

// checkHolding reports what has not been given back. Goroutines may be about
// to end; the rest must be gone when Start or Close returns.
func checkHolding(t *testing.T, before held) {
	t.Helper()
	now := holding(t)
	if now.fds > before.fds || now.children > before.children {
		t.Errorf("holding %+v, before %+v", now, before)
	}
	for late := time.Now().Add(patience); now.goroutines > before.goroutines; now = holding(t) {
		if time.Now().After(late) {
			t.Fatalf("after %v: holding %+v, before %+v", patience, now, before)
		}
		runtime.Gosched()
	}
}

// withoutGC keeps finalizers from closing what we forgot to close.
func withoutGC(t *testing.T) {
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
}

func TestCloseFreesEverything(t *testing.T) {
	withoutGC(t)
	h := newHost(t, hostnative.Config{})
	use := func(c core.Command) {
		e, err := h.Resolve(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		p, err := h.Start(context.Background(), e)
		if err != nil {
			t.Fatal(err)
		}
		w := watchOutput(p)
		w.wait(t, "x")
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		<-w.end
	}
	commands := []core.Command{line(`echo x`), line(`echo x; exec sleep 1000`), line(`trap '' HUP; sleep 1000 & echo x`)}
	use(commands[0]) // what is opened once and kept: the poller
	before := holding(t)
	for range 5 {
		for _, c := range commands {
			use(c)
			use(onPty(c))
			use(interactive(c))
			use(interactive(onPty(c)))
		}
	}
	checkHolding(t, before)
}

// A file that is no program is found out only after all has been opened.
func TestStartErrorFreesEverything(t *testing.T) {
	withoutGC(t)
	h := newHost(t, hostnative.Config{})
	run(t, h, line(`exit`)) // opens the poller
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, []byte{0, 1, 2, 3}, 0o755); err != nil {
		t.Fatal(err)
	}
	before := holding(t)
	c := core.Command{Command: file}
	for _, c := range []core.Command{c, onPty(c), interactive(c), interactive(onPty(c))} {
		e, err := h.Resolve(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Start(context.Background(), e); !errors.Is(err, unix.ENOEXEC) {
			t.Errorf("got %v, want %v", err, unix.ENOEXEC)
		}
	}
	checkHolding(t, before)
}

// Start fails at every descriptor it can't get, says so, and keeps none.
func TestStartWithoutDescriptors(t *testing.T) {
	withoutGC(t)
	h := newHost(t, hostnative.Config{})
	run(t, h, line(`exit`)) // opens the poller
	e, err := h.Resolve(context.Background(), line(`exit`))
	if err != nil {
		t.Fatal(err)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	before := holding(t)
	for _, command := range []core.Command{line(`exit`), onPty(line(`exit`)), interactive(line(`exit`)), interactive(onPty(line(`exit`)))} {
		e.Command.Pty, e.Command.Interactive = command.Pty, command.Interactive
		failures := 0
		for free := range 20 {
			low := limit
			low.Cur = room(t, free)
			if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, &low, nil); err != nil {
				t.Fatal(err)
			}
			p, err := h.Start(context.Background(), e)
			if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
				t.Fatal(err)
			}
			if err == nil {
				p.Close()
				break
			}
			failures++
			if !errors.Is(err, unix.EMFILE) {
				t.Errorf("with %d descriptors left: got %v, want %v", free, err, unix.EMFILE)
			}
		}
		if failures < 3 {
			t.Errorf("pty=%t: got %d failures, want more", command.Pty, failures)
		}
		checkHolding(t, before)
	}
}

// room is the limit of descriptors that leaves so many of them free.
func room(t *testing.T, free int) (limit uint64) {
	t.Helper()
	for ; ; limit++ {
		if _, err := unix.FcntlInt(uintptr(limit), unix.F_GETFD, 0); err == nil {
			continue
		}
		if free--; free < 0 {
			return limit
		}
	}
}

// Realtime signals have no name: both ways they go by their number.
func TestRealtimeSignal(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	_, exit := run(t, h, line(`kill -40 $$`))
	if want := (core.ExitStatus{Signal: "SIG40"}); exit.Status != want {
		t.Errorf("got %v, want %v", exit.Status, want)
	}
	p := start(t, h, line(`echo ready; exec sleep 1000`))
	watchOutput(p).wait(t, "ready")
	if err := p.Signal("SIG64"); err != nil {
		t.Fatal(err)
	}
	if got, want := waitExit(t, p).Status, (core.ExitStatus{Signal: "SIG64"}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if err := p.Signal("SIG65"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("SIG65: got %v, want %v", err, errors.ErrUnsupported)
	}
}

func TestUsage(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	_, exit := run(t, h, line(`i=0; while test $i -lt 200000; do i=$((i+1)); done`))
	if got := exit.Usage.UserTime; got <= 0 || got > patience {
		t.Errorf("got %v of user time", got)
	}
	// What the fork of this program had is not the command's.
	if got := exit.Usage.MaxRSS; got != 0 {
		t.Errorf("got a largest size of %d bytes, want 0: unknown", got)
	}
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		t.Fatal(err)
	}
	size := int64(own.Maxrss)<<10 + 128<<20 // more than this test takes itself
	_, exit = run(t, h, line(`exec dd if=/dev/zero of=/dev/null "bs=$1" count=1 2>/dev/null`, fmt.Sprint(size)))
	if got := exit.Usage.MaxRSS; got < size || got > size+size/4 {
		t.Errorf("got a largest size of %d bytes, want little more than %d", got, size)
	}
}

// A command finds nothing of ours: it is all closed when it is executed.
func TestDescriptors(t *testing.T) {
	// What this test was started with itself is not our doing.
	for fd := 3; fd < 1024; fd++ {
		unix.CloseOnExec(fd)
	}
	h := newHost(t, hostnative.Config{})
	for range 4 { // others' descriptors are there to be inherited
		start(t, h, onPty(line(`exec sleep 1000`)))
		start(t, h, interactive(line(`exec sleep 1000`)))
	}
	// The shell's own one, of the directory, is closed when it looks.
	c := line(`for f in /proc/self/fd/*; do test -e "$f" && echo "${f##*/}"; done`)
	for _, c := range []core.Command{c, onPty(c), interactive(c)} {
		if out, _ := run(t, h, c); out != "0\n1\n2\n" {
			t.Errorf("got descriptors %q, want 0, 1 and 2", out)
		}
	}
}
