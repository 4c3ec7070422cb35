package vt_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// FuzzScreen writes anything to a small screen.
func FuzzScreen(f *testing.F) {
	for _, s := range streams {
		f.Add([]byte(s.unit), uint8(5), uint8(20))
	}
	for seed := range uint64(20) {
		f.Add(newGenerator(seed, 5, 12).stream(30), uint8(5), uint8(12))
	}
	f.Fuzz(func(t *testing.T, in []byte, rows, cols uint8) {
		in = repair(in)
		o := vt.Options{Rows: 1 + int(rows)%40, Cols: 2 + int(cols)%100, ScrollbackBytes: 16 << 10, Replies: true}
		checkChunks(t, o, in)
		s := vt.NewScreen(o)
		s.Write(in)
		checkScreen(t, s, in)
		s.Resize(1+int(cols)%30, 2+int(rows)%50)
		s.Write(in)
		checkScreen(t, s, in)
	})
}

// checkScreen checks what is always true of a Screen.
func checkScreen(t *testing.T, s *vt.Screen, in []byte) {
	t.Helper()
	rows, cols := s.Size()
	if c := s.Cursor(); c.X < 0 || c.X > cols || c.Y < 0 || c.Y >= rows {
		t.Errorf("%q: got cursor %d, %d outside of %dx%d", in, c.X, c.Y, rows, cols)
	}
	first, end := s.History()
	for name, p := range map[string][]byte{
		"text":    s.AppendText(nil),
		"history": s.AppendHistory(nil, first, end, true),
		"escapes": s.AppendEscapes(nil, 100),
	} {
		if !utf8.Valid(p) {
			t.Errorf("%q: %s is no UTF-8: %q", in, name, p)
		}
	}
	if p := s.AppendJSON(nil); !json.Valid(p) || !utf8.Valid(p) {
		t.Errorf("%q: got JSON %s", in, p)
	}
	if y := s.BadLead(); y >= 0 {
		t.Errorf("%q: row %d is not as empty as it says", in, y)
	}
	if p := s.TakeReplies(nil); len(p) > 4<<10 {
		t.Errorf("%q: got %d bytes of replies", in, len(p))
	}
	if n := s.MemorySize(); n > 1<<20 {
		t.Errorf("%q: got %d bytes of memory", in, n)
	}
}

// hostile are short sequences that have much done, or much kept.
var hostile = []string{
	"a\x1b[65535b", "\x1b[65535@", "\x1b[65535P", "\x1b[65535L", "\x1b[65535M", "\x1b[65535S", "\x1b[65535T", "\x1b[65535X", "\x1b[65535I", "\x1b[65535Z",
	"\x1b[65535 @", "\x1b[65535 A", "\x1b[65535'}", "\x1b[2J", "\x1b#8", "\x1b[?1049h\x1b[?1049l", "\x1b[?2026h\x1b[?2026l", "\x1bc", "\n", "\x1bM",
	"\x1b[4hab", "\x1b]8;;http://x/\x1b\\y\x1b[m", "\x1b[?1J", "e\u0301\u0302\u0303\u0304", "\x1b[38;2;1;2;3mx\x1b[48;2;4;5;6my", "\x1b[2;3r\n\n", "\x1b[6n", "\x1b]0;t\a", "\x1b[22t", "\x1b[3g\x1bH\t",
	"\x1bP$qm\x1b\\", "\x1b[1;2H世", "世\b\b", "\x1b[?45h\b\b\b", "\x1b7\x1b8", "\x1b[!p", "\x1b[1\"qa\x1b[?2J", "y\r\n", "\x1b[5;10r\x1b[10;1H\n", "\u0301",
}

// repeat returns unit again and again, up to n bytes.
func repeat(unit string, n int) []byte { return bytes.Repeat([]byte(unit), n/len(unit)) }

// TestLinear has four times the output take no more than about four times as
// long, on a screen that is full: until then there is less of it to clear. It
// tries again where something else may have taken the time.
func TestLinear(t *testing.T) {
	full := bytes.Repeat([]byte("x"), 40*160)
	write := func(in []byte) time.Duration {
		s := vt.NewScreen(vt.Options{Rows: 40, Cols: 160, Replies: true, ScrollbackBytes: 64 << 10})
		s.Write(full)
		before := time.Now()
		s.Write(in)
		return time.Since(before)
	}
	for _, unit := range hostile {
		small, large := time.Hour, time.Hour
		for try := 0; try < 3 || try < 30 && large > 8*small; try++ {
			small = min(small, write(repeat(unit, 2<<10)))
			large = min(large, write(repeat(unit, 8<<10)))
		}
		if large > 8*small {
			t.Errorf("%.20q: got %v for 8 KiB after %v for 2 KiB, want about four times as much", unit, large, small)
		}
	}
}

// TestHostile writes streams that do as much as they can with each byte.
func TestHostile(t *testing.T) {
	var inputs [][]byte
	for seed := range uint64(360) {
		inputs = append(inputs, newGenerator(seed, 40, 160).stream(400))
	}
	for _, unit := range hostile {
		inputs = append(inputs, repeat(unit, 8<<10))
	}
	start := time.Now()
	slowest, worst := time.Duration(0), 0
	for i, in := range inputs {
		s := vt.NewScreen(vt.Options{Rows: 40, Cols: 160, Replies: true})
		before := time.Now()
		s.Write(in)
		if d := time.Since(before); d > slowest {
			slowest, worst = d, i
		}
	}
	if d, limit := time.Since(start), slowdown*2*time.Second; d > limit {
		t.Errorf("got %v for %d streams, want %v at most", d, len(inputs), limit)
	}
	t.Logf("%d streams in %v, the slowest in %v: %.20q", len(inputs), time.Since(start), slowest, inputs[worst])
}
