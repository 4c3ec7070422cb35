package acp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// fuzzMaxLine is short enough for the fuzzer to exceed.
const fuzzMaxLine = 4 << 10

// FuzzConn feeds a stream of lines to a connection, and after each line lets a
// host do what its bytes say. In the stream $t1 stands for the id of the first
// terminal, and a line of two bytes for a whole message (see expand). Whatever
// comes: every message that demands an answer gets exactly one, each answer is
// a line of JSON, and where the stream is cut into pieces makes no difference.
func FuzzConn(f *testing.F) {
	create := call(acp.MethodCreate, `{"sessionId":"s","command":"a","outputByteLimit":10}`)
	lines := func(lines ...string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
	about := func(id, method string) string { return request(id, method, "$t1") }
	f.Add(lines(create, about("2", acp.MethodWaitForExit), about("3", acp.MethodOutput), about("4", acp.MethodRelease)), []byte{0}, []byte{})
	f.Add(lines(create, about("2", acp.MethodWaitForExit), about("null", acp.MethodWaitForExit), about("2", acp.MethodKill)),
		[]byte{3, 200}, []byte{0, 0, 9, 1, 2, 3})
	f.Add(lines(create, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`, create), []byte{7}, []byte{3, 0, 7})
	f.Add(lines(create, create, about(`"\u0031"`, acp.MethodDisplay), about(`"1"`, acp.MethodOutput)), []byte{1}, []byte{0, 3, 4, 7, 7})
	f.Add(lines(call(acp.MethodSessionOpen, `{"sessionId":"s","cwd":"/a"}`), create, call(acp.MethodSessionClose, `{"sessionId":"s"}`), about("5", acp.MethodOutput)),
		[]byte{50}, []byte{0, 0, 0, 5, 6})
	f.Add([]byte("{\n[]\n\n5\r\n{\"jsonrpc\":\"2.0\",\"result\":1}\n{\"id\":{}}\n\xff\n"+hello), []byte{2}, []byte{})
	f.Add([]byte(strings.Repeat("x", fuzzMaxLine+1)+"\n"+hello), []byte{255}, []byte{})
	f.Add([]byte("c1\nc2\nw1\nw2\nw3\nx2\nk1\no4\nr1\nd1\nn1\nw5\nS1\nc1\nZ1\nr1\n"), []byte{}, []byte{0, 0, 1, 0, 0, 9, 3, 5})
	f.Add([]byte("c1\nw2\nw3\nc4"), []byte{}, []byte{0, 0, 1})
	f.Add([]byte("c1\nx1\nc1\nx1\nc3\nc4\nc5\nc6\nc7\nZ1\nw1\nw2\n"), []byte{1}, []byte{3, 0, 0, 3, 3, 3, 7, 15, 23})

	f.Fuzz(func(t *testing.T, stream, cuts, host []byte) {
		if len(stream) > 64<<10 {
			t.Skip("long enough")
		}
		whole, cut := newFuzzed(t, host), newFuzzed(t, host)
		demanded := 0
		for _, line := range bytes.SplitAfter(stream, []byte("\n")) {
			line = whole.name(expand(line))
			demanded += demands(line)
			whole.feed(line, nil)
			cut.feed(line, cuts)
		}
		whole.finish()
		cut.finish()
		if whole.answers != demanded {
			t.Errorf("got %d answers to %d requests:\n%s", whole.answers, demanded, &whole.log)
		}
		compare(t, cut, whole)

		// As long as no host comes between them, lines may come several at a time.
		whole, cut = newFuzzed(t, host), newFuzzed(t, host)
		whole.input(stream, nil)
		cut.input(stream, cuts)
		whole.finish()
		cut.finish()
		compare(t, cut, whole)
	})
}

func compare(t *testing.T, cut, whole *fuzzed) {
	t.Helper()
	if cut.log.String() != whole.log.String() {
		t.Errorf("got, in pieces:\n%s\nwant:\n%s", &cut.log, &whole.log)
	}
}

// A fuzzed connection is one with a host that does what bytes say.
type fuzzed struct {
	t        *testing.T
	conn     *acp.Conn
	registry *core.Registry
	now      time.Time
	host     []byte // what it still has to do
	ids      []core.TerminalID
	log      strings.Builder // all lines
	answers  int
}

func newFuzzed(t *testing.T, host []byte) *fuzzed {
	r := core.NewRegistry(core.Config{MaxTerminals: 8, MaxSessionTerminals: 6, KeepTerminals: 2, LiveBytes: 16})
	c := acp.Config{MaxLine: fuzzMaxLine, MaxResponse: 8 << 10, MaxPending: 4, MaxSessions: 2, Lenient: true}
	return &fuzzed{t: t, conn: acp.NewConn(c, acp.OnRegistry(r)), registry: r, now: epoch, host: host}
}

// expand turns a line of a letter and a byte, which chooses ids, into the
// message that they stand for, since chance would not find many.
func expand(line []byte) []byte {
	if len(line) != 3 || line[2] != '\n' {
		return line
	}
	id, terminal := strconv.Itoa(int(line[1]&7)), core.TerminalID("$t"+strconv.Itoa(1+int(line[1]>>3&7)))
	message := ""
	switch line[0] {
	case 'c':
		message = `{"jsonrpc":"2.0","id":` + id + `,"method":"terminal/create","params":{"sessionId":"s","command":"a"}}`
	case 'n':
		message = `{"jsonrpc":"2.0","id":null,"method":"terminal/create","params":{"sessionId":"s","command":"a"}}`
	case 'o':
		message = request(id, acp.MethodOutput, terminal)
	case 'w':
		message = request(id, acp.MethodWaitForExit, terminal)
	case 'k':
		message = request(id, acp.MethodKill, terminal)
	case 'r':
		message = request(id, acp.MethodRelease, terminal)
	case 'd':
		message = request("null", acp.MethodDisplay, terminal)
	case 'x':
		message = `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + id + `}}`
	case 'S':
		message = call(acp.MethodSessionOpen, `{"sessionId":"s","cwd":"/"}`)
	case 'Z':
		message = call(acp.MethodSessionClose, `{"sessionId":"s"}`)
	default:
		return line
	}
	return append([]byte(message), '\n')
}

// name puts the ids of terminals into a line.
func (f *fuzzed) name(line []byte) []byte {
	for i, id := range f.ids {
		line = bytes.ReplaceAll(line, fmt.Appendf(nil, "$t%d", i+1), []byte(id))
	}
	return line
}

// input hands over bytes in pieces, whose lengths cuts has.
func (f *fuzzed) input(p, cuts []byte) {
	for i := 0; len(p) > 0; i++ {
		n := len(p)
		if len(cuts) > 0 {
			n = min(n, 1+int(cuts[i%len(cuts)]))
		}
		piece := bytes.Clone(p[:n])
		f.conn.HandleInput(f.now, piece)
		clear(piece)
		p = p[n:]
	}
}

// feed hands over a line and lets the host do something.
func (f *fuzzed) feed(line, cuts []byte) {
	f.input(line, cuts)
	f.drain()
	f.act()
	f.drain()
}

// next is what the host does next; 0 when it has run out of ideas.
func (f *fuzzed) next() byte {
	if len(f.host) == 0 {
		return 0
	}
	b := f.host[0]
	f.host = f.host[1:]
	return b
}

func (f *fuzzed) drain() {
	for e, ok := f.registry.NextEffect(); ok; e, ok = f.registry.NextEffect() {
		f.conn.HandleEffect(f.now, &e)
		f.carryOut(&e)
	}
	for line, ok := f.conn.NextLine(); ok; line, ok = f.conn.NextLine() {
		f.check(line)
		f.log.Write(line)
		f.answers++
	}
}

// carryOut answers an effect at once, or leaves that to act.
func (f *fuzzed) carryOut(e *core.Effect) {
	switch e.Kind {
	case core.Resolve:
		f.ids = append(f.ids, e.ID)
		f.resolve(e.ID, f.next()%4)
	case core.Start:
		f.start(e.ID, f.next()%4)
	}
}

func (f *fuzzed) resolve(id core.TerminalID, how byte) {
	switch how {
	case 0, 1:
		f.registry.HandleResolved(f.now, id, core.Exec{Path: "/a", Argv: []string{"a"}, Via: core.ViaFile}, nil)
	case 2:
		f.registry.HandleResolved(f.now, id, core.Exec{}, &core.HostError{Reason: "not_found", Message: "no\nsuch\xff"})
	}
}

func (f *fuzzed) start(id core.TerminalID, how byte) {
	switch how {
	case 0, 1:
		f.registry.HandleStart(f.now, id, nil)
	case 2:
		f.registry.HandleStart(f.now, id, &core.HostError{Reason: "start_failed", Message: "\x00"})
	}
}

// act reports something of a terminal, whether or not it makes sense.
func (f *fuzzed) act() {
	b := f.next()
	if len(f.ids) == 0 {
		return
	}
	id := f.ids[int(b>>3)%len(f.ids)]
	switch b & 7 {
	case 1:
		f.registry.HandleOutput(f.now, id, 1, []byte("out\x1b\xe2\x82put\n"))
	case 2:
		f.registry.HandleExit(f.now, id, core.Exit{Status: core.ExitStatus{ExitCode: uint32(b)}})
		f.registry.HandleOutputEnd(f.now, id)
	case 3:
		f.registry.HandleExit(f.now, id, core.Exit{Status: core.ExitStatus{Signal: "SIGKILL"}})
	case 4:
		f.registry.HandleOutputEnd(f.now, id)
	case 5:
		f.pass(6 * time.Second)
	case 6:
		f.registry.HandleClosed(f.now, id)
	case 7:
		f.resolve(id, 0)
		f.start(id, 0)
	}
}

func (f *fuzzed) pass(d time.Duration) {
	f.now = f.now.Add(d)
	f.registry.HandleTimeout(f.now)
}

// finish ends the stream and has the host report all that it owes.
func (f *fuzzed) finish() {
	f.conn.HandleEOF(f.now)
	f.drain()
	for _, id := range f.ids {
		f.resolve(id, 0)
		f.start(id, 0)
		f.drain()
	}
	for range 3 { // the grace, the kill, the loss
		f.pass(time.Minute)
		f.drain()
	}
	if at, ok := f.registry.Deadline(); ok {
		f.t.Errorf("got a deadline at %v after everything has ended", at)
	}
}

// check demands of an answer what every one must be.
func (f *fuzzed) check(line []byte) {
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  map[string]any  `json:"result"`
		Error   *struct {
			Code    int32
			Message string
			Data    struct{ Reason string }
		} `json:"error"`
	}
	text, ended := bytes.CutSuffix(line, []byte("\n"))
	err := json.Unmarshal(text, &m)
	switch {
	case !ended || bytes.ContainsAny(text, "\r\n") || len(line) > 8<<10 || err != nil:
		f.t.Errorf("got %.300q (%v), want one line of JSON", line, err)
	case m.Version != "2.0" || len(m.ID) == 0:
		f.t.Errorf("got %s, want an answer with version and id", line)
	case (m.Result == nil) == (m.Error == nil):
		f.t.Errorf("got %s, want either a result, which is an object, or an error", line)
	case m.Error != nil && (m.Error.Code == 0 || m.Error.Message == "" || m.Error.Data.Reason == ""):
		f.t.Errorf("got %s, want a code, a message and a reason", line)
	}
}

// demands returns 1 if a line must be answered, else 0.
func demands(line []byte) int {
	text, ended := bytes.CutSuffix(line, []byte("\n"))
	if len(text) > fuzzMaxLine {
		return 1
	}
	text = bytes.TrimSuffix(text, []byte("\r"))
	if len(bytes.Trim(text, " \t\r")) == 0 || !ended && len(line) == 0 {
		return 0
	}
	v, err := jsonrpc.Parse(text)
	if err != nil || v.Kind() != jsonrpc.Object {
		return 1
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(text, &m); err != nil {
		return 1
	}
	_, called := m["method"]
	_, result := m["result"]
	_, failure := m["error"]
	_, hasID := m["id"]
	switch {
	case !called && (result || failure):
		return 0
	case called && !result && !failure && !hasID && isNotification(v):
		return 0
	}
	return 1
}

// isNotification reports whether v, which has a method and no id, is well
// formed as such.
func isNotification(v jsonrpc.Value) bool {
	version, _ := v.Get("jsonrpc")
	method, _ := v.Get("method")
	params, _ := v.Get("params")
	_, err := method.Text()
	switch params.Kind() {
	case jsonrpc.Bool, jsonrpc.Number, jsonrpc.String:
		return false
	}
	return version.Is("2.0") && err == nil
}
