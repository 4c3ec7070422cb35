package acp

// decodeBase64 decodes p in place: base64 in the alphabet of RFC 4648, section 4.
// White space is skipped, and the padding may be missing, as browsers have it. It
// reports false if p is anything else.
//
// encoding/base64 imports reflect, by encoding/binary, which the reactor must not.
func decodeBase64(p []byte) (decoded []byte, ok bool) {
	decoded = p[:0]
	var bits uint32
	n, padding := 0, 0
	for _, c := range p {
		value := base64Value(c)
		switch {
		case c == ' ' || '\t' <= c && c <= '\r' && c != '\v':
			continue
		case c == '=':
			padding++
			continue
		case value < 0 || padding > 0:
			return nil, false
		}
		bits = bits<<6 | uint32(value)
		if n++; n%4 == 0 {
			decoded = append(decoded, byte(bits>>16), byte(bits>>8), byte(bits))
		}
	}
	switch left := n % 4; {
	case padding > 0 && (padding > 2 || left+padding != 4), left == 1:
		return nil, false
	case left == 2:
		decoded = append(decoded, byte(bits>>4))
	case left == 3:
		decoded = append(decoded, byte(bits>>10), byte(bits>>2))
	}
	return decoded, true
}

// base64Value returns the six bits that c stands for, or -1.
func base64Value(c byte) int {
	switch {
	case 'A' <= c && c <= 'Z':
		return int(c - 'A')
	case 'a' <= c && c <= 'z':
		return int(c-'a') + 26
	case '0' <= c && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// appendBase64 appends p in base64, padded.
func appendBase64(dst, p []byte) []byte {
	for ; len(p) >= 3; p = p[3:] {
		dst = appendDigits(dst, 4, p[0], p[1], p[2])
	}
	switch len(p) {
	case 1:
		dst = append(appendDigits(dst, 2, p[0], 0, 0), "=="...)
	case 2:
		dst = append(appendDigits(dst, 3, p[0], p[1], 0), '=')
	}
	return dst
}

// appendDigits appends the first n of the four digits of three bytes.
func appendDigits(dst []byte, n int, a, b, c byte) []byte {
	digits := [4]byte{base64Digits[a>>2], base64Digits[a<<4&0x30|b>>4], base64Digits[b<<2&0x3C|c>>6], base64Digits[c&0x3F]}
	return append(dst, digits[:n]...)
}
