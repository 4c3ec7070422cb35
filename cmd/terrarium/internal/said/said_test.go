package said_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/said"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for in, want := range map[string][]string{
		"":                         nil,
		"a":                        {"a"},
		"a\n\n  b \r\nc":           {"a", "b", "c"},
		"10%\r20%\rfatal: no":      {"10%", "20%", "fatal: no"},
		"a\x1b[2Jb\n":              {`a\x1b[2Jb`},
		long + "y\nz":              {long[:400], "z"},
		strings.Repeat("l\n", 100): slices.Repeat([]string{"l"}, 12),
	} {
		var each []string
		l := said.Lines{Each: func(line string) { each = append(each, line) }}
		for _, b := range []byte(in) { // however it comes
			l.Write([]byte{b})
		}
		if got := l.All(); !slices.Equal(got, want) {
			t.Errorf("%.40q: got %q, want %q", in, got, want)
		}
		if last := l.Last(); len(want) > 0 && last != want[len(want)-1] {
			t.Errorf("%.40q: got %q as its last line", in, last)
		}
		if l.End(); len(each) < len(want) || !slices.Equal(each[len(each)-len(want):], want) {
			t.Errorf("%.40q: got told %q, want %q at last", in, each, want)
		}
		if again := l.All(); !slices.Equal(again[max(0, len(again)-len(want)):], want) {
			t.Errorf("%.40q: got %q at its end", in, again)
		}
	}
	wide := said.Lines{Width: 900}
	if io.WriteString(&wide, long); len(wide.Last()) != 900 {
		t.Errorf("got %d bytes of a line, want 900", len(wide.Last()))
	}
}
