package egress

import (
	"strconv"
	"strings"
)

// RFC 1035, 2.3.4: a name takes at most 255 bytes there, which is this many in text.
const (
	maxName  = 253
	maxLabel = 63
)

// A fault is why a text is no name. The zero value is none.
type fault struct {
	reason Reason
	why    string // begins with "it"
}

func malformed(why string) fault { return fault{ReasonMalformed, why} }

// clean returns a host's name in lower case and without the dot at its end.
func clean(text string) (name string, wrong fault) {
	name = strings.TrimSuffix(text, ".")
	switch {
	case name == "":
		return "", malformed("it has no host")
	case len(name) > maxName:
		return "", malformed("it has a name of more than " + strconv.Itoa(maxName) + " bytes")
	}
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if wrong = checkLabel(label); wrong != (fault{}) {
			return "", wrong
		}
		last = label
	}
	if isNumber(last) {
		return "", fault{ReasonAmbiguous, "it may be read as an address: write four numbers from 0 to 255, without leading zeros"}
	}
	return strings.ToLower(name), fault{}
}

func checkLabel(label string) fault {
	for i := range len(label) {
		switch c := label[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		case c >= 0x80:
			return malformed(`it is not ASCII: write the name as DNS has it, which begins with "xn--"`)
		case c == '%':
			return malformed("it has a '%', and escapes are not read")
		case c == '*':
			return malformed("it has a '*' where none may be: one stands for the whole first label, as in *.example.org")
		default:
			return malformed("it has the character " + strconv.QuoteRuneToASCII(rune(c)) + ", which names don't")
		}
	}
	switch {
	case label == "":
		return malformed("it has a dot too many")
	case len(label) > maxLabel:
		return malformed("it has more than " + strconv.Itoa(maxLabel) + " bytes between two dots")
	case label[0] == '-' || label[len(label)-1] == '-':
		return malformed("it has a hyphen at the beginning or end of " + strconv.Quote(label))
	}
	return fault{}
}

// isNumber reports whether label is one that inet_aton(3) reads: a name that ends in one is an
// address to it, and to whoever goes by https://url.spec.whatwg.org/#ends-in-a-number-checker.
func isNumber(label string) bool {
	if len(label) >= 2 && label[0] == '0' && label[1]|0x20 == 'x' {
		return strings.Trim(label[2:], "0123456789abcdefABCDEF") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

const localhost = "localhost"

// isLocal reports whether a clean name is localhost or below it. RFC 6761, 6.3: such names are not
// looked up, and are loopback.
func isLocal(name string) bool {
	return name == localhost || strings.HasSuffix(name, "."+localhost)
}
