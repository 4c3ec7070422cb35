package netproxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core/egress"
)

// A Config says how a Proxy reaches others. The zero value is useful.
type Config struct {
	// Dial connects to an address that a list allows, by TCP. It heeds ctx. If the connection has
	// CloseWrite, half of a tunnel may be closed. Nil is net.Dialer's.
	Dial func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
	// LookUp returns the addresses of a name, in the order in which they are to be tried. It heeds
	// ctx. Nil is net.DefaultResolver's.
	LookUp func(ctx context.Context, name string) ([]netip.Addr, error)

	// RelayCommand is a program and its arguments that calls Relay with two more: a host and a
	// port. Git reaches hosts through it that it uses ssh for. If it is empty, such hosts are not
	// reached.
	RelayCommand []string

	// HandshakeTimeout is for a greeting of SOCKS or the header of a request. 0 is 10 s.
	HandshakeTimeout time.Duration
	// DialTimeout is for one address, ConnectTimeout for all that a request needs to reach a host.
	// 0 is 5 s, in which a lost packet is sent again twice, and 30 s.
	DialTimeout, ConnectTimeout time.Duration
	// IdleTimeout ends a tunnel in which nothing has moved, in either way. 0 is an hour.
	IdleTimeout time.Duration

	// MaxSessionConns is how many connections a session may have, and MaxConns how many all have. 0
	// is 256 and 1024. Each takes two descriptors.
	MaxSessionConns, MaxConns int
}

// A Proxy has what its sessions share.
type Proxy struct {
	config Config
	own    ownAddrs
	conns  atomic.Int64

	mu       sync.Mutex // guards the rest
	closed   bool
	sessions map[*Session]bool
}

// New returns a proxy without sessions. It listens nowhere until Open.
func New(c Config) *Proxy {
	if c.Dial == nil {
		c.Dial = dialTCP
	}
	if c.LookUp == nil {
		c.LookUp = lookUp
	}
	c.HandshakeTimeout = cmp.Or(c.HandshakeTimeout, 10*time.Second)
	c.DialTimeout = cmp.Or(c.DialTimeout, 5*time.Second)
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, 30*time.Second)
	c.IdleTimeout = cmp.Or(c.IdleTimeout, time.Hour)
	c.MaxSessionConns = cmp.Or(c.MaxSessionConns, 256)
	c.MaxConns = cmp.Or(c.MaxConns, 1024)
	return &Proxy{config: c, sessions: map[*Session]bool{}}
}

func dialTCP(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", to.String())
}

func lookUp(ctx context.Context, name string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
}

// Open starts a session, which listens on a port of its own. Its list is not to be changed; the
// addresses of this machine's interfaces need not be in it.
//
// If refused is not nil, it is told what the list has refused, by several goroutines at once,
// before the command is. It should not take long, and it must not close the session, which waits
// for it.
func (p *Proxy) Open(list egress.List, refused func(*egress.Refusal)) (*Session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, fmt.Errorf("netproxy: open a session: %w", net.ErrClosed)
	}
	s, err := newSession(p, list, refused)
	if err != nil {
		return nil, fmt.Errorf("netproxy: open a session: %w", err)
	}
	p.sessions[s] = true
	return s, nil
}

// Close closes all sessions. It may be called more than once.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	var open []*Session
	for s := range p.sessions {
		open = append(open, s)
	}
	p.mu.Unlock()
	var errs []error
	for _, s := range open {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// isOurs reports whether a session listens there.
func (p *Proxy) isOurs(to netip.AddrPort) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.sessions {
		if s.addr == to {
			return true
		}
	}
	return false
}

func (p *Proxy) forget(s *Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sessions, s)
}
