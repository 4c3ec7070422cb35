package mcp

import (
	"context"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A caller is whoever has called terminal_create, for as long as the terminal lives.
type caller struct {
	name, version string
	asks          bool           // its client puts questions to its user
	questions     chan *question // taken as long as the command has not started
	gone          chan struct{}  // closed by leave
	leave         func()         // nobody takes questions any more
}

// newCaller returns the one who has sent a request.
func newCaller(req *sdk.CallToolRequest) *caller {
	c := &caller{questions: make(chan *question), gone: make(chan struct{})}
	c.leave = sync.OnceFunc(func() { close(c.gone) })
	if info := req.ClientInfo(); info != nil {
		c.name, c.version = clip(info.Name), clip(info.Version)
	}
	// A client that names no way of asking has the older one, forms (2025-11-25, elicitation).
	if caps := req.ClientCapabilities(); caps != nil && caps.Elicitation != nil {
		c.asks = caps.Elicitation.Form != nil || caps.Elicitation.URL == nil
	}
	return c
}

type callerKey struct{}

// ClientOf returns what the client calls itself whose command it is, given a context that a
// driver.Host or a Decide was called with. ok is false with any other.
func ClientOf(ctx context.Context) (name, version string, ok bool) {
	c, ok := ctx.Value(callerKey{}).(*caller)
	if !ok {
		return "", "", false
	}
	return c.name, c.version, true
}

// withCaller adds the caller of a terminal to a context of the driver's. It waits until begin knows
// the terminal: the driver may be here before.
func (s *Server) withCaller(ctx context.Context) context.Context {
	id, _ := driver.TerminalOf(ctx)
	s.starting.RLock()
	s.starting.RUnlock() //lint:ignore SA2001 it is enough that begin has left
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.terminals[id]; t != nil {
		return context.WithValue(ctx, callerKey{}, t.caller)
	}
	return ctx
}

// knowing is a Host that is told the caller.
type knowing struct {
	driver.Host
	server *Server
}

func (k knowing) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	return k.Host.Resolve(k.server.withCaller(ctx), c)
}

// decide returns decide as one that is told the caller.
func (s *Server) decide(decide func(context.Context, core.Exec) core.Decision) func(context.Context, core.Exec) core.Decision {
	return func(ctx context.Context, e core.Exec) core.Decision { return decide(s.withCaller(ctx), e) }
}
