package sed

import (
	"fmt"
)

// A source is a script in pieces: each -e, -f and the script operand. A piece ends a line.
type source struct {
	pieces []piece
	piece  int // the current one
	pos    int
	line   int
}

type piece struct {
	file string // its name, "" for -e
	expr int    // number among the -e
	text []byte
}

// eof is what next returns behind the last piece.
const eof = -1

// next returns the next byte. Between pieces there is a newline.
func (s *source) next() int {
	if s.piece >= len(s.pieces) {
		return eof
	}
	p := s.pieces[s.piece].text
	if s.pos < len(p) {
		c := p[s.pos]
		s.pos++
		if c == '\n' {
			s.line++
		}
		return int(c)
	}
	if s.piece+1 == len(s.pieces) {
		s.pos = len(p) + 1
		return eof
	}
	s.piece++
	s.pos, s.line = 0, 1
	return '\n'
}

// back takes the last byte back. It can't go behind the beginning of a piece.
func (s *source) back(c int) {
	if c == eof {
		return
	}
	if s.pos == 0 && s.piece > 0 {
		s.piece--
		s.pos = len(s.pieces[s.piece].text)
		return
	}
	s.pos--
	if c == '\n' {
		s.line--
	}
}

// nonBlank returns the next byte that is no blank.
func (s *source) nonBlank() int {
	c := s.next()
	for c == ' ' || c == '\t' {
		c = s.next()
	}
	return c
}

// nonSpace returns the next byte that is no white space.
func (s *source) nonSpace() int {
	c := s.next()
	for c == ' ' || '\t' <= c && c <= '\r' {
		c = s.next()
	}
	return c
}

// errorf says where in the script the error is.
func (s *source) errorf(format string, a ...any) error {
	return s.errorAt(s.pos, format, a...)
}

func (s *source) errorAt(pos int, format string, a ...any) error {
	p := s.pieces[min(s.piece, len(s.pieces)-1)]
	msg := fmt.Sprintf(format, a...)
	if p.file != "" {
		return fmt.Errorf("file %s line %d: %s", p.file, s.line, msg)
	}
	return fmt.Errorf("-e expression #%d, char %d: %s", p.expr, min(pos, len(p.text)), msg)
}
