package remote

import (
	"errors"
	"io"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/wire"
)

// handled reads the body of a frame and does what it says.
func handled[T any, M wire.Message[T]](f *received, do func(m M) error) error {
	m := M(new(T))
	if err := read(f.kind, f.body, m); err != nil {
		return err
	}
	return do(m)
}

// read decodes the body of a frame of kind k.
func read[T any, M wire.Message[T]](k kind, body []byte, m M) error {
	// Each element of a list takes a byte at least, but 32 of core.MaxCommand.
	if err := wire.Decode(body, core.MaxCommand/32, m); err != nil {
		return broken("in a frame of kind %d, %v", k, err)
	}
	return nil
}

// An endedError is what the other side said when it ended the session.
type endedError struct{ text string }

func (e *endedError) Error() string {
	if e.Is(ErrEnded) {
		return e.text // which says it all
	}
	return "the other side has ended it: " + e.text
}

func (e *endedError) Unwrap() error { return io.EOF }

func (e *endedError) Is(target error) bool { return target == ErrEnded && e.text == ErrEnded.Error() }

// ErrEnded is why a session is lost whose far side has ended and gives no other reason, as
// [Server.Close] gives none.
var ErrEnded = errors.New("the far side has ended")

func (m *end) error() error { return &endedError{clip(m.Text)} }
