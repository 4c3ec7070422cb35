package conform

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// onRequest is a fault in what the client makes of the params of method.
func onRequest(method string, change func(p map[string]any)) func(*testClient, message) bool {
	return func(_ *testClient, m message) bool {
		if m.method() == method {
			change(m.params())
		}
		return true
	}
}

// onResult is a fault in what the client answers to method.
func onResult(method string, change func(r map[string]any)) func(*testClient, message, message) bool {
	return func(_ *testClient, q, m message) bool {
		if r := m.result(); q.method() == method && r != nil {
			change(r)
		}
		return true
	}
}

// onStatus is a fault in exit statuses, wherever they stand.
func onStatus(change func(status map[string]any)) func(*testClient, message, message) bool {
	return func(_ *testClient, q, m message) bool {
		r := m.result()
		if q.method() == acp.MethodWaitForExit && r != nil {
			change(r)
		}
		if status, ok := r["exitStatus"].(map[string]any); ok {
			change(status)
		}
		return true
	}
}

// instead answers method itself.
func instead(method string, answer func(c *testClient, m message)) func(*testClient, message) bool {
	return func(c *testClient, m message) bool {
		if m.method() != method {
			return true
		}
		answer(c, m)
		return false
	}
}

// never drops the answers to which a condition applies.
func never(when func(c *testClient, q, m message) bool) func(*testClient, message, message) bool {
	return func(c *testClient, q, m message) bool { return !when(c, q, m) }
}

// heldUntilExit holds the answers to method back until the command has ended.
func heldUntilExit(method string) func(*testClient, message, message) bool {
	return func(c *testClient, q, m message) bool {
		if q.method() != method || m.result() == nil {
			return true
		}
		id := q.params()["terminalId"]
		if id == nil {
			id = m.result()["terminalId"]
		}
		c.ask(acp.MethodWaitForExit, map[string]any{"sessionId": q.params()["sessionId"], "terminalId": id},
			func(message) { c.respond(m) })
		return false
	}
}

// ownLimit returns a fault that limits the output itself.
func ownLimit(name string, points []int, cut func(text string, limit int) (string, bool)) fault {
	return fault{
		name: name, points: points,
		request: func(c *testClient, m message) bool {
			if m.method() == acp.MethodCreate {
				delete(m.params(), "outputByteLimit")
			}
			return true
		},
		answer: func(c *testClient, q, m message) bool {
			r := m.result()
			if limit, ok := q.params()["outputByteLimit"].(json.Number); ok && r != nil {
				c.mu.Lock()
				c.state[r["terminalId"].(string)] = limit
				c.mu.Unlock()
			}
			id, _ := q.params()["terminalId"].(string)
			c.mu.Lock()
			limit, ok := c.state[id].(json.Number)
			c.mu.Unlock()
			if n, err := limit.Int64(); ok && err == nil && q.method() == acp.MethodOutput && r != nil {
				r["output"], r["truncated"] = cut(r["output"].(string), int(n))
			}
			return true
		},
	}
}

// tail is the cut that is right.
func tail(s string, limit int) (string, bool) {
	truncated := len(s) > limit
	for len(s) > limit {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return s, truncated
}

// A startHost changes the processes of a Host.
type startHost struct {
	driver.Host
	change func(driver.Process) driver.Process
}

func (h startHost) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	p, err := h.Host.Start(ctx, e)
	if err != nil {
		return nil, err
	}
	return h.change(p), nil
}

// noKill has processes that nothing but SIGTERM reaches.
type noKill struct{ driver.Process }

func (p noKill) Signal(name string) error {
	if name == "SIGKILL" {
		return nil
	}
	return p.Process.Signal(name)
}

// byPiece has output whose pieces are each read as text of their own.
type byPiece struct{ driver.Process }

func (p byPiece) Output(sink func(uint8, []byte)) error {
	return p.Process.Output(func(stream uint8, piece []byte) {
		sink(stream, []byte(strings.ToValidUTF8(string(piece), "\uFFFD")))
	})
}

// broken stops to answer.
func broken(c *testClient) {
	c.mu.Lock()
	c.state["broken"] = true
	c.mu.Unlock()
}

func isBroken(c *testClient) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state["broken"] == true
}

// diesOf breaks a client at updates of a kind.
func diesOf(name string, points []int, at func(kind string, m message) bool) fault {
	return fault{
		name: name, points: points, slow: true,
		update: func(c *testClient, kind string, m message) {
			if at(kind, m) {
				broken(c)
			}
		},
		line: func(c *testClient, m message, line []byte) []byte {
			if isBroken(c) && m.method() == "" {
				return nil
			}
			return line
		},
	}
}

func hasTerminal(m message, id string) bool {
	return strings.Contains(string(mustMarshal(m)), `"terminalId":"`+id)
}

var plantedFaults = []fault{
	// What is advertised.
	{name: "terminal is a string", points: []int{1}, capabilities: map[string]any{"terminal": "yes"}},
	{name: "advertises without kill", points: []int{1}, request: instead(acp.MethodKill, func(c *testClient, m message) { c.fail(m["id"], -32601) })},
	{name: "serves without advertising", points: []int{2}, capabilities: map[string]any{}},
	{name: "refuses with another code", points: []int{2}, capabilities: map[string]any{"terminal": false},
		request: func(c *testClient, m message) bool { c.fail(m["id"], -32603); return false }},

	// Create.
	{name: "create waits for the end", points: []int{3}, slow: true, answer: heldUntilExit(acp.MethodCreate)},
	{name: "no command is an empty one", points: []int{4}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		if p["command"] == nil {
			p["command"] = "true"
		}
	})},
	{name: "all errors are internal ones", points: []int{4, 11}, answer: func(_ *testClient, _, m message) bool {
		if e, ok := m["error"].(map[string]any); ok {
			e["code"] = -32603
		}
		return true
	}},
	{name: "null args are refused", points: []int{5}, request: func(c *testClient, m message) bool {
		if args, ok := m.params()["args"]; ok && args == nil {
			c.fail(m["id"], -32602)
			return false
		}
		return true
	}},
	{name: "malformed args are dropped", points: []int{5}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		if args, ok := p["args"].([]any); ok {
			p["args"] = slices.DeleteFunc(args, func(a any) bool { _, ok := a.(string); return !ok })
		}
	})},
	{name: "args are split", points: []int{6}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		args, _ := p["args"].([]any)
		if len(args) < 3 { // that is a script
			return
		}
		split := args[:3:3]
		for _, a := range args[3:] {
			for _, f := range strings.Fields(a.(string)) {
				split = append(split, f)
			}
		}
		p["args"] = split
	})},
	{name: "args are globbed", points: []int{6}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		args, _ := p["args"].([]any)
		if i := slices.Index(args, any("*")); i >= 0 {
			args[i] = "tmp"
		}
	})},
	{name: "a command with args is a shell line", points: []int{7}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		if args, ok := p["args"].([]any); ok && p["command"] != "sh" {
			line := p["command"].(string)
			for _, a := range args {
				line += " " + a.(string)
			}
			p["command"], p["args"] = "sh", []string{"-c", line}
		}
	})},
	{name: "a space makes a shell line", points: []int{7}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		if _, ok := p["args"]; !ok {
			p["command"], p["args"] = "sh", []any{"-c", p["command"]}
		}
	})},
	{name: "shell lines are refused", points: []int{7}, request: func(c *testClient, m message) bool {
		if command, _ := m.params()["command"].(string); strings.Contains(command, "|") {
			c.fail(m["id"], -32603)
			return false
		}
		return true
	}},
	{name: "env is ignored", points: []int{8}, request: onRequest(acp.MethodCreate, func(p map[string]any) { delete(p, "env") })},
	{name: "the first of a name wins", points: []int{8}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		if env, ok := p["env"].([]any); ok {
			slices.Reverse(env)
		}
	})},
	{name: "impossible variables are dropped", points: []int{8}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		if env, ok := p["env"].([]any); ok {
			p["env"] = slices.DeleteFunc(env, func(v any) bool {
				name, _ := v.(map[string]any)["name"].(string)
				return name == "" || strings.Contains(name, "=")
			})
		}
	})},
	{name: "a relative cwd is taken", points: []int{9}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		if p["cwd"] == "." {
			delete(p, "cwd")
		}
	})},
	{name: "without a cwd it is the root", points: []int{9}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		if p["cwd"] == nil {
			p["cwd"] = "/"
		}
	})},
	{name: "a cwd that is not there is another", points: []int{9}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		if p["cwd"] == "/nonexistent/conform" {
			p["cwd"] = "/"
		}
	})},
	{name: "a missing command is never told", points: []int{44}, slow: true, request: func(c *testClient, m message) bool {
		switch {
		case m.params()["command"] == "/nonexistent/conform":
			c.succeed(m["id"], fields{"terminalId": "lost"})
			return false
		case m.params()["terminalId"] == "lost":
			return false
		}
		return true
	}},
	{name: "input stays open", points: []int{45}, slow: true, interactive: true},

	// Limits.
	{name: "a negative limit is none", points: []int{11}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		if p["outputByteLimit"] == json.Number("-1") {
			delete(p, "outputByteLimit")
		}
	})},
	{name: "a limit of 64 bits is refused", points: []int{11}, request: func(c *testClient, m message) bool {
		if n, ok := m.params()["outputByteLimit"].(json.Number); ok && len(n) > 10 {
			c.fail(m["id"], -32602)
			return false
		}
		return true
	}},
	{name: "a limit of 0 is none", points: []int{12}, request: onRequest(acp.MethodCreate, func(p map[string]any) {
		if p["outputByteLimit"] == json.Number("0") {
			delete(p, "outputByteLimit")
		}
	})},
	ownLimit("the limit counts characters", []int{13}, func(s string, limit int) (string, bool) {
		r := []rune(s)
		return string(r[max(0, len(r)-limit):]), len(r) > limit
	}),
	ownLimit("the oldest output is kept", []int{14}, func(s string, limit int) (string, bool) {
		return s[:min(limit, len(s))], len(s) > limit
	}),
	ownLimit("the oldest lines are kept", []int{14}, func(s string, limit int) (string, bool) {
		if len(s) <= limit {
			return s, false
		}
		return s[:strings.LastIndexByte(s[:limit], '\n')+1], true
	}),
	ownLimit("cut inside of a character", []int{15}, func(s string, limit int) (string, bool) {
		return s[max(0, len(s)-limit):], len(s) > limit // json.Marshal makes U+FFFD of pieces
	}),
	ownLimit("the last character is kept at any cost", []int{15, 16}, func(s string, limit int) (string, bool) {
		cut, truncated := tail(s, limit)
		if cut == "" && s != "" {
			_, n := utf8.DecodeLastRuneInString(s)
			cut = s[len(s)-n:]
		}
		return cut, truncated
	}),
	ownLimit("truncated is never true", []int{12, 16, 18}, func(s string, limit int) (string, bool) {
		cut, _ := tail(s, limit)
		return cut, false
	}),
	ownLimit("truncated where the limit is reached", []int{19}, func(s string, limit int) (string, bool) {
		cut, _ := tail(s, limit)
		return cut, len(cut) >= limit
	}),
	ownLimit("truncated only where the limit is reached", []int{18}, func(s string, limit int) (string, bool) {
		cut, truncated := tail(s, limit)
		return cut, truncated && len(cut) == limit
	}),
	{name: "each piece is text of its own", points: []int{17}, host: func(h driver.Host) driver.Host {
		return startHost{h, func(p driver.Process) driver.Process { return byPiece{p} }}
	}},
	{name: "invalid bytes are dropped", points: []int{17}, answer: onResult(acp.MethodOutput, func(r map[string]any) {
		r["output"] = strings.ReplaceAll(r["output"].(string), "\uFFFD", "")
	})},

	// Output.
	{name: "output waits for the end", points: []int{20, 21, 22}, slow: true, answer: heldUntilExit(acp.MethodOutput)},
	{name: "output is what is new", points: []int{21}, answer: func(c *testClient, q, m message) bool {
		r := m.result()
		if q.method() == acp.MethodOutput && r != nil {
			key := "seen " + q.params()["terminalId"].(string)
			text := r["output"].(string)
			seen, _ := c.state[key].(string)
			r["output"], c.state[key] = strings.TrimPrefix(text, seen), text
		}
		return true
	}, slow: true},
	{name: "an exitStatus while it runs", points: []int{22}, answer: onResult(acp.MethodOutput, func(r map[string]any) {
		if r["exitStatus"] == nil {
			r["exitStatus"] = map[string]any{}
		}
	})},
	{name: "no exitStatus at all", points: []int{22, 24}, answer: onResult(acp.MethodOutput, func(r map[string]any) { delete(r, "exitStatus") })},
	{name: "no truncated", points: []int{19, 21}, answer: onResult(acp.MethodOutput, func(r map[string]any) { delete(r, "truncated") })},
	{name: "the end of the output comes late", points: []int{23}, answer: onResult(acp.MethodOutput, func(r map[string]any) {
		if s := r["output"].(string); len(s) > 100_000 {
			r["output"] = s[:len(s)-2]
		}
	})},

	// Exits.
	{name: "a tagged exit status", points: []int{24, 27}, answer: onStatus(func(s map[string]any) {
		if code := s["exitCode"]; code != nil {
			clear(s)
			s["type"], s["code"] = "exit_code", code
		}
	})},
	{name: "an exitCode of text", points: []int{24}, answer: onStatus(func(s map[string]any) {
		if code, ok := s["exitCode"].(json.Number); ok {
			s["exitCode"] = code.String()
		}
	})},
	{name: "signals as numbers", points: []int{25}, answer: onStatus(func(s map[string]any) {
		if s["signal"] != nil {
			s["signal"] = 9
		}
	})},
	{name: "signals in words", points: []int{25}, answer: onStatus(func(s map[string]any) {
		if s["signal"] != nil {
			s["signal"] = "Killed"
		}
	})},
	{name: "signals as negative codes", points: []int{25}, answer: onStatus(func(s map[string]any) {
		if s["signal"] != nil {
			s["signal"], s["exitCode"] = nil, -9
		}
	})},
	{name: "signals as a shell tells them", points: []int{25}, answer: onStatus(func(s map[string]any) {
		if s["signal"] != nil {
			s["signal"], s["exitCode"] = nil, 137
		}
	})},
	{name: "137 is a signal", points: []int{26}, answer: onStatus(func(s map[string]any) {
		if s["exitCode"] == json.Number("137") {
			s["signal"], s["exitCode"] = "SIGKILL", nil
		}
	})},
	{name: "the status in an exitStatus", points: []int{27}, answer: func(_ *testClient, q, m message) bool {
		if r := m.result(); q.method() == acp.MethodWaitForExit && r != nil {
			m["result"] = message{"exitStatus": r}
		}
		return true
	}},
	{name: "wait does not wait", points: []int{27, 28}, request: instead(acp.MethodWaitForExit, func(c *testClient, m message) { c.succeed(m["id"], fields{}) })},
	{name: "one waiter is told", points: []int{28}, slow: true, answer: never(func(c *testClient, q, m message) bool {
		if q.method() != acp.MethodWaitForExit {
			return false
		}
		key := "told " + q.params()["terminalId"].(string)
		told := c.state[key] == true
		c.state[key] = true
		return told
	})},
	{name: "who waits blocks all", points: []int{20, 29}, slow: true,
		request: func(c *testClient, m message) bool {
			c.mu.Lock()
			defer c.mu.Unlock()
			if m.method() == acp.MethodWaitForExit {
				c.state["waits"] = true
				return true
			}
			return c.state["waits"] != true
		},
		answer: func(c *testClient, q, _ message) bool {
			if q.method() == acp.MethodWaitForExit {
				c.mu.Lock()
				c.state["waits"] = false
				c.mu.Unlock()
			}
			return true
		}},

	// Cancelling.
	{name: "cancelling a wait kills", points: []int{30}, request: func(c *testClient, m message) bool {
		if m.method() == "$/cancel_request" {
			c.mu.Lock()
			q := c.asked[m.params()["requestId"].(json.Number).String()]
			c.mu.Unlock()
			c.ask(acp.MethodKill, q.params(), func(message) {})
		}
		return true
	}},
	{name: "cancelling is an internal error", points: []int{30}, answer: func(_ *testClient, _, m message) bool {
		if e, ok := m["error"].(map[string]any); ok {
			e["code"] = -32603
		}
		return true
	}},
	{name: "cancelling is not known", points: []int{30}, slow: true, request: instead("$/cancel_request", func(*testClient, message) {})},
	{name: "a cancelled create is never answered", points: []int{31}, slow: true,
		answer: never(func(_ *testClient, q, m message) bool { return q.method() == acp.MethodCreate })},
	{name: "the turn's end ends terminals", points: []int{46}, permission: func(c *testClient, m message) {
		c.mu.Lock()
		id := c.state["last"]
		c.mu.Unlock()
		c.ask(acp.MethodKill, map[string]any{"sessionId": m.params()["sessionId"], "terminalId": id}, func(message) {
			c.ask(acp.MethodWaitForExit, map[string]any{"sessionId": m.params()["sessionId"], "terminalId": id}, func(message) {
				c.cancelTurn(m)
				c.succeed(m["id"], fields{"outcome": fields{"outcome": "cancelled"}})
			})
		})
	}, answer: func(c *testClient, q, m message) bool {
		if id, ok := m.result()["terminalId"].(string); ok {
			c.mu.Lock()
			c.state["last"] = id
			c.mu.Unlock()
		}
		return true
	}},
	{name: "a question outlives its turn", points: []int{46}, permission: func(c *testClient, m message) {
		c.cancelTurn(m)
		c.succeed(m["id"], fields{"outcome": fields{"outcome": "selected", "optionId": "skip"}})
	}},

	// Killing.
	{name: "kill forgets the terminal", points: []int{32, 33}, request: onMethod(acp.MethodKill, acp.MethodRelease)},
	{name: "kill after the end is an error", points: []int{33}, answer: func(c *testClient, q, m message) bool {
		id, _ := q.params()["terminalId"].(string)
		switch {
		case q.method() == acp.MethodWaitForExit:
			c.state["ended "+id] = true
		case q.method() == acp.MethodKill && c.state["ended "+id] == true:
			c.fail(m["id"], -32603)
			return false
		}
		return true
	}},
	{name: "kill is never carried out", points: []int{32, 34, 35}, slow: true, request: instead(acp.MethodKill, func(c *testClient, m message) { c.succeed(m["id"], fields{}) })},
	{name: "kill is a polite one", points: []int{34}, slow: true, host: func(h driver.Host) driver.Host {
		return startHost{h, func(p driver.Process) driver.Process { return noKill{p} }}
	}},
	{name: "who waits is told nothing", points: []int{35}, answer: onStatus(func(s map[string]any) {
		if s["signal"] != nil {
			s["signal"] = nil
		}
	})},
	{name: "commands outlive the connection", points: []int{47}, slow: true, outlives: true},

	// Releasing.
	{name: "release answers null", points: []int{36}, answer: func(_ *testClient, q, m message) bool {
		if q.method() == acp.MethodRelease && m.result() != nil {
			m["result"] = nil
		}
		return true
	}},
	{name: "release does nothing", points: []int{36, 37}, slow: true, request: instead(acp.MethodRelease, func(c *testClient, m message) { c.succeed(m["id"], fields{}) })},
	{name: "release is a kill", points: []int{37}, request: onMethod(acp.MethodRelease, acp.MethodKill)},
	{name: "who waits at release waits for ever", points: []int{38}, slow: true,
		answer: never(func(_ *testClient, q, _ message) bool { return q.method() == acp.MethodWaitForExit })},
	{name: "unknown ids are empty terminals", points: []int{37, 39}, answer: func(c *testClient, q, m message) bool {
		if q.method() == acp.MethodOutput && m["error"] != nil {
			c.succeed(m["id"], fields{"output": "", "truncated": false})
			return false
		}
		return true
	}},
	{name: "a second release is an error", points: []int{39}, answer: func(c *testClient, q, m message) bool {
		id, _ := q.params()["terminalId"].(string)
		if q.method() == acp.MethodRelease {
			if c.state["released "+id] == true {
				c.fail(m["id"], -32602)
				return false
			}
			c.state["released "+id] = true
		}
		return true
	}},
	{name: "one id for all", points: []int{40}, answer: onResult(acp.MethodCreate, func(r map[string]any) { r["terminalId"] = "term-1" })},
	{name: "sessions are not looked at", points: []int{41}, request: func(c *testClient, m message) bool {
		if m.method() == acp.MethodCreate {
			c.state["session"] = m.params()["sessionId"]
		} else if m.params()["sessionId"] != nil {
			m.params()["sessionId"] = c.state["session"]
		}
		return true
	}},

	// What is shown.
	diesOf("embedding a released terminal breaks it", []int{42}, func(kind string, m message) bool {
		return kind == "tool_call_update" && m["status"] == "completed"
	}),
	diesOf("embedding an unknown terminal breaks it", []int{43}, func(kind string, m message) bool {
		return hasTerminal(m, "conform-never-was")
	}),
	diesOf("terminals in _meta break it", []int{51}, func(kind string, m message) bool { return m["_meta"] != nil }),
	diesOf("unknown updates break it", []int{52}, func(kind string, m message) bool {
		return !slices.Contains([]string{"tool_call", "tool_call_update", "agent_message_chunk"}, kind)
	}),
	{name: "unknown methods are not answered", points: []int{43, 53}, slow: true, unknown: func(any) message { return nil }},
	{name: "unknown methods succeed", points: []int{53}, unknown: func(id any) message {
		return message{"jsonrpc": "2.0", "id": id, "result": fields{}}
	}},

	// The lines.
	{name: "unknown members are refused", points: []int{48}, request: func(c *testClient, m message) bool {
		if m.params()["future"] != nil {
			c.fail(m["id"], -32602)
			return false
		}
		return true
	}},
	{name: "timeoutMs is obeyed", points: []int{48}, request: func(c *testClient, m message) bool {
		if m.method() == acp.MethodWaitForExit && m.params()["timeoutMs"] != nil {
			c.succeed(m["id"], fields{})
			return false
		}
		return true
	}},
	{name: "says things on standard output", points: []int{49}, line: func(c *testClient, m message, line []byte) []byte {
		return append([]byte("starting…\n"), line...)
	}},
	{name: "lines that are not UTF-8", points: []int{49}, line: func(c *testClient, m message, line []byte) []byte {
		return append([]byte("\"\xff\"\n"), line...)
	}},
	{name: "answers twice", points: []int{49}, line: func(c *testClient, m message, line []byte) []byte {
		if m.method() != "" {
			return line
		}
		return slices.Concat(line, []byte("\n"), line)
	}},
	{name: "lines that are too long", points: []int{49}, line: func(c *testClient, m message, line []byte) []byte {
		if len(line) < 100_000 {
			return line
		}
		return append([]byte(strings.Repeat(" ", maxPeerLine)), line...)
	}},
	{name: "many terminals hang", points: []int{50}, slow: true, request: func(c *testClient, m message) bool {
		if m.method() == acp.MethodCreate {
			n, _ := c.state["creates"].(int)
			c.state["creates"] = n + 1
			return n < 16
		}
		return true
	}},
}

// onMethod is a client that takes one method for another.
func onMethod(from, to string) func(*testClient, message) bool {
	return func(_ *testClient, m message) bool {
		if m.method() == from {
			m["method"] = to
		}
		return true
	}
}
