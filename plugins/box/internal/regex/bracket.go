package regex

import (
	"bytes"
	"strings"
)

// bracket parses a list behind its "[". POSIX.1-2017 9.3.5.
func (p *parser) bracket() (*node, error) {
	open := p.pos
	negated := p.at("^")
	if negated {
		p.pos++
	}
	if !p.more() {
		return nil, errOpen
	}
	s := &set{}
	for first := true; ; first = false {
		if !p.more() {
			return nil, errBracket
		}
		if p.src[p.pos] == ']' && !first {
			p.pos++
			break
		}
		if err := p.listItem(s); err != nil {
			return nil, err
		}
	}
	inner := p.src[open : p.pos-1]
	if n := len(inner); p.Lenient && n > 1 && inner[0] == ':' && inner[n-1] == ':' {
		return nil, errDotClass
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

// listItem parses a character, a range, or [:class:], and adds it to s.
func (p *parser) listItem(s *set) error {
	if p.at("[:") {
		name, err := p.delimited(':')
		if err != nil {
			return err
		}
		if p.IgnoreCase && (name == "upper" || name == "lower") {
			name = "alpha"
		}
		c, ok := class(name)
		if !ok {
			return errClass
		}
		s.addSet(c)
		return nil
	}
	lo, err := p.listChar()
	if err != nil {
		return err
	}
	hi := lo
	if p.at("-") && !p.at("-]") && p.pos+1 < len(p.src) {
		p.pos++
		if p.at("[:") {
			return errRange
		}
		if hi, err = p.listChar(); err != nil {
			return err
		}
		if hi < lo {
			return errRange
		}
	}
	s.add(lo, hi)
	return nil
}

// listChar parses one end of a range: a character, [.c.] or [=c=].
func (p *parser) listChar() (symbol, error) {
	for _, d := range "=." {
		if !p.at("[" + string(d)) {
			continue
		}
		name, err := p.delimited(byte(d))
		if err != nil {
			return 0, err
		}
		c, n := symbol(0), 0
		if name != "" {
			c, n = next([]byte(name))
		}
		if n == 0 || n != len(name) {
			return 0, errCollate
		}
		return c, nil
	}
	c, n := next(p.src[p.pos:])
	p.pos += n
	return c, nil
}

// delimited parses "[dNAMEd]" and returns NAME.
func (p *parser) delimited(d byte) (string, error) {
	rest := p.src[p.pos+2:]
	end := bytes.Index(rest, []byte{d, ']'})
	if end < 0 {
		return "", errBracket
	}
	p.pos += 2 + end + 2
	return strings.Clone(string(rest[:end])), nil
}
