package awk

import (
	"strings"
	"unicode/utf8"
)

// sub is sub and gsub: it replaces matches in a variable and returns how many.
func (in *interp) sub(e *builtin) value {
	re := in.regexp(e.args[0])
	repl := in.str(e.args[1].eval(in))
	var s string
	var to place // the record, unless another one is given
	settable := true
	if len(e.args) == 3 {
		var target lvalue
		if target, settable = e.args[2].(lvalue); settable {
			to = target.locate(in)
		} else {
			s = in.str(e.args[2].eval(in))
		}
	}
	if settable {
		s = in.str(in.load(to))
	}
	b := in.scratch[:len(in.scratch):cap(in.scratch)]
	base := len(b)
	done, count, at, lastEnd := 0, 0, 0, -1
	var p []byte
	if lit := string(re.Literal()); lit != "" && strings.IndexByte(repl, '\\') < 0 && strings.IndexByte(repl, '&') < 0 {
		b, done, count = in.replace(b, s, lit, repl, e.name == "gsub")
		at = len(s) + 1
	} else {
		p = in.bytes(s)
	}
	for at <= len(p) {
		in.tick()
		loc, err := re.FindEdges(p, at)
		if err != nil {
			in.fail("%v", err)
		}
		if loc == nil {
			break
		}
		lo, hi := loc[0], loc[1]
		if lo == hi && lo == lastEnd {
			at = hi + runeLen(p, hi)
			continue
		}
		count++
		b = append(b, s[done:lo]...)
		b = expand(b, repl, s[lo:hi])
		if len(b)-base > maxText {
			in.fail("memory exhausted")
		}
		done, lastEnd = hi, hi
		if e.name == "sub" {
			break
		}
		at = hi
		if lo == hi {
			at += runeLen(p, hi)
		}
	}
	if count > 0 {
		in.scratch = append(b, s[done:]...)
		s = in.taken(base)
		if settable {
			in.store(to, str(s))
		}
	}
	return num(float64(count))
}

// replace appends s with the first lit, or all, replaced as far as the last of them, and returns
// where that one ends in s and how many there were.
func (in *interp) replace(b []byte, s, lit, repl string, all bool) (_ []byte, done, count int) {
	base := len(b)
	for {
		i := strings.Index(s[done:], lit)
		if i < 0 || !all && count > 0 {
			return b, done, count
		}
		in.tick()
		b = append(b, s[done:done+i]...)
		b = append(b, repl...)
		if len(b)-base > maxText {
			in.fail("memory exhausted")
		}
		done += i + len(lit)
		count++
	}
}

func runeLen(p []byte, i int) int {
	if i >= len(p) {
		return 1
	}
	_, n := utf8.DecodeRune(p[i:])
	return n
}

// expand appends a replacement: & is the match, \& an ampersand, \\ a backslash before one of them.
func expand(b []byte, repl, match string) []byte {
	for i := 0; i < len(repl); i++ {
		switch c := repl[i]; {
		case c == '&':
			b = append(b, match...)
		case c == '\\' && i+1 < len(repl) && (repl[i+1] == '&' || repl[i+1] == '\\'):
			i++
			b = append(b, repl[i])
		default:
			b = append(b, c)
		}
	}
	return b
}

// gensub returns the text with matches replaced: all of them, or the one with a number. \1 to \9
// are groups.
func (in *interp) gensub(e *builtin) value {
	re := in.regexp(e.args[0])
	repl := in.str(e.args[1].eval(in))
	how := e.args[2].eval(in)
	s := in.str(in.record.get(0))
	if len(e.args) == 4 {
		s = in.str(e.args[3].eval(in))
	}
	which := int(max(1, min(how.num(), 1<<40)))
	if h := in.str(how); h != "" && (h[0] == 'g' || h[0] == 'G') {
		which = 0
	}
	p := []byte(s)
	var b strings.Builder
	done, count, at, lastEnd := 0, 0, 0, -1
	for at <= len(p) {
		in.tick()
		loc, err := re.Find(p, at)
		if err != nil {
			in.fail("%v", err)
		}
		if loc == nil {
			break
		}
		lo, hi := loc[0], loc[1]
		at = hi
		if lo == hi {
			at += runeLen(p, hi)
			if lo == lastEnd {
				continue
			}
		}
		lastEnd = hi
		if count++; which != 0 && count != which {
			continue
		}
		b.WriteString(s[done:lo])
		expandGroups(&b, repl, s, loc)
		done = hi
		if count == which || b.Len() > maxText {
			break
		}
	}
	b.WriteString(s[done:])
	return str(b.String())
}

func expandGroups(b *strings.Builder, repl, s string, loc []int) {
	for i := 0; i < len(repl); i++ {
		c, group := repl[i], -1
		switch {
		case c == '&':
			group = 0
		case c == '\\' && i+1 < len(repl) && isDigit(repl[i+1]):
			i++
			group = int(repl[i] - '0')
		case c == '\\' && i+1 < len(repl):
			i++
			b.WriteByte(repl[i])
			continue
		default:
			b.WriteByte(c)
			continue
		}
		if 2*group+1 < len(loc) && loc[2*group] >= 0 {
			b.WriteString(s[loc[2*group]:loc[2*group+1]])
		}
	}
}
