// Package edit is a line editor with the keys of readline's Emacs mode. It knows a terminal as keys
// that come in and bytes that go out: what a line is for, and what completes it, is its caller's.
package edit

import (
	"errors"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// An Editor reads lines at a terminal. Its fields are set before the first.
type Editor struct {
	Keys io.Reader // read by single bytes: what follows a line is not touched
	Out  io.Writer // a line feed begins a line there
	// Size returns the terminal's size in cells.
	Size func() (rows, cols int)
	// History are the lines before, the oldest first.
	History []string
	// Complete returns what the word that ends at byte at of line may be, where it begins, and nil
	// where nothing is known.
	Complete func(line string, at int) (from int, found []Candidate)

	mu     sync.Mutex // guards all below: Resized comes from elsewhere
	prompt string     // its last line
	line   []rune
	at     int  // the cursor, in line
	row    int  // of the cursor, below the prompt's
	cols   int  // of the terminal, when the line was drawn
	end    spot // behind the line, when it was drawn
	active bool

	killed  []rune // for ^Y
	killing bool   // the last key has killed
	tabs    int    // how many tabs came in a row
	last    int    // for M-.: which line's last argument was taken, or -1
	taken   int    // how many characters it has

	place int      // in lines
	lines []string // the history, as it was changed, and the new line
}

// A Candidate is what a word may become.
type Candidate struct {
	Text string // in place of the word, quoted as it needs to be
	Name string // how it is listed
	Open bool   // more may follow, as after the name of a directory
}

// ErrInterrupted is what ReadLine returns for ^C where that is a key.
var ErrInterrupted = errors.New("interrupted")

// maxLine bounds a line, in characters.
const maxLine = 1 << 20

// ReadLine reads a line, which begins as text. The prompt is on the screen already. The error is
// io.EOF for ^D on an empty line, or that of Keys.
func (e *Editor) ReadLine(prompt, text string) (string, error) {
	e.mu.Lock()
	e.prompt = prompt[strings.LastIndexByte(prompt, '\n')+1:]
	_, e.cols = e.Size()
	e.line, e.end = []rune(text), e.layout(nil)
	e.at, e.row, e.active = len(e.line), e.end.row, true
	e.killing, e.tabs, e.last = false, 0, -1
	e.lines = append(append([]string(nil), e.History...), text)
	e.place = len(e.lines) - 1
	if text != "" {
		e.refresh()
	} else if e.end.row > 0 && e.end.col == 0 {
		io.WriteString(e.Out, "\n") // as draw leaves a row that is full
	}
	e.mu.Unlock()
	for {
		k, err := e.key()
		e.mu.Lock()
		done := false
		if err == nil {
			done, err = e.press(k)
		}
		if done || err != nil {
			e.finish()
			line := string(e.line)
			e.mu.Unlock()
			return line, err
		}
		e.mu.Unlock()
	}
}

// Resized draws the line again, for another size of the terminal. It may be called at any time.
func (e *Editor) Resized() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.active {
		e.refresh()
	}
}

// resize is told how many columns the terminal has now, and finds the cursor again. Where a row of
// the line was full there is a line feed, so that a wider terminal leaves the rows as they are. A
// narrower one makes several of each.
func (e *Editor) resize(cols int) {
	if cols <= 0 || cols == e.cols {
		e.cols = cols
		return
	}
	row, p := 0, e.layout(nil)
	length := Width(e.prompt) // of what has no line feed yet
	end := func(next int) {
		row += max(0, length-1) / cols
		row++
		length = next
	}
	if p.row > 0 && p.col == 0 {
		end(0)
	}
	for _, c := range e.line[:e.at] {
		q := e.advance(p, []rune{c})
		switch {
		case c == '\n':
			end(0)
		case q.row > p.row:
			length += e.cols - p.col
			end(q.col)
		default:
			length += q.col - p.col
		}
		p = q
	}
	e.row, e.cols = row+length/cols, cols
}

// finish leaves the cursor behind the line.
func (e *Editor) finish() {
	if e.at != len(e.line) {
		e.at = len(e.line)
		e.refresh()
	}
	e.active = false
}

// A spot is a place on the screen, below and right of where the prompt begins.
type spot struct{ row, col int }

// layout returns where what follows line is.
func (e *Editor) layout(line []rune) spot {
	p := spot{col: Width(e.prompt)}
	if e.cols > 0 {
		p.row, p.col = p.col/e.cols, p.col%e.cols
	}
	return e.advance(p, line)
}

// advance returns where what follows line is, which begins at p.
func (e *Editor) advance(p spot, line []rune) spot {
	for _, c := range line {
		if c == '\n' {
			p = spot{p.row + 1, 0}
			continue
		}
		for _, c := range shown(c, p.col) {
			w := tool.RuneWidth(c)
			if e.cols > 0 && p.col+w > e.cols {
				p = spot{p.row + 1, 0}
			}
			if p.col += w; e.cols > 0 && p.col >= e.cols {
				p = spot{p.row + 1, 0}
			}
		}
	}
	return p
}

// shown is how a character looks in a line.
func shown(c rune, col int) string {
	switch {
	case c == '\t':
		return "        "[col%8:]
	case c < ' ':
		return "^" + string(c+'@')
	case c == 0x7f:
		return "^?"
	case c == utf8.RuneError:
		return "\ufffd"
	}
	return string(c)
}

// refresh draws the prompt and the line.
func (e *Editor) refresh() {
	_, cols := e.Size()
	e.resize(cols)
	var b strings.Builder
	b.WriteByte('\r')
	up(&b, e.row)
	b.WriteString("\x1b[J")
	b.WriteString(e.prompt)
	begin := e.layout(nil)
	if begin.row > 0 && begin.col == 0 {
		b.WriteString("\n")
	}
	end := e.draw(&b, begin, e.line)
	to := e.layout(e.line[:e.at])
	up(&b, end.row-to.row)
	if end.col != to.col || end.row != to.row {
		b.WriteByte('\r')
		if to.col > 0 {
			b.WriteString("\x1b[" + itoa(to.col) + "C")
		}
	}
	e.row, e.end = to.row, end
	io.WriteString(e.Out, b.String())
}

// draw writes line, which begins at p, and returns where it ends. A line that fills its row leaves
// the cursor in the next.
func (e *Editor) draw(b *strings.Builder, p spot, line []rune) spot {
	for _, c := range line {
		q := e.advance(p, []rune{c})
		switch {
		case c == '\n':
			b.WriteString("\x1b[K\n")
		default:
			b.WriteString(shown(c, p.col))
			if q.row > p.row && q.col == 0 {
				b.WriteString("\n")
			}
		}
		p = q
	}
	return p
}

func up(b *strings.Builder, n int) {
	if n > 0 {
		b.WriteString("\x1b[" + itoa(n) + "A")
	}
}

// splice puts text in the place of some of the line, and the cursor behind it. It draws nothing.
func (e *Editor) splice(from, to int, text []rune) {
	rest := append([]rune(nil), e.line[to:]...)
	e.line = append(append(e.line[:from], text...), rest...)
	e.at = from + len(text)
}

// insert puts text at the cursor.
func (e *Editor) insert(text []rune) {
	if len(e.line)+len(text) > maxLine {
		e.bell()
		return
	}
	if e.at < len(e.line) {
		e.splice(e.at, e.at, text)
		e.refresh()
		return
	}
	var b strings.Builder
	e.line = append(e.line, text...)
	e.at = len(e.line)
	e.end = e.draw(&b, e.end, text)
	e.row = e.end.row
	io.WriteString(e.Out, b.String())
}

func (e *Editor) bell() { io.WriteString(e.Out, "\a") }

// above writes text above the line.
func (e *Editor) above(text string) {
	at := e.at
	e.at = len(e.line)
	e.refresh()
	io.WriteString(e.Out, "\n"+text)
	e.at, e.row = at, 0
	e.refresh()
}
