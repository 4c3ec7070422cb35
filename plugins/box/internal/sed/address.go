package sed

// addresses parses none, one or two addresses.
func (p *parser) addresses(cmd *command) error {
	a1, err := p.address()
	if err != nil || a1 == nil {
		return err
	}
	if a1.kind == addrPlus || a1.kind == addrMult {
		return p.errorf("invalid usage of +N or ~N as first address")
	}
	cmd.a1 = a1
	c := p.nonBlank()
	if c == ',' {
		a2, err := p.address()
		if err != nil {
			return err
		}
		if a2 == nil {
			return p.errorAt(p.pos+1, "unexpected `,'")
		}
		cmd.a2 = a2
	} else {
		p.back(c)
	}
	if a1.kind == addrLine && a1.n == 0 {
		if cmd.a2 == nil || cmd.a2.kind != addrRegex {
			return p.errorAt(p.pos+1, "invalid usage of line address 0")
		}
		a1.kind = addrBefore
		cmd.active = true
	}
	return nil
}

// address parses one address; nil if there is none.
func (p *parser) address() (*address, error) {
	c := p.nonBlank()
	switch {
	case c == '/' || c == '\\':
		if c == '\\' {
			c = p.next()
		}
		if c == eof || c == '\n' {
			return nil, p.errorf("unterminated address regex")
		}
		pattern, ok := p.delimited(c, true)
		if !ok {
			return nil, p.errorf("unterminated address regex")
		}
		icase, multiline := false, false
		for {
			c = p.nonBlank()
			if c == 'I' {
				icase = true
			} else if c == 'M' {
				multiline = true
			} else {
				break
			}
		}
		p.back(c)
		re, err := p.compile(pattern, icase, multiline)
		return &address{kind: addrRegex, re: re}, err
	case c >= '0' && c <= '9':
		a := &address{n: p.digits(c)}
		if c = p.nonBlank(); c == '~' {
			c = p.nonBlank()
			if c >= '0' && c <= '9' {
				a.m = p.digits(c)
			} else {
				p.back(c)
			}
			if a.m > 0 {
				a.kind = addrStep
			}
			return a, nil
		}
		p.back(c)
		return a, nil
	case c == '+' || c == '~':
		a := &address{kind: addrPlus}
		if c == '~' {
			a.kind = addrMult
		}
		if c = p.nonBlank(); c >= '0' && c <= '9' {
			a.n = p.digits(c)
		} else {
			p.back(c)
		}
		return a, nil
	case c == '$':
		return &address{kind: addrLast}, nil
	}
	p.back(c)
	return nil, nil
}

// matches reports whether a alone selects the current line.
func (x *execution) matches(a *address) (bool, error) {
	switch a.kind {
	case addrLine:
		return x.line == a.n, nil
	case addrStep:
		return x.line >= a.n && (x.line-a.n)%a.m == 0, nil
	case addrLast:
		return x.in.last(), nil
	case addrRegex:
		re, err := x.regexp(a.re)
		if err != nil {
			return false, err
		}
		return re.Match(x.space)
	}
	return false, nil
}

// selects reports whether a command's addresses select the current line.
func (x *execution) selects(cmd *command) (bool, error) {
	if cmd.a1 == nil {
		return true, nil
	}
	if cmd.a2 == nil {
		return x.matches(cmd.a1)
	}
	if cmd.active {
		return x.inRange(cmd)
	}
	// A range that began at a line number does not begin again.
	ok, err := x.matches(cmd.a1)
	if !ok || err != nil {
		return false, err
	}
	switch a2 := cmd.a2; a2.kind {
	case addrLine:
		cmd.end = a2.n
		cmd.active = x.line < a2.n
	case addrPlus:
		cmd.end = x.line + a2.n
		cmd.active = a2.n > 0
	case addrMult:
		cmd.end = x.line
		if a2.n > 0 && x.line%a2.n > 0 {
			cmd.end += a2.n - x.line%a2.n
		}
		cmd.active = cmd.end > x.line
	default:
		cmd.active = true
		cmd.end = -1
	}
	return true, nil
}

// inRange is selects where the range has begun.
func (x *execution) inRange(cmd *command) (bool, error) {
	switch a2 := cmd.a2; a2.kind {
	case addrLine, addrPlus, addrMult:
		if x.line >= cmd.end {
			cmd.active = false
		}
		if x.line > cmd.end {
			// The range ended while nobody looked; only its first address can begin it again.
			return x.matches(cmd.a1)
		}
		return true, nil
	default:
		ends, err := x.matches(a2)
		if ends {
			cmd.active = false
		}
		return true, err
	}
}
