package jsonrpc

import "bytes"

// AppendKey appends the name of a member and its colon, after a comma unless
// dst ends in the '{' of its object.
func AppendKey(dst []byte, key string) []byte {
	return append(AppendString(AppendComma(dst), key), ':')
}

// AppendComma appends a comma unless dst ends in '{' or '[': what must be done
// before each item of an array.
func AppendComma(dst []byte) []byte {
	if n := len(dst); n == 0 || dst[n-1] == '{' || dst[n-1] == '[' {
		return dst
	}
	return append(dst, ',')
}

// AppendRaw appends the JSON value raw, and null if it is empty. Line breaks,
// which can only stand between tokens, become spaces: the result may go into a
// line.
func AppendRaw(dst, raw []byte) []byte {
	if len(raw) == 0 {
		return append(dst, "null"...)
	}
	start := len(dst)
	dst = append(dst, raw...)
	blank(dst[start:], '\n')
	blank(dst[start:], '\r')
	return dst
}

func blank(p []byte, c byte) {
	for i := bytes.IndexByte(p, c); i >= 0; i = bytes.IndexByte(p, c) {
		p[i] = ' '
		p = p[i+1:]
	}
}
