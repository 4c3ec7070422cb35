package proxy

import (
	"sync"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// running is the tool calls that have not ended, of each session.
type running struct {
	mu    sync.Mutex
	calls map[string]map[string]bool
}

// maxRunning is how many tool calls of a session are known at a time.
const maxRunning = 64

// isOver reports whether a tool call with such a status has ended.
func isOver(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// note takes what the agent says of a tool call.
func (r *running) note(call callID, status string) {
	if call.id == "" || len(call.id) > 1<<10 || len(call.session) > 1<<10 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := r.calls[call.session]
	switch {
	case isOver(status):
		delete(calls, call.id)
	case calls == nil && len(r.calls) < maxSessions:
		if r.calls == nil {
			r.calls = make(map[string]map[string]bool)
		}
		r.calls[call.session] = map[string]bool{call.id: true}
	case calls != nil && len(calls) < maxRunning:
		calls[call.id] = true
	}
}

// forget says that a turn of the session begins, or that it has ended.
func (r *running) forget(session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.calls, session)
}

// only returns the tool call that runs in a session, if it is one, or "".
func (r *running) only(session string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.calls[session]) != 1 {
		return ""
	}
	for id := range r.calls[session] {
		return id
	}
	return ""
}

// bound returns the line of a terminal/create with the tool call that it is for, where that is
// plain: a question about the command then stands at that tool call. Whatever the agent says itself
// stays.
func (p *proxy) bound(m *message, line []byte, session string) []byte {
	id := p.running.only(session)
	if id == "" || m.params.Kind() != jsonrpc.Object {
		return line
	}
	ours := append(jsonrpc.AppendString([]byte(`{"toolCallId":`), id), '}')
	meta, ok := m.params.Get("_meta")
	switch {
	case !ok:
		return apply(line, []splice{set(line, m.params, "_meta", append(append([]byte(`{"terrarium":`), ours...), '}'))})
	case meta.Kind() != jsonrpc.Object:
		return line
	}
	if _, said := meta.Get("terrarium"); said {
		return line
	}
	return apply(line, []splice{set(line, meta, "terrarium", ours)})
}
