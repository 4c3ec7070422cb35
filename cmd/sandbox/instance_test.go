package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
)

// An event is one that a page was told.
type event struct {
	Event    string
	Request  int32
	Module   int
	ID       string
	Argv     []string
	Roots    []string
	Peer     int32
	Reason   string
	Terminal struct {
		ID, State, EndedBy, Path, Session string
		Peer                              int32
		Released, Closed                  bool
		Bytes, Kept, Rows, Cols           int
		Exit                              *struct {
			ExitCode *int
			Signal   *string
		}
		Error *struct{ Reason, Message string }
	}
}

// A recorder is a page that keeps what it is told.
type recorder struct {
	mu     sync.Mutex
	some   sync.Cond
	events []event
	lines  []string
	out    map[int32]int // how often output was told of
	done   map[int32]bool
	asked  []question
}

// A question is what a provider is asked.
type question struct {
	Request, Mount    int32
	Op, Path, To      string
	Create, Overwrite bool
	data              string
}

func newRecorder() *recorder {
	r := &recorder{out: make(map[int32]int), done: make(map[int32]bool)}
	r.some.L = &r.mu
	return r
}

func (r *recorder) note(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	r.some.Broadcast()
}

func (r *recorder) event(p []byte) {
	var e event
	if err := json.Unmarshal(p, &e); err != nil {
		panic(fmt.Sprintf("%v: %s", err, p))
	}
	r.note(func() { r.events = append(r.events, e) })
}
func (r *recorder) output(watch int32) { r.note(func() { r.out[watch]++ }) }
func (r *recorder) ended(watch int32)  { r.note(func() { r.done[watch] = true }) }
func (r *recorder) changed()           {}
func (r *recorder) ask(p, data []byte) {
	var q question
	if err := json.Unmarshal(p, &q); err != nil {
		panic(fmt.Sprintf("%v: %s", err, p))
	}
	q.data = string(data)
	r.note(func() { r.asked = append(r.asked, q) })
}
func (r *recorder) line(_ int32, p []byte) {
	r.note(func() { r.lines = append(r.lines, strings.Split(strings.TrimSuffix(string(p), "\n"), "\n")...) })
}

// wait waits until what returns true.
func (r *recorder) wait(t *testing.T, what string, until func() bool) {
	t.Helper()
	late := false
	timer := time.AfterFunc(20*time.Second, func() { r.note(func() { late = true }) })
	defer timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for !until() {
		if late {
			t.Fatalf("%s did not come; events: %+v, lines: %q", what, r.events, r.lines)
		}
		r.some.Wait()
	}
}

// find waits for an event.
func (r *recorder) find(t *testing.T, what string, is func(e event) bool) (found event) {
	t.Helper()
	r.wait(t, what, func() bool {
		for _, e := range r.events {
			if is(e) {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// state waits until a terminal is in a state.
func (r *recorder) state(t *testing.T, id, state string) event {
	t.Helper()
	return r.find(t, state, func(e event) bool { return e.Terminal.ID == id && e.Terminal.State == state })
}

// noCache keeps nothing, as a page's.
type noCache struct{}

func (noCache) Get(cache.Key) (string, error) { return "", errors.New("nothing") }
func (noCache) Put(_ cache.Key, _ *hostwasm.Module, compile func(string) error) error {
	return compile("")
}

// cat copies its input to its output.
var cat = build(func(m *Module) {
	read := m.Import("wasi_snapshot_preview1", "fd_read", "(i32,i32,i32,i32)->(i32)")
	write := m.Import("wasi_snapshot_preview1", "fd_write", "(i32,i32,i32,i32)->(i32)")
	const iov, count = 0, 8
	m.Export("_start", m.Func("()->()", "",
		Loop(EmptyType,
			I32(iov), I32(1024), Memory(I32Store, 0), I32(iov), I32(4096), Memory(I32Store, 4),
			I32(0), I32(iov), I32(1), I32(count), Call(read), Op(Drop),
			I32(iov), I32(count), Memory(I32Load, 0), Memory(I32Store, 4),
			I32(1), I32(iov), I32(1), I32(count+4), Call(write), Op(Drop),
			I32(count), Memory(I32Load, 0), BrIf(0),
		),
	))
})

// spin never ends.
var spin = build(func(m *Module) {
	m.Export("_start", m.Func("()->()", "", Loop(EmptyType, Br(0))))
})

func build(f func(m *Module)) []byte {
	var m Module
	m.Memory(1, 4)
	m.ExportMemory("memory")
	f(&m)
	return m.Bytes()
}

// A fixture is a sandbox on wazero with the commands cat, spin and broken.
type fixture struct {
	*instance
	*recorder
}

func newFixture(t *testing.T, config string) fixture {
	t.Helper()
	page := newRecorder()
	i := &instance{page: page, engine: func() (engine.Engine, hostwasm.Cache, error) {
		e, err := wazero.New(wazero.Config{})
		return e, noCache{}, err
	}}
	f := fixture{i, page}
	if config == "" {
		config = "{}"
	}
	config = strings.Replace(config, "{", `{"modules":[{"name":"cat","commands":["cat"]},{"name":"spin","commands":["spin"]},
		{"name":"broken","commands":["broken"]},{"name":"plugin","commands":["plugin"],"sum":"`+strings.Repeat("ab", 32)+`"}],`, 1)
	config = strings.Replace(config, ",}", "}", 1)
	if status := f.configure(f.put(config)); status != ok {
		t.Fatalf("configure: %d %s", status, f.result)
	}
	// What a page does when it is asked for a module.
	stop := make(chan struct{})
	go func() {
		page.mu.Lock()
		defer page.mu.Unlock()
		for seen := 0; ; {
			for ; seen < len(page.events); seen++ {
				e := page.events[seen]
				if e.Event != "load" {
					continue
				}
				switch e.Module {
				case 0:
					i.sandbox.answeredLoad(e.Request, loaded{wasm: cat})
				case 1:
					i.sandbox.answeredLoad(e.Request, loaded{wasm: spin})
				case 2:
					failure, _ := decodeFailure([]byte(`{"reason":"not_wasm","message":"broken: it is HTML"}`))
					i.sandbox.answeredLoad(e.Request, loaded{err: failure})
				case 3:
					i.sandbox.answeredLoad(e.Request, loaded{}) // that of another version
				}
			}
			select {
			case <-stop:
				return
			default:
			}
			page.some.Wait()
		}
	}()
	t.Cleanup(func() {
		f.closeAll()
		f.find(t, "closed", func(e event) bool { return e.Event == "closed" })
		f.note(func() { close(stop) })
	})
	return f
}

// put puts strings into the input buffer.
func (f fixture) put(s ...string) int32 {
	all := strings.Join(s, "")
	copy(f.input(int32(len(all))), all)
	return int32(len(all))
}

func (f fixture) make(t *testing.T, command string) (id string) {
	t.Helper()
	if status := f.create(f.put(command)); status != ok {
		t.Fatalf("create: %d %s", status, f.result)
	}
	return string(f.result)
}

func (f fixture) expect(t *testing.T, what string, got, want int32) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %d %s, want %d", what, got, f.result, want)
	}
}

func TestTerminal(t *testing.T) {
	f := newFixture(t, "")
	id := f.make(t, `{"command":"cat","pty":false}`)
	watch := f.watch(f.put(id), 10)
	if watch <= 0 || len(f.result) < 24 || binary.LittleEndian.Uint32(f.result[8:]) != 40 {
		t.Fatalf("watch: got %d, %q", watch, f.result)
	}
	f.state(t, id, "running")
	f.put(id, "hello, ", "world\n")
	f.expect(t, "write", f.write(int32(len(id)), 13), ok)
	var shown []byte
	for len(shown) < 13 {
		f.wait(t, "output", func() bool { return f.out[watch] > 0 })
		f.expect(t, "take", f.take(watch, 1<<16), ok)
		if at := binary.LittleEndian.Uint64(f.result); at != uint64(len(shown)) {
			t.Errorf("got offset %d, want %d", at, len(shown))
		}
		shown = append(shown, f.result[8:]...)
	}
	if string(shown) != "hello, world\n" {
		t.Errorf("got %q", shown)
	}
	f.put(id)
	f.expect(t, "close_input", f.closeInput(int32(len(id))), ok)
	end := f.state(t, id, "exited")
	if x := end.Terminal.Exit; x == nil || x.ExitCode == nil || *x.ExitCode != 0 || end.Terminal.Bytes != 13 || end.Terminal.Kept != 13 {
		t.Errorf("got %+v, want exit 0 and 13 bytes", end.Terminal)
	}
	f.expect(t, "write after the end", f.write(int32(len(id)), 0), notRunning)
	f.expect(t, "release", f.release(int32(len(id))), ok)
	f.wait(t, "the watch's end", func() bool { return f.done[watch] })
	f.put(id)
	f.expect(t, "output", f.instance.output(int32(len(id))), ok)
	if string(f.result) != "hello, world\n" {
		t.Errorf("after the release: got %q", f.result)
	}
	f.expect(t, "snapshot", f.snapshot(watch, 10), ok)
	if !bytes.Contains(f.result, []byte("hello, world")) || f.result[16] != 1 {
		t.Errorf("after the release: got snapshot %q", f.result)
	}
	f.put(id)
	f.expect(t, "kill after the release", f.kill(int32(len(id))), released)
	f.expect(t, "unwatch", f.unwatch(watch), ok)
	f.expect(t, "unwatch", f.unwatch(watch), unknown)
}

func TestResize(t *testing.T) {
	f := newFixture(t, "")
	id := f.make(t, `{"command":"cat"}`)
	f.state(t, id, "running")
	f.put(id)
	f.expect(t, "resize", f.resize(int32(len(id)), 30, 90), ok)
	f.find(t, "its size", func(e event) bool { return e.Terminal.ID == id && e.Terminal.Rows == 30 && e.Terminal.Cols == 90 })
	f.put(id)
	if status := f.resize(int32(len(id)), -1, 90); status >= 0 {
		t.Errorf("resize to -1 rows: got %d, want a failure", status)
	}
}

// Answers that nobody waits for are told, whatever they say.
func TestLateAnswers(t *testing.T) {
	f := newFixture(t, "")
	f.expect(t, "module_compiled", f.moduleCompiled(99), unknown)
	f.expect(t, "module_bytes", f.moduleBytes(99, f.put("\x00asm")), unknown)
	f.expect(t, "module_failed", f.moduleFailed(99, f.put(`{"reason":"not_wasm","message":"no"}`)), unknown)
	if status := f.moduleFailed(99, f.put(`{`)); status >= 0 || status == unknown {
		t.Errorf("module_failed with half of a JSON: got %d, want another failure", status)
	}
	f.expect(t, "module_bytes of a negative length", f.moduleBytes(99, -1), -2)
}

func TestKill(t *testing.T) {
	f := newFixture(t, "")
	id := f.make(t, `{"command":"spin"}`)
	f.state(t, id, "running")
	f.put(id)
	f.expect(t, "kill", f.kill(int32(len(id))), ok)
	end := f.state(t, id, "killed")
	if x := end.Terminal.Exit; x == nil || x.Signal == nil || end.Terminal.EndedBy != "person" {
		t.Errorf("got %+v, want a signal, by a person", end.Terminal)
	}
}

func TestFailures(t *testing.T) {
	f := newFixture(t, "")
	for command, reason := range map[string]string{
		"nosuch": "not_found", "broken": "not_wasm", "plugin": "wrong_version",
	} {
		id := f.make(t, `{"command":"`+command+`"}`)
		if e := f.state(t, id, "failed"); e.Terminal.Error == nil || e.Terminal.Error.Reason != reason {
			t.Errorf("%s: got %+v, want %s", command, e.Terminal.Error, reason)
		}
		f.put(id)
		f.expect(t, "kill", f.kill(int32(len(id))), unknown)
	}
	for command, want := range map[string]int32{
		`{"command":""}`: invalid, `{"command":"cat","cwd":"x"}`: invalid, `{"command":"cat","rows":-1}`: invalid,
		`{"command":1}`: badJSON, `{"comand":"cat"}`: badJSON, `[`: badJSON, `{"command":"cat","rendering":"screen"}`: badJSON,
	} {
		f.expect(t, command, f.create(f.put(command)), want)
	}
	f.expect(t, "configure twice", f.configure(0), badTime)
	f.expect(t, "create", f.create(1<<30), badArgument)
	f.expect(t, "create", f.create(-1), badArgument)
	f.expect(t, "decide", f.decide(77, 1, 0), unknown)
	f.expect(t, "take", f.take(1, 1), unknown)
	f.expect(t, "peer_line", f.peerLine(1, 0), unknown)
}

func TestPolicy(t *testing.T) {
	f := newFixture(t, `{"ask":true}`)
	id := f.make(t, `{"command":"cat","args":["x"]}`)
	e := f.find(t, "asking", func(e event) bool { return e.Event == "asking" })
	if e.ID != id || fmt.Sprint(e.Argv, e.Roots) != "[cat x] [/]" {
		t.Errorf("got %+v", e)
	}
	f.expect(t, "decide", f.decide(e.Request, 0, f.put("not today")), ok)
	if e := f.state(t, id, "failed"); e.Terminal.Error.Reason != "denied" || !strings.Contains(e.Terminal.Error.Message, "not today") {
		t.Errorf("got %+v", e.Terminal.Error)
	}
	id = f.make(t, `{"command":"cat","interactive":false}`)
	e = f.find(t, "asking", func(e event) bool { return e.Event == "asking" && e.ID == id })
	f.expect(t, "decide", f.decide(e.Request, 1, 0), ok)
	f.state(t, id, "exited")

	id = f.make(t, `{"command":"cat"}`)
	e = f.find(t, "asking", func(e event) bool { return e.Event == "asking" && e.ID == id })
	f.put(id)
	f.expect(t, "kill", f.kill(int32(len(id))), ok)
	f.find(t, "asked", func(a event) bool { return a.Event == "asked" && a.Request == e.Request })
	if end := f.state(t, id, "killed"); end.Terminal.EndedBy != "person" {
		t.Errorf("got %+v", end.Terminal)
	}
	f.expect(t, "decide late", f.decide(e.Request, 1, 0), unknown)
}

// A reply is what a peer gets.
type reply struct {
	Result map[string]any
	Error  *struct {
		Code int
		Data map[string]any
	}
}

// ask sends a peer's request, over three lines, and waits for its answer.
func (f fixture) ask(t *testing.T, peer int32, id int, method, params string) (a reply) {
	t.Helper()
	n := f.put(fmt.Sprintf("{\"jsonrpc\":\"2.0\",\n\"id\":%d,\r\n\"method\":%q,\"params\":%s}", id, method, params))
	f.expect(t, "peer_line", f.peerLine(peer, n), ok)
	f.wait(t, method, func() bool {
		for _, line := range f.lines {
			if strings.Contains(line, fmt.Sprintf(`"id":%d,`, id)) {
				if err := json.Unmarshal([]byte(line), &a); err != nil {
					t.Error(err)
				}
				return true
			}
		}
		return false
	})
	f.expect(t, "peer_taken", f.peerTaken(peer, 1<<20), ok)
	return a
}

// An agent that never releases a terminal has no more in the end, and the page's
// own are made all the same.
func TestPeerLeavesRoom(t *testing.T) {
	for reason, c := range map[string]struct{ config, limit string }{
		"limit_output_bytes": {"", "1048576"},
		"limit_terminals":    {`{"limits":{"terminals":16}}`, "1"},
	} {
		t.Run(reason, func(t *testing.T) {
			f := newFixture(t, c.config)
			peer := f.openPeer(f.put(`{}`))
			for id := 1; ; id++ {
				made := f.ask(t, peer, id, "terminal/create", `{"sessionId":"s","command":"cat","outputByteLimit":`+c.limit+`}`)
				if made.Error != nil {
					if made.Error.Data["reason"] != reason {
						t.Errorf("got %+v, want %s", made.Error, reason)
					}
					break
				}
				if id == 1000 {
					t.Fatal("1,000 terminals are made")
				}
			}
			f.make(t, `{"command":"cat"}`)
		})
	}
}

func TestPeer(t *testing.T) {
	f := newFixture(t, "")
	peer := f.openPeer(f.put(`{}`))
	if peer <= 0 {
		t.Fatalf("open_peer: %d %s", peer, f.result)
	}
	ask := func(id int, method, params string) reply { return f.ask(t, peer, id, method, params) }
	made := ask(1, "terminal/create", `{"sessionId":"s","command":"cat"}`)
	id, _ := made.Result["terminalId"].(string)
	one := `{"sessionId":"s","terminalId":"` + id + `"}`
	if end := ask(2, "terminal/wait_for_exit", one); end.Result["exitCode"] != 0.0 {
		t.Errorf("got %+v, want exit 0", end)
	}
	if e := f.state(t, id, "exited"); e.Terminal.Peer != peer || e.Terminal.Session != "s" {
		t.Errorf("got %+v, want session s of peer %d", e.Terminal, peer)
	}
	ask(3, "terminal/release", one)
	f.find(t, "the release", func(e event) bool { return e.Terminal.ID == id && e.Terminal.Released && e.Terminal.Closed })
	if e := ask(4, "terminal/output", one); e.Error == nil || e.Error.Code != -32602 || e.Error.Data["reason"] != "released" {
		t.Errorf("got %+v, want -32602 released", e)
	}
	if e := ask(5, "terminal/create", `{"sessionId":"s","command":"nosuch"}`); e.Error == nil {
		t.Errorf("got %+v, want an error", e)
	}
	// A session sees what it hands over.
	f.put("/work/a")
	f.expect(t, "file_mkdir", f.fileMkdir(7), ok)
	ask(6, "_terrarium/session_open", `{"sessionId":"narrow","cwd":"/work/a"}`)
	if e := ask(7, "terminal/create", `{"sessionId":"narrow","command":"cat","cwd":"/work/a"}`); e.Error != nil {
		t.Errorf("got %+v", e)
	}
	if e := ask(8, "terminal/create", `{"sessionId":"narrow","command":"cat","cwd":"/work"}`); e.Error == nil {
		t.Errorf("got %+v, want an error", e)
	}
	f.expect(t, "close_peer", f.closePeer(peer), ok)
	f.find(t, "peer_closed", func(e event) bool { return e.Event == "peer_closed" && e.Peer == peer })
}

func TestFiles(t *testing.T) {
	f := newFixture(t, `{"limits":{"fileBytes":65536}}`)
	write := func(name, content string, flags int32) int32 {
		f.put(name, content)
		return f.fileWrite(int32(len(name)), int32(len(content)), flags, 0)
	}
	about := func(export func(int32) int32, name string) string {
		t.Helper()
		f.expect(t, name, export(f.put(name)), ok)
		return string(f.result)
	}
	f.fileChanges()
	f.expect(t, "no directory", write("/d/e/a.txt", "one", makeFile), badFile)
	f.expect(t, "write", write("/d/e/a.txt", "one", makeFile|makeDirs), ok)
	f.expect(t, "write again", write("/d/e/a.txt", "two", makeFile), badFile)
	f.expect(t, "replace", write("/d/e/a.txt", "four", replaceFile), ok)
	f.expect(t, "replace nothing", write("/d/e/b.txt", "four", replaceFile), badFile)
	f.put("/d/run", "x")
	f.expect(t, "write with a mode", f.fileWrite(6, 1, makeFile, 0o750), ok)
	if got := about(f.fileStat, "/d/run"); !strings.Contains(got, `"mode":488,`) {
		t.Errorf("stat: got %s", got)
	}
	f.expect(t, "remove", f.fileRemove(f.put("/d/run"), 0), ok)
	f.expect(t, "too large", write("/d/big", strings.Repeat("x", 1<<17), makeFile), badFile)
	if got := about(f.fileRead, "/d/e/a.txt"); got != "four" {
		t.Errorf("read: got %q", got)
	}
	if got := about(f.fileList, "/d/e"); got != `[["a.txt",1]]` {
		t.Errorf("list: got %s", got)
	}
	if got := about(f.fileStat, "/d/e/a.txt"); !strings.HasPrefix(got, `{"type":1,"size":4,"mode":420,`) {
		t.Errorf("stat: got %s", got)
	}
	f.expect(t, "changes", f.fileChanges(), ok)
	if got, want := string(f.result), `[[2,"/d"],[2,"/d/e"],[2,"/d/e/a.txt"],[3,"/d/run"],[2,"/d/big"]]`; got != want {
		t.Errorf("changes: got %s, want %s", got, want)
	}
	from, to := "/d/e/a.txt", "/d/b.txt"
	f.put(from, to)
	f.expect(t, "rename", f.fileRename(int32(len(from)), int32(len(to)), 0), ok)
	from, to = to, "/d/big"
	f.put(from, to)
	f.expect(t, "rename", f.fileRename(int32(len(from)), int32(len(to)), 0), badFile)
	if !strings.Contains(string(f.result), "/d/b.txt to /d/big: file exists") {
		t.Errorf("rename: got %s, want both names", f.result)
	}
	f.expect(t, "remove", f.fileRemove(f.put("/d"), 0), badFile)
	f.expect(t, "remove all", f.fileRemove(f.put("/d"), 1), ok)
	f.expect(t, "stat", f.fileStat(f.put("/d")), badFile)
	f.expect(t, "changes", f.fileChanges(), ok)
	for _, name := range []string{"", "x", "/d/", "/d//e", "/../x", "/\xff", "/a\x00", "/" + strings.Repeat("x", 5000)} {
		f.expect(t, name, f.fileStat(f.put(name)), badFile)
	}
	for i := range maxChanges + 1 {
		write(fmt.Sprint("/work/", i), "", makeFile)
	}
	f.expect(t, "changes", f.fileChanges(), more)
	if string(f.result) != "[]" {
		t.Errorf("changes: got %s", f.result)
	}
	f.expect(t, "changes", f.fileChanges(), ok)
}

// TestSlowWatch: a view that does not take is told so, and begins anew.
func TestSlowWatch(t *testing.T) {
	f := newFixture(t, "")
	id := f.make(t, `{"command":"cat","pty":false}`)
	f.state(t, id, "running")
	watch := f.watch(f.put(id), 0)
	line := strings.Repeat("x", 1000) + "\n"
	total := 0
	for i := 0; total < 2*maxUntaken; i++ {
		n := f.put(id, line)
		if f.write(int32(len(id)), n-int32(len(id))) == ok {
			total += len(line)
		} else if one, err := f.sandbox.find(core.TerminalID(id)); err != nil || one.driver.Terminal(one.id).Flush(t.Context()) != nil {
			t.Fatal("the command does not read")
		}
	}
	f.put(id)
	f.closeInput(int32(len(id)))
	f.state(t, id, "exited")
	f.expect(t, "take", f.take(watch, 100), lost)
	f.expect(t, "snapshot", f.snapshot(watch, 0), ok)
	if at := binary.LittleEndian.Uint64(f.result); at != uint64(total) {
		t.Errorf("got a snapshot at %d, want %d", at, total)
	}
}
