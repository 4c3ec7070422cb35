package edit

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A display is a terminal, as far as an editor needs one.
type display struct {
	cols, row, col int
	wrapping       bool // the next character begins a row
	cells          [][]string
	bells          int
	rest           string // of a sequence that is not complete
	// the rows that go on in the next one, as the terminal has wrapped them
	joined map[int]bool
}

func (d *display) Write(p []byte) (int, error) {
	text := d.rest + string(p)
	d.rest = ""
	for text != "" {
		if n := sequence(text); n > 0 {
			d.control(text[:n])
			text = text[n:]
			continue
		}
		c := []rune(text)[0]
		text = text[len(string(c)):]
		switch c {
		case '\r':
			d.col, d.wrapping = 0, false
		case '\n':
			// The terminal adds the carriage return.
			d.row, d.col, d.wrapping = d.row+1, 0, false
		case '\a':
			d.bells++
		default:
			w := tool.RuneWidth(c)
			if d.wrapping || d.col+w > d.cols {
				if d.joined == nil {
					d.joined = map[int]bool{}
				}
				d.joined[d.row] = true
				d.row, d.col, d.wrapping = d.row+1, 0, false
			}
			d.at(d.row, d.col+w-1)
			delete(d.joined, d.row)
			d.cells[d.row][d.col] = string(c)
			if w == 2 {
				d.cells[d.row][d.col+1] = ""
			}
			if d.col += w; d.col >= d.cols {
				d.col, d.wrapping = d.cols-1, true
			}
		}
	}
	return len(p), nil
}

func (d *display) at(row, col int) {
	for len(d.cells) <= row {
		d.cells = append(d.cells, nil)
	}
	for len(d.cells[row]) <= col {
		d.cells[row] = append(d.cells[row], " ")
	}
}

func (d *display) control(s string) {
	n, _ := strconv.Atoi(s[2 : len(s)-1])
	d.wrapping = false
	switch s[len(s)-1] {
	case 'A':
		d.row = max(0, d.row-max(n, 1))
	case 'C':
		d.col = min(d.cols-1, d.col+max(n, 1))
	case 'J':
		d.at(d.row, 0)
		d.cells = d.cells[:d.row+1]
		fallthrough
	case 'K':
		d.at(d.row, 0)
		d.cells[d.row] = d.cells[d.row][:min(d.col, len(d.cells[d.row]))]
	default:
		panic(fmt.Sprintf("the sequence %q", s))
	}
}

// resize gives a display another width. Lines are broken anew if they flow, as in tmux; in other
// terminals they stay.
func (d *display) resize(cols int, flow bool) {
	d.cols = cols
	if !flow {
		return
	}
	for len(d.cells) <= d.row {
		d.cells = append(d.cells, nil)
	}
	var cells [][]string
	row, col := 0, 0
	for i := 0; i < len(d.cells); i++ {
		var line []string
		at := -1
		for {
			if i == d.row {
				at = len(line) + d.col
			}
			line = append(line, d.cells[i]...)
			if !d.joined[i] || i+1 == len(d.cells) {
				break
			}
			i++
		}
		if at >= 0 {
			row, col = len(cells)+at/cols, at%cols
		}
		for ; len(line) > cols; line = line[cols:] {
			cells = append(cells, line[:cols:cols])
		}
		cells = append(cells, line)
	}
	d.cells, d.row, d.col, d.wrapping, d.joined = cells, row, col, false, nil
}

func (d *display) String() string {
	var lines []string
	for _, row := range d.cells {
		lines = append(lines, strings.TrimRight(strings.Join(row, ""), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// begin returns an editor whose prompt, "$ ", is shown.
func begin(keys string, cols int) (*Editor, *display) {
	d := &display{cols: cols}
	io.WriteString(d, "$ ")
	return &Editor{Keys: strings.NewReader(keys), Out: d, Size: func() (int, int) { return 24, cols }}, d
}

func TestKeys(t *testing.T) {
	const left, right, up, down = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B"
	for _, test := range []struct{ keys, want string }{
		{"abc\r", "abc"},
		{"abc\n", "abc"},
		{"ac" + left + "b\r", "abc"},
		{"ac\x1bODb\r", "abc"},
		{"bc\x01a\x05d\r", "abcd"},
		{"bc\x1b[Ha\x1b[Fd\r", "abcd"},
		{"bc\x1b[1~a\x1b[4~d\r", "abcd"},
		{"abc\x02\x02\x06x\r", "abxc"},
		{"abc\x7f\x08\r", "a"},
		{"abc" + left + "\x1b[3~\r", "ab"},
		{"abc\x01\x04\r", "bc"},
		{"one two\x17three\r", "one three"},
		{"one two  \x17\x17\x19!\r", "one two  !"},
		{"one two\x15x\x19\r", "xone two"},
		{"one two\x01\x1bf\x0b\x19\x19\r", "one two two"},
		{"one-two\x1b\x7fx\r", "one-x"},
		{"one two\x01\x1bd\x05\x19\r", " twoone"},
		{"one two\x1bb\x1bbx\r", "xone two"},
		{"one two\x1b[1;5Dx\r", "one xtwo"},
		{"ab\x14\r", "ba"},
		{"one two\x01\x1bu\x1bc\r", "ONE Two"},
		{"日本語" + left + "\x7fé\r", "日é語"},
		{"a\xffb\r", "a\ufffdb"},
		{"a\x16\x01b\r", "a\x01b"},
		{up + "\r", "echo two"},
		{up + up + "\r", "ls one"},
		{up + up + up + down + "\r", "echo two"},
		{"new" + up + down + "\r", "new"},
		{"\x10\x10\x0ex\r", "echo twox"},
		{"\x1b<\r", "ls one"},
		{up + "x" + up + down + "\r", "echo twox"},
		{"\x12l\r", "ls one"},
		{"\x12o\x12\x05!\r", "ls one!"},
		{"\x12o\x7f\x12l\x05!\r", "ls one!"},
		{"new\x12two\x07!\r", "new!"},
		{"x \x1b.\r", "x two"},
		{"x \x1b.\x1b.y\r", "x oney"},
		{"ec\t two\r", "echo two"},
		{"e\tx\r", "ex"},
		{"cat ca\tx\r", "cat café/x"},
		{"a\x1b[200~b\rc\x1b[201~d\r", "ab\ncd"},
		{"a\x1b[99;99~\x1bOZ\x1b!b\r", "ab"},
	} {
		e, _ := begin(test.keys, 80)
		e.History = []string{"ls one", "echo two"}
		e.Complete = func(line string, at int) (from int, found []Candidate) {
			from = strings.LastIndexByte(line, ' ') + 1
			for _, c := range []Candidate{{Text: "echo", Name: "echo"}, {Text: "env", Name: "env"}, {Text: "café/", Name: "café/", Open: true}} {
				if strings.HasPrefix(c.Text, line[from:]) {
					found = append(found, c)
				}
			}
			return from, found
		}
		if got, err := e.ReadLine("$ ", ""); strings.ReplaceAll(got, "  two", " two") != test.want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", test.keys, got, err, test.want)
		}
	}
}

func TestEnds(t *testing.T) {
	for keys, want := range map[string]error{"\x04": io.EOF, "abc": io.EOF, "abc\x03": ErrInterrupted} {
		e, _ := begin(keys, 80)
		if _, err := e.ReadLine("$ ", ""); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", keys, err, want)
		}
	}
}

// A second tab lists what a word may be, without what a terminal would act on.
func TestList(t *testing.T) {
	e, d := begin("x\t\t\ty\r", 20)
	e.Complete = func(string, int) (int, []Candidate) {
		return 0, []Candidate{{Text: "xone", Name: "xone"}, {Text: "xtwo", Name: "x\x1b[5Atwo"}, {Text: "xthree", Name: "xthree"}}
	}
	e.ReadLine("$ ", "")
	const list = "xone      xthree\nx?[5Atwo\n"
	if got, want := d.String(), "$ x\n"+list+"$ x\n"+list+"$ xy"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Whatever is typed, however wide the terminal is, the screen shows the prompt and the line, and
// nothing else, and the cursor is where it is in the line. A resize changes nothing of that.
func TestDrawn(t *testing.T) {
	keys := []string{"a", "b", " ", "日", "\x01", "\x05", "\x02", "\x06", "\x7f", "\x17", "\x0b", "\x19", "\x14", "\x1bb", "\x1bf", "\x1b[D", "\x16\x01", "\x1b[A", "\x1b[B", "\x10"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		cols := 5 + r.IntN(20)
		e, d := begin("", cols)
		e.History = []string{"first", "second, which is a longer one", strings.Repeat("x", cols-2)}
		pr, pw := io.Pipe()
		e.Keys = pr
		var typed strings.Builder
		for range 40 {
			typed.WriteString(keys[r.IntN(len(keys))])
		}
		go func() { // ends with what is typed
			io.WriteString(pw, typed.String())
			pw.Close()
		}()
		e.ReadLine("$ ", "")
		for range 2 {
			want := &display{cols: cols}
			io.WriteString(want, "$ ")
			for _, c := range e.line {
				io.WriteString(want, shown(c, 0))
			}
			if d.String() != want.String() {
				t.Fatalf("seed %d, %d columns, typed %q, line %q: got\n%s\nwant\n%s", seed, cols, typed.String(), string(e.line), d, want)
			}
			if end := e.layout(e.line); d.row != end.row || d.col != end.col {
				t.Fatalf("seed %d, %d columns, line %q: the cursor is at %d, %d, want %v", seed, cols, string(e.line), d.row, d.col, end)
			}
			e.active = true
			e.Resized()
		}
	}
}

// The size changes while a line is edited: the prompt and the line are all that is there, drawn for
// the new size. A wider terminal may break lines anew or not; one that is narrower does.
func TestResized(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 2))
		before, after := 6+r.IntN(20), 6+r.IntN(20)
		flow := after < before || seed%2 == 0
		prompt := strings.Repeat("p", r.IntN(before-2)) + "$ "
		if flow && seed%4 < 2 {
			prompt += strings.Repeat("q", r.IntN(2*before)) // the terminal wraps it
		}
		e, _ := begin("", before)
		d := &display{cols: before}
		io.WriteString(d, "output\n"+prompt)
		cols := before
		e.Out, e.Size = d, func() (int, int) { return 24, cols }
		text := strings.Repeat("x", r.IntN(3*before))
		pr, pw := io.Pipe()
		e.Keys = pr
		go func() { // ends with what is typed
			io.WriteString(pw, text+strings.Repeat("\x02", r.IntN(len(text)+1)))
			pw.Close()
		}()
		e.ReadLine(prompt, "")
		// The input has ended, and so the cursor is behind the line.
		for range r.IntN(len(text) + 1) {
			e.move(e.at - 1)
		}
		e.active = true
		cols = after
		d.resize(after, flow)
		e.Resized()
		want := &display{cols: after}
		io.WriteString(want, "output\n"+prompt+text)
		if d.String() != want.String() {
			t.Fatalf("seed %d, from %d to %d columns, prompt %q, line %q, at %d: got\n%s\nwant\n%s", seed, before, after, prompt, text, e.at, d, want)
		}
		if at := e.layout(e.line[:e.at]); d.row != at.row+1 || d.col != at.col {
			t.Fatalf("seed %d: the cursor is at %d, %d, want %v", seed, d.row-1, d.col, at)
		}
	}
}

// A line of 100,000 characters that is pasted is not drawn anew for each.
func TestLongPaste(t *testing.T) {
	e, _ := begin(strings.Repeat("a", 100_000)+"\r", 80)
	written := &tool.CountingWriter{W: io.Discard}
	e.Out = written
	got, err := e.ReadLine("$ ", "")
	if len(got) != 100_000 || err != nil {
		t.Errorf("got %d characters, %v", len(got), err)
	}
	if written.N > 200_000 {
		t.Errorf("%d bytes were written for 100,000 characters", written.N)
	}
}

func TestWidth(t *testing.T) {
	for prompt, want := range map[string]int{
		"": 0, "$ ": 2, "\x1b[1;31mred\x1b[0m$ ": 5, "\x01\x1b[1m\x02a": 1, "\x1b]0;title\aa": 1, "\x1b]0;title\x1b\\a": 1, "日本$": 5, "\x1b": 0, "\x1b[": 0, "é": 1, "\x1b(Ba": 1,
	} {
		if got := Width(prompt); got != want {
			t.Errorf("%q: got %d, want %d", prompt, got, want)
		}
	}
}
