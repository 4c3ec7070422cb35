package acpconn

import (
	"context"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A Loan is a session of a peer whose commands come by another way than the peer's connection: an
// agent's calls of tools, say, where the peer is the agent's editor.
type Loan struct {
	// Session returns the session's name, as the peer has it. It is called for each command, may
	// wait for the name, and fails when ctx ends. Once it has returned a name it returns it again,
	// at once.
	Session func(ctx context.Context) (core.SessionID, error)
	// ToolCall, if not nil, returns the tool call that a command is for now, or "" if that is not
	// plain.
	ToolCall func() string
}

// Lend returns c as the Config of another driver. To c's Host and Decide its commands are those of
// the session that is lent, and Decide may ask s's peer about them, see PeerOf. Their terminals are
// the other driver's: the peer knows none of them.
func (s *Server) Lend(c driver.Config, l Loan) driver.Config {
	b := borrowed{c.Host, s.peer, l}
	c.Host = b
	if c.Decide != nil {
		c.Decide = b.decide(c.Decide)
	}
	return c
}

// borrowed is a Host as one has it who runs commands of a session that is lent.
type borrowed struct {
	driver.Host
	peer *Peer
	loan Loan
}

// session returns the name that Hosts know the session by.
func (b borrowed) session(ctx context.Context) (core.SessionID, error) {
	name, err := b.loan.Session(ctx)
	return name + core.SessionID(b.peer.suffix), err
}

func (b borrowed) Resolve(ctx context.Context, c core.Command) (e core.Exec, err error) {
	if c.Session, err = b.session(ctx); err != nil {
		return e, err
	}
	return b.Host.Resolve(context.WithValue(ctx, peerKey{}, b.peer), c)
}

func (b borrowed) Start(ctx context.Context, e core.Exec) (p driver.Process, err error) {
	if e.Command.Session, err = b.session(ctx); err != nil {
		return nil, err
	}
	return b.Host.Start(ctx, e)
}

// decide returns decide as it is called for the peer.
func (b borrowed) decide(decide func(context.Context, core.Exec) core.Decision) func(context.Context, core.Exec) core.Decision {
	return func(ctx context.Context, e core.Exec) core.Decision {
		var err error
		if e.Command.Session, err = b.session(ctx); err != nil {
			return core.Decision{Reason: err.Error()}
		}
		if b.loan.ToolCall != nil {
			ctx = context.WithValue(ctx, toolCallKey{}, b.loan.ToolCall())
		}
		return decide(context.WithValue(ctx, peerKey{}, b.peer), e)
	}
}

type toolCallKey struct{}
