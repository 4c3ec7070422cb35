package vt_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// A sink collects what scrolls out.
type sink struct{ bytes.Buffer }

func (s *sink) Append(p []byte) { s.Write(p) }

func TestAppendLines(t *testing.T) {
	for _, test := range []struct{ name, in, scrolled, lines string }{
		{"nothing", "", "", ""},
		{"on the screen", "a  \r\n\r\n b", "", "a\n\n b\n"},
		{"above it", "1\r\n2 \r\n3\r\n4\r\n", "1\n2\n", "3\n4\n"},
		{"blank above it", "\r\n\r\n\r\n\r\n", "\n\n", ""},
		{"wrapped", "abcdefgh\r\n", "", "abcdefgh\n"},
		{"blanks where it wraps", "abcd    ij", "", "abcd    ij\n"},
		{"half above it", "abcdefghijklmnop\r\n", "abcdef", "ghijklmnop\n"},
		{"the start erased", "abcdefghijklmnopqrst\x1b[H\x1b[2J", "abcdef", "\n"},
		{"the rest cleared", "abcdefghijklmnopqrst\x1b[Hx", "abcdef", "xhijklmnopqrst\n"},
		{"wide where it wraps", "abcde世fghijkl\r\n", "abcde", "世fghijkl\n"},
		{"alternate", "1\r\n2\r\n3\r\n4\x1b[?1049h\x1b[2;1Hscreen and", "1\n", "\nscreen\n and\n"},
		{"back from it", "1\r\n2\r\n3\r\n4\x1b[?1049h\x1b[Hfull\r\n\n\n\n\x1b[?1049l", "1\n", "2\n3\n4\n"},
		{"scrollback erased", "1\r\n2\r\n3\r\n4\x1b[3J", "1\n", "2\n3\n4\n"},
		{"in a region below the top", "1\x1b[2;3r\x1b[3;1H\n\n\n", "", "1\n"},
		{"in a region at the top", "1\r\n2\r\n3\x1b[1;2r\x1b[2;1H\n", "1\n", "2\n\n3\n"},
		{"frame begun", "1\x1b[?2026h2", "", "12\n"},
	} {
		var scrolled sink
		s := vt.NewScreen(vt.Options{Rows: 3, Cols: 6, Scrolled: &scrolled})
		s.Write([]byte(test.in))
		if got := scrolled.String(); got != test.scrolled {
			t.Errorf("%s: got %q above the screen, want %q", test.name, got, test.scrolled)
		}
		if got := string(s.AppendLines(nil)); got != test.lines {
			t.Errorf("%s: got %q on the screen, want %q", test.name, got, test.lines)
		}
	}
}

// TestScrolledIsHistory has the history say the same, but for what joins lines.
func TestScrolledIsHistory(t *testing.T) {
	plain := strings.NewReplacer("\n", "", " ", "")
	for seed := range uint64(300) {
		rows, cols := 1+int(seed)%6, 2+int(seed)%17
		in := newGenerator(seed, rows, cols).stream(60)
		var scrolled sink
		given := vt.NewScreen(vt.Options{Rows: rows, Cols: cols, Scrolled: &scrolled})
		kept := vt.NewScreen(vt.Options{Rows: rows, Cols: cols})
		given.Write(in)
		kept.Write(in)
		kept.EndSynchronized()
		first, end := kept.History()
		if first > 0 {
			continue // the program has erased its scrollback
		}
		want := plain.Replace(string(kept.AppendText(kept.AppendHistory(nil, first, end, true))))
		if got := plain.Replace(scrolled.String() + string(given.AppendLines(nil))); got != want {
			t.Errorf("seed %d: %q: got %q, want %q", seed, in, got, want)
		}
	}
}

// TestResizeKeepsLines changes the size of a screen of whole lines, of which
// none may change.
func TestResizeKeepsLines(t *testing.T) {
	var want strings.Builder
	for i := range 30 {
		want.WriteString(strings.Repeat(string(rune('a'+i%26)), 1+i*7%40) + "\n")
	}
	for seed := range uint64(50) {
		g := newGenerator(seed, 0, 0)
		var scrolled sink
		s := vt.NewScreen(vt.Options{Rows: 5, Cols: 20, Scrolled: &scrolled, Newline: true})
		for _, line := range strings.SplitAfter(want.String(), "\n") {
			s.Write([]byte(line))
			// A line below the cursor would have to go where there is no room.
			s.Resize(2+g.IntN(12), 2+g.IntN(60))
		}
		if got := scrolled.String() + string(s.AppendLines(nil)); got != want.String() {
			t.Errorf("seed %d: got %q, want %q", seed, got, want.String())
		}
	}
}
