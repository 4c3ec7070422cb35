package jsonrpc

// sequence returns the length of the UTF-8 sequence that s, which is not empty,
// begins with, and whether it is well formed. The length of an ill-formed one
// is that of its maximal subpart. Unicode, section 3.9, table 3-7.
func sequence[T text](s T) (n int, ok bool) {
	low, high := byte(0x80), byte(0xbf) // of the second byte
	var length int
	switch lead := s[0]; {
	case lead < 0x80:
		return 1, true
	case lead < 0xc2:
		return 1, false
	case lead < 0xe0:
		length = 2
	case lead < 0xf0:
		length = 3
		if lead == 0xe0 {
			low = 0xa0
		}
		if lead == 0xed {
			high = 0x9f
		}
	case lead < 0xf5:
		length = 4
		if lead == 0xf0 {
			low = 0x90
		}
		if lead == 0xf4 {
			high = 0x8f
		}
	default:
		return 1, false
	}
	for n = 1; n < length; n++ {
		if n == len(s) || s[n] < low || high < s[n] {
			return n, false
		}
		low, high = 0x80, 0xbf
	}
	return length, true
}

// wellFormed returns the end of the run of well-formed non-ASCII sequences that
// begins at i, and the length of an ill-formed one there: 0 if there is none.
func wellFormed[T text](s T, i int) (end, bad int) {
	for i < len(s) && s[i] >= 0x80 {
		n, ok := sequence(s[i:])
		if !ok {
			return i, n
		}
		i += n
	}
	return i, 0
}
