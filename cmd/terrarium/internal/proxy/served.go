package proxy

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// served is the terminals that are served to the agent, by a server on a pipe.
type served struct {
	proxy   *proxy
	server  *acpconn.Server
	display *display
	in      *io.PipeWriter
	done    chan struct{} // closed when the server has ended
	lines   splitter      // of what it says

	mu      sync.Mutex          // guards the fields below
	pending map[jsonrpc.ID]bool // requests of the agent that the server has not answered
	asked   int                 // requests of our own
}

// maxPending is how many requests of the agent are known by their id, so that they can be
// cancelled.
const maxPending = 4096

// serve starts the server.
func (p *proxy) serve(c acpconn.Config) *served {
	c.ACP.Nonce = p.nonce
	r, w := io.Pipe()
	d := p.newDisplay()
	d.watch(&c.Driver)
	s := &served{proxy: p, server: acpconn.New(c), display: d, in: w, done: make(chan struct{}), pending: make(map[jsonrpc.ID]bool)}
	d.driver = s.server.Driver()
	go d.run()  // ends with close
	go func() { // ends with the pipe, which close closes
		defer close(s.done)
		s.server.Serve(context.Background(), r, s)
	}()
	return s
}

// close ends every terminal.
func (s *served) close() {
	s.in.Close()
	<-s.done
	s.display.close()
}

// Write takes what the server says: answers, which are the agent's, and questions for the editor.
func (s *served) Write(b []byte) (int, error) {
	s.lines.split(b, func(l piece) { s.said(l.bytes) })
	return len(b), nil
}

func (s *served) said(line []byte) {
	m, _ := look(bytes.TrimSuffix(line, []byte{'\n'}))
	switch {
	case m.called:
		s.proxy.toEditor.enqueue(line)
	case s.proxy.isOurs(m.id): // the answer to one of our own
	default:
		s.mu.Lock()
		delete(s.pending, m.id)
		s.mu.Unlock()
		s.proxy.toAgent.line(line)
	}
}

// request hands the server a line of the agent that names terminal/*.
func (s *served) request(m *message, line []byte) {
	if m.method == acp.MethodCreate && m.named {
		session := textOf(m.params, "sessionId")
		if !s.proxy.sessions.has(session) {
			e := jsonrpc.NewError(jsonrpc.CodeInvalidParams, "unknown_session").With("param", "sessionId")
			s.proxy.toAgent.enqueue(jsonrpc.AppendError(nil, m.id, e))
			s.proxy.toAgent.room()
			return
		}
		line = s.proxy.bound(m, line, session)
	}
	if m.named {
		s.mu.Lock()
		if len(s.pending) < maxPending {
			s.pending[m.id] = true
		}
		s.mu.Unlock()
	}
	s.hand(line)
}

// cancel hands the server a $/cancel_request of the agent, if it is about a request that the server
// has.
func (s *served) cancel(m *message, line []byte) bool {
	var n acp.CancelRequestNotification
	if n.DecodeJSON(m.params) != nil {
		return false
	}
	s.mu.Lock()
	pending := s.pending[n.RequestID]
	s.mu.Unlock()
	if pending {
		s.hand(line)
	}
	return pending
}

// answer hands the server the editor's answer to a question.
func (s *served) answer(line []byte) { s.hand(line) }

// call sends the server a request of our own. appendParams appends its params.
func (s *served) call(method string, appendParams func(dst []byte) []byte) {
	s.mu.Lock()
	s.asked++
	id := jsonrpc.StringID(ownID(s.asked, s.proxy.nonce))
	s.mu.Unlock()
	s.hand(jsonrpc.AppendTail(appendParams(jsonrpc.AppendRequestHead(nil, id, method))))
}

// hand writes a whole line to the server. It may be the last of a stream, without its end.
func (s *served) hand(line []byte) {
	if !bytes.HasSuffix(line, []byte{'\n'}) {
		line = append(bytes.Clone(line), '\n')
	}
	s.in.Write(line) // an error is that it has ended
}
