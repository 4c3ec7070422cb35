package regex

import "errors"

// A patternError says what is wrong with a pattern.
type patternError string

func (e patternError) Error() string { return string(e) }

// The words are those of glibc's regcomp.c; the last ones are those of grep's dfa.c.
const (
	errParen     = patternError(`Unmatched ( or \(`)
	errRParen    = patternError(`Unmatched ) or \)`)
	errBracket   = patternError(`Unmatched [, [^, [:, [., or [=`)
	errOpen      = patternError(`Invalid regular expression`) // "[" is all there is of a list
	errClass     = patternError(`Invalid character class name`)
	errCollate   = patternError(`Invalid collation character`)
	errRange     = patternError(`Invalid range end`)
	errBrace     = patternError(`Unmatched \{`)
	errInterval  = patternError(`Invalid content of \{\}`)
	errRepeat    = patternError(`Invalid preceding regular expression`)
	errBackslash = patternError(`Trailing backslash`)
	errBackref   = patternError(`Invalid back reference`)
	errTooBig    = patternError(`Regular expression too big`)
	errDotClass  = patternError(`character class syntax is [[:space:]], not [:space:]`)
)

// ErrTooComplex is returned by a search with back-references that took too many steps.
var ErrTooComplex = errors.New("back-references take too many steps")
