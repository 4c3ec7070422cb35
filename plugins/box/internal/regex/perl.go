package regex

import (
	"strconv"
	"strings"
)

// Patterns of Perl, as far as "grep -P" needs them: lazy and possessive repetitions, look-around,
// atomic and named groups, \K, \Q…\E, classes such as \d and \p{L}, and inline flags. There is no
// recursion and there are no conditions.

// Errors in PCRE2's words.
const (
	errPerlParen   = patternError("missing closing parenthesis")
	errPerlRParen  = patternError("unmatched closing parenthesis")
	errPerlClass   = patternError("missing terminating ] for character class")
	errPerlOrder   = patternError("numbers out of order in {} quantifier")
	errPerlBig     = patternError("number too big in {} quantifier")
	errPerlRepeat  = patternError("quantifier does not follow a repeatable item")
	errPerlEnd     = patternError(`\ at end of pattern`)
	errPerlFlag    = patternError("unrecognized character after (? or (?-")
	errPerlName    = patternError("syntax error in subpattern name (missing terminator?)")
	errPerlRange   = patternError("range out of order in character class")
	errPerlBehind  = patternError("lookbehind assertion is not fixed length")
	errPerlBackref = patternError("reference to non-existent subpattern")
	errPerlEscape  = patternError(`unrecognized character follows \`)
	errPerlPosix   = patternError("unknown POSIX class name")
	errPerlProp    = patternError(`unknown property name after \P or \p`)
)

// perlParser parses what lies behind p.pos. Its flags hold until the end of the group.
type perlParser struct {
	parser
	names                   map[string]int
	dotAll, extended, multi bool
	refs                    []int // groups that are referred to
	quoting                 bool  // between \Q and \E
}

func (p *perlParser) parse() (*node, error) {
	p.names = map[string]int{}
	root, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if p.more() {
		return nil, errPerlRParen
	}
	for _, n := range p.refs {
		if n > p.groups {
			return nil, errPerlBackref
		}
	}
	return root, nil
}

func (p *perlParser) alternatives() (*node, error) {
	icase, dotAll, extended, multi := p.IgnoreCase, p.dotAll, p.extended, p.multi
	defer func() { p.IgnoreCase, p.dotAll, p.extended, p.multi = icase, dotAll, extended, multi }()
	alt := &node{op: opAlternate}
	for {
		cat := &node{op: opConcat}
		for p.more() && (p.quoting || !p.at("|") && !p.at(")")) {
			n, err := p.item()
			if err != nil {
				return nil, err
			}
			if n != nil {
				cat.subs = append(cat.subs, n)
			}
		}
		alt.subs = append(alt.subs, cat)
		if !p.at("|") {
			break
		}
		p.pos++
	}
	if len(alt.subs) == 1 {
		return alt.subs[0], nil
	}
	return alt, nil
}

// take moves past s if it comes next.
func (p *perlParser) take(s string) bool {
	if !p.at(s) {
		return false
	}
	p.pos += len(s)
	return true
}

// item parses an atom and its repetitions; nil if there is nothing to match.
func (p *perlParser) item() (*node, error) {
	if p.extended {
		if c := p.src[p.pos]; c == ' ' || '\t' <= c && c <= '\r' {
			p.pos++
			return nil, nil
		}
		if p.take("#") {
			for p.more() && !p.take("\n") {
				p.pos++
			}
			return nil, nil
		}
	}
	if p.take(`\Q`) {
		p.quoting = true
		return nil, nil
	}
	atom := p.atom
	if p.quoting {
		atom = p.quoted
	}
	n, err := atom()
	if err != nil || n == nil || p.quoting {
		return n, err
	}
	for p.more() {
		lo, hi, ok, err := p.quantifier()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if n.op == opRepeat || n.op == opAtomic && n.n == 1 {
			return nil, errPerlRepeat
		}
		n = &node{op: opRepeat, subs: []*node{n}, min: lo, max: hi}
		switch {
		case p.take("?"):
			n.lazy = true
		case p.take("+"):
			p.backs = true
			n = &node{op: opAtomic, subs: []*node{n}, n: 1}
		}
	}
	return n, nil
}

// quoted takes the next character as it is. \E ends that; what stands behind it may repeat the last
// one.
func (p *perlParser) quoted() (n *node, err error) {
	if !p.at(`\E`) {
		c, size := next(p.src[p.pos:])
		p.pos += size
		n = p.char(c)
	}
	p.quoting = !p.take(`\E`)
	return n, nil
}

func (p *perlParser) quantifier() (lo, hi int, ok bool, err error) {
	switch {
	case p.take("*"):
		return 0, -1, true, nil
	case p.take("+"):
		return 1, -1, true, nil
	case p.take("?"):
		return 0, 1, true, nil
	case !p.at("{"):
		return 0, 0, false, nil
	}
	body, _, closed := strings.Cut(string(p.src[p.pos+1:]), "}")
	a, b, comma := strings.Cut(body, ",")
	lo, e1 := strconv.Atoi(a)
	hi, e2 := strconv.Atoi(b)
	switch {
	case !closed || !digits(a) || comma && b != "" && !digits(b):
		return 0, 0, false, nil // an ordinary brace
	case !comma:
		hi, e2 = lo, nil
	case b == "":
		hi, e2 = -1, nil
	}
	p.pos += len(body) + 2
	switch {
	case e1 != nil || e2 != nil || lo > 65535 || hi > 65535:
		return 0, 0, false, errPerlBig
	case hi >= 0 && lo > hi:
		return 0, 0, false, errPerlOrder
	}
	return lo, hi, true, nil
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (p *perlParser) atom() (*node, error) {
	switch c := p.src[p.pos]; c {
	case '*', '+', '?':
		return nil, errPerlRepeat
	case '(':
		p.pos++
		return p.group()
	case '[':
		p.pos++
		return p.list()
	case '.':
		p.pos++
		s := &set{}
		if !p.dotAll {
			s.add('\n', '\n')
		}
		s.negate()
		return &node{op: opSet, set: s}, nil
	case '^':
		p.pos++
		if p.multi {
			return &node{op: opAssert, assert: lineStart}, nil
		}
		return &node{op: opAssert, assert: textStart}, nil
	case '$':
		p.pos++
		if p.multi {
			return &node{op: opAssert, assert: lineEnd}, nil
		}
		return &node{op: opAssert, assert: textEnd}, nil
	case '\\':
		p.pos++
		return p.escape()
	}
	c, n := next(p.src[p.pos:])
	p.pos += n
	return p.char(c), nil
}

// group parses what follows "(".
func (p *perlParser) group() (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errTooBig
	}
	defer func() { p.depth-- }()
	n := &node{op: opConcat} // only grouped
	switch {
	case !p.take("?"):
		p.groups++
		n = &node{op: opGroup, n: p.groups}
	case p.take("#"):
		for p.more() && !p.take(")") {
			p.pos++
		}
		return nil, nil
	case p.take(":"):
	case p.take(">"):
		n = &node{op: opAtomic}
	case p.take("="), p.take("!"):
		n = &node{op: opLook, negate: p.src[p.pos-1] == '!'}
	case p.take("<="), p.take("<!"):
		n = &node{op: opLook, behind: true, negate: p.src[p.pos-1] == '!'}
	case p.take("P<"), p.take("<"), p.take("'"):
		end := byte('>')
		if p.src[p.pos-1] == '\'' {
			end = '\''
		}
		name, ok := p.until(end)
		if !ok {
			return nil, errPerlName
		}
		p.groups++
		p.names[name] = p.groups
		n = &node{op: opGroup, n: p.groups}
	case p.take("P="):
		name, ok := p.until(')')
		if !ok {
			return nil, errPerlName
		}
		return p.named(name)
	default:
		return p.flags()
	}
	p.backs = p.backs || n.op == opAtomic || n.op == opLook
	sub, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, errPerlParen
	}
	n.subs = []*node{sub}
	if n.behind {
		return p.behind(n)
	}
	return n, nil
}

// until returns the text up to end, which is a name.
func (p *perlParser) until(end byte) (string, bool) {
	i := strings.IndexByte(string(p.src[p.pos:]), end)
	if i <= 0 {
		return "", false
	}
	name := string(p.src[p.pos : p.pos+i])
	p.pos += i + 1
	return name, strings.IndexFunc(name, func(c rune) bool { return !isWord(c) && c != '-' }) < 0
}

// named is a reference to a group by name or number.
func (p *perlParser) named(name string) (*node, error) {
	n, ok := p.names[name]
	if !ok {
		k, err := strconv.Atoi(name)
		if err != nil || k == 0 {
			return nil, errPerlBackref
		}
		if k < 0 {
			k += p.groups + 1
		}
		if k < 1 {
			return nil, errPerlBackref
		}
		n = k
	}
	p.backs = true
	p.refs = append(p.refs, n)
	return &node{op: opBackref, n: n}, nil
}

// flags parses (?i), (?i-s) and (?i:…).
func (p *perlParser) flags() (*node, error) {
	on := true
	icase, dotAll, extended, multi := p.IgnoreCase, p.dotAll, p.extended, p.multi
	for p.more() {
		c := p.src[p.pos]
		p.pos++
		switch c {
		case '-':
			on = false
		case 'i':
			p.IgnoreCase = on
		case 's':
			p.dotAll = on
		case 'x':
			p.extended = on
		case 'm':
			p.multi = on
		case 'U', 'J', 'n':
		case ')':
			return nil, nil
		case ':':
			sub, err := p.alternatives()
			p.IgnoreCase, p.dotAll, p.extended, p.multi = icase, dotAll, extended, multi
			if err != nil {
				return nil, err
			}
			if !p.take(")") {
				return nil, errPerlParen
			}
			return sub, nil
		default:
			return nil, errPerlFlag
		}
	}
	return nil, errPerlParen
}

// behind gives each alternative of a lookbehind its length in symbols.
func (p *perlParser) behind(n *node) (*node, error) {
	alts := []*node{n.subs[0]}
	if alts[0].op == opAlternate {
		alts = alts[0].subs
	}
	var looks []*node
	for _, a := range alts {
		w, ok := a.width()
		if !ok {
			return nil, errPerlBehind
		}
		looks = append(looks, &node{op: opLook, behind: true, negate: n.negate, min: w, subs: []*node{a}})
	}
	if len(looks) == 1 {
		return looks[0], nil
	}
	if n.negate {
		return &node{op: opConcat, subs: looks}, nil
	}
	return &node{op: opAlternate, subs: looks}, nil
}

// width is the number of symbols that n matches, if that is always the same.
func (n *node) width() (int, bool) {
	switch n.op {
	case opChar, opSet:
		return 1, true
	case opEmpty, opAssert, opLook, opKeep:
		return 0, true
	case opGroup, opAtomic:
		return n.subs[0].width()
	case opRepeat:
		w, ok := n.subs[0].width()
		return w * n.min, ok && n.min == n.max && w*n.min <= 255
	case opConcat:
		sum := 0
		for _, s := range n.subs {
			w, ok := s.width()
			if !ok {
				return 0, false
			}
			sum += w
		}
		return sum, true
	case opAlternate:
		first, ok := n.subs[0].width()
		for _, s := range n.subs[1:] {
			w, o := s.width()
			ok = ok && o && w == first
		}
		return first, ok
	}
	return 0, false
}
