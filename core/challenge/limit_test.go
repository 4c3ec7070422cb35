package challenge

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLimit(t *testing.T) {
	const before, after = "\n[... output limited to 10000 bytes; ", " interior bytes omitted ...]\n"
	for _, test := range []struct{ name, in, want string }{
		{"all of it", strings.Repeat("x", 10_000), strings.Repeat("x", 10_000)},
		{"one too many", strings.Repeat("x", 10_001), strings.Repeat("x", 5000) + before + "1" + after + strings.Repeat("x", 5000)},
		{"three times as much", strings.Repeat("x", 30_000), strings.Repeat("x", 5000) + before + "20000" + after + strings.Repeat("x", 5000)},
		{
			"characters stay whole", strings.Repeat("漢", 4000), // 5000 = 3*1666+2
			strings.Repeat("漢", 1666) + before + "2004" + after + strings.Repeat("漢", 1666),
		},
		{"not even text", strings.Repeat("\x80", 10_001), before + "10001" + after},
	} {
		if got := limit(test.in); got != test.want {
			t.Errorf("%s: got %d bytes, want %d: %.60q", test.name, len(got), len(test.want), strings.Trim(got, "x漢"))
		}
	}
}

// TestLimitTwice shows what terminus-2 tells its agents: how much the count
// itself has made the output longer.
func TestLimitTwice(t *testing.T) {
	if got := limit(limit(strings.Repeat("x", 30_000))); !strings.Contains(got, "; 71 interior bytes omitted") {
		t.Errorf("got %q, want 71 bytes omitted", strings.Trim(got, "x"))
	}
}

func FuzzLimit(f *testing.F) {
	f.Add("é", 7000, 3)
	f.Add("\x80", 20000, 0)
	f.Add("漢x", 3000, 1)
	f.Fuzz(func(t *testing.T, piece string, n, skip int) {
		if n < 0 || n > 50_000 || skip < 0 || skip > 4 || len(piece)*n > 100_000 {
			t.Skip()
		}
		in := strings.Repeat("x", skip) + strings.Repeat(piece, n)
		got := limit(in)
		if len(got) > maxShown+100 {
			t.Errorf("got %d bytes, want at most %d and a line", len(got), maxShown)
		}
		if utf8.ValidString(in) && !utf8.ValidString(got) {
			t.Errorf("got half a character")
		}
	})
}
