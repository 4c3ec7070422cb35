package acpconn

import (
	"context"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// apart is a Host as one peer has it. A peer names its sessions as it likes, and
// a Host may keep something for a session, such as its /tmp, and whoever decides
// what a person has granted it. So they hear of "NAME@PEER", where PEER is a random
// string: else who says another peer's "session-1" would have that peer's files.
type apart struct {
	driver.Host
	peer *Peer
}

func (a apart) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	c.Session += core.SessionID(a.peer.suffix)
	return a.Host.Resolve(context.WithValue(ctx, peerKey{}, a.peer), c)
}

func (a apart) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	e.Command.Session += core.SessionID(a.peer.suffix)
	return a.Host.Start(ctx, e)
}

// decide returns decide as it is called for the peer.
func (a apart) decide(decide func(context.Context, core.Exec) core.Decision) func(context.Context, core.Exec) core.Decision {
	return func(ctx context.Context, e core.Exec) core.Decision {
		e.Command.Session += core.SessionID(a.peer.suffix)
		return decide(context.WithValue(ctx, peerKey{}, a.peer), e)
	}
}
