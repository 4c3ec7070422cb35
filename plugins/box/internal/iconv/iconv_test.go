package iconv

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool/tooltest"
)

func TestLikeGlibc(t *testing.T) {
	tooltest.Compare(t, Commands(), nil, []tooltest.Case{
		{"iconv -f UTF-8 -t ISO-8859-1", "é\n", "\xe9\n", "", 0},
		{"iconv -f latin1 -t UTF-8", "\xe9\n", "é\n", "", 0},
		{"iconv -f UTF-8 -t UTF-16", "a", "\xff\xfea\x00", "", 0},
		{"iconv -f UTF-8 -t UTF-16", "", "", "", 0},
		{"iconv -f UTF-8 -t UTF-16BE", "😀", "\xd8=\xde\x00", "", 0},
		{"iconv -f UTF-16 -t UTF-8", "\xfe\xff\x00a", "a", "", 0},
		{"iconv -f UTF-16 -t UTF-8", "a\x00\xfe\xff", "a￾", "", 0},
		{"iconv -f UTF-16LE -t UTF-8", "\xff\xfea\x00", "\ufeffa", "", 0},
		{"iconv -f UTF-16LE -t UTF-8", "\x00\xd8", "", "iconv: incomplete character or shift sequence at end of buffer\n", 1},
		{"iconv -f UTF-16LE -t UTF-8", "\x00\xdc", "", "iconv: illegal input sequence at position 0\n", 1},
		{"iconv -f UTF-32BE -t UTF-8", "\x00\x11\x00\x00", "", "iconv: illegal input sequence at position 0\n", 1},
		{"iconv -f UTF-8 -t ASCII", "aé", "a", "iconv: illegal input sequence at position 1\n", 1},
		{"iconv -f UTF-8 -t ASCII//TRANSLIT", "Œuvre — “x” 漢", "OEuvre -- \"x\" ?", "", 0},
		{"iconv -f UTF-8 -t ASCII//IGNORE", "aéb", "ab", "iconv: illegal input sequence at position 4\n", 1},
		{"iconv -c -f UTF-8 -t ASCII", "aéb", "ab", "", 0},
		{"iconv -f UTF-8 -t UTF-8", "a\xc3", "a", "iconv: incomplete character or shift sequence at end of buffer\n", 1},
		{"iconv -f UTF-8 -t UTF-8", "a\xc3(", "a", "iconv: illegal input sequence at position 1\n", 1},
		{"iconv -f UTF-8 -t UTF-8", "\xed\xa0\x80", "", "iconv: illegal input sequence at position 0\n", 1},
		{"iconv -f UTF-8 -t UTF-8", "\xc0\x80", "", "iconv: illegal input sequence at position 0\n", 1},
		{"iconv -f CP1252 -t UTF-8", "\x80\x81", "€", "iconv: illegal input sequence at position 1\n", 1},
		{"iconv -f ASCII -t UTF-8", "\x80", "", "iconv: illegal input sequence at position 0\n", 1},
		{"iconv -f UTF-8 -t ISO-8859-15", "€", "\xa4", "", 0},
		{"iconv -f UTF-8 -t UTF-8", "\ufeffa", "\ufeffa", "", 0},
		{"iconv -f nothing -t UTF-8", "", "", "iconv: failed to start conversion processing: No such file or directory\n", 1},
		{"iconv -f UTF-8 -t UTF-8 missing", "", "", "iconv: cannot open input file `missing': No such file or directory\n", 1},
	})
}

// FuzzThere converts text there and back again. What is no UTF-8 is refused, and never converted.
func FuzzThere(f *testing.F) {
	f.Add([]byte("aé漢😀"))
	f.Add([]byte("\xed\xa0\x80"))
	f.Add([]byte("\ufeff\ufffd\x00"))
	f.Fuzz(func(t *testing.T, p []byte) {
		for _, set := range []string{"UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE"} {
			there := tooltest.Run(Commands(), "", string(p), "iconv", "-f", "UTF-8", "-t", set)
			if valid := utf8.Valid(p); valid != (there.Status == 0) {
				t.Fatalf("%q: got status %d, %q; valid: %v", p, there.Status, there.Stderr, valid)
			}
			if there.Status != 0 {
				continue
			}
			if back := tooltest.Run(Commands(), "", there.Stdout, "iconv", "-f", set, "-t", "UTF-8"); back.Stdout != string(p) {
				t.Errorf("%s of %q: got %q, %q", set, p, back.Stdout, back.Stderr)
			}
		}
	})
}

// A character that a buffer's end cuts in two is one character, wherever it is cut.
func TestLongInput(t *testing.T) {
	for before := range 10 {
		text := strings.Repeat("x", before) + strings.Repeat("a漢😀é", 7000)
		wide := tooltest.Run(Commands(), "", text, "iconv", "-f", "UTF-8", "-t", "UTF-16LE")
		back := tooltest.Run(Commands(), "", wide.Stdout, "iconv", "-f", "UTF-16LE", "-t", "UTF-8")
		if back.Stdout != text || back.Status != 0 {
			t.Errorf("%d bytes before: got %d bytes, %q, %q, want %d", before, len(back.Stdout), wide.Stderr, back.Stderr, len(text))
		}
	}
}
