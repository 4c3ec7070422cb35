//go:build linux || darwin

package worker

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
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
	c := newChild(h, ours)
	c.context, c.since = t.Context(), time.Now()
	return c, other
}

// newVictimsCommand returns a command in a worker, for which so much memory was booked.
func newVictimsCommand(t *testing.T, c *child, memory int64) *command {
	t.Helper()
	m := newCommand(t.Context(), memory, func() {})
	if !c.add(m) {
		t.Fatal("the worker takes no command")
	}
	return m
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
	h := &Host{limits: hostwasm.Limits{}.WithDefaults()}
	if _, err := h.compiling.take(t.Context(), ""); err != nil { // somebody else's goes on
		t.Fatal(err)
	}
	c, other := newVictim(t, h)
	answers := make(chan *answer, 10)
	go func() { // ends with the socket
		for {
			m, files, err := other.receive(maxToWorker)
			if err != nil {
				return
			}
			closeAll(files)
			answers <- m.Answer
		}
	}()
	answered := func() *answer {
		select {
		case a := <-answers:
			return a
		case <-time.After(soon):
			t.Fatal("more than one waits to be compiled")
			return nil
		}
	}
	defer func() { c.module.Close() }()
	for id := range uint64(3) {
		c.handle(&message{Ask: &ask{What: askFile}}, nil)
		if a := answered(); a.Error != "" {
			t.Fatal(a.Error)
		}
		c.handle(&message{Ask: &ask{ID: id, What: askCompileFile}}, nil)
		if id == 0 { // it waits
			continue
		}
		if a := answered(); a.ID != id || a.Error == "" {
			t.Errorf("got %+v, want a refusal of %d", a, id)
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
		c.handle(&message{Ask: &ask{What: askModule, Module: i % 2}}, nil)
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
	go (&process{command: newVictimsCommand(t, c, 0)}).Signal("SIGKILL")
	select {
	case <-ended:
	case <-time.After(soon):
		deaf.Process.Kill()
		t.Error("SIGKILL waits for the worker to listen")
	}
}

// Who does not take answers, or was killed, has nothing more done, but is still
// believed how its command has ended.
func TestNotAnsweredAfterwards(t *testing.T) {
	for _, killed := range []bool{false, true} {
		dir := t.TempDir()
		h := &Host{memory: newBudget(share)}
		h.memory.take(share)
		c, other := newVictim(t, h)
		c.trees = h.handOver([]string{dir}, dir).trees
		command := newVictimsCommand(t, c, share)
		defer c.settle()
		mkdir := func(name string) {
			if err := c.handle(&message{Ask: &ask{What: askMkdir, Dir: dir, Name: name}}, nil); err != nil {
				t.Errorf("killed %v: %s: got %v", killed, name, err)
			}
			c.answering.Wait()
		}
		mkdir("before")
		if killed {
			gone := exec.Command("sleep", "1000")
			if err := gone.Start(); err != nil {
				t.Fatal(err)
			}
			c.process = gone.Process
			c.kill()
			gone.Wait()
		} else {
			other.close()
			mkdir("while it goes")
		}
		mkdir("after")
		if _, err := os.Stat(filepath.Join(dir, "before")); err != nil {
			t.Errorf("killed %v: got %v, want what was asked for before", killed, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "after")); err == nil {
			t.Errorf("killed %v: got what was asked for afterwards, want nothing", killed)
		}
		want := core.Exit{Status: core.ExitStatus{ExitCode: 7}}
		if err := c.handle(&message{Command: command.id, Exit: (*exit)(&want)}, nil); err != nil || command.exit != want {
			t.Errorf("killed %v: got %+v, %v, want %+v", killed, command.exit, err, want)
		}
	}
}

// A hung is a file system that does not answer.
type hung struct {
	vfs.FS
	until chan struct{}
}

func (h hung) Mkdir(string, vfs.Mode) error {
	<-h.until
	return nil
}

// A file system that does not answer keeps nobody from what a worker says of its other
// commands, unless it is asked more than an honest one would.
func TestHungFileSystem(t *testing.T) {
	const dir = "/hung"
	c, _ := newVictim(t, &Host{})
	until := make(chan struct{})
	c.trees = trees{dir: hung{until: until}}
	command := newVictimsCommand(t, c, 0)
	said := make(chan error, 1)
	go func() { // ends at once, or with the file system
		for range maxAnswers {
			c.handle(&message{Ask: &ask{What: askMkdir, Dir: dir, Name: "x"}}, nil)
		}
		said <- c.handle(&message{Command: command.id, Exit: &exit{}}, nil)
	}()
	select {
	case err := <-said:
		if err != nil || !command.hasExited() {
			t.Errorf("got %v, and no exit", err)
		}
	case <-time.After(soon):
		t.Error("what a worker says is not heard")
	}
	close(until)
	c.answering.Wait()
}

// What a worker says of its command's end is what an end can be.
func TestExitIsOne(t *testing.T) {
	c, _ := newVictim(t, nil)
	command := newVictimsCommand(t, c, 0)
	for _, e := range []core.Exit{
		{Status: core.ExitStatus{Signal: "\x1b[2J"}},
		{Status: core.ExitStatus{Signal: "SIGKILL"}, Reason: "\x1b[2J"},
		{Status: core.ExitStatus{ExitCode: 256}},
		{Usage: core.Usage{MaxRSS: -1}},
		{Usage: core.Usage{UserTime: -1}},
	} {
		if err := c.handle(&message{Command: command.id, Exit: (*exit)(&e)}, nil); err == nil {
			t.Errorf("%+v: got no error", e)
		}
	}
	want := core.Exit{Status: core.ExitStatus{Signal: "SIGSEGV"}, Reason: core.ReasonStack, Usage: core.Usage{Fuel: math.MaxUint64}}
	if err := c.handle(&message{Command: command.id, Exit: (*exit)(&want)}, nil); err != nil || command.exit != want {
		t.Errorf("got %+v, %v, want %+v", command.exit, err, want)
	}
}

// A worker that has ended takes no command, and what it had is free.
func TestEndedBeforeItsJob(t *testing.T) {
	h := &Host{memory: newBudget(4 * share)}
	c, _ := newVictim(t, h)
	h.memory.take(share)
	command := newVictimsCommand(t, c, share)
	c.endCommands(false)
	c.settle()
	if h.memory.used != 0 {
		t.Errorf("got %d bytes, want 0", h.memory.used)
	}
	select {
	case <-command.gone:
	default:
		t.Error("its command is not gone")
	}
	if c.add(newCommand(t.Context(), 0, func() {})) {
		t.Error("it has taken another command")
	}
}

// A worker that was reaped takes no command: its number may be another process's by
// then, and that is whose limits would be set.
func TestReapedTakesNone(t *testing.T) {
	dead := exec.Command("sleep", "1000")
	if err := dead.Start(); err != nil { // before there is a socket, which it would have too
		t.Fatal(err)
	}
	h := &Host{memory: newBudget(share), all: make(map[*child]any)}
	c, other := newVictim(t, h)
	c.process = dead.Process
	c.context, c.cancel = context.WithCancel(t.Context())
	var err error
	if c.calls, err = os.Open(os.DevNull); err != nil {
		t.Fatal(err)
	}
	c.watching.Add(1) // holds what follows, once it is reaped
	other.close()
	go c.serve(&setup{}, nil) // ends with this test
	for late := time.Now().Add(soon); unix.Kill(c.process.Pid, 0) == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("the worker is not reaped")
		}
	}
	if c.add(newCommand(t.Context(), 0, func() {})) {
		t.Error("it has taken a command")
	}
	c.watching.Done()
	<-c.ended
}

// A command that a worker has not got goes to another; one that it may have begun does
// not, since it would be begun twice.
func TestBegunOnce(t *testing.T) {
	h := &Host{memory: newBudget(8 * share)}
	for _, told := range []bool{true, false} {
		c, other := newVictim(t, h)
		h.memory.take(share)
		command := newVictimsCommand(t, c, share)
		want := errRetired
		if told {
			want = error(errGone)
			go func() { // ends when the job has come
				other.receive(maxToWorker)
				c.endCommands(false)
			}()
		} else {
			other.close()
		}
		if got := command.begin(&job{}, nil); got != want {
			t.Errorf("told %v: got %v, want %v", told, got, want)
		}
	}
}

// A worker says of its own commands what becomes of them, once, and gets nothing for
// others: a number that is none of them is nonsense, or gets no memory.
func TestNoSuchCommand(t *testing.T) {
	h := &Host{memory: newBudget(8 * share), limits: hostwasm.Limits{Memory: 4 * share}}
	c, _ := newVictim(t, h)
	h.memory.take(share)
	command := newVictimsCommand(t, c, share)
	for _, id := range []commandID{command.id + 1, math.MaxUint64} {
		for _, m := range []*message{{Exit: &exit{}}, {Gone: &gone{}}, {Started: &started{}}, {Typing: &typing{}}, {Passed: true}} {
			if m.Command = id; c.handle(m, nil) == nil {
				t.Errorf("%+v: got no error", m)
			}
		}
		if got := c.grant(id, 1); got != 0 {
			t.Errorf("memory for command %d: got %d bytes", id, got)
		}
	}
	if got := c.grant(command.id, 1); got != share {
		t.Errorf("memory: got %d bytes, want %d", got, share)
	}
	if got := c.grant(command.id, 3*share+1); got != 0 {
		t.Errorf("more than a command may have: got %d bytes, want none", got)
	}
	last := &message{Command: command.id, Gone: &gone{}}
	if err := c.handle(last, nil); err != nil {
		t.Error(err)
	}
	if h.memory.used != 0 {
		t.Errorf("its command is gone: got %d bytes, want 0", h.memory.used)
	}
	if c.handle(last, nil) == nil {
		t.Error("gone again: got no error")
	}
}

// A worker in which a command has left something behind takes no more, and what that
// has taken is free when the worker has ended.
func TestLeftBehind(t *testing.T) {
	h := &Host{memory: newBudget(4 * share)}
	c, _ := newVictim(t, h)
	h.memory.take(share)
	command := newVictimsCommand(t, c, share)
	if err := c.handle(&message{Command: command.id, Gone: &gone{Stuck: true}}, nil); err != nil {
		t.Fatal(err)
	}
	<-command.gone
	if h.memory.used != share {
		t.Errorf("left behind: got %d bytes, want %d", h.memory.used, share)
	}
	if c.add(newCommand(t.Context(), 0, func() {})) {
		t.Error("it has taken another command")
	}
	c.endCommands(false)
	c.settle()
	if h.memory.used != 0 {
		t.Errorf("the worker has ended: got %d bytes, want 0", h.memory.used)
	}
}

// Booked returns how much memory is booked for commands, in bytes: none when h is
// closed.
func (h *Host) Booked() int64 { return h.memory.used }

// AwaitUnused waits until no session counts as one that runs commands, nor any worker.
func (h *Host) AwaitUnused(t *testing.T) {
	t.Helper()
	awaitNone(t, func() []string { return append(h.busySessions(), h.busyWorkers()...) })
}

// AwaitIdleSessions waits until no session counts as one that runs commands.
func (h *Host) AwaitIdleSessions(t *testing.T) {
	t.Helper()
	awaitNone(t, h.busySessions)
}

// awaitNone waits until nothing is left.
func awaitNone(t *testing.T, left func() []string) {
	t.Helper()
	var got []string
	for late := time.Now().Add(soon); time.Now().Before(late); time.Sleep(time.Millisecond) {
		if got = left(); len(got) == 0 {
			return
		}
	}
	t.Errorf("got %q, want none", got)
}

// busySessions tells of the sessions that count as some that run commands.
func (h *Host) busySessions() (busy []string) {
	h.scratch.mu.Lock()
	defer h.scratch.mu.Unlock()
	for session, t := range h.scratch.all {
		if t.users != 0 {
			busy = append(busy, fmt.Sprintf("%d users of session %s", t.users, session))
		}
	}
	return busy
}

// busyWorkers tells of the workers that serve sessions.
func (h *Host) busyWorkers() (busy []string) {
	h.services.mu.Lock()
	defer h.services.mu.Unlock()
	for _, all := range h.services.all {
		for _, s := range all {
			busy = append(busy, fmt.Sprintf("a worker with %d users", s.users))
		}
	}
	return busy
}

// A worker has things done below what its command may write to, and nowhere else,
// whatever it says.
func TestBelowWritable(t *testing.T) {
	top := t.TempDir()
	for _, dir := range []string{"w", "w/sub", "w/own", "ro", "tmp", "outside"} {
		if err := os.Mkdir(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, dir, "f"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"w/link": "../outside/f", "w/dirlink": "../outside", "w/absolute": top + "/ro"} {
		if err := os.Symlink(target, filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	w := filepath.Join(top, "w")
	hidden, err := vfs.Hide(filepath.Join(w, "own"))
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{memory: newBudget(share), hidden: hidden, config: Config{Mounts: []hostwasm.Mount{
		{Dir: w, Guest: "/w"}, {Dir: filepath.Join(top, "ro"), Guest: "/ro", ReadOnly: true},
	}}}
	c, _ := newVictim(t, h)
	both := []ask{
		{What: askMode, Number: 0o7777},
		{What: askTimes, Times: times{Atim: 2e9, Mtim: 2e9, SetAtim: true, SetMtim: true}},
	}
	for _, q := range both {
		if q.Dir, q.Name = w, "f"; c.do(&q) != errno.ROFS {
			t.Errorf("question %d before it has a job: got another answer than %v", q.What, errno.ROFS)
		}
	}
	c.trees = h.handOver(nil, filepath.Join(top, "tmp")).trees
	for _, q := range []struct {
		dir, name string
		want      errno.Errno
	}{
		{filepath.Join(top, "ro"), "f", errno.ROFS},
		{filepath.Join(top, "outside"), "f", errno.ROFS},
		{top, "outside/f", errno.ROFS},
		{"", "f", errno.ROFS},
		{w + "/", "f", errno.ROFS},
		{w, "../outside/f", errno.INVAL},
		{w, "sub/../../outside/f", errno.INVAL},
		{w, filepath.Join(top, "outside/f"), errno.INVAL},
		{w, "", errno.INVAL},
		{w, "..", errno.INVAL},
		{w, "f\x00", errno.INVAL},
		{w, "link", errno.NOTSUP},
		{w, "dirlink/f", errno.LOOP},
		{w, "absolute/f", errno.LOOP},
		{w, "own", errno.PERM},
		{w, "own/f", errno.PERM},
		{w, "f/f", errno.NOTDIR},
		{w, "none", errno.NOENT},
		{w, strings.Repeat("sub/../", 1000) + "f", errno.NAMETOOLONG},
	} {
		for _, a := range both {
			a.Dir, a.Name = q.dir, q.name
			if a.What == askTimes && q.name == "link" {
				q.want = errno.SUCCESS // it has times of its own
			}
			if got := errno.Errno(status(c.do(&a))); got != q.want {
				t.Errorf("question %d: %q in %s: got %v, want %v", a.What, q.name, q.dir, got, q.want)
			}
		}
	}
	// Nor is any other name believed.
	for dir, names := range map[string][]string{
		w: {"../outside/f", "sub/../../outside/f", filepath.Join(top, "outside/f"), "", "..", ".", "f\x00", "dirlink/f", "absolute/f", "own/f", "own",
			"f/f", strings.Repeat("sub/../", 1000) + "f"},
		filepath.Join(top, "ro"): {"f", "new"}, filepath.Join(top, "outside"): {"f"}, top: {"outside/f"}, "": {"f", w + "/f"},
	} {
		for _, name := range names {
			for _, q := range []ask{
				{What: askOpen, Name: name, How: how{Write: true, Append: true}},
				{What: askOpen, Name: name, How: how{Read: true, Write: true, Create: true, Exclusive: true}},
				{What: askMkdir, Name: name}, {What: askSymlink, Name: name, To: "x"}, {What: askUnlink, Name: name}, {What: askRmdir, Name: name},
				{What: askRename, Name: name, To: "sub/new"}, {What: askRename, Name: "sub/f", To: name},
				{What: askLink, Name: name, To: "sub/new"}, {What: askLink, Name: "sub/f", To: name},
			} {
				q.Dir = dir
				err := c.do(&q)
				if q.What == askOpen {
					_, err = c.open(&q)
				}
				if err == nil {
					t.Errorf("question %d: %q and %q in %s: got success", q.What, q.Name, q.To, dir)
				}
			}
		}
	}
	// What was handed over is what it was, whatever has its name now.
	if err := os.Rename(w, w+"2"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("outside", w); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []int64{-1, 1 << 62, 0o7777} {
		if got := status(c.do(&ask{What: askMode, Dir: w, Name: "sub/f", Number: mode})); got != 0 {
			t.Errorf("mode %o: got %v", mode, got)
		}
	}
	for _, at := range []int64{-1 << 63, 1<<63 - 1, 2e9} {
		q := ask{What: askTimes, Dir: w, Name: "sub/f", Times: times{Mtim: at, SetMtim: true}}
		if got := c.do(&q); got != nil {
			t.Errorf("time %d: got %v", at, got)
		}
	}
	for name, want := range map[string]os.FileMode{"w2/sub/f": 0o777, "w2/f": 0o644, "ro/f": 0o644, "outside/f": 0o644, "tmp/f": 0o644} {
		info, err := os.Lstat(filepath.Join(top, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s: got mode %v, want %v", name, info.Mode(), want)
		}
	}
	for name, set := range map[string]bool{"w2/sub/f": true, "w2/link": true, "w2/f": false, "ro/f": false, "outside/f": false, "outside": false, "w2/own/f": false, "w2/own": false} {
		info, err := os.Lstat(filepath.Join(top, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.ModTime().Equal(time.Unix(2, 0)); got != set {
			t.Errorf("%s: got time %v, want that it was set: %v", name, info.ModTime(), set)
		}
	}
	c.settle()
}
