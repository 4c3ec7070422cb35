package text

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A trSet is a list of bytes in order. Its case classes are remembered, because [:lower:] [:upper:]
// is a mapping and no list.
type trSet struct {
	bytes []byte
	fill  int  // where "[c*]" stands, which fills up to the other set's length; -1 if nowhere
	with  byte // what it fills with
	cases []caseClass
	class bool // whether there is a class other than upper and lower
}

// A caseClass is an [:upper:] or [:lower:] at its place in the bytes.
type caseClass struct {
	at    int
	upper bool
}

// parseTrSet reads a set as coreutils' tr does: ranges, escapes, [:class:], [=c=], and in the
// second set [c*n].
func parseTrSet(env *tool.Env, s string, second bool) (*trSet, error) {
	t := &trSet{fill: -1}
	p := trParser{env: env, s: s}
	for p.i < len(s) {
		if done, err := p.bracket(t, second); err != nil || done {
			if err != nil {
				return nil, err
			}
			continue
		}
		from := p.i
		lo := p.char()
		if p.i+1 < len(s) && s[p.i] == '-' {
			p.i++
			hi := p.char()
			if hi < lo {
				return nil, fmt.Errorf("range-endpoints of '%s' are in reverse collating sequence order", s[from:p.i])
			}
			for c := int(lo); c <= int(hi); c++ {
				t.bytes = append(t.bytes, byte(c))
			}
			continue
		}
		t.bytes = append(t.bytes, lo)
	}
	return t, nil
}

type trParser struct {
	env *tool.Env
	s   string
	i   int
}

// char reads a byte or an escape.
func (p *trParser) char() byte {
	c := p.s[p.i]
	p.i++
	if c != '\\' {
		return c
	}
	if p.i == len(p.s) {
		p.env.Errorf("warning: an unescaped backslash at end of string is not portable")
		return c
	}
	c = p.s[p.i]
	if '0' <= c && c <= '7' {
		n := 0
		for k := 0; k < 3 && p.i < len(p.s) && '0' <= p.s[p.i] && p.s[p.i] <= '7' && n*8+int(p.s[p.i]-'0') < 256; k++ {
			n = n*8 + int(p.s[p.i]-'0')
			p.i++
		}
		return byte(n)
	}
	p.i++
	if k := strings.IndexByte("abtnvfr", c); k >= 0 {
		return '\a' + byte(k)
	}
	return c
}

// bracket reads [:class:], [=c=] or [c*n], and reports whether there is one.
func (p *trParser) bracket(t *trSet, second bool) (bool, error) {
	rest := p.s[p.i:]
	if strings.HasPrefix(rest, "[:") || strings.HasPrefix(rest, "[=") {
		end := strings.Index(rest[2:], rest[1:2]+"]")
		if end < 0 || rest[1] == '=' && end == 0 {
			return false, nil
		}
		name := rest[2 : 2+end]
		if rest[1] == '=' {
			if len(name) > 1 {
				return false, fmt.Errorf("%s: equivalence class operand must be a single character", name)
			}
			t.bytes = append(t.bytes, name[0])
		} else if err := t.addClass(p.env, name); err != nil {
			return false, err
		}
		p.i += 2 + end + 2
		return true, nil
	}
	if len(rest) < 4 || rest[0] != '[' {
		return false, nil
	}
	q := trParser{env: p.env, s: p.s, i: p.i + 1}
	c := q.char()
	if q.i >= len(p.s) || p.s[q.i] != '*' {
		return false, nil
	}
	count, _, ok := strings.Cut(p.s[q.i+1:], "]")
	if !ok {
		return false, nil
	}
	p.i = q.i + 1 + len(count) + 1
	base := 10
	if strings.HasPrefix(count, "0") {
		base = 8
	}
	n, err := strconv.ParseUint("0"+count, base, 31)
	if err != nil {
		return false, fmt.Errorf("invalid repeat count %s in [c*n] construct", p.env.Quote(count))
	}
	if n == 0 && !second {
		return false, errors.New("the [c*] repeat construct may not appear in string1")
	}
	if n == 0 {
		if t.fill >= 0 {
			return false, errors.New("only one [c*] repeat construct may appear in string2")
		}
		t.fill, t.with = len(t.bytes), c
		return true, nil
	}
	for ; n > 0 && len(t.bytes) < 1<<16; n-- {
		t.bytes = append(t.bytes, c)
	}
	return true, nil
}

func (t *trSet) addClass(env *tool.Env, name string) error {
	in, ok := asciiClasses[name]
	if !ok {
		return fmt.Errorf("invalid character class %s", env.Quote(name))
	}
	if name == "upper" || name == "lower" {
		t.cases = append(t.cases, caseClass{len(t.bytes), name == "upper"})
	} else {
		t.class = true
	}
	for c := 0; c < 128; c++ {
		if in(byte(c)) {
			t.bytes = append(t.bytes, byte(c))
		}
	}
	return nil
}

var asciiClasses = map[string]func(c byte) bool{
	"alnum":  func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"alpha":  isAlpha,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < 32 || c == 127 },
	"digit":  isDigit,
	"graph":  func(c byte) bool { return c > 32 && c < 127 },
	"lower":  func(c byte) bool { return 'a' <= c && c <= 'z' },
	"print":  func(c byte) bool { return c >= 32 && c < 127 },
	"punct":  func(c byte) bool { return c > 32 && c < 127 && !isAlpha(c) && !isDigit(c) },
	"space":  func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' },
	"upper":  func(c byte) bool { return 'A' <= c && c <= 'Z' },
	"xdigit": func(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' },
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (t *trSet) has() (in [256]bool) {
	for _, c := range t.bytes {
		in[c] = true
	}
	return in
}

func (t *trSet) complement() {
	in := t.has()
	t.bytes = t.bytes[:0]
	for c := range in {
		if !in[c] {
			t.bytes = append(t.bytes, byte(c))
		}
	}
	t.class, t.cases = t.class || len(t.cases) > 0, nil
}

// table fills t.to from the two sets.
func (t *translation) table(from, to *trSet, complement, truncate bool) error {
	if to.class {
		return errors.New("when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'")
	}
	if to.fill >= 0 {
		more := max(0, len(from.bytes)-len(to.bytes))
		filled := append([]byte(nil), to.bytes[:to.fill]...)
		for ; more > 0; more-- {
			filled = append(filled, to.with)
		}
		to.bytes = append(filled, to.bytes[to.fill:]...)
	}
	for c := range t.to {
		t.to[c] = byte(c)
	}
	if len(to.bytes) == 0 && !truncate {
		return errors.New("when not truncating set1, string2 must be non-empty")
	}
	for _, c := range to.cases {
		if !from.hasCase(c.at) {
			return errors.New("misaligned [:upper:] and/or [:lower:] construct")
		}
	}
	if complement && (len(to.cases) > 0 || from.class && !same(to.bytes)) {
		return errors.New("when translating with complemented character classes,\nstring2 must map all characters in the domain to one")
	}
	for i, c := range from.bytes {
		switch {
		case i < len(to.bytes):
			t.to[c] = to.bytes[i]
		case !truncate:
			t.to[c] = to.bytes[len(to.bytes)-1]
		}
	}
	return nil
}

// same reports whether all bytes are one.
func same(p []byte) bool {
	return len(p) == 0 || bytes.Count(p, p[:1]) == len(p)
}

func (t *trSet) hasCase(at int) bool {
	for _, c := range t.cases {
		if c.at == at {
			return true
		}
	}
	return false
}
