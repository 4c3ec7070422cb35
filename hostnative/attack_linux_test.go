package hostnative_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// hangs starts x n times, and returns when all hang.
func hangs(t *testing.T, h *hostnative.Host, ctx context.Context, x *hangingExec, n int) <-chan error {
	t.Helper()
	e, err := h.Resolve(t.Context(), core.Command{Command: x.path, Args: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, n)
	for range n {
		go func() {
			p, err := h.Start(ctx, e)
			if err == nil {
				err = p.Close()
			}
			ended <- err
		}()
	}
	x.await(t, n)
	return ended
}

// trySoon runs a command that must have ended within patience.
func trySoon(h *hostnative.Host) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	e, err := h.Resolve(ctx, line(`exit`))
	if err != nil {
		return err
	}
	p, err := h.Start(ctx, e)
	if err != nil {
		return err
	}
	if _, err := p.Wait(); err != nil {
		return err
	}
	return p.Close()
}

// Seven programs may hang in their start, and their clients wait for them: the eighth
// keeper is there for the others.
func TestManyHangingStarts(t *testing.T) {
	t.Parallel()
	h := newHost(t, hostnative.Config{})
	x := newHangingExec(t)
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	hung := hangs(t, h, ctx, x, 7)
	for range 3 {
		if err := trySoon(h); err != nil {
			t.Error(err)
		}
	}
	x.release()
	for range 7 {
		if err := <-hung; err != nil {
			t.Error(err)
		}
	}
}

// An eighth one takes the last keeper, and then there is an error that says so.
func TestTooManyHangingStarts(t *testing.T) {
	t.Parallel()
	h := newHost(t, hostnative.Config{})
	x := newHangingExec(t)
	for range 8 {
		ctx, giveUp := context.WithCancel(t.Context())
		hung := hangs(t, h, ctx, x, 1)
		// The time counts from when it hangs: a busy machine may take as long to get there.
		time.AfterFunc(2*time.Second, giveUp)
		if err := <-hung; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	}
	err := trySoon(h)
	if !isHang(err) {
		t.Errorf("got %v, want it to say that 8 programs hang", err)
	}
	x.release()
	// The first of the eight may take a while to get through.
	err = trySoon(h)
	for late := time.Now().Add(patience); isHang(err) && time.Now().Before(late); err = trySoon(h) {
		time.Sleep(time.Millisecond)
	}
	if err != nil {
		t.Error(err)
	}
}

func isHang(err error) bool {
	return err != nil && strings.Contains(err.Error(), "8 programs hang in their start")
}

// keepersOf counts this program's children that are keepers.
func keepersOf(t *testing.T) (n int) {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range lists {
		list, _ := os.ReadFile(name)
		for _, pid := range strings.Fields(string(list)) {
			comm, _ := os.ReadFile("/proc/" + pid + "/comm")
			if string(comm) == "terrarium-keep\n" {
				n++
			}
		}
	}
	return n
}

// Keepers that were started because others hung are not kept for longer than that.
func TestKeepersOfHangsEnd(t *testing.T) {
	before := keepersOf(t)
	h := newHost(t, hostnative.Config{})
	x := newHangingExec(t)
	for range 3 {
		ctx, giveUp := context.WithCancel(t.Context())
		hung := hangs(t, h, ctx, x, 1)
		time.AfterFunc(1500*time.Millisecond, giveUp)
		<-hung
	}
	x.release()
	for late := time.Now().Add(patience / 3); keepersOf(t) > before+1; {
		if time.Now().After(late) {
			t.Fatalf("got %d keepers, want 1", keepersOf(t)-before)
		}
		if err := trySoon(h); err != nil {
			t.Error(err)
		}
	}
}

// The child of a keeper that hangs in its start has a copy of the keeper's socket. The
// keeper's end is told all the same.
func TestKilledKeeperWhileHanging(t *testing.T) {
	for _, m := range mechanisms {
		if m.config.NoKeeper {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			h := newHost(t, m.config)
			p, fifo := startDaemon(t, h, daemon+`wait; sleep 1000`, modes[0].mode)
			pid := keeperOf(t, h)
			x := newHangingExec(t)
			ctx, giveUp := context.WithCancel(t.Context())
			defer giveUp()
			hung := hangs(t, h, ctx, x, 1)
			if err := trySoon(h); err != nil { // another keeper's by now
				t.Fatal(err)
			}
			unix.Kill(pid, unix.SIGKILL)
			lost := make(chan error, 1)
			go func() {
				exit, err := p.Wait()
				if exit.Reason != core.ReasonLost {
					err = fmt.Errorf("got %+v, %v, want it lost", exit, err)
				} else {
					err = nil
				}
				lost <- err
			}()
			select {
			case err := <-lost:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(patience / 2):
				t.Error("nobody was told of the keeper's end")
				giveUp()
			}
			<-hung
			x.release()
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			fifo.SetReadDeadline(time.Now().Add(patience))
			if _, err := io.ReadAll(fifo); err != nil {
				t.Error(err)
			}
		})
	}
}

// A start that its keeper does not come to ends when the keeper is given up.
func TestStartWithStoppedKeeper(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits until the keeper is given up")
	}
	t.Parallel()
	h := newHost(t, hostnative.Config{})
	unix.Kill(keeperOf(t, h), unix.SIGSTOP)
	if err := trySoon(h); errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after %v: %v", patience, err)
	}
	if err := trySoon(h); err != nil {
		t.Error(err)
	}
}

// helperScript makes a helper that is this program, after so many lines of shell.
func helperScript(t *testing.T, lines string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "helper")
	script := "#!/bin/sh\n" + strings.ReplaceAll(lines, "$self", self) + "\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// A keeper that has no descriptors left refuses starts and keeps what it has.
func TestKeeperWithoutDescriptors(t *testing.T) {
	h := newHost(t, hostnative.Config{Helper: helperScript(t, `ulimit -n 40; exec $self`)})
	first := start(t, h, line(`trap "echo asked" TERM; echo up; while :; do sleep 0.1; done`))
	said := watchOutput(first)
	said.wait(t, "up")
	for _, long := range []string{"", strings.Repeat("x", 100_000)} {
		var refused error
		var all []driver.Process
		e, err := h.Resolve(t.Context(), line(`exec sleep 1000`, long))
		if err != nil {
			t.Fatal(err)
		}
		for len(all) < 40 {
			p, err := h.Start(t.Context(), e)
			if err != nil {
				refused = err
				break
			}
			all = append(all, p)
		}
		if hostErr, ok := errors.AsType[*core.HostError](refused); !ok || hostErr.Reason != "no_resources" {
			t.Errorf("after %d: got %v, want no_resources", len(all), refused)
		}
		if err := first.Signal("SIGTERM"); err != nil {
			t.Error(err)
		}
		said.wait(t, "asked")
		for _, p := range all {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if got, _ := run(t, h, line(`echo well`)); got != "well\n" {
		t.Errorf("got %q", got)
	}
}

// That no keeper can be started just now is an error, and not for good: what ran with
// a keeper does not silently run without.
func TestKeeperOnceMore(t *testing.T) {
	helper := helperScript(t, `exec $self`)
	h := newHost(t, hostnative.Config{Helper: helper})
	pid := keeperOf(t, h)
	if err := os.Rename(helper, helper+".away"); err != nil {
		t.Fatal(err)
	}
	unix.Kill(pid, unix.SIGKILL)
	for mechanism(t, h, "keeper").Used { // as long as nobody knows
	}
	if err := trySoon(h); err == nil {
		t.Error("commands run without the keeper")
	}
	if err := os.Rename(helper+".away", helper); err != nil {
		t.Fatal(err)
	}
	if err := trySoon(h); err != nil {
		t.Error(err)
	}
	keeperOf(t, h)
}

// Neither is it an error that nobody hears of, where another keeper hangs.
func TestNoOtherKeeper(t *testing.T) {
	helper := helperScript(t, `exec $self`)
	h := newHost(t, hostnative.Config{Helper: helper})
	x := newHangingExec(t)
	defer x.release()
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	keeperOf(t, h)
	hangs(t, h, ctx, x, 1)
	if err := os.Rename(helper, helper+".away"); err != nil {
		t.Fatal(err)
	}
	if err := trySoon(h); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want why there is no other keeper", err)
	}
}

// Orphans that end while a start hangs do not stay zombies.
func TestOrphansEndWhileHanging(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	pid := keeperOf(t, h)
	x := newHangingExec(t)
	defer x.release()
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	q := start(t, h, interactive(line(`read go; for i in 1 2 3 4 5 6 7 8 9; do (setsid sh -c "exit" &); done; sleep 0.2; echo done; sleep 1000`)))
	said := watchOutput(q)
	hangs(t, h, ctx, x, 1)
	if err := trySoon(h); err != nil {
		t.Fatal(err)
	}
	q.Write([]byte("go\n"))
	said.wait(t, "done")
	for late := time.Now().Add(patience / 6); ; {
		n := 0
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		for _, child := range strings.Fields(string(b)) {
			stat, _ := os.ReadFile("/proc/" + child + "/stat")
			if strings.Contains(string(stat), ") Z ") {
				n++
			}
		}
		if n == 0 {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("got %d zombies", n)
		}
	}
}

// A command that makes orphans all the time does not make its keeper grow, but for the
// garbage that it lets come together first, some 2,000 orphans' worth. Uncollected, that of
// 1,000 is 650 pages.
func TestKeeperDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes thousands of orphans")
	}
	h := newHost(t, hostnative.Config{})
	pid := keeperOf(t, h)
	p := start(t, h, line(`n=0; while :; do
		i=0; while test $i -lt 100; do (: &); i=$((i+1)); done
		n=$((n+1)); echo round $n end
	done`))
	said := watchOutput(p)
	const rounds, flat, most = 100, 10, 130 // most pages more, in so many rounds in a row
	var pages []int
	for n := range rounds {
		said.wait(t, fmt.Sprintf("round %d end", n+1))
		statm, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
		if err != nil {
			t.Fatal(err)
		}
		resident, err := strconv.Atoi(strings.Fields(string(statm))[1])
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, resident)
		if n >= flat && resident-pages[n-flat] <= most {
			return
		}
	}
	t.Errorf("got %d pages, and more after each hundred orphans", pages)
}

// beHanging starts the program $TERRARIUM_TEST_HANG, which hangs.
func beHanging() {
	h, err := hostnative.New(hostnative.Config{NoCgroup: os.Getenv("TERRARIUM_TEST_NOCGROUP") != ""})
	if err != nil {
		os.Exit(1)
	}
	e, err := h.Resolve(context.Background(), core.Command{Command: os.Getenv("TERRARIUM_TEST_HANG"), Args: []string{"x"}})
	if err != nil {
		os.Exit(1)
	}
	go h.Start(context.Background(), e)
	os.Stdout.WriteString("started\n")
	select {}
}

// A host that is killed while a program hangs in its start leaves nobody: not that one
// either, which would go on some day.
func TestKilledHostWhileHanging(t *testing.T) {
	if testing.Short() {
		t.Skip("what a killed host does cannot be told from its end")
	}
	t.Parallel()
	for _, noCgroup := range []string{"", "1"} {
		t.Run("NoCgroup="+noCgroup, func(t *testing.T) {
			t.Parallel()
			x := newHangingExec(t)
			defer x.release()
			cmd, alive, started := startHost(t, "hanging", "TERRARIUM_TEST_HANG="+x.path, "TERRARIUM_TEST_NOCGROUP="+noCgroup)
			if _, err := started.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			x.await(t, 1)
			cmd.Process.Kill()
			cmd.Wait()
			alive.SetReadDeadline(time.Now().Add(patience))
			if _, err := io.ReadAll(alive); err != nil {
				t.Errorf("after %v some of its processes live: %v", patience, err)
			}
		})
	}
}
