package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/terrarium-dev/terrarium/core/driver"
)

// maxMessage is the longest message taken, in bytes: as long as a line may be.
const maxMessage = 32 << 20

// errLong ends a connection whose message is one too many.
var errLong = errors.New("too many long messages at a time")

// freeMessage is how long a message may be that is not counted, in bytes.
const freeMessage = 64 << 10

// wsStream is a WebSocket as a stream of lines: a line is a text message.
type wsStream struct {
	ctx  context.Context
	conn *websocket.Conn

	message io.Reader // that is being read; nil between two

	long *driver.Budget // what long messages of all peers may have in memory
	mu   sync.Mutex     // guards what follows: forget may come while Read is under way
	size int64          // of what was read of the message, in bytes
	gone bool
}

// Read gives more of a message, or its line end.
func (s *wsStream) Read(p []byte) (n int, err error) {
	if s.message == nil {
		if _, s.message, err = s.conn.Reader(s.ctx); err != nil {
			return 0, endOfPeer(err)
		}
	}
	n, err = s.message.Read(p[:len(p)-1]) // acpconn has room for two and more
	hideLineEnds(p[:n])
	if err := s.grow(int64(n)); err != nil {
		return 0, err
	}
	switch {
	case err == io.EOF:
		s.message = nil
		s.grow(-s.size)
		p[n] = '\n'
		return n + 1, nil
	case err != nil:
		return n, endOfPeer(err)
	}
	return n, nil
}

// hideLineEnds makes one line of JSON that was written on several. A carriage
// return means the same to JSON as a line feed: space between two tokens, and an
// error in a string.
func hideLineEnds(p []byte) {
	for i, c := range p {
		if c == '\n' {
			p[i] = '\r'
		}
	}
}

// grow counts n more bytes of a message, or fewer. The error is errLong, or
// says that the connection is over.
func (s *wsStream) grow(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return net.ErrClosed
	}
	counted := max(0, s.size+n-freeMessage) - max(0, s.size-freeMessage)
	if counted < 0 {
		s.long.Give(0, -counted)
	} else if s.long.Take(0, counted) != nil {
		return errLong
	}
	s.size += n
	return nil
}

// forget ends the counting: the connection is over.
func (s *wsStream) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = true
	s.long.Give(0, max(0, s.size-freeMessage))
}

// Write sends whole lines.
func (s *wsStream) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if err := s.conn.Write(s.ctx, websocket.MessageText, bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// ping asks the peer for signs of life until ctx ends. Nobody looks at the
// answers here: what comes of a peer that sends none, visitor.Read says.
func (s *wsStream) ping(ctx context.Context) {
	tick := time.NewTicker(pingTime)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		asked, cancel := context.WithTimeout(ctx, pingTime)
		s.conn.Ping(asked)
		cancel()
	}
}

// endOfPeer turns the ways in which a peer may leave into the end of input.
func endOfPeer(err error) error {
	if websocket.CloseStatus(err) != -1 || errors.Is(err, net.ErrClosed) {
		return io.EOF
	}
	return err
}
