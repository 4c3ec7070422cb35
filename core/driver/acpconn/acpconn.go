// Package acpconn serves one ACP peer: acp.Conn on a driver.Driver of its own, with
// the goroutines in between. [Serve] takes the peer's requests from a byte stream.
// Who has them as Go values calls the methods of a [Server] that have their names:
//
//	s := acpconn.New(acpconn.Config{Driver: driver.Config{Host: host}})
//	defer s.Close()
//	created, err := s.CreateTerminal(ctx, acp.CreateTerminalRequest{SessionID: "s", Command: "make"})
package acpconn

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// Config says how a peer is served.
type Config struct {
	// Driver says what commands run on. Its OnNews is called besides ours. To
	// its Host and its Decide a session is "NAME@PEER": NAME is the peer's, and
	// PEER a random string that tells the sessions of this peer from those of
	// others. Decide may ask the peer, see PeerOf.
	Driver driver.Config
	// ACP says how the peer is served. An empty Nonce is replaced by a random one.
	ACP acp.Config
	// Feed, if it is NewFeed, lets the peer subscribe to what its terminals write, show
	// and become: see acp.Feed. Driver.Core allows screens then. It is a function so that
	// the linker leaves out all of that where nobody can subscribe, as in a page.
	Feed func(s *Server, c *driver.Config) Feed
}

// A Feed is what NewFeed returns.
type Feed interface {
	// begin is called once the Server has its connection.
	begin()
	// run tells the peer what there is to tell, until close. That waits for run, and is
	// called when the outbox is closed, for which run waits.
	run()
	close()
	// look has run look whether there is something to tell. Server.mu is held.
	look()
}

// A Server serves one peer.
type Server struct {
	driver *driver.Driver
	out    *outbox
	peer   *Peer
	feed   Feed // nil if the peer can't subscribe

	mu    sync.Mutex // guards the fields below; comes before the driver's own
	conn  *acp.Conn
	asker *acp.Asker                     // nil without a Decide, which alone asks
	asked map[jsonrpc.ID]chan acp.Answer // who waits for an answer, with room for it
	ended bool                           // nothing that comes from the peer counts any more
}

// New returns a Server, which Serve or Close frees.
func New(c Config) *Server {
	s := &Server{out: newOutbox(), asked: make(map[jsonrpc.ID]chan acp.Answer)}
	if c.ACP.Nonce == "" {
		c.ACP.Nonce = rand.Text()
	}
	s.peer = &Peer{server: s, suffix: "@" + rand.Text()}
	host, decide := apart{c.Driver.Host, s.peer}, c.Driver.Decide
	c.Driver.OnNews = s.andOurs(c.Driver.OnNews)
	c.Driver.Host = host
	if decide != nil {
		c.Driver.Decide = host.decide(decide)
	}
	if c.Feed != nil {
		s.feed = c.Feed(s, &c.Driver)
	}
	s.driver = driver.New(c.Driver)
	s.conn = acp.NewConn(c.ACP, terminals(s.driver))
	if s.feed != nil {
		s.feed.begin()
	}
	if decide != nil {
		s.asker = acp.NewAsker(s.conn)
	}
	return s
}

// Serve is New(c).Serve.
func Serve(ctx context.Context, r io.Reader, w io.Writer, c Config) error {
	return New(c).Serve(ctx, r, w)
}

// Driver returns the driver that runs the peer's terminals, for those who show
// them. It is closed when Serve returns.
func (s *Server) Driver() *driver.Driver { return s.driver }

// Serve answers the requests that come on r with lines on w, until r ends or
// ctx does, and then until every terminal that the peer held has ended. It
// returns nil at the end of r, ctx.Err(), or the error of r or w. At the end
// of ctx, and when writing has failed, it closes r if that is an io.Closer. A
// Read that does not return then is left behind, the last one: what it reads is
// dropped.
func (s *Server) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	s.out.try, _ = w.(TryWriter)
	go s.out.run(w) // ends when out is closed, below
	if s.feed != nil {
		go s.feed.run()
		defer s.feed.close() // after out
	}

	ended := make(chan error, 1)
	go func() { ended <- s.read(r) }() // ends with r, or after the Read that s.ended finds it in
	var err error
	select {
	case err = <-ended:
	case <-s.out.failed:
		closeReader(r)
	case <-ctx.Done():
		err = ctx.Err()
		closeReader(r)
	}
	s.end()
	s.driver.Close()
	return errors.Join(err, s.out.close())
}

// end says that no more comes from the peer.
func (s *Server) end() {
	s.handle(func() {
		s.ended = true
		s.conn.HandleEOF(time.Now())
	})
}

func closeReader(r io.Reader) {
	if closer, ok := r.(io.Closer); ok {
		closer.Close()
	}
}

// read takes lines from r until it ends, or Serve has.
func (s *Server) read(r io.Reader) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		// A line at a time: each may ask for megabytes of output, and its
		// answer must leave before the next is asked for.
		for line := range bytes.Lines(buf[:n]) {
			if !s.handleInput(line) {
				return nil
			}
			s.out.wait(maxQueued)
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// handleInput takes a line from the peer. It returns false if Serve has ended.
func (s *Server) handleInput(line []byte) (ok bool) {
	s.handle(func() {
		if ok = !s.ended; ok {
			s.conn.HandleInput(time.Now(), line)
		}
	})
	return ok
}

// handle changes the connection and sends what comes of it.
func (s *Server) handle(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.tellAnswers()
	for line, ok := s.conn.NextLine(); ok; line, ok = s.conn.NextLine() {
		s.out.send(line)
	}
	if s.feed != nil {
		s.feed.look()
	}
}

func (s *Server) andOurs(theirs func(*core.Effect)) func(*core.Effect) {
	return func(e *core.Effect) {
		s.handle(func() { s.conn.HandleEffect(time.Now(), e) })
		if theirs != nil {
			theirs(e)
		}
	}
}

// terminals is a driver as acp.Conn wants it. The driver has its own clock.
func terminals(d *driver.Driver) acp.Terminals {
	return acp.Terminals{
		Create: func(_ time.Time, s core.SessionID, c core.Command) (core.TerminalID, error) {
			t, err := d.Begin(s, c)
			if err != nil {
				return "", err
			}
			return t.ID(), nil
		},
		Kill:         func(_ time.Time, id core.TerminalID) error { return d.Terminal(id).Kill() },
		Release:      func(_ time.Time, id core.TerminalID) error { return d.Terminal(id).Release() },
		CloseSession: func(_ time.Time, s core.SessionID) error { return d.CloseSession(s) },
		CloseAll:     func(time.Time) { d.CloseAll() },
		Issued:       d.Issued,
		Status:       func(id core.TerminalID) (core.Status, bool) { return d.Terminal(id).Status() },
		AppendOutput: func(dst []byte, id core.TerminalID) ([]byte, bool) { return d.Terminal(id).AppendOutput(dst) },
	}
}
