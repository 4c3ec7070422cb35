package jsonrpc

// scalar reads a string, number or literal, whose first byte is c.
func (s *scanner) scalar(c byte) bool {
	switch c {
	case '"':
		return s.string()
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.number()
	}
	return s.fail("expected a value")
}

func (s *scanner) literal(want string) bool {
	for i := range len(want) {
		if s.peek() != want[i] {
			return s.fail("expected " + want)
		}
		s.i++
	}
	return true
}

// RFC 8259, section 6.
func (s *scanner) number() bool {
	if s.peek() == '-' {
		s.i++
	}
	if s.peek() == '0' {
		s.i++
	} else if !s.digits() {
		return false
	}
	if s.peek() == '.' {
		s.i++
		if !s.digits() {
			return false
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.i++
		if c := s.peek(); c == '+' || c == '-' {
			s.i++
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	start := s.i
	for s.i < len(s.p) && isDigit(s.p[s.i]) {
		s.i++
	}
	return s.i > start || s.fail("expected a digit")
}

// RFC 8259, section 7.
func (s *scanner) string() bool {
	s.i++
	for {
		s.i = special(s.p, s.i)
		switch s.peek() {
		case '"':
			s.i++
			return true
		case '\\':
			if !s.escape() {
				return false
			}
		default:
			return s.fail("control character in a string")
		}
	}
}

func (s *scanner) escape() bool {
	s.i++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i++
		return true
	case 'u':
		s.i++
	default:
		return s.fail("unknown escape")
	}
	for range 4 {
		if _, ok := hexDigit(s.peek()); !ok {
			return s.fail("expected a hexadecimal digit")
		}
		s.i++
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func hexDigit(c byte) (rune, bool) {
	switch {
	case isDigit(c):
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c - 'a' + 10), true
	case 'A' <= c && c <= 'F':
		return rune(c - 'A' + 10), true
	}
	return 0, false
}
