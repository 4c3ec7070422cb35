package proxy

import "bytes"

// maxLine is how long a line may be that is looked at, in bytes without its end. It is what the
// TypeScript SDK takes.
const maxLine = 32 << 20

// spare is how large a buffer may be that outlives its line, in bytes.
const spare = 4 << 20

// A splitter cuts a stream into lines, and leaves out no byte of it. The zero value is ready to
// use.
type splitter struct {
	buf  []byte // the beginning of a line whose end has not come
	long bool   // what comes belongs to a line that is too long
}

// A piece is a line with its end, or a part of a line that is too long.
type piece struct {
	bytes []byte // lent
	long  bool   // it is a part; the last one is ended
	ended bool   // false for the last line of a stream that has no end, too
}

// split calls take with the pieces that p completes.
func (s *splitter) split(p []byte, take func(piece)) {
	for len(p) > 0 {
		rest := p
		end := bytes.IndexByte(p, '\n') + 1
		ended := end > 0
		if ended {
			rest, p = p[:end], p[end:]
		} else {
			p = nil
		}
		s.add(rest, ended, take)
	}
}

func (s *splitter) add(p []byte, ended bool, take func(piece)) {
	switch {
	case s.long:
		s.long = !ended
		take(piece{p, true, ended})
	case len(s.buf)+len(p) > maxLine+1:
		if len(s.buf) > 0 {
			take(piece{s.buf, true, false})
		}
		s.buf, s.long = nil, !ended
		take(piece{p, true, ended})
	case !ended:
		s.buf = append(s.buf, p...)
	case len(s.buf) == 0:
		take(piece{p, false, true})
	default:
		s.buf = append(s.buf, p...)
		take(piece{s.buf, false, true})
		s.buf = s.buf[:0]
		if cap(s.buf) > spare {
			s.buf = nil
		}
	}
}

// flush calls take with what is left at the end of the stream.
func (s *splitter) flush(take func(piece)) {
	if len(s.buf) > 0 {
		take(piece{s.buf, false, false})
	}
	s.buf, s.long = nil, false
}
