package tool

import "unicode/utf8"

// ASCIIPrefix returns how many bytes s begins with that are ASCII, or up to seven less. It looks at
// eight of them at a time.
func ASCIIPrefix(s string) int {
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		if p := s[i : i+8]; p[0]|p[1]|p[2]|p[3]|p[4]|p[5]|p[6]|p[7] >= utf8.RuneSelf {
			break
		}
	}
	return i
}

// Runes is utf8.RuneCountInString, which looks at each byte, for text that is mostly ASCII.
func Runes(s string) int {
	i := ASCIIPrefix(s)
	return i + utf8.RuneCountInString(s[i:])
}
