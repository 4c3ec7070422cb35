package remote

import (
	"errors"
	"io"
	"strconv"

	"github.com/terrarium-dev/terrarium/core/driver"
)

// A log has what the two sides tell a driver.Logger.
type log struct{ to driver.Logger }

func newLog(to driver.Logger) log { return log{driver.LoggerOf(to)} }

// state tells what has become of a near side's connection.
func (l log) state(s State) {
	switch s.Link {
	case Reconnecting:
		l.to.Warn("connection broken", "err", s.Err)
	case Resumed:
		l.to.Info("connection resumed")
	case Lost:
		l.to.Warn("session lost", "err", s.Err)
	}
}

// failed tells why an attempt to connect again has failed.
func (l log) failed(err error) { l.to.Warn("connecting failed", "err", err) }

// refused tells of a connection that is no session's.
func (l log) refused(err error) { l.to.Warn("connection refused", "err", err) }

func (l log) connected(session uint64) { l.to.Info("session connected", "session", number(session)) }

// broken tells that a session has no connection, unless that is since it has another.
func (l log) broken(session uint64, err error) {
	if !errors.Is(err, errDisplaced) && !errors.Is(err, errServerClosed) {
		l.to.Warn("connection broken", "session", number(session), "err", err)
	}
}

func (l log) ended(session uint64, why error) {
	tell := l.to.Warn
	if errors.Is(why, io.EOF) || errors.Is(why, errServerClosed) {
		tell = l.to.Info
	}
	tell("session ended", "session", number(session), "err", why)
}

// number is how the commands of a session begin their own: see farSession.resolveOnHost.
func number(session uint64) string { return strconv.FormatUint(session, 10) }
