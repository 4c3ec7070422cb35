package challenge

import "strings"

// blot returns an answer of the same length in which what the agent thinks and
// types is blotted out, so that no tag is found there.
func blot(response string) string {
	start := strings.Index(response, "<response>")
	if start < 0 {
		return response
	}
	b := blotter{s: response}
	for _, name := range [...]string{"analysis", "plan"} {
		if open := strings.Index(response[start:], "<"+name+">"); open >= 0 {
			open += start + len(name) + len("<>")
			if n := strings.Index(response[open:], "</"+name+">"); n >= 0 {
				b.out(open, open+n)
				start = open + n
			}
		}
	}
	b.keystrokes(start)
	return b.String()
}

type blotter struct {
	s    string
	copy []byte // nil if it is s
}

func (b *blotter) out(start, end int) {
	if b.copy == nil {
		b.copy = []byte(b.s)
	}
	for i := start; i < end; i++ {
		b.copy[i] = 'x'
	}
}

func (b *blotter) String() string {
	if b.copy == nil {
		return b.s
	}
	return string(b.copy)
}

// keystrokes blots out the keystrokes of the commands section that begins
// after start.
func (b *blotter) keystrokes(start int) {
	const shut = "</commands>"
	i := strings.Index(b.s[start:], "<commands>")
	if i < 0 {
		return
	}
	i += start
	end := i
	for {
		if end <= i { // the last one found was in keystrokes
			n := strings.Index(b.s[i:], shut)
			if n < 0 {
				return
			}
			end = i + n
		}
		e, ok := nextElement(b.s, i, false)
		if !ok || e.start > end {
			return
		}
		b.out(e.end-len(keystrokesShut)-len(e.text), e.end-len(keystrokesShut))
		i = e.end
	}
}
