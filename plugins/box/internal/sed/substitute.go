package sed

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// substitute applies s and reports whether anything was replaced.
func (x *execution) substitute(s *substitution) (bool, error) {
	re, err := x.regexp(s.re)
	if err != nil {
		return false, err
	}
	find := re.FindEdges
	if s.groups() {
		find = re.Find
	}
	out := x.scratch[:0]
	text := x.space
	done := 0     // bytes of text that are in out
	lastEnd := -1 // where the last match ended
	count, from := 0, 0
	replaced := false
	for from <= len(text) {
		loc, err := find(text, from)
		if err != nil {
			return false, err
		}
		if loc == nil {
			break
		}
		lo, hi := loc[0], loc[1]
		if lo == hi && lo == lastEnd {
			// An empty match right behind another match is none.
			from = step(text, hi)
			continue
		}
		lastEnd = hi
		if count++; count >= s.nth {
			out = append(out, text[done:lo]...)
			out = s.expand(out, text, loc)
			done = hi
			replaced = true
			if !s.global {
				break
			}
		}
		from = hi
		if lo == hi {
			from = step(text, hi)
		}
		if len(out) > maxSpace {
			return false, errSpace
		}
	}
	if !replaced {
		return false, nil
	}
	out = append(out, text[done:]...)
	x.space, x.scratch = out, x.space
	return true, nil
}

// groups reports whether the replacement has any.
func (s *substitution) groups() bool {
	return slices.ContainsFunc(s.parts, func(p part) bool { return p.group > 0 })
}

// step returns the place of the next character, or behind the end.
func step(text []byte, i int) int {
	if i >= len(text) {
		return i + 1
	}
	_, n := utf8.DecodeRune(text[i:])
	return i + n
}

// expand appends the replacement for the match at loc.
func (s *substitution) expand(out, text []byte, loc []int) []byte {
	long, once := foldEnd, foldNone // \U or \L until \E; \u or \l for one character
	for _, p := range s.parts {
		switch p.fold {
		case foldUpper, foldLower, foldEnd:
			long, once = p.fold, foldNone
		case foldUp1, foldDown1:
			once = p.fold
		}
		out, once = appendFolded(out, p.text, long, once)
		if p.group >= 0 && 2*p.group < len(loc) && loc[2*p.group] >= 0 {
			out, once = appendFolded(out, text[loc[2*p.group]:loc[2*p.group+1]], long, once)
		}
	}
	return out
}

// appendFolded appends p in the case that was asked for.
func appendFolded(out, p []byte, long, once fold) ([]byte, fold) {
	if len(p) == 0 {
		return out, once
	}
	if once != foldNone {
		r, n := utf8.DecodeRune(p)
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, p[0])
		case once == foldUp1:
			out = utf8.AppendRune(out, unicode.ToUpper(r))
		default:
			out = utf8.AppendRune(out, unicode.ToLower(r))
		}
		p = p[n:]
	}
	switch long {
	case foldUpper:
		p = bytes.ToUpper(p)
	case foldLower:
		p = bytes.ToLower(p)
	}
	return append(out, p...), foldNone
}

// transliterate applies y.
func (x *execution) transliterate(table map[rune]rune) {
	out := x.scratch[:0]
	for p := x.space; len(p) > 0; {
		r, n := utf8.DecodeRune(p)
		if to, ok := table[r]; ok && !(r == utf8.RuneError && n == 1) {
			out = utf8.AppendRune(out, to)
		} else {
			out = append(out, p[:n]...)
		}
		p = p[n:]
	}
	x.space, x.scratch = out, x.space
}
