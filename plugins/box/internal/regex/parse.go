package regex

import (
	"strings"
	"unicode"
)

const (
	maxRepeat = 32767 // RE_DUP_MAX of glibc
	maxDepth  = 500   // nested groups
)

// A parser turns a pattern into nodes. It reads left to right and never goes back.
type parser struct {
	Options
	src    []byte
	pos    int
	groups int
	closed []bool // by group number: whether a back-reference to it is allowed
	depth  int
	warn   []string
	backs  bool // whether there are back-references

	groupNames map[string]int // in Perl's patterns
}

func (p *parser) more() bool { return p.pos < len(p.src) }

// at reports whether the rest begins with s.
func (p *parser) at(s string) bool { return strings.HasPrefix(string(p.src[p.pos:]), s) }

// operator reports whether the rest begins with the operator c: c itself in extended syntax, \c in
// basic. It returns the operator's length.
func (p *parser) operator(c byte) int {
	rest := p.src[p.pos:]
	if p.Extended {
		if len(rest) > 0 && rest[0] == c {
			return 1
		}
		return 0
	}
	if len(rest) > 1 && rest[0] == '\\' && rest[1] == c {
		return 2
	}
	return 0
}

// alternatives parses until the end or a closing parenthesis.
func (p *parser) alternatives() (*node, error) {
	var alts []*node
	for {
		n, err := p.branch()
		if err != nil {
			return nil, err
		}
		alts = append(alts, n)
		k := p.operator('|')
		if k == 0 {
			break
		}
		p.pos += k
	}
	if len(alts) == 1 {
		return alts[0], nil
	}
	return &node{op: opAlternate, subs: alts}, nil
}

// branch parses a run of pieces.
func (p *parser) branch() (*node, error) {
	var subs []*node
	begin := true // of the branch
	start := true // nothing yet that could be repeated
	for p.more() && p.operator('|') == 0 {
		if k := p.operator(')'); k > 0 {
			if p.depth > 0 {
				break
			}
			if !p.Lenient || !p.Extended {
				return nil, errRParen
			}
		}
		n, isStart, err := p.piece(begin, start)
		if err != nil {
			return nil, err
		}
		subs = append(subs, n)
		begin, start = false, isStart
	}
	switch len(subs) {
	case 0:
		return &node{op: opEmpty}, nil
	case 1:
		return subs[0], nil
	}
	return &node{op: opConcat, subs: subs}, nil
}

// piece parses one atom and the repetitions behind it. begin says that it begins its branch, start
// that nothing repeatable precedes it; the result says the latter of what follows.
func (p *parser) piece(begin, start bool) (*node, bool, error) {
	if start && p.repeats() {
		if !p.Extended {
			n, err := p.repetitions(p.ordinary())
			return n, false, err
		}
		n, err := p.leading()
		if err != nil || n != nil {
			return n, true, err
		}
	}
	n, err := p.atom(begin)
	if err != nil {
		return nil, false, err
	}
	if n.op == opAssert && !p.Extended && n.assert == lineStart {
		return n, true, nil
	}
	if n.op == opAssert && p.Extended && n.assert == lineStart && !p.repeats() {
		return n, true, nil
	}
	n, err = p.repetitions(n)
	return n, false, err
}

// repeats reports whether a repetition comes next.
func (p *parser) repeats() bool {
	return p.at("*") || p.operator('+') > 0 || p.operator('?') > 0 || p.operator('{') > 0
}

// ordinary takes an operator of basic syntax as the character it is, where there is nothing to
// repeat.
func (p *parser) ordinary() *node {
	if p.src[p.pos] == '\\' {
		p.pos++
	}
	p.pos++
	return p.char(symbol(p.src[p.pos-1]))
}

// leading parses a repetition of nothing, which matches nothing. It returns nil at a brace that is
// no interval.
func (p *parser) leading() (*node, error) {
	if !p.Lenient {
		return nil, errRepeat
	}
	what := string(p.src[p.pos])
	from := p.pos
	n, err := p.repetitions(&node{op: opEmpty})
	if err != nil || p.pos == from {
		return nil, err
	}
	if what == "{" {
		what = "{...}"
	}
	p.warn = append(p.warn, what+" at start of expression")
	return n, nil
}

// repetitions wraps n in the repetitions that follow it.
func (p *parser) repetitions(n *node) (*node, error) {
	for p.more() {
		lo, hi := 0, -1
		switch {
		case p.src[p.pos] == '*':
			p.pos++
		case p.operator('+') > 0:
			p.pos += p.operator('+')
			lo = 1
		case p.operator('?') > 0:
			p.pos += p.operator('?')
			hi = 1
		case p.operator('{') > 0:
			from := p.pos
			var err error
			lo, hi, err = p.interval()
			if err != nil {
				return nil, err
			}
			if p.pos == from {
				return n, nil
			}
		default:
			return n, nil
		}
		if n.op == opRepeat && n.max == -1 && hi == -1 && n.min <= 1 && lo <= 1 {
			n.min = min(n.min, lo) // a** is a*
			continue
		}
		n = &node{op: opRepeat, subs: []*node{n}, min: lo, max: hi}
	}
	return n, nil
}

// interval parses {m}, {m,}, {,n} or {m,n}. It consumes nothing of a lenient brace that is none of
// them.
func (p *parser) interval() (lo, hi int, err error) {
	i := p.pos + p.operator('{')
	number := func() int {
		if i >= len(p.src) || !isDigit(p.src[i]) {
			return -1
		}
		n := 0
		for ; i < len(p.src) && isDigit(p.src[i]); i++ {
			n = min(n*10+int(p.src[i]-'0'), maxRepeat+1)
		}
		return n
	}
	lo = number()
	hi = lo
	if i < len(p.src) && p.src[i] == ',' {
		i++
		hi = number()
		lo = max(lo, 0)
	}
	closing := `\}`
	if p.Extended {
		closing = "}"
	}
	ended := strings.HasPrefix(string(p.src[i:]), closing)
	switch {
	case p.Lenient && p.Extended && (lo < 0 || i == len(p.src)):
		return 0, 0, nil
	case i == len(p.src):
		return 0, 0, errBrace
	case !ended, lo < 0, hi >= 0 && lo > hi:
		return 0, 0, errInterval
	case lo > maxRepeat, hi > maxRepeat:
		return 0, 0, errTooBig
	}
	p.pos = i + len(closing)
	return lo, hi, nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// atom parses one thing that can be repeated. begin says that it begins its branch.
func (p *parser) atom(begin bool) (*node, error) {
	if k := p.operator('('); k > 0 {
		p.pos += k
		return p.group()
	}
	switch c := p.src[p.pos]; c {
	case '[':
		p.pos++
		return p.bracket()
	case '.':
		p.pos++
		return p.dot(), nil
	case '\\':
		return p.backslash()
	case '^':
		if p.Extended || begin {
			p.pos++
			return &node{op: opAssert, assert: lineStart}, nil
		}
	case '$':
		p.pos++
		if p.Extended || !p.more() || p.operator(')') > 0 || p.operator('|') > 0 {
			return &node{op: opAssert, assert: lineEnd}, nil
		}
		p.pos--
	}
	c, n := next(p.src[p.pos:])
	p.pos += n
	return p.char(c), nil
}

// dot is any character. grep and sed never see a newline that "." should not match.
func (p *parser) dot() *node {
	s := &set{}
	s.negate()
	return &node{op: opSet, set: s}
}

// char is c, in both cases if case does not count.
func (p *parser) char(c symbol) *node {
	if !p.IgnoreCase || c >= badByte || unicode.SimpleFold(c) == c {
		return &node{op: opChar, c: c}
	}
	s := &set{}
	s.add(c, c)
	s.fold()
	return &node{op: opSet, set: s}
}

func (p *parser) group() (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errTooBig
	}
	p.groups++
	n := p.groups
	p.closed = append(p.closed, false)
	sub, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	k := p.operator(')')
	if k == 0 {
		return nil, errParen
	}
	p.pos += k
	p.depth--
	p.closed[n] = true
	return &node{op: opGroup, n: n, subs: []*node{sub}}, nil
}

// backslash parses an escape that is not an operator.
func (p *parser) backslash() (*node, error) {
	p.pos++
	if !p.more() {
		return nil, errBackslash
	}
	c := p.src[p.pos]
	if '1' <= c && c <= '9' {
		n := int(c - '0')
		if n >= len(p.closed) || !p.closed[n] {
			return nil, errBackref
		}
		p.pos++
		p.backs = true
		return &node{op: opBackref, n: n}, nil
	}
	if i := strings.IndexByte("`'bB<>", c); i >= 0 {
		p.pos++
		return &node{op: opAssert, assert: textStart + assert(i)}, nil
	}
	if i := strings.IndexByte("wWsS", c); i >= 0 {
		p.pos++
		s, _ := class("space")
		if i < 2 {
			s = wordSet()
		}
		if i%2 == 1 {
			s.negate()
		}
		return &node{op: opSet, set: s}, nil
	}
	r, n := next(p.src[p.pos:])
	p.pos += n
	return p.char(r), nil
}
