package jq

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A source reads all files as one text, line by line, as jq does: so it knows in which line a value
// ended.
type source struct {
	env    *tool.Env
	files  []string
	failed bool // some file could not be read

	name   string // of the open file, "" if none is
	r      *bufio.Reader
	close  io.Closer
	chunk  []byte // what of a line was read and not taken
	line   int    // of the open file
	ragged bool   // its end was read, and no newline before
	err    error
}

// next makes one text of all files.
func (s *source) next() []byte {
	for len(s.chunk) == 0 && s.more() {
	}
	return s.chunk
}

func (s *source) skip(n int) { s.chunk = s.chunk[n:] }

// more reads the next line, or a part of it.
func (s *source) more() bool {
	for {
		if s.r == nil && !s.open() {
			return false
		}
		if s.err != nil {
			s.end()
			if len(s.files) == 0 {
				return false
			}
			continue
		}
		s.chunk, s.err = s.r.ReadSlice('\n')
		if s.err == bufio.ErrBufferFull {
			s.err = nil
		}
		if err := tool.Keep(2 * len(s.chunk)); err != nil {
			s.env.Errorf("error: Input error: %s", tool.Strerror(err))
			s.chunk, s.err, s.failed, s.files = nil, err, true, nil
			return false
		}
		if n := len(s.chunk); n > 0 {
			if s.chunk[n-1] == '\n' {
				s.line++
			} else if s.err != nil {
				s.ragged = true
			}
			return true
		}
		if s.err != io.EOF && s.err != nil {
			s.env.Errorf("error: Input error: %s", tool.Strerror(s.err))
			s.failed = true
		}
		if len(s.files) == 0 {
			return false // the last file stays open: its end may be what is complained about
		}
	}
}

func (s *source) open() bool {
	for len(s.files) > 0 {
		name := s.files[0]
		s.files = s.files[1:]
		f, err := s.env.Input(name)
		if err != nil {
			s.env.Errorf("error: Could not open file %s: %s", name, tool.Strerror(err))
			s.failed = true
			continue
		}
		if s.name = name; name == "-" {
			s.name = "<stdin>"
		}
		s.r, s.close, s.line, s.ragged, s.err = bufio.NewReaderSize(f, 64<<10), f, 0, false, nil
		return true
	}
	return false
}

func (s *source) end() {
	s.close.Close()
	s.r, s.name, s.line = nil, "", 0
}

// position is where the last value ended, as messages say it.
func (s *source) position() string {
	if s.name == "" || s.ragged && len(s.chunk) == 0 {
		return "<unknown>"
	}
	return s.name + ":" + strconv.Itoa(s.line)
}

func (s *source) fileName() any {
	if s.name == "" || s.name == "<stdin>" {
		return nil
	}
	return s.name
}

// reader returns what reads the next value, or io.EOF.
func (o *options) reader(s *source) func() (any, error) {
	next := newDecoder(s).value
	if o.rawInput {
		next = s.rawLine
	}
	if o.stream && !o.rawInput {
		next = events(next)
	}
	if o.slurp {
		next = o.slurped(next, s)
	}
	return next
}

// rawLine returns the next line as a string.
func (s *source) rawLine() (any, error) {
	var b strings.Builder
	ended := false
	for !ended && len(s.next()) > 0 {
		line, _, found := bytes.Cut(s.chunk, []byte{'\n'})
		if b.Len()+len(line) > maxString {
			s.err, s.failed = errLarge, true
			return nil, errLarge
		}
		b.Write(line)
		if s.skip(len(line)); found {
			s.skip(1)
		}
		ended = found
	}
	if !ended && b.Len() == 0 {
		return nil, io.EOF
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD"), nil
}

// slurped returns all values as one array, or all text as one string.
func (o *options) slurped(next func() (any, error), s *source) func() (any, error) {
	done := false
	return func() (any, error) {
		if done {
			return nil, io.EOF
		}
		done = true
		if o.rawInput {
			var b strings.Builder
			for len(s.chunk) > 0 || s.more() {
				if b.Len() > maxString {
					s.chunk, s.err, s.failed = nil, errLarge, true
					return nil, errLarge
				}
				b.Write(s.chunk)
				s.chunk = nil
			}
			return strings.ToValidUTF8(b.String(), "\uFFFD"), nil
		}
		list := []any{}
		for {
			v, err := next()
			if err == io.EOF {
				return list, nil
			}
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
	}
}

// events returns values as --stream does: each leaf with its path, and the ends of arrays and
// objects.
func events(next func() (any, error)) func() (any, error) {
	var waiting []any
	return func() (any, error) {
		if len(waiting) == 0 {
			v, err := next()
			if err != nil {
				return nil, err
			}
			waiting = appendEvents(nil, v, nil)
		}
		event := waiting[0]
		waiting = waiting[1:]
		return event, nil
	}
}

func appendEvents(list []any, v any, path []any) []any {
	here := append([]any{}, path...)
	var last any
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			last = float64(i)
			list = appendEvents(list, item, append(here, last))
		}
	case *object:
		for i, key := range v.keys {
			last = key
			list = appendEvents(list, v.values()[i], append(here, last))
		}
	}
	if last == nil {
		return append(list, []any{here, v})
	}
	return append(list, []any{append(here[:len(here):len(here)], last)})
}
