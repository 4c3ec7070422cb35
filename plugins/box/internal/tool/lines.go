package tool

import (
	"bufio"
	"io"
	"slices"
)

// Lines reads lines that end with any one byte.
type Lines struct {
	// Ended reports whether the last line was ended; false for a last line without its newline.
	Ended bool

	r     *bufio.Reader
	delim byte
	long  []byte // a line longer than r's buffer
	err   error
}

// NewLines returns Lines over r.
func NewLines(r io.Reader, delim byte) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, 64<<10), delim: delim}
}

// Next returns the next line without its end, or false at the end of the input.
// The bytes are valid until the next call.
func (l *Lines) Next() ([]byte, bool) {
	if l.err != nil {
		return nil, false
	}
	p, err := l.r.ReadSlice(l.delim)
	if err == bufio.ErrBufferFull {
		l.long = append(l.long[:0], p...)
		for err == bufio.ErrBufferFull {
			p, err = l.r.ReadSlice(l.delim)
			if n := len(l.long) + len(p); n > cap(l.long) {
				if err := Keep(2 * n); err != nil {
					l.long, l.err = nil, err
					return nil, false
				}
				l.long = slices.Grow(l.long, 2*n-len(l.long))
			}
			l.long = append(l.long, p...)
		}
		p = l.long
	}
	l.Ended = err == nil
	if err != nil {
		l.err = err
		return p, len(p) > 0
	}
	return p[:len(p)-1], true
}

// More reports whether another line follows. It may wait for input.
func (l *Lines) More() bool {
	if l.err != nil {
		return false
	}
	_, err := l.r.Peek(1)
	return err == nil
}

// Skip passes over some of what comes next, lines or not, and reports whether there was any.
func (l *Lines) Skip() bool {
	if l.err != nil {
		return false
	}
	if _, l.err = l.r.Peek(1); l.err != nil {
		return false
	}
	l.r.Discard(l.r.Buffered())
	return true
}

// Buffered returns how many bytes were read from the input and not yet returned.
func (l *Lines) Buffered() int { return l.r.Buffered() }

// Err returns what went wrong other than the end of the input.
func (l *Lines) Err() error {
	if l.err == io.EOF {
		return nil
	}
	return l.err
}
