package text_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// check compares a Folder with the model, for in whole, in chunks that end near
// cuts, and in single characters.
func check(t *testing.T, in string, cuts ...int) {
	t.Helper()
	var m model
	var p vt.Parser
	p.Parse(&m, []byte(in))
	want, wantOpen := m.out.String(), m.open()

	var parts []string
	rest := in
	for _, n := range cuts {
		n = min(n, len(rest))
		for n < len(rest) && !utf8.RuneStart(rest[n]) {
			n++
		}
		parts = append(parts, rest[:n])
		rest = rest[n:]
	}
	parts = append(parts, rest)
	for _, c := range [][]string{{in}, parts, strings.Split(in, "")} {
		if got, open := fold(c...); got != want || open != wantOpen {
			t.Fatalf("%q in %d chunks: got %q and open %q, want %q and %q", in, len(c), got, open, want, wantOpen)
		}
	}

	bad := func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7F && r < 0xA0 }
	if out := want + wantOpen; strings.ContainsFunc(out, bad) || !utf8.ValidString(out) {
		t.Fatalf("%q: got %q, want only text", in, out)
	}
}

// pieces are what programs write, for random mixes.
var pieces = []string{
	"a", "b c", " ", "   ", "世", "界x", "é", "e\u0301", "\u0300", "\u200D", "🚀", "\t", "\t\t", "text that is longer", "\u00A0",
	"\n", "\r\n", "\r", "\r", "\b", "\b\b\b", "\v", "\f", "\u0085", "\u0084", "\u008D", "\x00", "\x07", "\x7F",
	"\x1b[m", "\x1b[1;31m", "\x1b]0;t\x07", "\x1b]8;;u\x1b\\", "\x1bPq\x1b\\", "\x1b", "\x1b[", "\x1b[3",
	"\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[1J", "\x1b[2J",
	"\x1b[G", "\x1b[3G", "\x1b[9`", "\x1b[30G", "\x1b[C", "\x1b[5C", "\x1b[2a", "\x1b[D", "\x1b[4D",
	"\x1b[X", "\x1b[3X", "\x1b[P", "\x1b[2P", "\x1b[@", "\x1b[3@", "\x1b[2000G", "\x1b[2000@", "\x1b[2000P",
	"\x1b[A", "\x1b[H", "\x1b8", "\x1bM", "\x1bE", "\x1b[?1049h", "\x1b[?25l",
}

func TestFolderIsLikeItsModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 30000
	if testing.Short() {
		rounds = 1000
	}
	for range rounds {
		var b strings.Builder
		for range 1 + rng.IntN(20) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		check(t, b.String(), rng.IntN(b.Len()+1), rng.IntN(b.Len()+1))
	}
}

func FuzzFolder(f *testing.F) {
	for _, p := range pieces {
		f.Add("ab世\tc\r"+p+"x", uint8(3), uint8(9))
	}
	f.Add("世界\rX\x1b[2G\u0301\x1b[P\b\b\tY\n", uint8(1), uint8(2))
	f.Fuzz(func(t *testing.T, in string, a, b uint8) {
		if len(in) > 16<<10 {
			return // too long for the model
		}
		// A Repairer comes first.
		check(t, strings.ToValidUTF8(in, "\uFFFD"), int(a), int(b))
		fold(in[:min(int(a), len(in))], in[min(int(a), len(in)):]) // must not panic
	})
}
