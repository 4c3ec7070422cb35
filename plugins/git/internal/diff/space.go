package diff

import "bytes"

// A Space says which whitespace does not count when lines are compared.
type Space int

// What does not count: nothing, whitespace at the ends of lines, how much whitespace there is, and
// whitespace at all.
const (
	AllCounts Space = iota
	EndsDoNot
	AmountDoesNot
	NoneCounts
)

// CompareSpace is Compare of lines without the whitespace that does not count.
func CompareSpace(a, b [][]byte, s Space) []Edit {
	if s == AllCounts {
		return Compare(a, b)
	}
	return Compare(s.strip(a), s.strip(b))
}

func (s Space) strip(lines [][]byte) [][]byte {
	out := make([][]byte, len(lines))
	for i, l := range lines {
		switch s {
		case EndsDoNot:
			out[i] = bytes.TrimRight(l, " \t\r\n\v\f")
		case AmountDoesNot:
			l = bytes.TrimRight(l, " \t\r\n\v\f")
			text := bytes.TrimLeft(l, " \t\r\v\f")
			out[i] = bytes.Join(bytes.Fields(text), []byte(" "))
			if len(text) < len(l) {
				out[i] = append([]byte(" "), out[i]...)
			}
		default:
			out[i] = bytes.Join(bytes.Fields(l), nil)
		}
		// Lines have an end, for Compare's looks.
		out[i] = append(out[i][:len(out[i]):len(out[i])], '\n')
	}
	return out
}
