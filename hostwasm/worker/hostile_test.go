//go:build linux || darwin

package worker

import (
	"math"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// What a worker does here that has become somebody else's. See HOSTILE.md.

// soon is longer than anything here takes, on whatever machine.
const soon = 30 * time.Second

// newVictim returns a worker, as its host sees it, and the other end of its
// socket.
func newVictim(t *testing.T, h *Host) (*child, *conn) {
	t.Helper()
	ours, theirs, err := socketpair()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	fd, err := descriptor(theirs)
	if err == nil {
		fd, err = unix.Dup(fd)
	}
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	other := newConn(fd)
	t.Cleanup(func() {
		ours.close()
		other.close()
	})
	c := &child{
		host: h, conn: ours, context: t.Context(),
		ready: make(chan struct{}), started: make(chan error, 1), typing: make(chan *typing, 1),
		exited: make(chan struct{}), ended: make(chan struct{}),
	}
	return c, other
}

// Numbers that wrap around when something is added are no room in /tmp.
func TestGrantTooMuch(t *testing.T) {
	const limit = 1 << 20
	for _, l := range []hostwasm.Limits{{Scratch: limit, Files: 100}, {Scratch: -1, Files: -1}} {
		s := newScratch(t.TempDir(), 4*limit, l)
		session, leave, err := s.use("a")
		if err != nil {
			t.Fatal(err)
		}
		s.grant(session, amount{bytes: 1, names: 1})
		for _, n := range []int64{math.MaxInt64, math.MaxInt64 - limit, math.MaxInt64 - 1, math.MinInt64, -1} {
			for _, asked := range []amount{{bytes: n}, {names: n}, {n, n}} {
				if got := s.grant(session, asked); got != (amount{}) {
					t.Errorf("limits %+v: %v: got %v, want nothing", s.each, asked, got)
				}
			}
		}
		leave()
		s.close()
	}
}

// A worker that asks for modules to be compiled has as many under way as one
// that is honest: one.
func TestCompileOneAtATime(t *testing.T) {
	h := &Host{limits: hostwasm.Limits{}.WithDefaults(), compiling: make(chan struct{}, 1)}
	h.compiling <- struct{}{} // somebody else's goes on
	c, other := newVictim(t, h)
	answers := make(chan *answer, 10)
	go func() { // ends with the socket
		for {
			m, _, err := other.receive(maxToWorker)
			if err != nil {
				return
			}
			answers <- m.Answer
		}
	}()
	for id := range uint64(3) {
		f, err := memoryFile("module", make([]byte, 1<<20))
		if err != nil {
			t.Fatal(err)
		}
		c.handle(&message{Ask: &ask{ID: id, What: askCompile}}, []*os.File{f})
	}
	for id := uint64(1); id < 3; id++ {
		select {
		case a := <-answers:
			if a.ID != id || a.Error == "" {
				t.Errorf("got %+v, want a refusal of %d", a, id)
			}
		case <-time.After(soon):
			t.Fatal("more than one waits to be compiled")
		}
	}
}

// A worker that asks for a module again and again gets one file.
func TestModuleFileIsOne(t *testing.T) {
	module := hostwasm.NewModule("a", []byte("a module"))
	h := &Host{modules: newModules(map[string]*hostwasm.Module{"a": module, "b": module}, []string{"a", "b"})}
	defer h.modules.close()
	c, other := newVictim(t, h)
	inodes := make(map[uint64]bool)
	for i := range 10 {
		c.handle(&message{Ask: &ask{What: askModule, Command: i % 2}}, nil)
		_, files, err := other.receive(maxToWorker)
		if err != nil || len(files) != 1 {
			t.Fatalf("got %d files, %v, want one", len(files), err)
		}
		var stat unix.Stat_t
		fd, err := descriptor(files[0])
		if err == nil {
			err = unix.Fstat(fd, &stat)
		}
		if err != nil {
			t.Fatal(err)
		}
		inodes[stat.Ino] = true
		if p, err := readModule(files[0], 100); string(p) != "a module" {
			t.Errorf("got %q, %v", p, err)
		}
		closeAll(files)
	}
	if len(inodes) != 1 {
		t.Errorf("got %d files, want 1", len(inodes))
	}
}

// A worker that does not take what it is told is killed all the same.
func TestKillDeaf(t *testing.T) {
	t.Parallel()
	c, other := newVictim(t, nil)
	deaf := exec.Command("sleep", "1000")
	if err := deaf.Start(); err != nil {
		t.Fatal(err)
	}
	c.process = deaf.Process
	ended := make(chan error, 1)
	go func() { ended <- deaf.Wait() }()
	stuffed := make(chan struct{})
	go func() { // ends when the other end is closed
		c.conn.send(&message{Answer: &answer{Error: string(make([]byte, 4<<20))}})
		close(stuffed)
	}()
	t.Cleanup(func() {
		other.close()
		<-stuffed
	})
	go (&process{child: c}).Signal("SIGKILL")
	select {
	case <-ended:
	case <-time.After(soon):
		deaf.Process.Kill()
		t.Error("SIGKILL waits for the worker to listen")
	}
}

// What a worker says of its command's end is what an end can be.
func TestExitIsOne(t *testing.T) {
	c, _ := newVictim(t, nil)
	for _, e := range []core.Exit{
		{Status: core.ExitStatus{Signal: "\x1b[2J"}},
		{Status: core.ExitStatus{Signal: "SIGKILL"}, Reason: "\x1b[2J"},
		{Status: core.ExitStatus{ExitCode: 256}},
		{Usage: core.Usage{MaxRSS: -1}},
		{Usage: core.Usage{UserTime: -1}},
	} {
		if err := c.handle(&message{Exit: (*exit)(&e)}, nil); err == nil {
			t.Errorf("%+v: got no error", e)
		}
	}
	want := core.Exit{Status: core.ExitStatus{Signal: "SIGSEGV"}, Reason: core.ReasonStack, Usage: core.Usage{Fuel: math.MaxUint64}}
	if err := c.handle(&message{Exit: (*exit)(&want)}, nil); err != nil || c.exit != want {
		t.Errorf("got %+v, %v, want %+v", c.exit, err, want)
	}
}

// A worker that ends before it has its command keeps no memory.
func TestEndedBeforeItsJob(t *testing.T) {
	h := &Host{memory: newBudget(4 * share)}
	for _, early := range []bool{true, false} {
		c, _ := newVictim(t, h)
		h.memory.take(share)
		if early {
			c.settle()
		}
		c.adopt(share, nil)
		if !early {
			c.settle()
		}
		if h.memory.used != 0 {
			t.Errorf("early %v: got %d bytes, want 0", early, h.memory.used)
		}
	}
}

// Booked returns how much memory is booked for commands, in bytes: none when h is
// closed.
func (h *Host) Booked() int64 { return h.memory.used }
