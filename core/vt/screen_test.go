package vt_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// newScreen returns a screen of 4x10 with in written to it.
func newScreen(in string) *vt.Screen {
	s := vt.NewScreen(vt.Options{Rows: 4, Cols: 10, Replies: true})
	s.Write([]byte(in))
	return s
}

func TestAppendText(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"blanks", "a  \r\n\r\n  b \r\n", "a\n\n  b\n"},
		{"wrap", "0123456789ab", "0123456789\nab\n"},
		{"scroll", "1\r\n2\r\n3\r\n4\r\n5", "2\n3\n4\n5\n"},
		{"wide", "世界\b\b\bx", " x界\n"},
		{"wide at the end", "012345678世", "012345678\n世\n"},
		{"join", "e\u0301\u0302x", "e\u0301\u0302x\n"},
		{"line drawing", "\x1b(0lqk\x1b(B q", "┌─┐ q\n"},
		{"shift out", "\x1b)0q\x0eq\x0fq", "q─q\n"},
		{"alternate screen", "main\x1b[?1049halt\x1b[?1049l", "main\n"},
		{"repeat", "ab\x1b[3b", "abbbb\n"},
		{"repeat far", "xyz\x1b[65535b", strings.Repeat("zzzzzzzzzz\n", 3) + "zzzzzzzzz\n"},
		{"insert", "abc\r\x1b[4hx", "xabc\n"},
		{"clipboard", "\x1b]52;c;aGVsbG8=\ax", "x\n"},
	} {
		if got := string(newScreen(test.in).AppendText(nil)); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestNewline(t *testing.T) {
	for _, newline := range []bool{false, true} {
		s := vt.NewScreen(vt.Options{Rows: 4, Cols: 10, Newline: newline})
		s.Write([]byte("\x1b[20la\nb")) // a program can't take away what the owner asked for
		want := "a\n b\n"
		if newline {
			want = "a\nb\n"
		}
		if got := string(s.AppendText(nil)); got != want {
			t.Errorf("Newline %v: got %q, want %q", newline, got, want)
		}
	}
}

// TestNewlineEscapes: what a Screen's escapes have drawn goes on with the same
// output.
func TestNewlineEscapes(t *testing.T) {
	for _, newline := range []bool{false, true} {
		from := vt.NewScreen(vt.Options{Rows: 4, Cols: 10, Newline: newline})
		from.Write([]byte("one\n"))
		to := vt.NewScreen(vt.Options{Rows: 4, Cols: 10})
		to.Write(from.AppendEscapes(nil, 0))
		for _, s := range []*vt.Screen{from, to} {
			s.Write([]byte("two\nthree"))
		}
		if got, want := string(to.AppendText(nil)), string(from.AppendText(nil)); got != want {
			t.Errorf("Newline %v: got %q, want %q", newline, got, want)
		}
	}
}

func TestModes(t *testing.T) {
	plain := vt.Modes{Autowrap: true}
	for _, test := range []struct {
		in   string
		want func(m *vt.Modes)
	}{
		{"", func(m *vt.Modes) {}},
		{"\x1b[?7l", func(m *vt.Modes) { m.Autowrap = false }},
		{"\x1b[4;20h", func(m *vt.Modes) { m.Insert, m.Newline = true, true }},
		{"\x1b[?6;45h", func(m *vt.Modes) { m.Origin, m.ReverseWrap = true, true }},
		{"\x1b[?1h\x1b=", func(m *vt.Modes) { m.AppCursor, m.AppKeypad = true, true }},
		{"\x1b[?66h", func(m *vt.Modes) { m.AppKeypad = true }},
		{"\x1b[?25l", func(m *vt.Modes) { m.CursorHidden = true }},
		{"\x1b[?12h", func(m *vt.Modes) { m.CursorBlink = true }},
		{"\x1b[4 q", func(m *vt.Modes) { m.CursorShape = vt.UnderlineCursor }},
		{"\x1b[5 q", func(m *vt.Modes) { m.CursorShape, m.CursorBlink = vt.BarCursor, true }},
		{"\x1b[?1004;2004h", func(m *vt.Modes) { m.Focus, m.BracketedPaste = true, true }},
		{"\x1b[?1002;1006h", func(m *vt.Modes) { m.Mouse, m.MouseEncoding = vt.MouseDrag, vt.MouseSGR }},
		{"\x1b[?1003h\x1b[?1000l", func(m *vt.Modes) {}},
		{"\x1b[?1h\x1b[4h\x1b[?25l\x1b[?9h\x1b[!p", func(m *vt.Modes) { m.Mouse = vt.MouseX10 }},
		{"\x1b[?1h\x1b[4h\x1b[?25l\x1b[?9h\x1bc", func(m *vt.Modes) {}},
	} {
		want := plain
		test.want(&want)
		s := newScreen(test.in)
		if diff := cmp.Diff(want, s.Modes()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.in, diff)
		}
		again := newScreen(string(s.AppendEscapes(nil, 0)))
		if diff := cmp.Diff(want, again.Modes()); diff != "" {
			t.Errorf("%q, as escapes (-want +got):\n%s", test.in, diff)
		}
	}
}

func TestReplies(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"\x1b[c", "\x1b[?1;2c"},
		{"\x1b[>c", "\x1b[>0;276;0c"},
		{"\x1b[5n", "\x1b[0n"},
		{"ab\x1b[6n", "\x1b[1;3R"},
		{"0123456789\x1b[6n", "\x1b[1;10R"},
		{"\x1b[3;4H\x1b[?6n", "\x1b[?3;4R"},
		{"\x1b[?2026$p", "\x1b[?2026;2$y"},
		{"\x1b[?7$p\x1b[4$p", "\x1b[?7;1$y\x1b[4;2$y"},
		{"\x1b[?12345$p", "\x1b[?12345;0$y"},
		{"\x1b[2;3r\x1bP$qr\x1b\\", "\x1bP1$r2;3r\x1b\\"},
		{"\x1b[1;31m\x1bP$qm\x1b\\", "\x1bP1$r0;1;31m\x1b\\"},
		{"\x1bP$q q\x1b\\", "\x1bP1$r0 q\x1b\\"},
		{"\x1bP$qx\x1b\\", "\x1bP0$r\x1b\\"},
		{"\x1b[18t", "\x1b[8;4;10t"},
		{"\x1b]0;rm -rf\a\x1b[21t\x1b[20t", ""}, // a title must not be typed
		{strings.Repeat("\x1b[c", 10000), strings.Repeat("\x1b[?1;2c", 4096/7)},
	} {
		s := newScreen(test.in)
		if got := string(s.TakeReplies(nil)); got != test.want {
			t.Errorf("%.20q: got %q, want %q", test.in, got, test.want)
		}
		if got := s.TakeReplies(nil); len(got) != 0 {
			t.Errorf("%.20q: got %q again", test.in, got)
		}
		off := vt.NewScreen(vt.Options{})
		off.Write([]byte(test.in))
		if got := off.TakeReplies(nil); len(got) != 0 {
			t.Errorf("%.20q: got %q with replies off", test.in, got)
		}
	}
}

func TestCommands(t *testing.T) {
	s := newScreen("\x1b]0;one\a\x1b[22t\x1b]2;two\x1b\\\x1b]1;icon\a\x1b]7;file://h/tmp\a\a")
	if s.Title() != "two" || s.IconName() != "icon" || s.Dir() != "file://h/tmp" || s.Bells() != 1 {
		t.Errorf("got %q, %q, %q, %d", s.Title(), s.IconName(), s.Dir(), s.Bells())
	}
	s.Write([]byte("\x1b[23t"))
	if s.Title() != "one" || s.IconName() != "one" {
		t.Errorf("after pop: got %q, %q, want one", s.Title(), s.IconName())
	}
	s.Write([]byte("\x1b]2;" + strings.Repeat("é", 5000) + "\a"))
	if got, want := s.Title(), strings.Repeat("é", 2048); got != want {
		t.Errorf("got a title of %d bytes, want %d", len(got), len(want))
	}
}

func TestPromptMark(t *testing.T) {
	for _, test := range []struct {
		in   string
		want vt.PromptMark
	}{
		{"", vt.PromptMark{}},
		{"\x1b]133;A;cl=m\a", vt.PromptMark{Kind: 'A', Count: 1}},
		{"\x1b]133;A\a$ \x1b]133;B\als\x1b]133;C\a", vt.PromptMark{Kind: 'C', Count: 3}},
		{"\x1b]133;D;127\a", vt.PromptMark{Kind: 'D', ExitCode: 127, Count: 1, Ended: 1}},
		{"\x1b]133;D;2;aid=1\a\x1b]133;A\a", vt.PromptMark{Kind: 'A', ExitCode: 2, Count: 2, Ended: 1}},
		{"\x1b]133;A;cl=m;k=s\a> \x1b]133;B\a", vt.PromptMark{Kind: 'B', Count: 2, Continued: 1}},
		{"\x1b]133;P;k=c\a\x1b]133;P;k=r\a\x1b]133;P\a\x1b]133;A;k=i\a", vt.PromptMark{Kind: 'A', Count: 2, Continued: 1}},
		{"\x1b]133;D\a", vt.PromptMark{Kind: 'D', ExitCode: -1, Count: 1, Ended: 1}},
		{"\x1b]133;D;-9\a\x1b]133;Z\a\x1b]133;\a", vt.PromptMark{Kind: 'D', ExitCode: -1, Count: 1, Ended: 1}},
	} {
		if got := newScreen(test.in).PromptMark(); got != test.want {
			t.Errorf("%q: got %+v, want %+v", test.in, got, test.want)
		}
	}
}

func TestSynchronized(t *testing.T) {
	s := newScreen("old\x1b[?2026h\x1b[H\x1b[2Jnew")
	if got := string(s.AppendText(nil)); got != "old\n" || !s.Synchronized() || s.Cursor().X != 3 || s.Cursor().Y != 0 {
		t.Errorf("within: got %q, %v, %+v", got, s.Synchronized(), s.Cursor())
	}
	s.Write([]byte("er\x1b[?2026l"))
	if got := string(s.AppendText(nil)); got != "newer\n" || s.Synchronized() || s.Cursor().X != 5 {
		t.Errorf("after: got %q, %v, %+v", got, s.Synchronized(), s.Cursor())
	}
	s.Write([]byte("\x1b[?2026h!"))
	s.EndSynchronized()
	if got := string(s.AppendText(nil)); got != "newer!\n" || s.Modes().Synchronized {
		t.Errorf("ended by the owner: got %q, %v", got, s.Modes().Synchronized)
	}
}

func TestHistory(t *testing.T) {
	s := newScreen("one\r\n0123456789ab \x1b[31mred\x1b[m\r\n世\r\ntwo\r\nthree\r\nfour\r\n")
	first, end := s.History()
	if first != 0 || end != 4 {
		t.Fatalf("got rows %d to %d, want 0 to 4", first, end)
	}
	for _, test := range []struct {
		from, to uint64
		join     bool
		want     string
	}{
		{0, 4, false, "one\n0123456789\nab red\n世\n"},
		{0, 4, true, "one\n0123456789ab red\n世\n"},
		{2, 3, true, "ab red\n"},
		{3, 99, false, "世\n"},
		{4, 9, false, ""},
		{3, 1, false, ""},
	} {
		if got := string(s.AppendHistory(nil, test.from, test.to, test.join)); got != test.want {
			t.Errorf("%d to %d, join %v: got %q, want %q", test.from, test.to, test.join, got, test.want)
		}
	}
	s.Write([]byte("\x1b[3J"))
	if first, end := s.History(); first != 4 || end != 4 {
		t.Errorf("after ED 3: got rows %d to %d, want 4 to 4", first, end)
	}
}

func TestHistoryLimit(t *testing.T) {
	for _, limit := range []int{-1, 1, 1 << 10, 10 << 10, 100 << 10} {
		s := vt.NewScreen(vt.Options{Rows: 4, Cols: 100, ScrollbackBytes: limit})
		for range 1000 {
			s.Write([]byte("\x1b[32msome text\x1b[m and more of it, about as long as lines are\r\n"))
		}
		first, end := s.History()
		size := s.HistorySize()
		if size > max(limit, 0) {
			t.Errorf("limit %d: got %d bytes", limit, size)
		}
		if limit >= 10<<10 && (end != 997 || end-first < uint64(min(limit/90, 997))) {
			t.Errorf("limit %d: got rows %d to %d", limit, first, end)
		}
	}
}

func TestRowGeneration(t *testing.T) {
	s := newScreen("a\r\nb\r\nc")
	g := s.Generation()
	s.Write([]byte("\x1b[2;1Hx"))
	for y, want := range []bool{false, true, false, false} {
		if got := s.RowGeneration(y) > g; got != want {
			t.Errorf("row %d: got changed %v, want %v", y, got, want)
		}
	}
	g = s.Generation()
	s.Write([]byte("\x1b[4;1H\n"))
	for y := range 4 {
		if s.RowGeneration(y) <= g {
			t.Errorf("row %d: got unchanged by scrolling", y)
		}
	}
	if got := s.RowGeneration(4); got != 0 {
		t.Errorf("row 4: got generation %d, want 0", got)
	}
}

func TestAppendJSON(t *testing.T) {
	s := newScreen("a\x1b[1;4:3;31;48;2;1;2;255mb\"\x1b[m 世\x1b]8;;http://x/\x1b\\l\x1b]8;;\x1b\\\r\n\r\n\x1b[42m\x1b[K\x1b]0;t\\\a\x1b[5 q")
	want := `{"rows":4,"cols":10,"cursor":{"x":0,"y":2,"shape":"bar","blink":true},"alt":false,"title":"t\\","lines":[` +
		`[{"text":"a"},{"text":"b\"","fg":1,"bg":"#0102ff","bold":true,"underline":"curly"},{"text":" 世","width":3},{"text":"l","link":"http://x/"}],[],` +
		`[{"text":"          ","bg":2}]]}`
	if diff := cmp.Diff(want, string(s.AppendJSON(nil))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPendingSequence cuts a sequence where the escapes are asked for.
func TestPendingSequence(t *testing.T) {
	for _, seq := range []string{
		"\x1b[1;31mx", "\x1b[?25lx", "\x1b[38:2::1:2:3mx", "\x1b[4 qx", "\x1b(0q", "\x1b#8", "\x1b]0;title\ax", "\x1bP$qr\x1b\\x",
		"\x1b_apc\x1b\\x", "\x1b[1?2mx", "\x1b !\"#x", "\x1b[?2026$px", "\x1b]8;;http://x/\x1b\\x",
	} {
		whole := newScreen(seq)
		want, replies := state(whole), string(whole.TakeReplies(nil))
		for i := range seq {
			first := newScreen(seq[:i])
			s := newScreen(string(first.AppendEscapes(nil, 0)))
			s.Write([]byte(seq[i:]))
			if diff := cmp.Diff(want, state(s)); diff != "" {
				t.Errorf("%q cut at %d (-want +got):\n%s", seq, i, diff)
			}
			if got := string(s.TakeReplies(first.TakeReplies(nil))); got != replies {
				t.Errorf("%q cut at %d: got replies %q, want %q", seq, i, got, replies)
			}
		}
	}
}

func TestEscapesHistory(t *testing.T) {
	in := "one\r\n0123456789ab\r\n\x1b[31mred\x1b[m\r\n世\r\n\r\nfour\r\nfive\r\nsix"
	s := newScreen(in)
	again := newScreen(string(s.AppendEscapes(nil, 100)))
	if diff := cmp.Diff(state(s), state(again)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestResize(t *testing.T) {
	s := newScreen("0123456789abc\r\nx\r\n$ ")
	s.Resize(4, 20)
	if got, want := string(s.AppendText(nil)), "0123456789abc\nx\n$\n"; got != want {
		t.Errorf("wider: got %q, want %q", got, want)
	}
	s.Resize(4, 5)
	first, end := s.History()
	if got, want := string(s.AppendHistory(nil, first, end, true))+"|"+string(s.AppendText(nil)), "01234\n|56789\nabc\nx\n$\n"; got != want {
		t.Errorf("narrower: got %q, want %q", got, want)
	}
	s.Resize(0, 1<<30)
	if rows, cols := s.Size(); rows != 1 || cols != vt.MaxCols {
		t.Errorf("got size %dx%d, want 1x%d", rows, cols, vt.MaxCols)
	}
	if got := string(s.AppendText(nil)); got != "$\n" {
		t.Errorf("one row: got %q, want the one of the cursor", got)
	}
	s.Resize(4, 20)
	if got, want := string(s.AppendText(nil)), "0123456789abc\nx\n$\n"; got != want {
		t.Errorf("back: got %q, want %q", got, want)
	}
}

// TestTables has more styles, clusters and links than a screen can hold, one
// after another.
func TestTables(t *testing.T) {
	if testing.Short() {
		t.Skip("it fills the tables ten times")
	}
	s := vt.NewScreen(vt.Options{Rows: 40, Cols: 160, ScrollbackBytes: 64 << 10})
	for i := range 200_000 {
		s.Write(fmt.Appendf(nil, "\x1b[38;2;%d;%d;%dm\x1b]8;;http://x/%d\x1b\\%c\u0301%c", i>>16, i>>8&255, i&255, i, 'a'+i%26, 0x300+i%100))
	}
	if n := s.MemorySize(); n > 4<<20 {
		t.Errorf("got %d bytes of memory, want 4 MiB at most", n)
	}
	s.Write([]byte("\x1bc\x1b[31mred"))
	if got, want := string(s.AppendJSON(nil)), `"lines":[[{"text":"red","fg":1}]]}`; !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want the end %s", got, want)
	}
}

// TestWorst fills both screens and a frame that is held back with as many styles
// and clusters as there are cells, and measures the heap. The owner of many
// screens must know.
func TestWorst(t *testing.T) {
	if testing.Short() || slowdown > 1 {
		t.Skip("it fills large screens with everything there is, which takes seconds")
	}
	for name, unit := range map[string]func(i int) []byte{
		"styles": func(i int) []byte {
			return fmt.Appendf(nil, "\x1b[38;2;%d;%d;%d;48;2;%d;1;1m%c", i>>16, i>>8&255, i&255, i&255, 'a'+i%26)
		},
		"clusters": func(i int) []byte {
			return append(fmt.Appendf(nil, "%c%c%c%c", 'a'+i%26, 0x300+i%100, 0x300+i/100%100, 0x300+i/10000%100),
				strings.Repeat("\u0301", 28)...)
		},
		"payloads": func(i int) []byte {
			return fmt.Appendf(nil, "\x1b]0;%05000d\a\x1b[22t\x1bPx%060000d", i, i)
		},
		"links": func(i int) []byte {
			return fmt.Appendf(nil, "\x1b[3%dm\x1b]8;;http://%02000d\x1b\\%c\u0301", i%8, i, 'a'+i%26)
		},
	} {
		for _, size := range [][2]int{{24, 80}, {100, 300}} {
			cells := size[0] * size[1]
			times := 2 * cells
			if name == "payloads" {
				times = 20 // do what any more would
			}
			got := heapOf(1, func() *vt.Screen {
				s := vt.NewScreen(vt.Options{Rows: size[0], Cols: size[1], ScrollbackBytes: -1})
				for part, before := range []string{"", "\x1b[?1049h", "\x1b[?2026h"} {
					s.Write([]byte(before))
					for i := range times {
						s.Write(unit(i + part*1_000_000))
					}
				}
				return s
			})
			if limit := 1<<20 + 256*cells; got > limit {
				t.Errorf("%s, %v: got %d bytes of heap, want %d at most", name, size, got, limit)
			}
			t.Logf("%s, %v: %d bytes of heap, %d for each cell", name, size, got, got/cells)
		}
	}
}

// TestZeroAlloc writes what programs write, again and again.
func TestZeroAlloc(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and the allocations of one goroutine")
	}
	for _, w := range workloads {
		s := benchmarkScreen()
		for range 64 {
			s.Write(w.data)
		}
		if n := testing.AllocsPerRun(20, func() { s.Write(w.data) }); n != 0 {
			t.Errorf("%s: got %v allocations, want 0", w.name, n)
		}
		text := s.AppendText(nil)
		if n := testing.AllocsPerRun(20, func() { text = s.AppendText(text[:0]) }); n != 0 {
			t.Errorf("%s: got %v allocations for the text, want 0", w.name, n)
		}
	}
}

// TestMemory measures the heap.
func TestMemory(t *testing.T) {
	const n = 200
	idle := heapOf(n, func() *vt.Screen {
		s := vt.NewScreen(vt.Options{Rows: 40, Cols: 160})
		s.Write([]byte("\x1b[32m~/src\x1b[m$ make test  # a line of the usual length, as a shell leaves it, and more"))
		return s
	})
	if idle > 4<<10 {
		t.Errorf("an idle screen with one line: got %d bytes, want 4 KiB at most", idle)
	}
	full := heapOf(1, func() *vt.Screen {
		s := vt.NewScreen(vt.Options{Rows: 40, Cols: 160, ScrollbackBytes: 4 << 20})
		for range 10_040 {
			s.Write([]byte("\x1b[2m2026-11-20T12:34:56Z\x1b[0m \x1b[32m INFO\x1b[0m \x1b[1mserver\x1b[0m: request done \x1b[3mstatus\x1b[0m=200 in 3 ms\r\n"))
		}
		if first, end := s.History(); end-first < 10_000 {
			t.Errorf("got %d lines of history, want 10,000", end-first)
		}
		return s
	})
	if full > 8<<20 {
		t.Errorf("a screen with 10,000 lines: got %d bytes, want 8 MiB at most", full)
	}
	hidden := heapOf(1, func() *vt.Screen {
		s := vt.NewScreen(vt.Options{Rows: vt.MaxRows, Cols: vt.MaxCols})
		s.Write([]byte("\x1b[?1049h" + strings.Repeat("x", vt.MaxRows*vt.MaxCols) + "\x1b[?1049l"))
		s.Resize(24, 80)
		return s
	})
	if hidden > 1<<20 {
		t.Errorf("an alternate screen that was large: got %d bytes, want 1 MiB at most", hidden)
	}
	t.Logf("idle: %d bytes; with 10,000 lines: %d bytes", idle, full)
}

// heapOf returns how many bytes of heap each of n screens takes.
func heapOf(n int, f func() *vt.Screen) int {
	var before, after runtime.MemStats
	screens := make([]*vt.Screen, n)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range screens {
		screens[i] = f()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(screens)
	return int(after.HeapAlloc-before.HeapAlloc) / n
}
