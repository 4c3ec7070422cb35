package remote

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/wire"
)

// maxText is how many bytes of words for people cross the link at the most, of an error say.
const maxText = 4 << 10

// A failure is an error that crosses the link: what it says, and what programs decide on.
type failure struct {
	Text string
	// Reason is that of a core.HostError, or of a core.InvalidError if Param is not empty.
	Reason, Param, Value string
	Op                   string // of its fs.PathError
	Is                   int    // 1 + the index in known of what it is; 0 if it is none of them
}

func (f *failure) Wire(c *wire.Codec) {
	for _, s := range []*string{&f.Text, &f.Reason, &f.Param, &f.Value, &f.Op} {
		wire.Text(c, s)
		if c.Reading() && len(*s) > maxText {
			c.Fail(errors.New("an error that is too long"))
		}
	}
	wire.Number(c, &f.Is)
}

// known are errors that callers ask for with errors.Is. New ones are appended.
var known = []error{
	errors.ErrUnsupported, fs.ErrNotExist, fs.ErrPermission, context.Canceled, context.DeadlineExceeded, os.ErrClosed,
}

// failed returns the failure that err is, or nil.
func failed(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: clip(err.Error())}
	if e, ok := errors.AsType[*core.HostError](err); ok {
		f.Text, f.Reason = clip(e.Message), clip(e.Reason)
	}
	if e, ok := errors.AsType[*core.InvalidError](err); ok {
		f.Param, f.Reason, f.Value = clip(e.Param), clip(e.Reason), clip(e.Value)
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		f.Op = clip(e.Op)
	}
	for i, is := range known {
		if errors.Is(err, is) {
			f.Is = 1 + i
			break
		}
	}
	return f
}

// error returns the error that f is, or nil.
func (f *failure) error() error {
	if f == nil {
		return nil
	}
	var is error
	if 0 < f.Is && f.Is <= len(known) {
		is = known[f.Is-1]
	}
	switch {
	case f.Param != "":
		return &core.InvalidError{Param: f.Param, Reason: f.Reason, Value: f.Value}
	case f.Reason != "":
		e := &core.HostError{Reason: f.Reason, Message: f.Text, Err: is}
		if f.Op != "" {
			if is == nil {
				is = errors.New(f.Text)
			}
			e.Err = &fs.PathError{Op: f.Op, Err: is}
		}
		return e
	case is != nil:
		return &told{f.Text, is}
	}
	return errors.New(f.Text)
}

// A told is an error of the far side that is also one of known.
type told struct {
	text string
	is   error
}

func (t *told) Error() string { return t.text }
func (t *told) Unwrap() error { return t.is }

// clip returns s, or as much of it as may cross the link.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText-len("…")], "") + "…"
}
