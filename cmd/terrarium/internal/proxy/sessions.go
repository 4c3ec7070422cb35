package proxy

import (
	"strconv"
	"sync"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

func ownID(n int, nonce string) string { return "own_" + strconv.Itoa(n) + "_" + nonce }

// maxCalls is how many requests of the editor are remembered until they are answered, and
// maxSessions how many sessions may be open: fewer than an acp.Conn takes.
const (
	maxCalls    = 1024
	maxSessions = 1000
	maxRoots    = 60 << 10 // bytes of what a session hands over: less than an acp.Conn takes
)

// A call is a request of the editor whose answer matters here.
type call struct {
	method string
	// what it hands over; that of session/new and session/fork has no id
	open   acp.SessionOpenRequest
	usable bool
	grant  *Grant // what the agent was given with it, or nil
	fresh  bool   // the session was not open before
}

// calls are those without an answer.
type calls struct {
	mu   sync.Mutex
	open map[jsonrpc.ID]call
}

// add reports false if there are too many.
func (c *calls) add(id jsonrpc.ID, made call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = make(map[jsonrpc.ID]call)
	}
	if len(c.open) >= maxCalls {
		return false
	}
	c.open[id] = made
	return true
}

func (c *calls) take(id jsonrpc.ID) (made call, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	made, ok = c.open[id]
	delete(c.open, id)
	return made, ok
}

// sessions are those that the editor has opened, whose commands are served.
type sessions struct {
	mu   sync.Mutex
	open map[string]bool
}

func (s *sessions) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id]
}

// add reports false if there are too many.
func (s *sessions) add(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = make(map[string]bool)
	}
	if len(s.open) >= maxSessions && !s.open[id] {
		return false
	}
	s.open[id] = true
	return true
}

func (s *sessions) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
}

// editorCalls reads what matters here of a call of the editor, and returns what comes into its
// line. It reports false if the line is not to be passed on.
func (p *proxy) editorCalls(line []byte, m *message) (splices []splice, ok bool) {
	made := call{method: m.method}
	loads, closes := false, false
	switch m.method {
	case acp.MethodInitialize:
		p.note(m)
		p.served.display.initialized(dialectOf(m.params))
		return advertise(line, m.params), true
	case "session/new", "session/fork":
		made.open, made.usable = handedOver(m.params, "")
	case "session/load", "session/resume":
		made.open, made.usable = handedOver(m.params, textOf(m.params, "sessionId"))
		loads = true
	case "session/prompt":
		session := textOf(m.params, "sessionId")
		p.running.forget(session)
		p.served.display.forgetCalls(session)
		if m.named {
			p.calls.add(m.id, made)
		}
		return nil, true
	case "session/close":
		made.open.SessionID = textOf(m.params, "sessionId")
		closes = true
	default:
		return nil, true
	}
	if p.config.DropShell && !closes {
		if splices, ok = p.dropShell(line, m); !ok {
			return nil, false
		}
	}
	if dir := made.open.Cwd; made.usable && !closes && len(p.config.AgentDirs) > 0 && !contains(p.config.AgentDirs, dir) {
		p.warn("%s: the agent can't write in %s by itself, where it is held: start it there, or add --agent-write %s", m.method, dir, dir)
	}
	if made.usable && !closes {
		p.checkDirs(&made)
	}
	if loads {
		made.fresh = !p.sessions.has(made.open.SessionID)
		made.usable = p.open(made) // the agent may use it before it answers
	}
	if made.usable && m.named {
		splices = append(splices, p.offer(line, m.params, &made)...)
	}
	if m.named && !p.calls.add(m.id, made) {
		p.warn("more than %d requests of the editor wait for an answer: %s is not followed, so its commands are refused", maxCalls, m.method)
		if !loads {
			made.grant.withdraw()
		}
	}
	return splices, true
}

// checkDirs tells the person why a session will run no commands, if that is so.
func (p *proxy) checkDirs(made *call) {
	if p.config.CheckDir == nil {
		return
	}
	for _, dir := range append([]string{made.open.Cwd}, made.open.AdditionalDirectories...) {
		if err := p.config.CheckDir(dir); err != nil {
			p.warn("%s: %s: %w", made.method, clip(dir, 80), err)
			return
		}
	}
}

// textOf returns the member key of v if it is a string, or "".
func textOf(v jsonrpc.Value, key string) string {
	member, _ := v.Get(key)
	s, err := member.Text()
	if err != nil {
		return ""
	}
	return s
}

// handedOver returns what params hand over to a session. It reports false if a server would refuse
// that.
func handedOver(params jsonrpc.Value, id string) (r acp.SessionOpenRequest, ok bool) {
	r = acp.SessionOpenRequest{SessionID: id, Cwd: textOf(params, "cwd")}
	more, _ := params.Get("additionalDirectories")
	for item := range more.Items() {
		dir, err := item.Text()
		if err != nil {
			return r, false
		}
		r.AdditionalDirectories = append(r.AdditionalDirectories, dir)
	}
	wire := r.AppendJSON(nil)
	v, err := jsonrpc.Parse(wire)
	if err != nil || len(wire) > maxRoots {
		return r, false
	}
	return r, new(acp.SessionOpenRequest).DecodeJSON(v) == nil
}

// open has commands of a session be served. It reports false if they are refused.
func (p *proxy) open(made call) bool {
	switch id := made.open.SessionID; {
	case !made.usable || id == "" || len(id) > 1<<10:
		p.warn("%s: its directories can't be handed over, so its commands are refused", made.method)
	case !p.sessions.add(id):
		p.warn("more than %d sessions: the commands of a new one are refused", maxSessions)
	default:
		p.served.call(acp.MethodSessionOpen, made.open.AppendJSON)
		return true
	}
	return false
}

// answered reads what matters here of an answer of the agent.
func (p *proxy) answered(m *message) {
	made, ok := p.calls.take(m.id)
	if !ok {
		return
	}
	failed := says(m.failed)
	if failed {
		p.told.login(p, m.failed)
	}
	switch made.method {
	case acp.MethodInitialize:
		p.initialized(m)
	case "session/prompt":
		if !p.config.Pass { // some editors take no news of a turn that has ended
			p.flush()
			p.served.display.send()
			p.toEditor.settle()
		}
	case "session/new", "session/fork":
		switch made.open.SessionID = textOf(m.result, "sessionId"); {
		case !failed && !p.config.Pass && p.open(made) && made.grant != nil:
			p.grants.name(made.grant, made.open.SessionID)
		case failed || !p.sessions.has(made.open.SessionID):
			made.grant.withdraw()
		}
	case "session/load", "session/resume":
		if failed && made.fresh && !p.config.Pass {
			p.close(made.open.SessionID)
		}
	case "session/close":
		if !failed && !p.config.Pass {
			p.close(made.open.SessionID)
		}
	}
}

// close ends the commands of a session, and takes no more of them.
func (p *proxy) close(session string) {
	p.sessions.remove(session)
	p.running.forget(session)
	p.grants.close(session)
	p.served.display.forget(session)
	r := acp.SessionRequest{SessionID: session}
	p.served.call(acp.MethodSessionClose, r.AppendJSON)
}
