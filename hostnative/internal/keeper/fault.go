package keeper

import (
	"errors"
	"syscall"
)

// A fault is an error that has come over the socket: its text, and below it what the
// system said, or errors.ErrUnsupported.
type fault struct {
	text  string
	cause error
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.cause }

// setFault says in m what err is.
func (m *message) setFault(err error) {
	if err == nil {
		return
	}
	m.Text = err.Error()
	m.Flag = errors.Is(err, errors.ErrUnsupported)
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		m.Number = int64(errno)
	}
}

// fault is the inverse of setFault.
func (m message) fault() error {
	if m.Text == "" {
		return nil
	}
	f := &fault{text: m.Text}
	switch {
	case m.Number > 0:
		f.cause = syscall.Errno(m.Number)
	case m.Flag:
		f.cause = errors.ErrUnsupported
	}
	if f.cause != nil && f.cause.Error() == f.text {
		return f.cause
	}
	return f
}
