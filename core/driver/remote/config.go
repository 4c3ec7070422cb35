package remote

import (
	"context"
	"io"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver"
)

// Config says how a Host reaches its far side. Only Dial is needed.
type Config struct {
	// Dial makes a connection to the far side, where [Server.Serve] has its other end: again
	// whenever the last one has broken. It is called by one goroutine at a time, and gives up when
	// ctx ends. Closing a connection must end its Read and Write. It may be a TryWriter. An error
	// that is [ErrGone] says that there will be no other connection.
	Dial func(ctx context.Context) (io.ReadWriteCloser, error)

	// Lease is how long the far side may keep what runs there while there is no connection, and
	// for how long this side tries to make one. If zero, it is 10 minutes. The far side may want
	// less.
	Lease time.Duration

	// KeepAlive is how often each side says that it is there. A connection on which nothing has
	// come for three times as long is given up. If zero, it is 15 seconds.
	KeepAlive time.Duration

	// OnState, if set, is told what becomes of the connection, in order, one call at a time. It
	// must not call Close.
	OnState func(s State)

	// QuietLoss is for who sees what OnState is told, and what commands write: where commands are
	// lost, their output does not end with a line that says so.
	QuietLoss bool

	// Logger, if set, is told the same as OnState, whether that is set or not. A *slog.Logger is
	// one.
	Logger driver.Logger
}

// ServerConfig says what a Server serves. Only Host is needed.
type ServerConfig struct {
	// Host starts the commands. The Server does not close it.
	Host driver.Host

	// Lease is how long a session is kept without a connection, at the most; the near side may
	// want less. If zero, it is 10 minutes.
	Lease time.Duration

	// KeepAlive is as in Config.
	KeepAlive time.Duration

	// MaxSessions is how many sessions there may be at once. If zero, it is 16.
	MaxSessions int

	// OnSessionEnd, if set, is called when nothing is left of a session, with why it ended. left
	// is how many others there are.
	OnSessionEnd func(why error, left int)

	// Logger, if set, is told of sessions and their connections. The sessions of commands begin
	// with the number that it calls a session. A *slog.Logger is one.
	Logger driver.Logger
}

const (
	defaultLease       = 10 * time.Minute
	defaultKeepAlive   = 15 * time.Second
	defaultMaxSessions = 16
)

// A Link says what a State is.
type Link uint8

const (
	// Reconnecting: the connection has broken, and others are tried. It is told again for each new
	// reason why one of these has failed, 20 times at the most in all.
	Reconnecting Link = iota + 1
	// Resumed: there is a connection again, and nothing was lost.
	Resumed
	// Lost: there will be none any more, and what ran on the far side has ended with
	// core.ReasonLost, as far as anybody knows.
	Lost
)

// String returns "reconnecting", "resumed" or "lost".
func (l Link) String() string {
	switch l {
	case Reconnecting:
		return "reconnecting"
	case Resumed:
		return "resumed"
	case Lost:
		return "lost"
	}
	return "unknown"
}

// A State is what has become of a Host's connection.
type State struct {
	Link Link
	Err  error // why; nil for Resumed
}
