package text

import (
	"io"
	"math"
	"os"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// write writes to the current piece, and begins one first if there is none.
func (s *splitter) write(p []byte) error {
	if s.out == nil {
		if err := s.open(); err != nil {
			return err
		}
	}
	if _, err := s.out.Write(p); err != nil && s.run == nil { // a filter may have enough
		s.env.FileError(s.name(s.count-1), err)
		return errSplit
	}
	return nil
}

func (s *splitter) open() error {
	if s.name(s.count) == "" {
		s.env.Errorf("output file suffixes exhausted")
		return errSplit
	}
	name := s.name(s.count)
	s.count++
	if s.filter != "" {
		return s.startFilter(name)
	}
	if s.verbose {
		s.env.Out.WriteString("creating file " + tool.QuoteAlways(name) + "\n")
	}
	w, err := s.env.Create(name, os.O_TRUNC)
	if err != nil {
		s.env.FileError(name, err)
		return errSplit
	}
	s.out = w
	return nil
}

// startFilter collects a piece for a shell's command, which runs when the piece is whole.
func (s *splitter) startFilter(name string) error {
	if s.env.Exec == nil {
		s.env.Errorf("--filter does not run here")
		return errSplit
	}
	if s.verbose {
		s.env.Out.WriteString("executing with FILE=" + tool.QuoteAlways(name) + "\n")
	}
	r, w := io.Pipe()
	child := s.env.Child()
	child.Stdin = r
	child.Environ = append(child.Environ[:len(child.Environ):len(child.Environ)], "FILE="+name)
	done := make(chan int, 1)
	go func() { // ends with the command; close waits for it
		status := s.env.Exec(child, []string{"sh", "-c", s.filter})
		r.CloseWithError(io.ErrClosedPipe)
		done <- status
	}()
	s.out = w
	s.run = func() int { return <-done }
	return nil
}

// close ends the current piece.
func (s *splitter) close() error {
	if s.out == nil {
		return nil
	}
	err := s.out.Close()
	s.out = nil
	if err != nil {
		s.env.FileError(s.name(s.count-1), err)
		return errSplit
	}
	if s.run == nil {
		return nil
	}
	status := s.run()
	s.run = nil
	if status != 0 {
		s.env.Errorf("with FILE=%s, exit %d from command: %s", s.name(s.count-1), status, s.filter)
		return errSplit
	}
	return nil
}

// name is that of piece n, "" if there are too many. Where suffixes grow, the last letter in front
// says so: after xyz comes xzaaa.
func (s *splitter) name(n int64) string {
	base := int64(len(s.digits))
	n += s.start
	length, front := s.length, ""
	for {
		all := int64(1)
		for i := 0; i < length && all < math.MaxInt64/base; i++ {
			all *= base
		}
		if !s.auto && n >= all {
			return ""
		}
		room := all - all/base
		if !s.auto || n < room {
			break
		}
		n -= room
		front += s.digits[base-1:]
		length++
	}
	suffix := make([]byte, length)
	for i := length - 1; i >= 0; i-- {
		suffix[i] = s.digits[n%base]
		n /= base
	}
	return s.prefix + front + string(suffix) + s.suffix
}
