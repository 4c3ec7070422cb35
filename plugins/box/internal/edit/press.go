package edit

import (
	"io"
	"strings"
	"unicode"
)

// press does what a key does. done says that the line is complete.
func (e *Editor) press(k key) (done bool, err error) {
	killing, last := e.killing, e.last
	e.killing, e.last = false, -1
	if k.char != '\t' {
		e.tabs = 0
	}
	switch {
	case k.name != "":
		return e.named(k.name, killing, last)
	case k.char == 0:
		return false, nil
	case k.char >= ' ' && k.char != 0x7f:
		e.insert([]rune{k.char})
		return false, nil
	}
	switch k.char {
	case '\r', '\n':
		e.finish()
		io.WriteString(e.Out, "\n")
		return true, nil
	case '\t':
		e.tabs++
		e.complete()
	case 0x7f, '\b':
		e.remove(e.at-1, e.at)
	case ctrl('a'):
		e.move(0)
	case ctrl('b'):
		e.move(e.at - 1)
	case ctrl('c'):
		return false, ErrInterrupted
	case ctrl('d'):
		if len(e.line) == 0 {
			return false, io.EOF
		}
		e.remove(e.at, e.at+1)
	case ctrl('e'):
		e.move(len(e.line))
	case ctrl('f'):
		e.move(e.at + 1)
	case ctrl('k'):
		e.kill(e.at, len(e.line), killing)
	case ctrl('l'):
		io.WriteString(e.Out, "\x1b[H\x1b[2J")
		e.row = 0
		e.refresh()
	case ctrl('n'):
		e.recall(e.place + 1)
	case ctrl('p'):
		e.recall(e.place - 1)
	case ctrl('r'):
		return e.search()
	case ctrl('t'):
		e.transpose()
	case ctrl('u'):
		e.kill(0, e.at, killing)
	case ctrl('v'):
		c, err := readRune(e.Keys)
		if err == nil {
			e.insert([]rune{c})
		}
		return false, err
	case ctrl('w'):
		e.kill(e.back(func(c rune) bool { return !unicode.IsSpace(c) }), e.at, killing)
	case ctrl('y'):
		e.insert(e.killed)
	default:
		e.bell()
	}
	return false, nil
}

// named is press for keys with names.
func (e *Editor) named(name string, killing bool, last int) (done bool, err error) {
	switch name {
	case "up":
		e.recall(e.place - 1)
	case "down":
		e.recall(e.place + 1)
	case "left":
		e.move(e.at - 1)
	case "right":
		e.move(e.at + 1)
	case "home":
		e.move(0)
	case "end":
		e.move(len(e.line))
	case "delete":
		e.remove(e.at, e.at+1)
	case "enter":
		return e.press(key{char: '\r'})
	case "paste":
		text, err := e.pasted()
		if err == nil {
			e.insert(text)
		}
		return false, err
	case "M-b":
		e.move(e.back(wordly))
	case "M-f":
		e.move(e.forward())
	case "M-d":
		e.kill(e.at, e.forward(), killing)
	case "M-backspace":
		e.kill(e.back(wordly), e.at, killing)
	case "M-<":
		e.recall(0)
	case "M->":
		e.recall(len(e.lines) - 1)
	case "M-.", "M-_":
		e.lastArgument(last)
	case "M-u":
		e.change(unicode.ToUpper)
	case "M-l":
		e.change(unicode.ToLower)
	case "M-c":
		to := unicode.ToUpper
		e.change(func(c rune) rune {
			c = to(c)
			if wordly(c) {
				to = unicode.ToLower
			}
			return c
		})
	default:
		e.bell()
	}
	return false, nil
}

func wordly(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// back returns where the word before the cursor begins.
func (e *Editor) back(word func(rune) bool) int {
	i := e.at
	for i > 0 && !word(e.line[i-1]) {
		i--
	}
	for i > 0 && word(e.line[i-1]) {
		i--
	}
	return i
}

// forward returns where the word behind the cursor ends.
func (e *Editor) forward() int {
	i := e.at
	for i < len(e.line) && !wordly(e.line[i]) {
		i++
	}
	for i < len(e.line) && wordly(e.line[i]) {
		i++
	}
	return i
}

// move puts the cursor at place, if there is one.
func (e *Editor) move(place int) {
	if place < 0 || place > len(e.line) {
		e.bell()
		return
	}
	if place != e.at {
		e.at = place
		e.refresh()
	}
}

// remove takes characters out.
func (e *Editor) remove(from, to int) {
	if from < 0 || to > len(e.line) || from == to {
		e.bell()
		return
	}
	e.splice(from, to, nil)
	e.refresh()
}

// kill is remove for what ^Y brings back. more adds to what was killed before.
func (e *Editor) kill(from, to int, more bool) {
	e.killing = true
	if from == to {
		return
	}
	text := append([]rune(nil), e.line[from:to]...)
	switch {
	case more && to == e.at && from < e.at:
		e.killed = append(text, e.killed...)
	case more:
		e.killed = append(e.killed, text...)
	default:
		e.killed = text
	}
	e.remove(from, to)
}

func (e *Editor) transpose() {
	i := min(e.at, len(e.line)-1)
	if i < 1 {
		e.bell()
		return
	}
	e.line[i-1], e.line[i] = e.line[i], e.line[i-1]
	e.at = i + 1
	e.refresh()
}

// change changes the characters up to the end of the word.
func (e *Editor) change(to func(rune) rune) {
	end := e.forward()
	for i := e.at; i < end; i++ {
		e.line[i] = to(e.line[i])
	}
	e.at = end
	e.refresh()
}

// recall shows a line of the history. What was changed in another one stays until the line is
// complete.
func (e *Editor) recall(place int) {
	if place < 0 || place >= len(e.lines) || place == e.place {
		e.bell()
		return
	}
	e.lines[e.place] = string(e.line)
	e.place = place
	e.set(e.lines[place])
}

// set makes text the line.
func (e *Editor) set(text string) {
	e.line = []rune(text)
	e.at = len(e.line)
	e.refresh()
}

// lastArgument inserts the last word of the line before, or instead of it that of the one before
// last.
func (e *Editor) lastArgument(last int) {
	if last < 0 {
		last, e.taken = len(e.lines)-1, 0
	}
	if last == 0 {
		e.last = last
		e.bell()
		return
	}
	words := strings.Fields(e.lines[last-1])
	word := []rune{}
	if len(words) > 0 {
		word = []rune(words[len(words)-1])
	}
	e.splice(e.at-e.taken, e.at, word)
	e.last, e.taken = last-1, len(word)
	e.refresh()
}
