package conform

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A message is a JSON-RPC message that a fault may change.
type message map[string]any

func decodeMessage(line []byte) message {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var m message
	if err := d.Decode(&m); err != nil {
		panic(err) // it is ours
	}
	return m
}

func (m message) method() string { s, _ := m["method"].(string); return s }

// params returns the params or the result of m, to change.
func (m message) params() map[string]any { p, _ := m["params"].(map[string]any); return p }
func (m message) result() map[string]any { r, _ := m["result"].(map[string]any); return r }

func (m message) id() string {
	switch id := m["id"].(type) {
	case json.Number:
		return id.String()
	case string:
		return id
	}
	return ""
}

// A testClient is an ACP client whose terminals are a server of ours. It does all right,
// but for its fault.
type testClient struct {
	fault  *fault
	server io.Writer
	agent  io.Writer
	cwd    string
	done   chan struct{} // closed when no request of the client may wait any more

	mu      sync.Mutex // guards what follows
	asked   map[string]message
	answers map[string]chan message
	own     map[string]func(message) // who waits for answers to the client's own requests
	state   map[string]any           // a fault's
	lastID  int
}

// A fault is one thing that a client does wrong. Each function may be nil.
type fault struct {
	name   string
	points []int // those that must not pass
	slow   bool  // an answer never comes, so that only a short patience can be afforded

	// request changes a request on its way to the server. If it returns false, that
	// does not get it.
	request func(c *testClient, m message) bool
	// answer changes the answer to the request q. If it returns false, the agent
	// does not get it.
	answer func(c *testClient, q, m message) bool
	// update takes an update, of the kind that the agent says.
	update func(c *testClient, kind string, m message)
	// line changes a line for the agent.
	line func(c *testClient, m message, line []byte) []byte
	host func(driver.Host) driver.Host

	capabilities map[string]any // in place of {"terminal":true}
	interactive  bool
	outlives     bool // the terminals live longer than the connection
	unknown      func(id any) message
	permission   func(c *testClient, m message)
}

// respond answers a request of the agent.
func (c *testClient) respond(m message) {
	line, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	if f := c.fault.line; f != nil {
		line = f(c, m, line)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.agent.Write(append(line, '\n'))
}

func (c *testClient) fail(id any, code int) {
	c.respond(message{"jsonrpc": "2.0", "id": id, "error": fields{"code": code, "message": "no"}})
}

func (c *testClient) succeed(id any, result any) {
	c.respond(message{"jsonrpc": "2.0", "id": id, "result": result})
}

// forward sends a request to the server.
func (c *testClient) forward(m message) {
	line, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	c.server.Write(append(line, '\n'))
}

// ask sends a request of the client's own to the server.
func (c *testClient) ask(method string, params map[string]any, then func(message)) {
	c.mu.Lock()
	c.lastID++
	id := "own-" + strconv.Itoa(c.lastID)
	c.own[id] = then
	c.mu.Unlock()
	c.forward(message{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

// call sends a request to the agent and waits for its answer, which is nil if there is none.
func (c *testClient) call(id, method string, params fields) message {
	answered := make(chan message, 1)
	c.mu.Lock()
	c.answers[id] = answered
	c.mu.Unlock()
	c.respond(message{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	select {
	case m := <-answered:
		return m
	case <-c.done:
		return nil
	}
}

// fromAgent takes what the agent sends.
func (c *testClient) fromAgent(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		m := decodeMessage(line)
		switch method := m.method(); {
		case method == "":
			c.mu.Lock()
			answered := c.answers[m.id()]
			c.mu.Unlock()
			answered <- m
		case method == "session/update":
			update, _ := m.params()["update"].(map[string]any)
			kind, _ := update["sessionUpdate"].(string)
			if f := c.fault.update; f != nil {
				f(c, kind, update)
			}
		case method == "session/request_permission":
			if f := c.fault.permission; f != nil {
				f(c, m)
				continue
			}
			c.cancelTurn(m)
			c.succeed(m["id"], fields{"outcome": fields{"outcome": "cancelled"}})
		case strings.HasPrefix(method, "terminal/") || method == "$/cancel_request":
			c.toServer(m)
		case m["id"] == nil:
		case c.fault.unknown != nil:
			if answer := c.fault.unknown(m["id"]); answer != nil {
				c.respond(answer)
			}
		default:
			c.fail(m["id"], -32601)
		}
	}
}

func (c *testClient) cancelTurn(m message) {
	c.respond(message{"jsonrpc": "2.0", "method": "session/cancel", "params": fields{"sessionId": m.params()["sessionId"]}})
}

func (c *testClient) toServer(m message) {
	if m["id"] != nil {
		c.mu.Lock()
		c.asked[m.id()] = decodeMessage(mustMarshal(m))
		c.mu.Unlock()
	}
	if f := c.fault.request; f == nil || f(c, m) {
		c.forward(m)
	}
}

func mustMarshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// fromServer hands on what the server sends.
func (c *testClient) fromServer(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		m := decodeMessage(line)
		c.mu.Lock()
		own, q := c.own[m.id()], c.asked[m.id()]
		delete(c.own, m.id())
		c.mu.Unlock()
		if own != nil {
			own(m)
			continue
		}
		if f := c.fault.answer; f == nil || f(c, q, m) {
			c.respond(m)
		}
	}
}

// try has an agent try a client with a fault, and returns its report.
func try(t *testing.T, f *fault, config Config) *Report {
	t.Helper()
	native, err := hostnative.New(hostnative.Config{})
	coretest.Supported(t, err)
	defer native.Close()
	var host driver.Host = native
	if f.host != nil {
		host = f.host(host)
	}
	cwd, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	agentIn, toAgent := io.Pipe()
	fromAgent, agentOut := io.Pipe()
	c := &testClient{
		fault: f, server: toServer, agent: toAgent, cwd: cwd, done: make(chan struct{}),
		asked: make(map[string]message), answers: make(map[string]chan message),
		own: make(map[string]func(message)), state: make(map[string]any),
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { c.fromServer(fromServer) }) // ends with serverOut
	running.Go(func() {                             // ends with toServer
		acpconn.Serve(context.Background(), serverIn, serverOut, acpconn.Config{
			Driver: driver.Config{Host: host, Core: core.Config{KillGrace: 200 * time.Millisecond}},
			ACP:    acp.Config{Command: core.Command{Pty: true, Cwd: cwd, Interactive: f.interactive}},
		})
		serverOut.Close()
	})
	running.Go(func() { c.fromAgent(fromAgent) }) // ends with agentOut

	ended := make(chan *Report, 1)
	running.Go(func() { // ends with toAgent
		r, err := Serve(context.Background(), agentIn, agentOut, config)
		if err != nil {
			t.Error(err)
		}
		agentIn.CloseWithError(io.ErrClosedPipe)
		close(c.done)
		agentOut.Close()
		ended <- r
	})
	capabilities := f.capabilities
	if capabilities == nil {
		capabilities = map[string]any{"terminal": true}
	}
	c.call("1", "initialize", fields{
		"protocolVersion": 1, "clientCapabilities": capabilities, "clientInfo": fields{"name": "test\x1b[31m", "version": "1"},
	})
	answer := c.call("2", "session/new", fields{"cwd": cwd, "mcpServers": []string{}})
	if answer != nil {
		c.call("3", "session/prompt", fields{"sessionId": answer.result()["sessionId"], "prompt": []fields{{"type": "text", "text": "go"}}})
	}
	toAgent.Close()
	if !f.outlives {
		toServer.Close()
	}
	report := <-ended
	toServer.Close()
	return report
}

// patience is more than an answer takes, on whatever machine.
const patience = time.Minute

// TestRightClient tries a client that does all right.
func TestRightClient(t *testing.T) {
	report := try(t, &fault{}, Config{Patience: patience})
	for _, p := range report.Points {
		want := Passed
		switch p.Number {
		case 2:
			want = NotRun
		case 10: // its commands may run anywhere
			want = Unclear
		}
		if p.Verdict != want {
			t.Errorf("%v: %s, want %s", p, p.Verdict, want)
		}
		if p.Evidence == "" {
			t.Errorf("%v has no evidence", p)
		}
	}
	if len(report.Points) != len(Points()) || len(report.Faults) > 0 {
		t.Errorf("got %d points and the faults %v, want %d and none", len(report.Points), report.Faults, len(Points()))
	}
	if want := `test\x1b[31m`; report.Client.Name != want {
		t.Errorf("got the client %q, want %q", report.Client.Name, want)
	}
}

// TestFaults plants one fault in the client at a time: its points must not pass.
func TestFaults(t *testing.T) {
	var workers sync.WaitGroup
	defer workers.Wait()
	queue := make(chan *fault)
	defer close(queue)
	for range 8 { // they mostly wait
		workers.Go(func() {
			for f := range queue {
				t.Run(f.name, func(t *testing.T) { tryFault(t, f) })
			}
		})
	}
	for i := range plantedFaults {
		if !testing.Short() || i%4 == 0 {
			queue <- &plantedFaults[i]
		}
	}
}

func tryFault(t *testing.T, f *fault) {
	config := Config{Only: f.points, Patience: patience, KillGrace: 300 * time.Millisecond}
	if f.slow {
		config.Patience = 800 * time.Millisecond
	}
	report := try(t, f, config)
	if len(report.Points) != len(f.points) || len(f.points) == 0 {
		t.Fatalf("got %d points, want %v", len(report.Points), f.points)
	}
	for _, p := range report.Points {
		if p.Verdict != Failed && p.Verdict != Unclear {
			t.Errorf("got %q, want it found: %s", p.Verdict, p.Evidence)
		}
	}
}

// TestPlanted holds the faults to cover all points that can fail.
func TestPlanted(t *testing.T) {
	if n := len(plantedFaults); n < 40 {
		t.Errorf("there are %d faults, want 40", n)
	}
	covered := make(map[int]bool)
	for _, f := range plantedFaults {
		for _, p := range f.points {
			covered[p] = true
		}
	}
	for _, p := range Points() {
		if !covered[p.Number] && p.Number != 10 { // that one never fails
			t.Errorf("no fault is planted for point %d", p.Number)
		}
	}
}
