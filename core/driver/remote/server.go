package remote

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// A Server is the far side: it starts commands of its Host for those who connect. A session
// outlives its connections for as long as its lease. It is safe for concurrent use.
type Server struct {
	config ServerConfig
	log    log

	mu       sync.Mutex // comes before a session's
	sessions map[sessionID]*farSession
	serial   uint64 // of the newest session
	closed   bool
	why      string         // it was closed
	ending   sync.WaitGroup // sessions that there are, or something is left of
}

// NewServer returns a Server without sessions.
func NewServer(c ServerConfig) *Server {
	if c.Lease <= 0 {
		c.Lease = defaultLease
	}
	if c.KeepAlive <= 0 {
		c.KeepAlive = defaultKeepAlive
	}
	if c.MaxSessions <= 0 {
		c.MaxSessions = defaultMaxSessions
	}
	return &Server{config: c, log: newLog(c.Logger), sessions: make(map[sessionID]*farSession)}
}

// Serve serves one connection until it breaks, the session ends, or the session's near side
// connects anew. It closes conn, which must end its Read and Write, and may be a TryWriter. The
// error says why it returned, and is never nil: it is io.EOF where the near side has ended the
// session, or the stream between two frames.
func (s *Server) Serve(conn io.ReadWriteCloser) error {
	defer conn.Close()
	var hello nearHello
	if err := readHello(conn, fromNear, &hello); err != nil {
		s.log.refused(err)
		return fmt.Errorf("remote: %w", err)
	}
	session, answer := s.admit(&hello)
	if session == nil {
		answer.Refusal = clipHello(answer.Refusal)
		writeHello(conn, fromFar, &answer) // who is not there any more needs no reason
		err := &refusedError{answer.Refusal}
		s.log.refused(err)
		return fmt.Errorf("remote: %w", err)
	}
	s.log.connected(session.serial)
	err := session.serve(conn, &hello, answer)
	switch {
	case isFinal(err):
		session.end(err)
	default:
		s.log.broken(session.serial, err)
		session.detach()
	}
	return fmt.Errorf("remote: %w", err)
}

// clipHello returns as much of a refusal as a hello has room for.
func clipHello(s string) string { return s[:min(len(s), maxHello/2)] }

// admit returns the session that a connection is for, or an answer that refuses it.
func (s *Server) admit(h *nearHello) (*farSession, farHello) {
	refuse := func(format string, args ...any) (*farSession, farHello) {
		return nil, farHello{Version: version, Refusal: fmt.Sprintf(format, args...)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.Oldest > version || h.Newest < oldestVersion {
		return refuse("this side speaks versions %d to %d of the protocol, the near side %d to %d: both need the same terrarium",
			oldestVersion, version, h.Oldest, h.Newest)
	}
	known := s.sessions[h.Session]
	switch {
	case s.closed:
		return refuse("%s", s.why)
	case known == nil && h.Resume:
		_, answer := refuse("it has forgotten the session: it was ended there, or there was no connection for too long")
		answer.Forgotten = true
		return nil, answer
	case known == nil && len(s.sessions) >= s.config.MaxSessions:
		return refuse("it has %d sessions already", len(s.sessions))
	case known == nil:
		s.serial++
		known = newFarSession(s, h)
		s.sessions[h.Session] = known
		s.ending.Add(1)
	case !known.attach(h.Attempt):
		return refuse("a hello that was used before")
	}
	return known, farHello{Version: min(version, h.Newest), Lease: known.lease}
}

// Sessions returns how many sessions there are.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// Terminals returns how many terminals all sessions have.
func (s *Server) Terminals() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.sessions {
		n += f.running()
	}
	return n
}

// Close ends all sessions, and returns when nothing is left of their commands, or the Host has
// given up to close them.
func (s *Server) Close() error { return s.End(ErrEnded.Error()) }

// End is Close, and tells the near sides why, in a line of at most 512 bytes. Those that connect
// later are told the same.
func (s *Server) End(why string) error {
	why = clipHello(why)
	s.mu.Lock()
	if !s.closed {
		s.closed, s.why = true, why
	}
	sessions := s.sessions
	s.sessions = nil
	s.mu.Unlock()
	for _, session := range sessions {
		go session.finish(why, errServerClosed) // Close waits for it
	}
	s.ending.Wait()
	return nil
}

var errServerClosed = errors.New("remote: the server was closed")

// Held returns how many bytes all sessions keep to be sent again, and the sum of the most that each
// ever kept.
func (s *Server) Held() (now, peak int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.sessions {
		n, p := f.link.heldBytes()
		now, peak = now+n, peak+p
	}
	return now, peak
}

// drop forgets a session that has ended.
func (s *Server) drop(session *farSession, why error) {
	s.mu.Lock()
	if s.sessions[session.id] == session {
		delete(s.sessions, session.id)
	}
	left := len(s.sessions)
	s.mu.Unlock()
	s.log.ended(session.serial, why)
	if s.config.OnSessionEnd != nil {
		s.config.OnSessionEnd(why, left)
	}
	s.ending.Done()
}

// leaseOf returns how long a session of h is kept without a connection.
func (s *Server) leaseOf(h *nearHello) time.Duration {
	if h.Lease <= 0 {
		return s.config.Lease
	}
	return min(h.Lease, s.config.Lease)
}
