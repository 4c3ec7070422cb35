package proxy

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// Tools serve terminals by MCP to the programs that an agent starts for that. Methods are safe for
// concurrent use.
type Tools interface {
	// Offer has a grant be used by whoever starts the program that it returns.
	Offer(g *Grant) Program
	// Withdraw has nobody begin to use a grant any more. Its Context has ended.
	Withdraw(g *Grant)
}

// A Program is what an agent starts as an MCP server.
type Program struct {
	Command string // absolute
	Args    []string
	Env     []core.EnvVariable
}

// A Grant is the right to run commands as those of one session. Its methods are safe for concurrent
// use.
type Grant struct {
	proxy   *proxy
	ctx     context.Context // ends with the session
	end     context.CancelFunc
	program Program
	named   chan struct{} // closed when session is set

	mu      sync.Mutex // guards the fields below
	session core.SessionID
	open    acp.SessionOpenRequest
}

// Errors of a Grant, in words for the agent.
var (
	errNotOpen = errors.New("the session is not open yet")
	errClosed  = errors.New("the session is closed")
)

// nameLimit is how long a command waits for the answer to session/new: until then nobody knows the
// session's name, which commands and questions are kept by.
const nameLimit = 30 * time.Second

// Context ends with the session.
func (g *Grant) Context() context.Context { return g.ctx }

// Dirs returns what the session hands over: where its commands run that do not say, and all
// directories.
func (g *Grant) Dirs() (cwd string, roots []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	roots = []string{path.Clean(g.open.Cwd)}
	for _, dir := range g.open.AdditionalDirectories {
		roots = append(roots, path.Clean(dir))
	}
	return g.open.Cwd, roots
}

// Lend returns c as the Config of a driver for those who use the grant. Its commands are the
// session's: they run in its directories, and the editor is asked about them.
func (g *Grant) Lend(c driver.Config) driver.Config {
	c = g.proxy.served.server.Lend(c, acpconn.Loan{Session: g.name, ToolCall: g.toolCall})
	c.Host = within{c.Host, g}
	g.proxy.served.display.watchLent(&c, g.sessionName)
	return c
}

func (g *Grant) name(ctx context.Context) (core.SessionID, error) {
	late := time.NewTimer(nameLimit)
	defer late.Stop()
	select {
	case <-g.named:
		return g.session, nil
	case <-g.ctx.Done():
		return "", errClosed
	case <-late.C:
		return "", errNotOpen
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// sessionName returns the session's name, or "" if nobody knows it yet.
func (g *Grant) sessionName() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return string(g.session)
}

func (g *Grant) toolCall() string { return g.proxy.running.only(string(g.session)) }

// within is a Host that runs commands in what a session hands over only, going by names: where
// symbolic links lead, the Host sees to.
type within struct {
	driver.Host
	grant *Grant
}

func (w within) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	if _, roots := w.grant.Dirs(); !contains(roots, c.Cwd) {
		return core.Exec{}, &core.InvalidError{Param: "cwd", Reason: "outside_session", Value: c.Cwd}
	}
	return w.Host.Resolve(ctx, c)
}

// contains reports whether dir is one of roots, or below one.
func contains(roots []string, dir string) bool {
	dir = path.Clean(dir)
	return slices.ContainsFunc(roots, func(root string) bool {
		return dir == root || root == "/" || strings.HasPrefix(dir, root+"/")
	})
}

// grants are those of the sessions that are open.
type grants struct {
	mu   sync.Mutex
	open map[string]*Grant
}

// grant returns the grant for a session that the editor opens. One that is open keeps its own: an
// agent may have started a program with it, and need not start another. It is nil without Tools.
func (p *proxy) grant(made *call) *Grant {
	if p.config.Tools == nil {
		return nil
	}
	id := made.open.SessionID
	p.grants.mu.Lock()
	g := p.grants.open[id]
	p.grants.mu.Unlock()
	if g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.open = made.open
		return g
	}
	g = &Grant{proxy: p, open: made.open, named: make(chan struct{})}
	g.ctx, g.end = context.WithCancel(p.toolsCtx)
	g.program = p.config.Tools.Offer(g)
	if id != "" {
		p.grants.name(g, id)
	}
	return g
}

// name says which session a grant is for.
func (s *grants) name(g *Grant, session string) {
	s.mu.Lock()
	old := s.open[session]
	if s.open == nil {
		s.open = make(map[string]*Grant)
	}
	s.open[session] = g
	s.mu.Unlock()
	old.withdraw() // the agent has named two sessions alike
	g.mu.Lock()
	defer g.mu.Unlock()
	g.session = core.SessionID(session)
	close(g.named)
}

// close ends what the grant of a session was used for.
func (s *grants) close(session string) {
	s.mu.Lock()
	g := s.open[session]
	delete(s.open, session)
	s.mu.Unlock()
	g.withdraw()
}

// withdraw ends what a grant was used for, if there is one.
func (g *Grant) withdraw() {
	if g != nil {
		g.end()
		g.proxy.config.Tools.Withdraw(g)
	}
}
