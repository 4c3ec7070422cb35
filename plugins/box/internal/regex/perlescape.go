package regex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape parses what follows a backslash outside of a list.
func (p *perlParser) escape() (*node, error) {
	if !p.more() {
		return nil, errPerlEnd
	}
	c := p.src[p.pos]
	if s, err := p.classEscape(); s != nil || err != nil {
		return &node{op: opSet, set: s}, err
	}
	if i := strings.IndexByte("AzZbBG", c); i >= 0 {
		p.pos++
		return &node{op: opAssert, assert: []assert{textStart, textEnd, textEnd, wordEdge, notWordEdge, textStart}[i]}, nil
	}
	switch {
	case c == 'K':
		p.pos++
		p.backs = true
		return &node{op: opKeep}, nil
	case c == 'E':
		p.pos++
		return nil, nil
	case c == 'R':
		p.pos++
		s := &set{}
		s.add('\n', '\r')
		return &node{op: opSet, set: s}, nil
	case c == 'k' || c == 'g':
		p.pos++
		for _, pair := range []string{"<>", "{}", "''"} {
			if p.take(pair[:1]) {
				name, ok := p.until(pair[1])
				if !ok {
					return nil, errPerlName
				}
				return p.named(name)
			}
		}
		i := p.pos
		for p.more() && (isDigit(p.src[p.pos]) || p.pos == i && p.src[p.pos] == '-') {
			p.pos++
		}
		return p.named(string(p.src[i:p.pos]))
	case '1' <= c && c <= '9':
		i := p.pos
		for p.more() && isDigit(p.src[p.pos]) {
			p.pos++
		}
		return p.named(string(p.src[i:p.pos]))
	}
	r, err := p.charEscape()
	return p.char(r), err
}

// classEscape parses \d, \p{L} and the like; nil if there is none.
func (p *perlParser) classEscape() (*set, error) {
	c := p.src[p.pos]
	s := &set{}
	switch c | 0x20 {
	case 'd':
		s.add('0', '9')
	case 'w':
		s = wordSet()
	case 's':
		s, _ = class("space")
	case 'h':
		s, _ = class("blank")
	case 'v':
		s.add('\n', '\r')
	case 'n':
		if c == 'n' {
			return nil, nil
		}
		s.add('\n', '\n') // \N is all but that
	case 'p':
		p.pos++
		name := ""
		if p.take("{") {
			i := strings.IndexByte(string(p.src[p.pos:]), '}')
			if i < 0 {
				return nil, errPerlProp
			}
			name = string(p.src[p.pos : p.pos+i])
			p.pos += i + 1
		} else if p.more() {
			name = string(p.src[p.pos])
			p.pos++
		}
		name, not := strings.CutPrefix(name, "^")
		t := unicode.Categories[name]
		if t == nil {
			t = unicode.Scripts[name]
		}
		if t == nil {
			return nil, errPerlProp
		}
		s.addTable(t)
		s.normalize()
		if not != (c == 'P') {
			s.negate()
		}
		return s, nil
	default:
		return nil, nil
	}
	p.pos++
	if c < 'a' {
		s.negate()
	}
	s.normalize()
	return s, nil
}

// charEscape parses an escape that stands for one character.
func (p *perlParser) charEscape() (symbol, error) {
	c := p.src[p.pos]
	if i := strings.IndexByte("aefnrt", c); i >= 0 {
		p.pos++
		return symbol("\a\x1b\f\n\r\t"[i]), nil
	}
	number := func(s string, base, most int) (symbol, int) {
		n, used := 0, 0
		for used < len(s) && used < most {
			d := strings.IndexByte("0123456789abcdef", s[used]|0x20)
			if s[used] < '0' || s[used] > '9' && s[used]|0x20 < 'a' || d < 0 || d >= base {
				break
			}
			n = min(n*base+d, utf8.MaxRune)
			used++
		}
		return symbol(n), used
	}
	switch {
	case c == 'x':
		p.pos++
		if p.take("{") {
			r, n := number(string(p.src[p.pos:]), 16, 8)
			p.pos += n
			if !p.take("}") {
				return 0, errPerlEscape
			}
			return r, nil
		}
		r, n := number(string(p.src[p.pos:]), 16, 2)
		p.pos += n
		return r, nil
	case '0' <= c && c <= '7':
		r, n := number(string(p.src[p.pos:]), 8, 3)
		p.pos += n
		return r, nil
	case c == 'c' && p.pos+1 < len(p.src):
		p.pos += 2
		return symbol(p.src[p.pos-1]&^0x20 ^ 0x40), nil
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return 0, errPerlEscape
	}
	r, n := next(p.src[p.pos:])
	p.pos += n
	return r, nil
}

// list parses what follows "[".
func (p *perlParser) list() (*node, error) {
	s := &set{}
	negated := p.take("^")
	for first := true; ; first = false {
		if !p.more() {
			return nil, errPerlClass
		}
		if !first && p.take("]") {
			break
		}
		if p.at("[:") {
			if end := strings.Index(string(p.src[p.pos:]), ":]"); end > 0 {
				name, not := strings.CutPrefix(string(p.src[p.pos+2:p.pos+end]), "^")
				c, ok := class(name)
				if !ok && name != "word" {
					return nil, errPerlPosix
				}
				if name == "word" {
					c = wordSet()
				}
				if not {
					c.negate()
				}
				s.addSet(c)
				p.pos += end + 2
				continue
			}
		}
		lo, c, err := p.listItem()
		if err != nil {
			return nil, err
		}
		if c != nil {
			s.addSet(c)
			continue
		}
		hi := lo
		if p.at("-") && !p.at("-]") && p.pos+1 < len(p.src) {
			save := p.pos
			p.pos++
			if hi, c, err = p.listItem(); err != nil {
				return nil, err
			}
			if c != nil {
				p.pos, hi = save+1, lo // [a-\d] is a, - and \d
				s.add('-', '-')
			} else if hi < lo {
				return nil, errPerlRange
			}
		}
		s.add(lo, hi)
	}
	if p.IgnoreCase {
		s.fold()
	}
	s.normalize()
	if negated {
		s.negate()
	}
	return &node{op: opSet, set: s}, nil
}

// listItem parses one character of a list, or a class.
func (p *perlParser) listItem() (symbol, *set, error) {
	if p.take(`\`) {
		if !p.more() {
			return 0, nil, errPerlEnd
		}
		if p.take("b") {
			return '\b', nil, nil
		}
		if s, err := p.classEscape(); s != nil || err != nil {
			return 0, s, err
		}
		c, err := p.charEscape()
		return c, nil, err
	}
	c, n := next(p.src[p.pos:])
	p.pos += n
	return c, nil, nil
}
