package grep

import (
	"bufio"
	"fmt"
	"strconv"
)

func writeInt(out *bufio.Writer, n int64) {
	var p [20]byte
	out.Write(strconv.AppendInt(p[:0], n, 10))
}

// paint puts s in a colour, if colours are wanted.
func (g *run) paint(color, s string) string {
	if !g.color || s == "" {
		return s
	}
	return "\x1b[" + color + "m\x1b[K" + s + "\x1b[m\x1b[K"
}

// endName writes what follows a file's name: a separator or a NUL.
func (g *run) endName(sep byte) {
	if g.nulNames {
		g.env.Out.WriteByte(0)
		return
	}
	if sep == '\n' {
		g.env.Out.WriteByte('\n')
		return
	}
	g.env.Out.WriteString(g.paint("36", string(sep)))
}

// prefix writes what stands before a line: the file's name, the line's number and offset. sep is
// ':' for selected lines, '-' for context.
func (s *search) prefix(number, at int64, sep byte) {
	out := s.env.Out
	if !s.color && !s.tab {
		// The usual case has no need of strings.
		if s.names == namesAlways {
			out.WriteString(s.label)
			s.endName(sep)
		}
		if s.number {
			writeInt(out, number)
			out.WriteByte(sep)
		}
		if s.offset {
			writeInt(out, at)
			out.WriteByte(sep)
		}
		return
	}
	any := false
	if s.names == namesAlways {
		out.WriteString(s.paint("35", s.label))
		s.endName(sep)
		any = true
	}
	if s.number {
		any = true
		width := 0
		if s.tab {
			width = 2
		}
		out.WriteString(s.paint("32", fmt.Sprintf("%*d", width, number)) + s.paint("36", string(sep)))
	}
	if s.offset {
		any = true
		width := 0
		if s.tab {
			width = 2
		}
		out.WriteString(s.paint("32", fmt.Sprintf("%*d", width, at)) + s.paint("36", string(sep)))
	}
	if s.tab && any {
		out.WriteString("\t")
	}
}

// write writes a line, or the matches in it.
func (s *search) write(line []byte, number, at int64, sep byte) {
	out := s.env.Out
	if s.only {
		if sep == ':' && !s.invert {
			s.writeMatches(line, number, at)
		}
		return
	}
	s.prefix(number, at, sep)
	if s.color && (sep == ':') != s.invert {
		s.writePainted(line)
	} else {
		out.Write(line)
	}
	out.WriteByte(s.delim)
	if s.buffer {
		out.Flush()
	}
}

// writeMatches writes each match that is not empty on a line of its own.
func (s *search) writeMatches(line []byte, number, at int64) {
	s.eachMatch(line, func(lo, hi int) {
		s.prefix(number, at+int64(lo), ':')
		s.env.Out.WriteString(s.paint("01;31", string(line[lo:hi])))
		s.env.Out.WriteByte(s.delim)
	})
}

func (s *search) writePainted(line []byte) {
	pos := 0
	s.eachMatch(line, func(lo, hi int) {
		s.env.Out.Write(line[pos:lo])
		s.env.Out.WriteString(s.paint("01;31", string(line[lo:hi])))
		pos = hi
	})
	s.env.Out.Write(line[pos:])
}

func (s *search) eachMatch(line []byte, f func(lo, hi int)) {
	if s.re == nil {
		return
	}
	for pos := 0; pos <= len(line); {
		loc, err := s.re.FindEdges(line, pos)
		if loc == nil || err != nil {
			return
		}
		lo, hi := loc[0], loc[1]
		if lo < hi {
			f(lo, hi)
			pos = hi
			continue
		}
		pos = hi + 1
		for pos < len(line) && line[pos]&0xc0 == 0x80 {
			pos++
		}
	}
}
