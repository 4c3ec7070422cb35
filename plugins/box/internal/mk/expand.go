package mk

import (
	"strings"
)

// Limits of expansion, so that what would never end does.
const (
	maxDepth  = 400
	maxLength = 64 << 20 // bytes
	maxSteps  = 50_000_000
)

func (m *maker) limit(size int) {
	if m.steps++; m.steps > maxSteps {
		m.fail("expansion takes too long")
	}
	if size > maxLength {
		m.fail("expansion is too large")
	}
	if m.steps&0xfff == 0 && m.env.Stopped() {
		panic(&fatal{m.name + ": *** interrupted.  Stop."})
	}
}

// expand replaces the references in s.
func (m *maker) expand(s string) string {
	if strings.IndexByte(s, '$') < 0 {
		return s
	}
	if m.depth++; m.depth > maxDepth {
		m.fail("expansions are nested too deep")
	}
	defer func() { m.depth-- }()
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '$')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		m.limit(b.Len())
		if len(s) == 1 {
			b.WriteByte('$')
			return b.String()
		}
		switch s[1] {
		case '$':
			b.WriteByte('$')
			s = s[2:]
		case '(', '{':
			n := referenceLength(s)
			if n < 0 || s[n-1] != closing(s[1]) {
				m.fail("unterminated variable reference")
			}
			b.WriteString(m.reference(s[2:n-1], s[1]))
			s = s[n:]
		default:
			b.WriteString(m.value(s[1:2]))
			s = s[2:]
		}
	}
}

func closing(open byte) byte {
	if open == '(' {
		return ')'
	}
	return '}'
}

// referenceLength is how long the reference is that s begins with. Without an end it is all of s.
func referenceLength(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	if s[1] != '(' && s[1] != '{' {
		return 2
	}
	open, end, level := s[1], closing(s[1]), 0
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case open:
			level++
		case end:
			if level--; level == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// reference expands what is within $(…).
func (m *maker) reference(s string, open byte) string {
	if i := strings.IndexAny(s, " \t"); i > 0 {
		if f, ok := functions()[s[:i]]; ok {
			return m.callFunction(s[:i], f, strings.TrimLeft(s[i:], " \t"), open)
		}
	}
	name := s
	if colon := outside(s, ":"); colon >= 0 {
		name = m.expand(s[:colon])
		if from, to, ok := strings.Cut(s[colon+1:], "="); ok {
			from, to = m.expand(from), m.expand(to)
			if !strings.Contains(from, "%") {
				from, to = "%"+from, "%"+to
			}
			return m.patsubst(from, to, m.value(name))
		}
	}
	return m.value(m.expand(s))
}

// outside is where s has one of the characters outside of references, or -1.
func outside(s, chars string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '$' {
			i += referenceLength(s[i:]) - 1
			continue
		}
		if strings.IndexByte(chars, s[i]) >= 0 {
			return i
		}
	}
	return -1
}

// value expands a variable. One that is not set is empty.
func (m *maker) value(name string) string {
	if v := m.lookup(name); v != nil {
		return m.valueOf(name, v)
	}
	if n := len(name); n == 2 && strings.IndexByte("@<^+?*|%", name[0]) >= 0 { // $(@D), $(@F)
		switch name[1] {
		case 'D':
			return mapWords(m.value(name[:1]), func(w string) string { return strings.TrimSuffix(dirOf(w), "/") })
		case 'F':
			return mapWords(m.value(name[:1]), notDir)
		}
	}
	return ""
}

func (m *maker) valueOf(name string, v *variable) string {
	if !v.recursive {
		return v.value
	}
	where := m.where
	if v.where.file != "" {
		m.where = v.where
	}
	if v.expanding {
		m.fail("Recursive variable '%s' references itself (eventually)", name)
	}
	v.expanding = true
	defer func() { v.expanding, m.where = false, where }()
	if !strings.Contains(v.value, "$") {
		return v.value
	}
	if v.where.file != "" && strings.Contains(v.value, "$(") {
		m.where = where // functions are reported where they are used
	}
	return m.expand(v.value)
}
