package remote

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// A brokenConn fails as it is told.
type brokenConn struct{ read, write error }

func (c brokenConn) Read([]byte) (int, error) { return 0, c.read }

func (c brokenConn) Write(p []byte) (int, error) {
	if c.write != nil {
		return 0, c.write
	}
	return len(p), nil
}

func (brokenConn) Close() error { return nil }

// TestReason: where a connection says why it has ended, that is why there is no session.
func TestReason(t *testing.T) {
	why := errors.New("ssh: permission denied")
	for _, conn := range []brokenConn{{read: why}, {read: why, write: io.ErrClosedPipe}} {
		_, err := Connect(t.Context(), Config{Dial: func(context.Context) (io.ReadWriteCloser, error) { return conn, nil }})
		if !errors.Is(err, why) {
			t.Errorf("got %v, want %v", err, why)
		}
	}
	silent := brokenConn{read: io.EOF, write: io.ErrClosedPipe}
	_, err := Connect(t.Context(), Config{Dial: func(context.Context) (io.ReadWriteCloser, error) { return silent, nil }})
	if err == nil || !strings.Contains(err.Error(), "ended without a word") {
		t.Errorf("got %v, want that it has ended without a word", err)
	}
}
