package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// What the commands of a session, which have one worker, are to each other.

// A speaker is a command that says again what it hears.
type speaker struct {
	driver.Process
	heard chan string
}

// speak starts a speaker in a session.
func speak(t *testing.T, h *worker.Host, session core.SessionID) *speaker {
	t.Helper()
	c := in(session, command("cat"))
	c.Interactive = true
	s := &speaker{start(t, h, c), make(chan string, 100)}
	go s.Output(func(_ uint8, b []byte) { s.heard <- string(b) }) // ends with the test
	return s
}

// lives fails the test unless the speaker answers.
func (s *speaker) lives(t *testing.T, name string) {
	t.Helper()
	s.Write([]byte(name))
	overdue := time.After(patience)
	for got := ""; got != name; {
		select {
		case b := <-s.heard:
			got += b
		case <-overdue:
			t.Fatalf("%s: got %q and no more", name, got)
		}
	}
}

// exits fails the test unless p ends so.
func exits(t *testing.T, name string, p driver.Process, want core.Exit) {
	t.Helper()
	within(t, name, func() {
		if got, err := p.Wait(); err != nil || got.Status != want.Status || got.Reason != want.Reason {
			t.Errorf("%s: got %v, %q, %v, want %v, %q", name, got.Status, got.Reason, err, want.Status, want.Reason)
		}
	})
}

var (
	killed = core.Exit{Status: core.ExitStatus{Signal: "SIGKILL"}}
	lost   = core.Exit{Status: core.ExitStatus{Unknown: true}, Reason: core.ReasonLost}
)

// awaitWorkers waits until there are so many workers.
func awaitWorkers(t *testing.T, want int) {
	t.Helper()
	var got []int
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(time.Millisecond) {
		if got = workers(t, os.Getpid()); len(got) == want {
			return
		}
	}
	t.Fatalf("got workers %v, want %d", got, want)
}

// The commands of a session have one worker, one after the other and beside each
// other, as long as they are handed over the same. Others have others.
func TestWorkerOfSession(t *testing.T) {
	h := newHost(t, worker.Config{Pool: -1})
	first := start(t, h, in("a", command("block")))
	pid := only(t)
	for range 5 {
		run(t, h, in("a", command("exit", "0")))
		start(t, h, in("a", command("block")))
	}
	first.Close()
	if got := only(t); got != pid {
		t.Errorf("got worker %d, want %d still", got, pid)
	}
	start(t, h, in("b", command("block")))
	if got := workers(t, os.Getpid()); len(got) != 2 {
		t.Errorf("two sessions: got workers %v", got)
	}
	c := in("a", command("block"))
	c.Roots = []string{t.TempDir()}
	start(t, h, c)
	start(t, h, c)
	if got := workers(t, os.Getpid()); len(got) != 3 {
		t.Errorf("two sessions, of which one has commands with a directory: got workers %v", got)
	}
}

// Many that start at once wait for the one worker.
func TestWorkerOfMany(t *testing.T) {
	worker.SetKillLimits(t, patience, patience)
	h := newHost(t, worker.Config{Pool: -1})
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if got := run(t, h, command("exit", "7")); got.exit.Status.ExitCode != 7 {
				t.Errorf("got %v", got.exit)
			}
		})
	}
	all.Wait()
	only(t)
}

// A worker has so many commands at once; more have another.
func TestWorkerIsFull(t *testing.T) {
	// Two of them make 900.
	h := newHost(t, worker.Config{Pool: -1, Limits: hostwasm.Limits{Processes: 450}})
	for range 3 {
		start(t, h, command("block"))
	}
	if got := workers(t, os.Getpid()); len(got) != 2 {
		t.Errorf("got workers %v, want two", got)
	}
}

// With deterministic commands a worker has one, and no other after that.
func TestWorkerIsDeterministic(t *testing.T) {
	h := newHost(t, worker.Config{Pool: -1, Deterministic: true})
	speak(t, h, "")
	last := speak(t, h, "") // a command that sleeps is awake at once
	if got := workers(t, os.Getpid()); len(got) != 2 {
		t.Errorf("got workers %v, want two", got)
	}
	last.Close()
	awaitWorkers(t, 1)
}

// A worker that has served for long gets no new commands, and goes when the last one it
// has is gone.
func TestWorkerIsOld(t *testing.T) {
	worker.SetMaxAge(t, 0)
	h := newHost(t, worker.Config{Pool: -1})
	for range 2 {
		if got := run(t, h, command("exit", "7")); got.exit.Status.ExitCode != 7 {
			t.Errorf("got %v", got.exit)
		}
		awaitWorkers(t, 0)
	}
	speak(t, h, "").lives(t, "first")
	speak(t, h, "").lives(t, "second")
	if got := workers(t, os.Getpid()); len(got) != 2 {
		t.Errorf("got workers %v, want two", got)
	}
}

// One of ten is killed, and the others are not: asleep, computing or writing.
func TestKillOneOfTen(t *testing.T) { onEachEngine(t, testKillOneOfTen) }

func testKillOneOfTen(t *testing.T, engine string) {
	h := newHost(t, worker.Config{Engine: engine, Pool: -1, Limits: hostwasm.Limits{Processes: 16}})
	var others []*speaker
	for range 9 {
		others = append(others, speak(t, h, ""))
	}
	pid := only(t)
	for _, what := range []string{"block", "spin", "flood", "tree"} {
		victim := start(t, h, command(what))
		if err := victim.Signal("SIGKILL"); err != nil {
			t.Fatal(err)
		}
		exits(t, what, victim, killed)
		within(t, what, func() {
			if err := victim.Close(); err != nil {
				t.Errorf("%s: close: %v", what, err)
			}
		})
		for i, other := range others {
			other.lives(t, fmt.Sprint(what, i))
		}
	}
	if got := only(t); got != pid {
		t.Errorf("got worker %d, want %d still", got, pid)
	}
}

// A worker that is killed with ten commands has lost them, and each is told so. What
// starts then has another worker.
func TestKilledWithTen(t *testing.T) {
	h := newHost(t, worker.Config{Pool: -1})
	other := speak(t, h, "other")
	var all []driver.Process
	for range 10 {
		all = append(all, start(t, h, in("a", command("block"))))
	}
	for _, pid := range workers(t, os.Getpid()) {
		if place, _ := all[0].(driver.Placer).Place(); place == pid {
			unix.Kill(pid, unix.SIGKILL)
		}
	}
	for i, p := range all {
		exits(t, fmt.Sprint("command ", i), p, lost)
		if err := p.Output(func(uint8, []byte) {}); err != nil {
			t.Errorf("command %d: output: %v", i, err)
		}
	}
	other.lives(t, "other")
	if got := run(t, h, in("a", command("exit", "7"))); got.exit.Status.ExitCode != 7 {
		t.Errorf("afterwards: got %v", got.exit)
	}
}

// Who asks what a command does with its terminal just when that ends does no harm to
// the others.
func TestAskedAtItsEnd(t *testing.T) {
	h := newHost(t, worker.Config{Pool: -1})
	other := speak(t, h, "")
	pid := only(t)
	turns := 100
	if testing.Short() {
		turns = 10
	}
	for range turns {
		c := command("exit", "0")
		c.Pty, c.Interactive = true, true
		p := start(t, h, c)
		over := make(chan struct{})
		go func() { // ends with the command
			p.Output(func(uint8, []byte) {})
			p.Wait()
			p.Close()
			close(over)
		}()
		for asking := true; asking; {
			p.(interface{ Reading() (reading, known bool) }).Reading()
			select {
			case <-over:
				asking = false
			default:
			}
		}
	}
	other.lives(t, "alive")
	if got := only(t); got != pid {
		t.Errorf("got worker %d, want %d still", got, pid)
	}
}

// Where a worker does not end what is killed it is killed itself: at once if there is
// nothing else in it, and later with the others, which are lost.
func TestKillByForce(t *testing.T) {
	for _, siblings := range []int{0, 2} {
		t.Run(fmt.Sprint(siblings, " others"), func(t *testing.T) { testKillByForce(t, siblings) })
	}
}

func testKillByForce(t *testing.T, siblings int) {
	worker.SetKillLimits(t, 100*time.Millisecond, 200*time.Millisecond)
	h := newHost(t, worker.Config{Pool: -1})
	victim := start(t, h, command("block"))
	var others []driver.Process
	for range siblings {
		others = append(others, start(t, h, command("block")))
	}
	pid := only(t)
	unix.Kill(pid, unix.SIGSTOP)
	// Until one of its threads has taken that, another one can still end the victim by fuel.
	if err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED, nil); err != nil {
		t.Fatal(err)
	}
	victim.Signal("SIGKILL")
	exits(t, "the victim", victim, killed)
	for _, p := range others {
		exits(t, "its sibling", p, lost)
	}
	awaitWorkers(t, 0)
	if got := run(t, h, command("exit", "7")); got.exit.Status.ExitCode != 7 {
		t.Errorf("afterwards: got %v", got.exit)
	}
}

// A command that is over its memory ends alone, and so do those that are over another
// limit; what they had is free for the next.
func TestLimitsAmongSiblings(t *testing.T) { onEachEngine(t, testLimitsAmongSiblings) }

func testLimitsAmongSiblings(t *testing.T, engine string) {
	h := newHost(t, worker.Config{Engine: engine, Pool: -1, Memory: 256 << 20, Limits: hostwasm.Limits{
		Memory: 96 << 20, Fuel: 2e9, Output: 1 << 20, Processes: 8, Wall: 10 * time.Minute,
	}})
	other := speak(t, h, "")
	pid := only(t)
	turns := 3
	if testing.Short() {
		turns = 1
	}
	for range turns {
		for what, reason := range map[string]core.Reason{"grow": core.ReasonMemory, "spin": core.ReasonFuel, "flood": core.ReasonOutput} {
			if got := run(t, h, command(what)).exit; got.Reason != reason {
				t.Errorf("%s: got %v, %q, want the reason %s", what, got.Status, got.Reason, reason)
			}
		}
		run(t, h, command("spawnbomb"))
		other.lives(t, "other")
	}
	if got := only(t); got != pid {
		t.Errorf("got worker %d, want %d still", got, pid)
	}
}

// Commands that use all the processors there are keep a sibling from nothing.
func TestStarvedBySiblings(t *testing.T) {
	h := newHost(t, worker.Config{Pool: -1})
	for range runtime.NumCPU() + 1 {
		start(t, h, command("spin"))
	}
	speak(t, h, "").lives(t, "alive")
	if got := run(t, h, command("exit", "7")); got.exit.Status.ExitCode != 7 {
		t.Errorf("got %v", got.exit)
	}
}

// Nothing of a command outlives it where others go on: neither what it has started,
// nor what was booked for it.
func TestOutlivesSiblings(t *testing.T) { onEachEngine(t, testOutlivesSiblings) }

func testOutlivesSiblings(t *testing.T, engine string) {
	// A command takes a third of that, at least.
	h := newHost(t, worker.Config{Engine: engine, Pool: -1, Memory: 96 << 20})
	other := speak(t, h, "")
	for range 3 {
		for _, what := range []string{"orphan", "spawnbomb", "family", "tree"} {
			p := start(t, h, command(what))
			p.Output(func(_ uint8, b []byte) {
				if bytes.Contains(b, []byte("ready")) { // it has what it wants
					p.Close()
				}
			})
			p.Close()
		}
	}
	other.lives(t, "other")
	other.Close()
	if got := h.Booked(); got != 0 {
		t.Errorf("booked: got %d bytes, want none", got)
	}
}

// A worker that has run nothing for a while goes, and so do those that are too many.
func TestIdleWorkerGoes(t *testing.T) {
	t.Run("after a while", func(t *testing.T) {
		worker.SetIdle(t, 50*time.Millisecond, 100)
		h := newHost(t, worker.Config{Pool: -1})
		busy := start(t, h, in("busy", command("block")))
		run(t, h, in("a", command("exit", "0")))
		awaitWorkers(t, 1)
		busy.Close()
		awaitWorkers(t, 0)
		if got := run(t, h, in("a", command("exit", "7"))); got.exit.Status.ExitCode != 7 {
			t.Errorf("afterwards: got %v", got.exit)
		}
	})
	t.Run("too many", func(t *testing.T) {
		worker.SetIdle(t, time.Hour, 2)
		h := newHost(t, worker.Config{Pool: -1})
		for _, session := range []core.SessionID{"a", "b", "c", "d"} {
			run(t, h, in(session, command("exit", "0")))
		}
		awaitWorkers(t, 2)
	})
}

// A worker that has ended while it ran nothing is not missed.
func TestIdleWorkerDies(t *testing.T) {
	worker.SetKillLimits(t, patience, patience) // so that it is there when a command has ended
	h := newHost(t, worker.Config{Pool: -1})
	for range 3 {
		if got := run(t, h, command("exit", "7")); got.exit.Status.ExitCode != 7 {
			t.Errorf("got %v", got.exit)
		}
		pid := only(t)
		unix.Kill(pid, unix.SIGKILL)
		within(t, "its end", func() {
			for unix.Kill(pid, 0) == nil { // until the host has asked how it has ended
				time.Sleep(time.Millisecond)
			}
		})
	}
}

// A directory that has come in the place of one that was handed over is handed over
// to the next command of the session; and so is one that was not there before.
func TestReplacedRoot(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "root")
	h := newHost(t, worker.Config{Pool: -1})
	c := command("write", root+"/file", "x")
	c.Roots = []string{root}
	for i := range 3 {
		if err := os.Mkdir(root, 0o700); err != nil {
			t.Fatal(err)
		}
		if got := run(t, h, c); got.exit.Status != (core.ExitStatus{}) {
			t.Errorf("directory %d: got %v, %q", i, got.exit.Status, got.stderr)
		}
		if _, err := os.Stat(root + "/file"); err != nil {
			t.Error(err)
		}
		if err := os.Rename(root, fmt.Sprint(root, i)); err != nil {
			t.Fatal(err)
		}
	}
}

// The system limits a worker to what its commands may have together: the host raises
// that as they come, and the worker can't.
func TestLimitsOfWorker(t *testing.T) {
	const files, processes, memory = 20, 3, 64 << 20
	h := newHost(t, worker.Config{Pool: -1, Limits: hostwasm.Limits{OpenFiles: files, Processes: processes, Memory: memory}})
	limit := func(name string) (now, most string) {
		t.Helper()
		all, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", only(t)))
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(name + ` +(\w+) +(\w+)`).FindStringSubmatch(string(all))
		if m == nil {
			t.Fatalf("got %s, want %s in it", all, name)
		}
		return m[1], m[2]
	}
	for n := 1; n <= 3; n++ {
		start(t, h, command("block"))
		if got, most := limit("Max open files"); got != fmt.Sprint(n*files*processes+256) || most != fmt.Sprint(16*files*processes+256) {
			t.Errorf("%d commands: got %s and at most %s open files", n, got, most)
		}
		if got, _ := limit("Max data size"); got != fmt.Sprint(n*memory+worker.WorkerMemory) {
			t.Errorf("%d commands: got %s bytes of memory", n, got)
		}
		// For the hour in which it gets commands, and that which the last one may take.
		if got, most := limit("Max cpu time"); got != most || got != fmt.Sprint((2*60*60+5)*runtime.NumCPU()) {
			t.Errorf("%d commands: got %s and at most %s seconds", n, got, most)
		}
	}
}

// A session that has lost its /tmp to others has lost its worker, too, before its
// files are removed.
func TestIdleWorkerLosesTmp(t *testing.T) {
	worker.SetKillLimits(t, patience, patience) // so that it is there when a command has ended
	h := newHost(t, worker.Config{Pool: -1, Scratch: 5 << 12, Limits: hostwasm.Limits{Scratch: 3 << 12}})
	text := strings.Repeat("x", 10_000)
	run(t, h, in("a", command("write", "/tmp/note", text)))
	first := only(t)
	if got := run(t, h, in("b", command("write", "/tmp/note", text))); got.exit.Status != (core.ExitStatus{}) {
		t.Fatalf("got %v, %q", got.exit.Status, got.stderr)
	}
	awaitWorkers(t, 1)
	if got := only(t); got == first {
		t.Error("the worker of the session that has lost its /tmp is there still")
	}
	if got := run(t, h, in("a", command("ls", "/tmp"))); got.stdout != "" || got.exit.Status != (core.ExitStatus{}) {
		t.Errorf("afterwards: got %q, %v", got.stdout, got.exit.Status)
	}
}

// Whatever sessions do beside each other, start, kill, give up and close, each command
// ends as it should, or as it was made to, and nothing of it stays booked (newHost).
func TestManyOfManySessions(t *testing.T) {
	worker.SetIdle(t, time.Millisecond, 2)
	h := newHost(t, worker.Config{Pool: 1, Limits: hostwasm.Limits{Memory: 64 << 20}})
	turns := 30
	if testing.Short() {
		turns = 10
	}
	once := func(i, n int) {
		c := command("exit", "7")
		if i%2 == 0 {
			c = command([]string{"block", "spin", "orphan", "grow", "tree", "zeros"}[n%6], "100000")
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if n%7 == 3 {
			time.AfterFunc(time.Duration(n)*time.Millisecond, cancel)
		}
		e, err := h.Resolve(t.Context(), in(core.SessionID(fmt.Sprint((i+n/5)%3)), c))
		if err != nil {
			t.Error(err)
			return
		}
		p, err := h.Start(ctx, e)
		if err != nil {
			if ctx.Err() == nil {
				t.Errorf("%v: %v", c.Args, err)
			}
			return
		}
		defer p.Close()
		if i%2 != 0 {
			p.Output(func(uint8, []byte) {})
			if exit, err := p.Wait(); err != nil || exit.Status.ExitCode != 7 {
				t.Errorf("got %+v, %v, want status 7", exit, err)
			}
			return
		}
		if n%3 == 0 {
			p.Signal("SIGKILL")
			p.Wait()
		}
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range turns {
				once(i, n)
			}
		})
	}
	all.Wait()
	awaitWorkers(t, 1) // that of the pool
}

// Whenever the system kills workers, every command that was in one ends, every other
// starts or is told why not, and nothing stays booked.
func TestKilledAtAnyMoment(t *testing.T) {
	workers(t, os.Getpid()) // or this is skipped
	worker.SetIdle(t, 10*time.Millisecond, 2)
	h := newHost(t, worker.Config{Pool: 1, Limits: hostwasm.Limits{Memory: 64 << 20}})
	turns := 20
	if testing.Short() {
		turns = 5
	}
	once := func(session core.SessionID, n int) {
		e, err := h.Resolve(t.Context(), in(session, command([]string{"exit", "spin", "grow", "tree", "write"}[n%5], "/tmp/0", "x")))
		if err != nil {
			t.Error(err)
			return
		}
		p, err := h.Start(t.Context(), e)
		if err != nil {
			return // its worker was killed
		}
		over := time.AfterFunc(time.Duration(n)*time.Millisecond, func() { p.Signal("SIGKILL") })
		defer over.Stop()
		p.Output(func(uint8, []byte) {})
		p.Wait()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // ends with the commands
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(n%50) * time.Millisecond):
			}
			if all := workers(t, os.Getpid()); len(all) > 0 {
				unix.Kill(all[n%len(all)], unix.SIGKILL)
			}
		}
	}()
	withinTimes(t, 10, "all of them", func() {
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				for n := range turns {
					once(core.SessionID(fmt.Sprint(i%3)), n+i)
				}
			})
		}
		all.Wait()
	})
	close(stop)
	<-stopped
	h.AwaitUnused(t)
	if got := run(t, h, in("0", command("exit", "7"))); got.exit.Status.ExitCode != 7 {
		t.Errorf("afterwards: got %v", got.exit)
	}
}

// A worker that waits for a session may be killed, for the memory that it has, say. Who starts a
// command next gets another.
func TestWaitingWorkerKilled(t *testing.T) {
	workers(t, os.Getpid()) // or this is skipped
	worker.SetIdle(t, time.Millisecond, 0)
	h := newHost(t, worker.Config{Pool: 1})
	for n := range 30 {
		awaitWorkers(t, 1)
		unix.Kill(only(t), unix.SIGKILL)
		if got := run(t, h, in(core.SessionID(fmt.Sprint(n)), command("exit", "7"))); got.exit.Status.ExitCode != 7 {
			t.Errorf("got %v, want status 7", got.exit)
		}
		h.AwaitUnused(t)
	}
}
