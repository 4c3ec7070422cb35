package regex

// A node is a part of a parsed pattern.
type node struct {
	op       op
	c        symbol  // opChar
	set      *set    // opSet
	subs     []*node // opGroup and opRepeat have one; opConcat and opAlternate any number
	n        int     // opGroup: its number, opBackref: which group
	min, max int     // opRepeat; max is -1 for no limit
	assert   assert  // opAssert
	lazy     bool    // opRepeat: as few as possible first
	behind   bool    // opLook: at what precedes; min is its length in symbols
	negate   bool    // opLook: it must not match
}

type op byte

const (
	opEmpty op = iota
	opChar
	opSet
	opAssert
	opGroup
	opConcat
	opAlternate
	opRepeat
	opBackref
	opAtomic // (?>…): no way back into it
	opLook   // look-around
	opKeep   // \K: the match begins here
)

// An assert matches between two symbols.
type assert byte

const (
	lineStart     assert = iota // ^
	lineEnd                     // $
	textStart                   // \`
	textEnd                     // \'
	wordEdge                    // \b
	notWordEdge                 // \B
	wordStart                   // \<
	wordEnd                     // \>
	notAfterWord                // before what must be a whole word
	notBeforeWord               // behind it
)

// holds reports whether a is true between two symbols of the kinds before and after.
func (a assert) holds(before, after kind, multiline bool) bool {
	switch a {
	case lineStart:
		return before == kindNone || multiline && before == kindNewline
	case lineEnd:
		return after == kindNone || multiline && after == kindNewline
	case textStart:
		return before == kindNone
	case textEnd:
		return after == kindNone
	case wordEdge:
		return (before == kindWord) != (after == kindWord)
	case notWordEdge:
		return (before == kindWord) == (after == kindWord)
	case wordStart:
		return before != kindWord && after == kindWord
	case wordEnd:
		return before == kindWord && after != kindWord
	case notAfterWord:
		return before != kindWord
	default:
		return after != kindWord
	}
}

// A kind is all that assertions know of a symbol.
type kind byte

const (
	kindNone kind = iota // the edge of the text
	kindOther
	kindNewline
	kindWord
)

func kindOf(c symbol) kind {
	switch {
	case c == '\n':
		return kindNewline
	case isWord(c):
		return kindWord
	}
	return kindOther
}

// before and after are the kinds of what is around text[i].
func before(text []byte, i int) kind {
	if i == 0 {
		return kindNone
	}
	return kindOf(last(text[:i]))
}

func after(text []byte, i int) kind {
	if i == len(text) {
		return kindNone
	}
	c, _ := next(text[i:])
	return kindOf(c)
}
