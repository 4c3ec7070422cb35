package sys

import (
	"strconv"
	"strings"
)

// ParseMode reads an octal or symbolic mode, such as 755 or u+x,go-w, and returns what it makes of
// an old mode. It is false for text that is no mode. A symbolic mode without "ugoa" leaves alone
// what umask has.
func ParseMode(s string, umask uint32) (apply func(old uint32) uint32, ok bool) {
	if n, err := strconv.ParseUint(s, 8, 32); err == nil && n <= 0o7777 {
		return octal(uint32(n), len(s)), true
	}
	if _, op, _ := cutOp(s); op != 0 && isOctal(s[1:]) {
		n, _ := strconv.ParseUint(s[1:], 8, 32)
		c := clause{op: op, perm: uint32(n), who: 0o7777}
		return c.apply, n <= 0o7777
	}
	var clauses []clause
	for part := range strings.SplitSeq(s, ",") {
		cs, ok := parseClause(part, umask)
		if !ok {
			return nil, false
		}
		clauses = append(clauses, cs...)
	}
	return func(mode uint32) uint32 {
		for _, c := range clauses {
			mode = c.apply(mode)
		}
		return mode
	}, true
}

// octal sets all bits, but keeps set-user-ID and set-group-ID of directories unless five digits are
// given.
func octal(n uint32, digits int) func(uint32) uint32 {
	return func(old uint32) uint32 {
		keep := uint32(TypeMask)
		if old&TypeMask == Dir && digits < 5 {
			keep |= SetUID | SetGID
		}
		return old&keep | n
	}
}

func isOctal(s string) bool { return s != "" && strings.Trim(s, "01234567") == "" }

func cutOp(s string) (who string, op byte, rest string) {
	i := strings.IndexAny(s, "+-=")
	if i != 0 {
		return "", 0, ""
	}
	return "", s[0], s[1:]
}

// A clause is one operator of a symbolic mode.
type clause struct {
	who  uint32 // bits that may change
	op   byte
	perm uint32
	copy int    // 6, 3 or 0: take the bits of user, group or others, if has
	has  bool   // whether copy counts
	x    bool   // X: execution for directories and what is executable already
	not  uint32 // bits that stay: the umask, unless "ugoa" was given
}

func parseClause(s string, umask uint32) ([]clause, bool) {
	var who uint32
	i := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case 'u':
			who |= SetUID | 0o700
		case 'g':
			who |= SetGID | 0o070
		case 'o':
			who |= Sticky | 0o007
		case 'a':
			who |= 0o7777
		default:
			goto ops
		}
	}
ops:
	not := uint32(0)
	if who == 0 {
		who, not = 0o7777, umask
	}
	var out []clause
	for i < len(s) {
		if strings.IndexByte("+-=", s[i]) < 0 {
			return nil, false
		}
		c := clause{who: who, op: s[i], not: not}
		for i++; i < len(s) && strings.IndexByte("+-=", s[i]) < 0; i++ {
			switch s[i] {
			case 'r':
				c.perm |= 0o444
			case 'w':
				c.perm |= 0o222
			case 'x':
				c.perm |= 0o111
			case 'X':
				c.x = true
			case 's':
				c.perm |= SetUID | SetGID
			case 't':
				c.perm |= Sticky
			case 'u', 'g', 'o':
				c.copy, c.has = map[byte]int{'u': 6, 'g': 3}[s[i]], true
			default:
				return nil, false
			}
		}
		out = append(out, c)
	}
	return out, len(out) > 0
}

func (c clause) apply(mode uint32) uint32 {
	perm, who := c.perm, c.who
	if c.x && (mode&TypeMask == Dir || mode&0o111 != 0) {
		perm |= 0o111
	}
	if c.has {
		bits := mode >> c.copy & 7
		perm |= bits<<6 | bits<<3 | bits
	}
	change := perm & who &^ c.not
	switch c.op {
	case '+':
		return mode | change
	case '-':
		return mode &^ change
	}
	if mode&TypeMask == Dir {
		who &^= (SetUID | SetGID) &^ perm
	}
	return mode&^who | change
}
