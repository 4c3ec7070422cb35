package acpconn

import (
	"context"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A Peer is the one whose request a Decide is called for. It may have a person
// beside it who can be asked. Its methods are safe for concurrent use.
type Peer struct {
	server *Server
	suffix string // of its sessions
}

type peerKey struct{}

// PeerOf returns the peer whose request it is, given the context that Decide or
// Host.Resolve was called with. ok is false with any other.
func PeerOf(ctx context.Context) (p *Peer, ok bool) {
	p, ok = ctx.Value(peerKey{}).(*Peer)
	return p, ok
}

// SessionOf returns a session of Decide's or a Host's as the peer of ctx knows it, without what
// tells it from other peers' sessions. Without a peer it is s.
func SessionOf(ctx context.Context, s core.SessionID) core.SessionID {
	p, ok := PeerOf(ctx)
	if !ok {
		return s
	}
	return p.own(s)
}

func (p *Peer) own(s core.SessionID) core.SessionID {
	return core.SessionID(strings.TrimSuffix(string(s), p.suffix))
}

// Client returns what the peer calls itself, as acp.Conn.Client does.
func (p *Peer) Client() (name, version string) {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	return p.server.conn.Client()
}

// Asks reports whether the peer answers questions: it says so in initialize, and
// is not gone.
func (p *Peer) Asks() bool {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	return p.server.asker != nil && p.server.asker.Agreed()
}

// RequestPermission asks the peer about the command that ctx, which comes from
// Decide's, is about. It waits for the answer until ctx ends, and then tells the
// peer that nobody waits any more. Terminal and the session in Exec need not be
// set as acp.Question has them: Exec may be the one that Decide got.
//
// Errors are ctx.Err(), those of acp.Asker.Ask, and those of an acp.Answer.
func (p *Peer) RequestPermission(ctx context.Context, q acp.Question) (acp.Outcome, error) {
	if ctx.Err() != nil {
		return acp.Outcome{}, ctx.Err()
	}
	q.Terminal, _ = driver.TerminalOf(ctx)
	if q.ToolCall == "" {
		q.ToolCall, _ = ctx.Value(toolCallKey{}).(string)
	}
	exec := *q.Exec
	exec.Command.Session = p.own(exec.Command.Session)
	q.Exec = &exec

	s := p.server
	if s.asker == nil { // nothing is decided, so nothing is to be asked
		return acp.Outcome{}, acp.ErrNotAsked
	}
	answered := make(chan acp.Answer, 1)
	var id jsonrpc.ID
	var err error
	s.handle(func() {
		if id, err = s.asker.Ask(&q); err == nil {
			s.asked[id] = answered
		}
	})
	if err != nil {
		return acp.Outcome{}, err
	}
	select {
	case a := <-answered:
		return a.Outcome, a.Err
	case <-ctx.Done():
	}
	s.handle(func() {
		delete(s.asked, id)
		s.asker.Cancel(id)
	})
	select {
	case a := <-answered: // at the same time: ctx ends when the peer goes, too
		return a.Outcome, a.Err
	default:
		return acp.Outcome{}, ctx.Err()
	}
}

// tellAnswers hands the answers that have come to those who wait. s.mu is held.
func (s *Server) tellAnswers() {
	if s.asker == nil {
		return
	}
	for a, ok := s.asker.NextAnswer(); ok; a, ok = s.asker.NextAnswer() {
		if waiting := s.asked[a.ID]; waiting != nil {
			waiting <- a
			delete(s.asked, a.ID)
		}
	}
}
