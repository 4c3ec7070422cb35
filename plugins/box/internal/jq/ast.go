package jq

// A query is a term, or two queries with an operator or a binding between them. Definitions come
// before it.
type query struct {
	funcDefs []*funcDef
	term     *term
	left     *query
	right    *query
	op       string
	patterns []*pattern // "left as patterns | right"
}

type funcDef struct {
	name   string
	params []string // "f" or "$x"
	body   *query
}

// A term is one of its fields, with suffixes behind.
type term struct {
	kind     termKind
	index    *indexTerm
	call     *call
	object   []*objectField
	query    *query // of [] and (); nil in an empty array
	number   string
	operand  *term  // of a sign
	format   string // "@name"
	str      *stringTerm
	cond     *conditional
	body     *term // of try
	catch    *term
	fold     *fold
	name     string // of a label, "$name"
	suffixes []suffix
}

type termKind int

const (
	termIdentity termKind = iota
	termRecurse
	termNull
	termTrue
	termFalse
	termIndex
	termCall
	termObject
	termArray
	termNumber
	termMinus
	termFormat
	termString
	termIf
	termTry
	termReduce
	termForeach
	termLabel
	termBreak
	termQuery
)

type suffix struct {
	index    *indexTerm
	iterate  bool
	optional bool
}

// An indexTerm is .name, ."string", [start] or [start:end].
type indexTerm struct {
	name       string
	str        *stringTerm
	start, end *query
	slice      bool
}

type call struct {
	name string
	args []*query
}

// A stringTerm is plain text, or parts of which some are computed.
type stringTerm struct {
	text  string
	parts []stringPart // nil for plain text
}

type stringPart struct {
	text  string
	query *query // nil for text
}

// An objectField is name: val or $name, "string": val, (query): val. The value may be missing.
type objectField struct {
	name  string
	str   *stringTerm
	query *query
	val   *query
}

type conditional struct {
	cond, then *query
	otherwise  *query // nil if there is none
}

// A fold is reduce or foreach.
type fold struct {
	source   *term
	patterns []*pattern
	start    *query
	update   *query
	extract  *query // of foreach, nil if there is none
}

type pattern struct {
	name   string
	array  []*pattern
	object []*patternField
}

type patternField struct {
	name  string
	str   *stringTerm
	query *query
	val   *pattern // nil for $name alone
}
