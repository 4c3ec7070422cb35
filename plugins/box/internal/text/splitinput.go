package text

import (
	"bytes"
	"io"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func (s *splitter) split(name string, in io.Reader) error {
	switch s.by {
	case "b":
		return s.bytes(in)
	case "C":
		return s.lineBytes(in)
	case "n":
		return s.chunks(name, in)
	}
	return s.lines(in)
}

// line calls f with each line and its end, in parts if it is long; last marks the part that has the
// end.
func (s *splitter) line(in io.Reader, f func(part []byte, last bool) error) error {
	buf := make([]byte, 64<<10)
	for !s.env.Stopped() {
		n, err := in.Read(buf)
		for p := buf[:n]; len(p) > 0; {
			i := bytes.IndexByte(p, s.end) + 1
			part := p[:max(i, 0)]
			if i == 0 {
				part = p
			}
			if err := f(part, i > 0); err != nil {
				return err
			}
			p = p[len(part):]
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *splitter) lines(in io.Reader) error {
	n := int64(0)
	return s.line(in, func(part []byte, last bool) error {
		if err := s.write(part); err != nil {
			return err
		}
		if !last {
			return nil
		}
		if n++; n == s.size {
			n = 0
			return s.close()
		}
		return nil
	})
}

func (s *splitter) bytes(in io.Reader) error {
	left := s.size
	buf := make([]byte, 64<<10)
	for !s.env.Stopped() {
		n, err := in.Read(buf)
		for p := buf[:n]; len(p) > 0; {
			part := p[:min(int64(len(p)), left)]
			if err := s.write(part); err != nil {
				return err
			}
			p = p[len(part):]
			if left -= int64(len(part)); left == 0 {
				left = s.size
				if err := s.close(); err != nil {
					return err
				}
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lineBytes puts as many lines into a piece as fit into its size. A longer line is cut.
func (s *splitter) lineBytes(in io.Reader) error {
	var line []byte // the line so far, at most as long as a piece
	used := int64(0)
	put := func() error {
		if used > 0 && used+int64(len(line)) > s.size {
			used = 0
			if err := s.close(); err != nil {
				return err
			}
		}
		if err := s.write(line); err != nil {
			return err
		}
		used += int64(len(line))
		line = line[:0]
		return nil
	}
	err := s.line(in, func(part []byte, last bool) error {
		for len(part) > 0 {
			n := min(int64(len(part)), s.size-int64(len(line)))
			if err := tool.Keep(int(n)); err != nil {
				return err
			}
			line = append(line, part[:n]...)
			part = part[n:]
			if int64(len(line)) == s.size || last && len(part) == 0 {
				if err := put(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil || len(line) == 0 {
		return err
	}
	return put()
}

// chunks splits into a given number of pieces, or writes one of them to standard output.
func (s *splitter) chunks(name string, in io.Reader) error {
	if s.chunk.kind == 'r' {
		return s.roundRobin(in)
	}
	fi, err := s.env.StatInput(name)
	if err != nil || !fi.Mode().IsRegular() {
		s.env.Errorf("%s: cannot determine file size", name)
		return errSplit
	}
	each := max(fi.Size()/s.chunk.of, 1)
	at, current := int64(0), int64(0)
	put := func(part []byte, to int64) error {
		for ; current < to; current++ {
			if err := s.next(current); err != nil {
				return err
			}
		}
		return s.writeChunk(part, current)
	}
	if s.chunk.kind == 'l' {
		begins := true
		to := int64(0)
		err = s.line(in, func(part []byte, last bool) error {
			if begins {
				to = min(at/each, s.chunk.of-1)
			}
			at += int64(len(part))
			begins = last
			return put(part, to)
		})
	} else {
		buf := make([]byte, 64<<10)
		for err == nil && !s.env.Stopped() {
			var n int
			n, err = in.Read(buf)
			for p := buf[:n]; len(p) > 0; {
				to := min(at/each, s.chunk.of-1)
				part := p
				if to < s.chunk.of-1 {
					part = p[:min(int64(len(p)), (to+1)*each-at)]
				}
				if err := put(part, to); err != nil {
					return err
				}
				at += int64(len(part))
				p = p[len(part):]
			}
		}
		if err == io.EOF {
			err = nil
		}
	}
	for ; err == nil && current < s.chunk.of; current++ {
		err = s.next(current)
	}
	return err
}

// next ends chunk n, which may be empty.
func (s *splitter) next(n int64) error {
	if s.chunk.only > 0 || s.env.Stopped() {
		return nil
	}
	if s.out == nil && !s.elide {
		if err := s.open(); err != nil {
			return err
		}
	}
	return s.close()
}

func (s *splitter) writeChunk(part []byte, n int64) error {
	switch {
	case s.chunk.only == 0:
		return s.write(part)
	case s.chunk.only == n+1:
		s.env.Out.Write(part)
	}
	return nil
}

// maxOpen is how many pieces may be written to at once.
const maxOpen = 1000

// roundRobin deals the lines out.
func (s *splitter) roundRobin(in io.Reader) error {
	n := int64(0)
	if k := s.chunk.only; k > 0 {
		return s.line(in, func(part []byte, last bool) error {
			if n%s.chunk.of == k-1 {
				s.env.Out.Write(part)
			}
			if last {
				n++
			}
			return nil
		})
	}
	if s.chunk.of > maxOpen || s.filter != "" {
		s.env.Errorf("more than %d pieces at once, or a filter, are not possible here", maxOpen)
		return errSplit
	}
	outs := make([]io.WriteCloser, s.chunk.of)
	for i := range outs {
		if err := s.open(); err != nil {
			return err
		}
		outs[i], s.out = s.out, nil
	}
	err := s.line(in, func(part []byte, last bool) error {
		_, err := outs[n%s.chunk.of].Write(part)
		if last {
			n++
		}
		return err
	})
	for _, out := range outs {
		if closing := out.Close(); err == nil {
			err = closing
		}
	}
	return err
}
