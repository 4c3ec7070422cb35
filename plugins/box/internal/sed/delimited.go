package sed

import "strings"

// delimited reads up to delim. In a pattern, escapes that stand for a byte are replaced, a
// delimiter in brackets is a character like others, and so is one behind a backslash. It returns
// false if delim is missing.
func (p *parser) delimited(delim int, pattern bool) ([]byte, bool) {
	var b []byte
	inList := false // between brackets
	listStart := 0
	for {
		c := p.next()
		switch {
		case c == eof:
			return nil, false
		case c == '\n' && pattern:
			p.back(c)
			return nil, false
		case c == delim && !inList:
			return b, true
		case c == '\\':
			c = p.next()
			if c == eof {
				return nil, false
			}
			if c == delim && (pattern || c != '&') {
				b = append(b, byte(c))
				continue
			}
			if pattern {
				if b2, ok := p.patternEscape(c, inList); ok {
					b = append(b, b2...)
					continue
				}
			}
			b = append(b, '\\', byte(c))
			continue
		case pattern && c == '[' && !inList:
			inList, listStart = true, len(b)+1
			b = append(b, '[')
			if c = p.next(); c == '^' {
				b = append(b, '^')
				listStart++
				c = p.next()
			}
			p.back(c)
			continue
		case pattern && inList && c == '[':
			b = append(b, '[')
			if d := p.next(); d == ':' || d == '.' || d == '=' {
				b = append(b, byte(d))
				p.class(&b, byte(d))
			} else {
				p.back(d)
			}
			continue
		case pattern && inList && c == ']' && len(b) > listStart:
			inList = false
		}
		b = append(b, byte(c))
	}
}

// class copies the rest of "[:name:]".
func (p *parser) class(b *[]byte, d byte) {
	for c := p.next(); c != eof && c != '\n'; c = p.next() {
		*b = append(*b, byte(c))
		if n := len(*b); c == ']' && (*b)[n-2] == d {
			return
		}
	}
	p.back('\n')
}

// patternEscape returns what an escape stands for in a pattern, given the character behind its
// backslash. A special character that was written as a number is no longer special.
func (p *parser) patternEscape(c int, inList bool) ([]byte, bool) {
	if c == 'n' {
		return []byte{'\n'}, true
	}
	if strings.IndexByte("afrtvcdox", byte(c)) < 0 {
		return nil, false
	}
	e, ok := p.escape(c)
	if !ok {
		return nil, false
	}
	if !inList && strings.IndexByte(`$*.[\]^`, e) >= 0 {
		return []byte{'\\', e}, true
	}
	return []byte{e}, true
}

// substitute parses s/PATTERN/REPLACEMENT/FLAGS.
func (p *parser) substitute(cmd *command) error {
	delim := p.next()
	if delim == eof || delim == '\n' || delim == '\\' {
		return p.errorf("unterminated `s' command")
	}
	pattern, ok := p.delimited(delim, true)
	if !ok {
		return p.errorf("unterminated `s' command")
	}
	replacement, ok := p.delimited(delim, false)
	if !ok {
		return p.errorf("unterminated `s' command")
	}
	s := &substitution{nth: 1}
	cmd.sub = s
	icase, multiline, err := p.flags(s)
	if err != nil {
		return err
	}
	if s.re, err = p.compile(pattern, icase, multiline); err != nil {
		return err
	}
	highest := p.replacement(s, replacement)
	if s.re != nil && highest > s.re.Groups() {
		return p.errorf("invalid reference \\%d on `s' command's RHS", highest)
	}
	return nil
}

// flags parses what follows s/x/y/, with the end of the command.
func (p *parser) flags(s *substitution) (icase, multiline bool, err error) {
	number := false
	for {
		c := p.next()
		switch {
		case c == 'i' || c == 'I':
			icase = true
		case c == 'm' || c == 'M':
			multiline = true
		case c == 'e':
			if p.sandbox {
				return false, false, p.errorf("e/r/w commands disabled in sandbox mode")
			}
			s.eval = true
		case c == 'p':
			if s.print > 0 {
				return false, false, p.errorf("multiple `p' options to `s' command")
			}
			s.print++
		case c == 'g':
			if s.global {
				return false, false, p.errorf("multiple `g' options to `s' command")
			}
			s.global = true
		case c == 'w':
			s.file, err = p.fileName()
			p.program.outputs = append(p.program.outputs, s.file)
			return icase, multiline, err
		case c >= '0' && c <= '9':
			if number {
				return false, false, p.errorf("multiple number options to `s' command")
			}
			number = true
			s.nth = p.digits(c)
			if s.nth == 0 {
				return false, false, p.errorf("number option to `s' command may not be zero")
			}
		case c == '}' || c == '#':
			p.back(c)
			return icase, multiline, nil
		case c == '\n' || c == ';' || c == eof:
			return icase, multiline, nil
		case c == ' ' || c == '\t' || c == '\r':
		default:
			return false, false, p.errorf("unknown option to `s'")
		}
	}
}

// replacement splits the right-hand side into parts and returns the highest group in it.
func (p *parser) replacement(s *substitution, text []byte) (highest int) {
	sub := parser{source: &source{pieces: []piece{{text: text}}}}
	cur := part{group: -1}
	flush := func(group int, next fold) {
		cur.group = group
		if len(cur.text) > 0 || group >= 0 || cur.fold != foldNone {
			s.parts = append(s.parts, cur)
		}
		cur = part{group: -1, fold: next}
	}
	for c := sub.next(); c != eof; c = sub.next() {
		if c == '&' {
			flush(0, foldNone)
			continue
		}
		if c != '\\' {
			cur.text = append(cur.text, byte(c))
			continue
		}
		c = sub.next()
		if c == eof {
			cur.text = append(cur.text, '\\')
			break
		}
		if c >= '0' && c <= '9' {
			highest = max(highest, c-'0')
			flush(c-'0', foldNone)
			continue
		}
		if i := strings.IndexByte("ULEul", byte(c)); i >= 0 {
			flush(-1, foldUpper+fold(i))
			continue
		}
		if e, ok := sub.escape(c); ok {
			cur.text = append(cur.text, e)
			continue
		}
		cur.text = append(cur.text, byte(c))
	}
	flush(-1, foldNone)
	return highest
}

// transliterate parses y/FROM/TO/.
func (p *parser) transliterate(cmd *command) error {
	delim := p.next()
	if delim == eof || delim == '\n' || delim == '\\' {
		return p.errorf("unterminated `y' command")
	}
	from, ok := p.delimited(delim, false)
	if !ok {
		return p.errorf("unterminated `y' command")
	}
	to, ok := p.delimited(delim, false)
	if !ok {
		return p.errorf("unterminated `y' command")
	}
	a, b := characters(from), characters(to)
	if len(a) != len(b) {
		return p.errorf("strings for `y' command are different lengths")
	}
	cmd.table = map[rune]rune{}
	for i, c := range a {
		if _, seen := cmd.table[c]; !seen {
			cmd.table[c] = b[i]
		}
	}
	return p.endCommand()
}

// characters splits a string of y into its characters.
func characters(text []byte) []rune {
	sub := parser{source: &source{pieces: []piece{{text: text}}}}
	var out []byte
	for c := sub.next(); c != eof; c = sub.next() {
		if c == '\\' {
			if c = sub.next(); c == eof {
				out = append(out, '\\')
				break
			}
			if e, ok := sub.escape(c); ok {
				out = append(out, e)
				continue
			}
			if c != '\\' && c != '\n' {
				out = append(out, '\\')
			}
		}
		out = append(out, byte(c))
	}
	return []rune(string(out))
}
