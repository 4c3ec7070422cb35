package regex

import "bytes"

// Options say how a pattern is read. The zero value is sed's basic syntax.
type Options struct {
	Extended   bool // ERE, not BRE
	IgnoreCase bool
	Multiline  bool // ^ and $ match at newlines too
	// Lenient reads what other programs refuse as ordinary text, as grep does: an unmatched ")", a
	// "{" that begins no interval, a repetition of nothing.
	Lenient bool

	Literal bool // the pattern is plain text
	// the pattern is Perl's, and of several matches the first counts, not the longest
	Perl      bool
	WholeLine bool // a match must be a line
	WholeWord bool // a match must not touch a word's character
}

// A Regexp is a compiled pattern. It caches what it learns of the text, so it is not safe for
// concurrent use.
type Regexp struct {
	Warnings []string // what the pattern probably did not mean, in grep's words

	prog    *program
	groups  int
	backs   bool
	literal []byte     // the whole pattern if it is plain text, else nil
	need    []byte     // text that every match contains
	prefix  []byte     // text that every match begins with
	single  *[256]bool // all that the pattern matches if that is single bytes, else nil
	dfa     *dfa
	edges   *dfa // anchored
	bits    bitstate
	pike    pike
	back    backtracker
	loc     []int
	names   map[string]int // of groups, in Perl's patterns
}

// Compile parses a pattern. Errors are glibc's, without a prefix.
func Compile(pattern string, o Options) (*Regexp, error) {
	return CompileAll([]string{pattern}, o)
}

// CompileAll returns a Regexp that matches what any of the patterns matches. Groups count from the
// first on; a back-reference reaches only groups of its own pattern.
func CompileAll(patterns []string, o Options) (*Regexp, error) {
	re := &Regexp{}
	var roots []*node
	for _, pattern := range patterns {
		p := &parser{Options: o, src: []byte(pattern), groups: re.groups, closed: make([]bool, 1, 10)}
		root, err := p.whole()
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
		re.groups = p.groups
		re.names = p.groupNames
		re.backs = re.backs || p.backs
		re.Warnings = append(re.Warnings, p.warn...)
	}
	root := roots[0]
	if len(roots) > 1 {
		root = &node{op: opAlternate, subs: roots}
	}
	prog, err := compile(root, re.groups, re.backs, o)
	if err != nil {
		return nil, err
	}
	re.prog = prog
	re.need, re.prefix, re.literal = literals(root)
	re.single = oneByte(root)
	return re, nil
}

// whole parses the whole pattern. Groups of earlier patterns shift the numbers of this one's.
func (p *parser) whole() (*node, error) {
	base := p.groups
	p.groups = 0
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	if p.WholeWord {
		root = between(notAfterWord, root, notBeforeWord)
	}
	if p.WholeLine {
		root = between(lineStart, root, lineEnd)
	}
	p.groups += base
	root.shift(base)
	return root, nil
}

// parse parses the pattern in the syntax that is asked for.
func (p *parser) parse() (*node, error) {
	switch {
	case p.Literal:
		return p.text(), nil
	case p.Perl:
		pp := &perlParser{parser: *p}
		root, err := pp.parse()
		p.groups, p.backs, p.groupNames = pp.groups, pp.backs, pp.names
		return root, err
	}
	root, err := p.alternatives()
	if err == nil && p.more() {
		err = errRParen
	}
	return root, err
}

// text takes the whole pattern as it is.
func (p *parser) text() *node {
	n := &node{op: opConcat}
	for p.more() {
		c, size := next(p.src[p.pos:])
		p.pos += size
		n.subs = append(n.subs, p.char(c))
	}
	return n
}

func between(before assert, n *node, after assert) *node {
	return &node{op: opConcat, subs: []*node{{op: opAssert, assert: before}, n, {op: opAssert, assert: after}}}
}

func (n *node) shift(by int) {
	if by == 0 {
		return
	}
	if n.op == opGroup || n.op == opBackref {
		n.n += by
	}
	for _, s := range n.subs {
		s.shift(by)
	}
}

// Groups returns the number of groups.
func (re *Regexp) Groups() int { return re.groups }

// GroupNames returns the name of each group, "" where it has none; the first one is that of the
// whole match. Of several patterns it knows those of the last.
func (re *Regexp) GroupNames() []string {
	names := make([]string, re.groups+1)
	for name, n := range re.names {
		names[n] = name
	}
	return names
}

// Literal returns the text that is all the pattern matches, or nil.
func (re *Regexp) Literal() []byte { return re.literal }

// Single returns the bytes that the pattern matches, if it matches each of these alone and nothing
// else, or nil.
func (re *Regexp) Single() *[256]bool { return re.single }

// Need returns text that every match contains. It may be empty.
func (re *Regexp) Need() []byte { return re.need }

// Match reports whether text contains a match.
func (re *Regexp) Match(text []byte) (bool, error) {
	switch {
	case re.literal != nil:
		return bytes.Contains(text, re.literal), nil
	case len(re.prefix) > 0 && !re.prog.asserts && !re.backs:
		i := bytes.Index(text, re.prefix)
		if i < 0 {
			return false, nil
		}
		text = text[i:]
	case len(re.need) > 0 && !bytes.Contains(text, re.need):
		return false, nil
	case re.backs:
		loc, err := re.Find(text, 0)
		return loc != nil, err
	}
	if re.dfa == nil {
		re.dfa = newDFA(re.prog)
	}
	return re.dfa.match(text), nil
}

// FirstLine returns where the first line of p begins that contains a match, or len(p). Lines end
// with delim, but for the last one. It looks at all lines in one go; with back-references it does
// not look.
func (re *Regexp) FirstLine(p []byte, delim byte) int {
	if re.backs {
		return 0
	}
	if re.dfa == nil {
		re.dfa = newDFA(re.prog)
	}
	return re.dfa.firstLine(p, delim)
}

// Find returns the edges of the leftmost-longest match that begins at or after from, and of its
// groups: group n is text[loc[2n]:loc[2n+1]], or not matched if loc[2n] is -1. It returns nil if
// there is no match. What is before from is looked at by assertions. loc is valid until the next
// call.
func (re *Regexp) Find(text []byte, from int) (loc []int, err error) {
	if re.literal != nil {
		i := bytes.Index(text[from:], re.literal)
		if i < 0 {
			return nil, nil
		}
		re.loc = append(re.loc[:0], from+i, from+i+len(re.literal))
		return re.loc, nil
	}
	if len(re.need) > 0 && !bytes.Contains(text[from:], re.need) {
		return nil, nil
	}
	if re.backs || re.prog.first {
		return re.slow(text, from)
	}
	loc, err = re.FindEdges(text, from)
	if loc == nil || err != nil || re.groups == 0 {
		return loc, err
	}
	return re.slow(text, loc[0])
}

// slow finds a match with its groups, one symbol after the other.
func (re *Regexp) slow(text []byte, from int) (loc []int, err error) {
	i := bytes.Index(text[from:], re.prefix)
	if i < 0 {
		return nil, nil
	}
	from += i
	switch {
	case re.backs:
		loc, err = re.backtrack(text, from)
	case re.bits.fits(re.prog, len(text)-from):
		loc = re.bits.find(re.prog, text, from)
	default:
		loc = re.pike.find(re.prog, text, from)
	}
	if loc == nil || err != nil {
		return nil, err
	}
	return loc[:2*(re.groups+1)], nil
}
