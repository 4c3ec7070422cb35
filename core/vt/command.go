package vt

import (
	"bytes"
	"unicode/utf8"
)

const (
	maxTitle  = 4 << 10 // bytes that are kept of a title, or of a directory
	maxTitles = 10      // titles on the stack, as in xterm.js
)

// A PromptMark is the last mark that a shell set with OSC 133, for whoever wants
// to know where commands begin and end.
type PromptMark struct {
	// Kind is 'A' before a prompt, 'B' after it, 'C' before the output of a
	// command and 'D' after it. It is 0 before the first mark. A mark of kind
	// 'P' counts only before a prompt for the rest of a command, as 'A'.
	Kind byte
	// ExitCode is that of the last command to end, -1 if the shell did not say.
	ExitCode int
	// Count is the number of marks so far, Ended that of those of Kind 'D', and
	// Continued that of those before a prompt for the rest of a command.
	Count, Ended, Continued uint64
}

// titleStack is what XTWINOPS 22 and 23 push to and pop from.
type titleStack struct{ titles, icons []string }

// Title returns the title that the program set last.
func (s *Screen) Title() string { return s.title }

// IconName returns the icon name that the program set last.
func (s *Screen) IconName() string { return s.icon }

// Dir returns the working directory that the program told with OSC 7, as the
// URL it sent. Nobody vouches for it.
func (s *Screen) Dir() string { return s.dir }

// PromptMark returns the last mark of OSC 133.
func (s *Screen) PromptMark() PromptMark { return s.mark }

// command does an OSC. What would touch the world outside of the screen is
// ignored: the clipboard (52), the colours of the palette, files.
func (s *Screen) command(payload []byte) {
	number, rest, _ := bytes.Cut(payload, []byte{';'})
	switch string(number) {
	case "0":
		setText(&s.title, rest)
		setText(&s.icon, rest)
	case "1":
		setText(&s.icon, rest)
	case "2":
		setText(&s.title, rest)
	case "7":
		setText(&s.dir, rest)
	case "8":
		s.setLink(rest)
	case "133":
		s.setMark(rest)
	}
}

// setText makes *to the start of p, as much as is kept. It does not allocate if
// that is what it is already.
func setText(to *string, p []byte) {
	if len(p) > maxTitle {
		n := maxTitle
		for n > 0 && !utf8.RuneStart(p[n]) {
			n--
		}
		p = p[:n]
	}
	if *to != string(p) {
		*to = string(p)
	}
}

// setMark takes what follows 133;. A shell may send parameters: A;cl=m, D;1,
// P;k=s.
func (s *Screen) setMark(p []byte) {
	text, rest, _ := bytes.Cut(p, []byte{';'})
	kind := string(text)
	continued := (kind == "A" || kind == "P") && continues(rest)
	if continued {
		kind = "A"
	}
	switch kind {
	case "A", "B", "C", "D":
	default:
		return
	}
	s.mark.Kind = kind[0]
	s.mark.Count++
	if continued {
		s.mark.Continued++
	}
	if kind == "D" {
		s.mark.Ended++
		s.mark.ExitCode = exitCode(rest)
	}
}

// continues reports whether the parameters of a prompt say that it is for the
// rest of a command, whether or not that can be edited together.
func continues(params []byte) bool {
	for param := range bytes.SplitSeq(params, []byte{';'}) {
		if string(param) == "k=s" || string(param) == "k=c" {
			return true
		}
	}
	return false
}

// exitCode returns the number that p starts with, -1 if it does not.
func exitCode(p []byte) int {
	p, _, _ = bytes.Cut(p, []byte{';'})
	if len(p) == 0 || len(p) > 9 {
		return -1
	}
	n := 0
	for _, c := range p {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// windowOp is XTWINOPS: only what is safe is done.
func (s *Screen) windowOp(params *Params) {
	which := params.second()
	switch params.Value(0) {
	case 18:
		s.replySize()
	case 22:
		if s.titles == nil {
			s.titles = new(titleStack)
		}
		if which == 0 || which == 2 {
			push(&s.titles.titles, s.title)
		}
		if which == 0 || which == 1 {
			push(&s.titles.icons, s.icon)
		}
	case 23:
		if s.titles == nil {
			return
		}
		if which == 0 || which == 2 {
			pop(&s.titles.titles, &s.title)
		}
		if which == 0 || which == 1 {
			pop(&s.titles.icons, &s.icon)
		}
	}
}

func push(stack *[]string, text string) {
	if len(*stack) == maxTitles {
		*stack = append((*stack)[:0], (*stack)[1:]...)
	}
	*stack = append(*stack, text)
}

func pop(stack *[]string, text *string) {
	if last := len(*stack) - 1; last >= 0 {
		*text = (*stack)[last]
		*stack = (*stack)[:last]
	}
}
