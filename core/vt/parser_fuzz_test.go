package vt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// FuzzParser cuts valid UTF-8 anywhere between characters, and other bytes
// anywhere.
func FuzzParser(f *testing.F) {
	for _, s := range streams {
		f.Add([]byte(s.unit), uint16(7), uint16(20))
	}
	for _, s := range []string{
		"\x1b[1;2\r:3?mx", "\x1b]0;a\u009Db\u009C", "\x1bP1$qm\x18\x1b_é\x1b\\x",
		"\u009B1\u0085", "\xC2", "\xC2\x9B1m\x9B\xFF", "\x1b[38:2::1:2:3 !\"q", "\x1b(\x1b#8",
	} {
		f.Add([]byte(s), uint16(2), uint16(4))
	}
	f.Fuzz(func(t *testing.T, in []byte, a, b uint16) {
		i := cut(in, int(a))
		j := i + cut(in[i:], int(b))
		whole := parse(string(in))
		parts := parse(string(in[:i]), string(in[i:j]), string(in[j:]))
		if !utf8.Valid(in) {
			return
		}
		if !slices.Equal(whole, parts) {
			t.Errorf("%q cut at %d and %d: got %q, want %q", in, i, j, parts, whole)
		}
		single := parse(strings.Split(string(in), "")...)
		if !slices.Equal(whole, single) {
			t.Errorf("%q in single characters: got %q, want %q", in, single, whole)
		}

		var p vt.Parser
		var h check
		p.Parse(&h, in)
		if h.bad != "" {
			t.Errorf("%q: %s", in, h.bad)
		}
		if h.handed > len(in) {
			t.Errorf("%q: handed on %d, more than %d bytes", in, h.handed, len(in))
		}
	})
}

// cut returns a place between two characters of p, near n, if p is UTF-8.
func cut(p []byte, n int) int {
	n = min(n, len(p))
	if !utf8.Valid(p) {
		return n
	}
	for n < len(p) && !utf8.RuneStart(p[n]) {
		n++
	}
	return n
}

// check is a Handler that finds what a Parser must never hand on. handed counts
// calls and the bytes in them: the work of a real Handler.
type check struct {
	handed int
	bad    string
}

func (c *check) Print(p []byte) {
	c.handed += len(p)
	control := func(r rune) bool { return r < 0x20 || r >= 0x7F && r < 0xA0 }
	if len(p) == 0 || !utf8.Valid(p) || strings.ContainsFunc(string(p), control) {
		c.bad = fmt.Sprintf("Print(%q)", p)
	}
}

func (c *check) Execute(b byte) {
	c.handed++
	if b >= 0x20 && b < 0x80 || b > 0x9F || b == 0x1B {
		c.bad = fmt.Sprintf("Execute(%#x)", b)
	}
}

func (c *check) ESC(op vt.Op) {
	c.handed++
	c.op("ESC", op, 0x30)
}

func (c *check) CSI(op vt.Op, params *vt.Params) {
	c.handed++
	c.op("CSI", op, 0x40)
	if params.Len() < 1 || params.Len() > vt.MaxParams || params.Sub(0) {
		c.bad = fmt.Sprintf("CSI with parameters %q", paramString(params))
	}
	for i := range params.Len() {
		if v := params.Value(i); v > vt.MaxParam || v < 0 && !params.Sub(i) {
			c.bad = fmt.Sprintf("CSI with parameter %d", v)
		}
	}
}

func (c *check) op(what string, op vt.Op, lowest byte) {
	s := op.String()
	if final := s[len(s)-1]; final < lowest || final > 0x7E {
		c.bad = fmt.Sprintf("%s with Op %q", what, s)
	}
}

func (c *check) OSC(p []byte) {
	c.handed += 1 + len(p)
	if len(p) > vt.MaxPayload || !utf8.Valid(p) {
		c.bad = fmt.Sprintf("OSC(%q)", p)
	}
}

func (c *check) DCS(op vt.Op, params *vt.Params, p []byte) {
	c.CSI(op, params)
	c.OSC(p)
}
