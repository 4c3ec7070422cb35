package order

import (
	"bytes"
	"cmp"
)

// compareVersions orders names as "sort -V" does: runs of digits by value, "~" before everything,
// letters before other characters, and suffixes such as .tar.gz last. It is gnulib's filevercmp.
func compareVersions(a, b []byte) int {
	if c, done := compareSpecial(a, b); done {
		return c
	}
	pa, pb := prefix(a), prefix(b)
	if bytes.Equal(pa, pb) {
		pa, pb = a, b
	}
	return cmp.Or(comparePrefixes(pa, pb), bytes.Compare(a, b))
}

// compareSpecial orders "", ".", ".." and hidden names before the others.
func compareSpecial(a, b []byte) (int, bool) {
	rank := func(p []byte) int {
		switch {
		case len(p) == 0:
			return 0
		case string(p) == ".":
			return 1
		case string(p) == "..":
			return 2
		case p[0] == '.':
			return 3
		}
		return 4
	}
	x, y := rank(a), rank(b)
	return cmp.Compare(x, y), x != y || x < 3
}

// prefix returns p without its suffix (\.[A-Za-z~][A-Za-z0-9~]*)*$.
func prefix(p []byte) []byte {
	end := len(p)
	for {
		i := end - 1
		for i > 0 && (isAlnum(p[i]) || p[i] == '~') {
			i--
		}
		if i <= 0 || p[i] != '.' || i+1 >= end || !(isAlpha(p[i+1]) || p[i+1] == '~') {
			return p[:end]
		}
		end = i
	}
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }

// order ranks a character; the end of the text is ranked as a digit.
func order(p []byte, i int) int {
	switch {
	case i >= len(p):
		return -1
	case isDigit(p[i]):
		return 0
	case isAlpha(p[i]):
		return int(p[i])
	case p[i] == '~':
		return -2
	}
	return int(p[i]) + 256
}

func comparePrefixes(a, b []byte) int {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		for i < len(a) && !isDigit(a[i]) || j < len(b) && !isDigit(b[j]) {
			if c := cmp.Compare(order(a, i), order(b, j)); c != 0 {
				return c
			}
			i++
			j++
		}
		for i < len(a) && a[i] == '0' {
			i++
		}
		for j < len(b) && b[j] == '0' {
			j++
		}
		first := 0
		for i < len(a) && isDigit(a[i]) && j < len(b) && isDigit(b[j]) {
			first = cmp.Or(first, cmp.Compare(a[i], b[j]))
			i++
			j++
		}
		switch {
		case i < len(a) && isDigit(a[i]):
			return 1
		case j < len(b) && isDigit(b[j]):
			return -1
		case first != 0:
			return first
		}
	}
	return 0
}

// CompareVersions compares names as "sort -V" and "ls -v" do.
func CompareVersions(a, b string) int { return compareVersions([]byte(a), []byte(b)) }
