package jsonrpc

import (
	"bytes"
	"errors"
	"iter"
)

// DefaultMaxLine is how long a line may be where [Lines.Max] does not say, in
// bytes. The TypeScript SDK of ACP has the same limit.
const DefaultMaxLine = 32 << 20

// ErrLineTooLong stands in the place of a line that is longer than [Lines.Max].
var ErrLineTooLong = errors.New("jsonrpc: line too long")

// Lines splits a stream into lines at '\n'. A '\r' before it is cut off, and
// blank lines are left out. The zero Lines is ready to use.
type Lines struct {
	// Max is how long a line may be, in bytes before its '\n'.
	// If zero, it is DefaultMaxLine.
	Max int

	buf      []byte // beginning of a line whose end has not come
	skipping bool   // the rest of a line that was too long
}

// Split yields the lines that the next piece p of the stream completes; it has
// taken p in once the loop over it ends. A loop that stops early loses the rest
// of p.
//
// A line that is too long is yielded once, as nil and [ErrLineTooLong], as soon
// as that is known; the line after it is a line again. At most Max bytes are
// kept between calls.
//
// A line is lent until the next is asked for. It aliases p if all of it is
// there, and is a copy only if it came in pieces.
func (l *Lines) Split(p []byte) iter.Seq2[[]byte, error] {
	return func(yield func(line []byte, err error) bool) {
		for rest := p; len(rest) > 0; {
			var piece []byte
			var ended bool
			piece, rest, ended = bytes.Cut(rest, newline)
			line, err := l.add(piece, ended)
			if (line != nil || err != nil) && !yield(line, err) {
				return
			}
		}
	}
}

// Flush returns the last line of a stream that does not end in '\n', or nil,
// and makes l ready for another stream. The line is the caller's.
func (l *Lines) Flush() []byte {
	line := l.buf
	l.buf, l.skipping = nil, false
	return trim(line)
}

var newline = []byte{'\n'}

// add takes the next piece of a line, which is all that is left of it if ended.
// It returns the line then, unless it is blank.
func (l *Lines) add(piece []byte, ended bool) ([]byte, error) {
	switch {
	case l.skipping:
		l.skipping = !ended
		return nil, nil
	case len(piece) > l.max()-len(l.buf):
		l.buf, l.skipping = nil, !ended
		return nil, ErrLineTooLong
	case !ended:
		l.buf = append(l.buf, piece...)
		return nil, nil
	case len(l.buf) == 0:
		return trim(piece), nil
	}
	line := append(l.buf, piece...)
	l.buf = line[:0]
	if cap(line) > keep {
		l.buf = nil
	}
	return trim(line), nil
}

// keep is how large a buffer may be that outlives its line, in bytes.
const keep = 64 << 10

func (l *Lines) max() int {
	if l.Max > 0 {
		return l.Max
	}
	return DefaultMaxLine
}

// trim cuts off a final '\r'. It returns nil for a blank line.
func trim(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if len(bytes.TrimLeft(line, " \t\r")) == 0 {
		return nil
	}
	return line
}
