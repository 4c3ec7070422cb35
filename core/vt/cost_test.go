//go:build unix && !race

package vt_test

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// costly are sequences that do as much as they can for each byte: alone, and
// with what undoes what a Screen remembers of them.
var costly = []string{
	"\n", "\b", "\t\r", "\x1b[3g\t\r", "\x1b[65535I\r", "\x1b[65535Z\x1b[999G", "\x1b[3g\x1bH", "\x1b[?45h\b\b\b",
	"\x1b[J", "\x1b[2H\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[2Jx", "\x1b[3J", "x\n\x1b[3J", "\x1b[41m\x1b[J",
	"\x1b[999;999Hx\x1b[Hx\x1b[2J", "\x1b[41m\x1b[2J\x1b[42m\x1b[2J", "\x1b#8", "\x1b#8\x1b[2J", "\x1b#8" + strings.Repeat("\n", 100),
	"\x1b[?J", "\x1b[?2J", "\x1b[1\"qx\x1b[?2J", "\x1b[?2K", "\x1b[1\"qx\x1b[?2K", "\x1b[1\"q\x1b#8\x1b[?2J\x1b[41m\x1b[?2J\x1b[m",
	"\x1b[K", "\x1b[2K", "\x1b[1K", "\x1b[999Gx\x1b[1K", "\r\x1b[999X", "\x1b[@", "\r\x1b[@\x1b[999Gx", "\r\x1b[P\x1b[999Gx", "\r\x1b[41m\x1b[P",
	"\x1b[4h\rx", "\x1b[4h\r世", "\x1b[L", "\x1b[2H\x1b[L", "\x1b[2H\x1b[50L", "\x1b[M", "\x1b[2H\x1b[50M", "\x1b[S", "\x1b[50S", "\x1b[T", "\x1b[50T",
	"\x1bM", "\x1b[H\x1bM", "\x1b[2;99r\x1b[99H" + strings.Repeat("\n", 100), "\x1b[2;99r\x1b[99H\n\x1b[r\x1b[999H\n",
	"a\x1b[65535b", "a\x1b[300b", "世\x1b[65535b", "e\u0301\u0302\u0303\u0304\x1b[65535b", "\u0301\x1b[65535b", "\x1b(0q\x1b[65535b", "\x1b[4ha\x1b[65535b", "x\x1b[299b\r\n",
	"\x1b['}", "\x1b[500'}", "\x1b['~", "\x1b[ @", "\x1b[ A", "\x1b[65535'}", "\x1b[65535 A",
	"\x1b[?2026h\x1b[?2026l", "\x1b[?2026hx\x1b[?2026l", "\x1b[?2026h" + strings.Repeat("x\r\n", 50) + "\x1b[?2026l", "\x1b[?2026h\x1b#8\x1b[?2026l\x1b[2J",
	"\x1b[?47h\x1b[?47l", "\x1b[?1049h\x1b[?1049l", "\x1b[?47h\x1b[299Gx\x1b[?47l", "\x1b[?47h\x1b[Hx\x1b[99Hx\x1b[41m\x1b[?47l\x1b[42m",
	"\x1b[?47h\x1b[299Gx\x1bc", "\x1b[?2026h\x1b[?47h\x1b[299Gx\x1b[?2026l\x1b[?47l", "\x1b[41m\x1b[2J\x1bc", "\x1bc", "\x1bcx", "\x1b[!p", "\x1b7\x1b8", "\x1b[2;3r\x1b[r",
	"\x1b[1m\x1b[m", "\x1b[38;2;1;2;3mx\x1b[48;2;4;5;6my", "\x1b]8;;http://x/\x1b\\y", "\x1b]0;t\a\x1b]0;u\a", "\x1b[22t", "\x1b[22t\x1b[23t",
	"\x1b[6n", "\x1bP$qm\x1b\\", "\x1b[?1$p", "e\u0301\u0302\u0303\u0304", "\u0301", "世界", "\r世\x1b[2G界", "\x1b(K####", "\x1b[299Gxxxxx", "\x1b[300G世", "\x1b[299Gx\n",
}

// costlyWide are those whose cost is in the columns: of the rows that they have
// scroll out, of which they have written next to nothing.
var costlyWide = []string{
	"x\n", "xxxx\n", "世\n", "x\n\x1b[3J", "\x1b[999Gx\n", "\x1b[999Gx\x1bD", "\x1b[999G世\n", "\x1b[999Xx\n", "x\x1b[999b\n",
	"世\x1b[S", "世\x1b[999S", "世\x1b[M", "x\x1b[S", "\x1b[999Gx\x1b[S", "\x1b[41m\x1b[S", "\x1b[41m\x1b[K\n",
	"e\u0301\x1b[65535b", "e\u0301\x1b[300b", "👨\u200d👩\x1b[65535b", "\x1b[4he\u0301\x1b[65535b", "👨\u200d👩\x1b[S", "\u200d\x1b[65535b",
}

// TestCost writes 64 KiB of each to a large screen that is full, and allows for
// it a fixed multiple of the processor time that plain text takes. What is not
// linear in the bytes takes thousands of times as long: the screen has 30,000
// cells.
func TestCost(t *testing.T) { testCost(t, 100, 300, append(costly, costlyWide...)) }

// TestCostOfColumns does the same on a screen that is as wide as any.
func TestCostOfColumns(t *testing.T) { testCost(t, 5, 1000, costlyWide) }

func testCost(t *testing.T, rows, cols int, units []string) {
	const size, most = 64 << 10, 100
	full := []byte(strings.Repeat(strings.Repeat("x", cols-1)+"\r\n", rows))
	cost := func(unit string, sink vt.Sink) time.Duration {
		s := vt.NewScreen(vt.Options{Rows: rows, Cols: cols, Replies: true, Scrolled: sink})
		s.Write(full)
		in := bytes.Repeat([]byte(unit), size/len(unit))
		before := processorTime(t)
		for len(in) > 0 {
			n := min(len(in), 4<<10)
			s.Write(in[:n])
			in = in[n:]
		}
		return processorTime(t) - before
	}
	for _, sink := range []vt.Sink{nil, new(nothing)} {
		text := time.Hour
		for range 10 {
			text = min(text, cost("hello world, this is a line of text\r\n", sink))
		}
		for _, unit := range units {
			got := time.Hour
			for try := 0; try == 0 || try < 20 && got > most*text && got < time.Second; try++ {
				got = min(got, cost(unit, sink))
			}
			if got > most*text {
				t.Errorf("%.20q (scrolled out to %T): got %v for 64 KiB, %d times that of text, want at most %d times", unit, sink, got, got/text, most)
			}
		}
	}
}

// nothing is a Sink that drops what it is given.
type nothing struct{}

func (*nothing) Append([]byte) {}

// processorTime returns what the process has used.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
