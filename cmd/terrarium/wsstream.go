package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"time"

	"github.com/coder/websocket"
)

// maxMessage is the longest message taken, in bytes: as long as a line may be.
const maxMessage = 32 << 20

// wsStream is a WebSocket as a stream of lines: a line is a text message.
type wsStream struct {
	ctx  context.Context
	conn *websocket.Conn
	rest []byte // of the message being read, and its line end
}

// Read gives the next message, or more of the last one.
func (s *wsStream) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		_, message, err := s.conn.Read(s.ctx)
		if err != nil {
			return 0, endOfPeer(err)
		}
		s.rest = append(message, '\n')
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
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
