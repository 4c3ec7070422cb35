package text_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/text"
)

// repair sends the chunks through a new Repairer, checks what Next promises
// about each span, and returns the whole stream.
func repair(t testing.TB, chunks ...[]byte) []byte {
	t.Helper()
	var r text.Repairer
	var out []byte
	for _, chunk := range chunks {
		lent := slices.Clone(chunk)
		for p := lent; len(p) > 0; {
			valid, rest := r.Next(p)
			if len(rest) >= len(p) {
				t.Fatalf("Next(%d bytes) left %d bytes", len(p), len(rest))
			}
			if !utf8.Valid(valid) {
				t.Fatalf("Next(%q) returned invalid UTF-8: %q", p, valid)
			}
			out = append(out, valid...)
			p = rest
		}
		if !bytes.Equal(lent, chunk) {
			t.Fatalf("Next changed %q to %q", chunk, lent)
		}
		clear(lent) // it was lent, not given
	}
	out = append(out, r.Flush()...)
	if again := r.Flush(); len(again) != 0 {
		t.Fatalf("second Flush returned %q, want nothing", again)
	}
	return out
}

// reference is the decoder of https://encoding.spec.whatwg.org/#utf-8-decoder,
// word for word, with UTF-8 encode after it.
func reference(stream []byte) []byte {
	var out []byte
	var codePoint rune
	var seen, needed int
	lower, upper := byte(0x80), byte(0xBF)
	for i := 0; i < len(stream); i++ {
		b := stream[i]
		if needed == 0 {
			switch {
			case b <= 0x7F:
				out = append(out, b)
			case 0xC2 <= b && b <= 0xDF:
				needed, codePoint = 1, rune(b&0x1F)
			case 0xE0 <= b && b <= 0xEF:
				if b == 0xE0 {
					lower = 0xA0
				}
				if b == 0xED {
					upper = 0x9F
				}
				needed, codePoint = 2, rune(b&0xF)
			case 0xF0 <= b && b <= 0xF4:
				if b == 0xF0 {
					lower = 0x90
				}
				if b == 0xF4 {
					upper = 0x8F
				}
				needed, codePoint = 3, rune(b&0x7)
			default:
				out = append(out, "\uFFFD"...)
			}
			continue
		}
		if b < lower || upper < b {
			codePoint, seen, needed = 0, 0, 0
			lower, upper = 0x80, 0xBF
			i-- // "restore byte to ioQueue"
			out = append(out, "\uFFFD"...)
			continue
		}
		lower, upper = 0x80, 0xBF
		codePoint = codePoint<<6 | rune(b&0x3F)
		if seen++; seen == needed {
			out = utf8.AppendRune(out, codePoint)
			codePoint, seen, needed = 0, 0, 0
		}
	}
	if needed != 0 {
		out = append(out, "\uFFFD"...)
	}
	return out
}

// bytewise cuts p into chunks of one byte.
func bytewise(p []byte) [][]byte {
	return slices.Collect(slices.Chunk(p, 1))
}

var repairTests = []struct {
	name, in, want string
}{
	// The Unicode Standard 16.0, section 3.9.
	{"Table 3-8, non-shortest forms", "\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", "��������A"},
	{"Table 3-9, surrogates", "\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", "��������A"},
	{"Table 3-10, other ill-formed", "\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", "�����A��B"},
	{"Table 3-11, truncated", "\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "����A"},

	{"nothing", "", ""},
	{"controls and NUL", "\x00\x1b[31m\r\n\x7f", "\x00\x1b[31m\r\n\x7f"},
	{"smallest and largest of each length", "\u0080\u07FF\u0800\uFFFF\U00010000\U0010FFFF", "\u0080\u07FF\u0800\uFFFF\U00010000\U0010FFFF"},
	{"around the surrogates", "\uD7FF\uE000", "\uD7FF\uE000"},
	{"noncharacters are characters here", "\uFFFE\uFDD0\U0001FFFF", "\uFFFE\uFDD0\U0001FFFF"},
	{"byte order mark stays", "\uFEFFa", "\uFEFFa"},
	{"U+FFFD stays one", "\uFFFD", "\uFFFD"},
	{"Latin-1", "caf\xE9 cr\xE8me", "caf� cr�me"},
	{"bytes that never occur", "\xC0\xC1\xF5\xFE\xFF", "�����"},
	{"lone continuation bytes", "a\x80\xBFb", "a��b"},
	{"one byte too many", "é\xA9", "é�"},
	{"lead after lead", "\xC3\xC3\xA9", "�é"},
	{"rune after a truncated one", "\xF0\x9F\x98é", "�é"},
	{"above U+10FFFF", "\xF4\x90\x80\x80", "����"},
	{"two bytes at the end", "\xE2\x82", "�"},
	{"three bytes at the end", "\xF0\x9F\x98", "�"},
	{"six-byte form", "\xFC\x84\x8F\xBF\xBF\xBF", "������"},
	{"bad byte in a long good run", strings.Repeat("good ", 20) + "\xFF" + strings.Repeat("日本語", 20), strings.Repeat("good ", 20) + "�" + strings.Repeat("日本語", 20)},
}

func TestRepairer(t *testing.T) {
	for _, tt := range repairTests {
		t.Run(tt.name, func(t *testing.T) {
			in := []byte(tt.in)
			if got := reference(in); string(got) != tt.want {
				t.Fatalf("the reference decoder made %q of %q, want %q", got, in, tt.want)
			}
			for cut := range len(in) + 1 {
				if got := repair(t, in[:cut], in[cut:]); string(got) != tt.want {
					t.Errorf("%q cut at %d: got %q, want %q", in, cut, got, tt.want)
				}
			}
			if got := repair(t, bytewise(in)...); string(got) != tt.want {
				t.Errorf("%q byte by byte: got %q, want %q", in, got, tt.want)
			}
		})
	}
}

// Every sequence of four bytes, up to bytes that Table 3-7 treats alike.
func TestRepairerAllSequences(t *testing.T) {
	if testing.Short() {
		t.Skip("it repairs 280,000 sequences")
	}
	edges := []byte("\x00\x7F\x80\x8F\x90\x9F\xA0\xBF\xC1\xC2\xDF\xE0\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xFF")
	in := make([]byte, 4)
	for _, in[0] = range edges {
		for _, in[1] = range edges {
			for _, in[2] = range edges {
				for _, in[3] = range edges {
					if got, want := repair(t, in), reference(in); !bytes.Equal(got, want) {
						t.Fatalf("%x: got %q, want %q", in, got, want)
					}
				}
			}
		}
	}
}

// A bad byte at every distance from the start, and from the end, of a chunk.
func TestRepairerPositions(t *testing.T) {
	for _, fill := range []string{"a", "é", "語", "😀", "aé語😀"} {
		for _, bad := range []string{"\xFF", "\xE8\xAA", "\xF0\x9F\x98", "\x80"} {
			for before := range 50 {
				for after := range 20 {
					in := []byte(strings.Repeat(fill, before) + bad + strings.Repeat(fill, after))
					want := strings.Repeat(fill, before) + "�" + strings.Repeat(fill, after)
					if got := repair(t, in); string(got) != want {
						t.Fatalf("%q: got %q, want %q", in, got, want)
					}
				}
			}
		}
	}
}

func FuzzRepairer(f *testing.F) {
	for i, tt := range repairTests {
		f.Add([]byte(tt.in), uint64(i))
	}
	f.Add(bytes.Repeat([]byte{0xE8, 0xAA, 'a'}, 200), uint64(7))
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		want := reference(in)
		if utf8.Valid(in) != bytes.Equal(in, want) {
			t.Fatalf("the reference decoder made %q of %q", want, in)
		}
		if got := repair(t, in); !bytes.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if got := repair(t, bytewise(in)...); !bytes.Equal(got, want) {
			t.Errorf("%q byte by byte: got %q, want %q", in, got, want)
		}
		var chunks [][]byte
		rnd := rand.New(rand.NewPCG(seed, 0))
		for p := in; len(p) > 0; {
			n := min(len(p), rnd.IntN(40))
			chunks = append(chunks, p[:n])
			p = p[n:]
		}
		if got := repair(t, chunks...); !bytes.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", chunks, got, want)
		}
	})
}

func TestRepairerHoldsBack(t *testing.T) {
	var r text.Repairer
	for _, step := range []struct{ in, want string }{
		{"a\xF0", "a"},
		{"\x9F", ""},
		{"\x98", ""},
		{"\x80b", "😀b"},
		{"\xE2\x82", ""},
		{"c", "�c"},
	} {
		var got []byte
		for p := []byte(step.in); len(p) > 0; {
			var valid []byte
			valid, p = r.Next(p)
			got = append(got, valid...)
		}
		if string(got) != step.want {
			t.Errorf("after %q: got %q, want %q", step.in, got, step.want)
		}
	}
	if got := r.Flush(); len(got) != 0 {
		t.Errorf("Flush after a whole rune: got %q, want nothing", got)
	}
}

func TestRepairerFlushStartsAnew(t *testing.T) {
	var r text.Repairer
	r.Next([]byte("\xE2\x82"))
	if got, want := string(r.Flush()), "�"; got != want {
		t.Errorf("Flush: got %q, want %q", got, want)
	}
	// The last byte of "€" would complete the rune that was flushed.
	if valid, _ := r.Next([]byte("\xAC")); string(valid) != "�" {
		t.Errorf("Next after Flush: got %q, want %q", valid, "�")
	}
}

// A good chunk comes back as it is: one call, no copy.
func TestRepairerDoesNotCopyGoodText(t *testing.T) {
	for _, in := range benchmarkTexts {
		var r text.Repairer
		valid, rest := r.Next(in.text)
		if len(rest) != 0 || len(valid) != len(in.text) || &valid[0] != &in.text[0] {
			t.Errorf("%s: got %d bytes and a rest of %d, want the %d bytes of the chunk themselves", in.name, len(valid), len(rest), len(in.text))
		}
	}

	// Nor are more than a few bytes copied after a bad one.
	good := bytes.Repeat([]byte("good text, "), 100)
	var r text.Repairer
	_, rest := r.Next(append([]byte{0xFF}, good...))
	if copied := len(good) - len(rest); copied > 64 {
		t.Errorf("after a bad byte: %d good bytes copied, want 64 at most", copied)
	}
}

// A caller that appends to a span must not write over the rest of its chunk.
func TestRepairerSpansHaveNoRoom(t *testing.T) {
	var r text.Repairer
	p := []byte("good\xFFgood")
	for rest := p; len(rest) > 0; {
		var valid []byte
		valid, rest = r.Next(rest)
		_ = append(valid, "overwritten"...)
	}
	if got, want := string(p), "good\xFFgood"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Garbage must not cost one call, and one write of the caller, per U+FFFD.
func TestRepairerBatchesGarbage(t *testing.T) {
	for _, in := range benchmarkGarbage {
		var r text.Repairer
		calls := 0
		for p := in.text; len(p) > 0; calls++ {
			_, p = r.Next(p)
		}
		if most := len(in.text) / 10; calls > most {
			t.Errorf("%s: %d calls for %d bytes, want %d at most", in.name, calls, len(in.text), most)
		}
	}
}

func TestRepairerDoesNotAllocate(t *testing.T) {
	for _, in := range slices.Concat(benchmarkTexts, benchmarkGarbage) {
		var r text.Repairer
		allocs := testing.AllocsPerRun(10, func() {
			for p := in.text; len(p) > 0; {
				_, p = r.Next(p)
			}
			r.Flush()
		})
		if allocs != 0 {
			t.Errorf("%s: got %v allocations, want 0", in.name, allocs)
		}
	}
}

func ExampleRepairer() {
	var r text.Repairer
	for _, chunk := range []string{"caf\xC3", "\xA9 \xFF\xE2\x82"} {
		for p := []byte(chunk); len(p) > 0; {
			var valid []byte
			valid, p = r.Next(p)
			fmt.Printf("%s", valid)
		}
	}
	fmt.Printf("%s\n", r.Flush())
	// Output: café ��
}

type sample struct {
	name string
	text []byte
}

// benchmarkTexts are chunks of 64 KiB of valid UTF-8, less at most 3 bytes.
var benchmarkTexts = []sample{
	{"ascii", repeat("The quick brown fox jumps over the lazy dog 0123456789.\n")},
	{"log", repeat("├── src/cmd/compile/internal/main.go ✓ ok 0.21s\n│   └── testdata ✓ ok\n")},
	{"french", choose("Voilà ", "l'été ", "garçon ", "est ", "très ", "content ", "de ", "la ", "forêt ")},
	{"cyrillic", choose("он ", "вышел ", "на ", "улицу ", "и ", "увидел ", "необыкновенное ")},
	{"cjk", choose("終", "端", "模", "拟", "器", "한", "국", "の", "、")},
	{"emoji", choose("😀", "🚀", "🌱", "🐢")},
	{"mixed", choose("a", "é", "語", "😀")},
}

// benchmarkGarbage are chunks of 64 KiB of bytes that are not UTF-8.
var benchmarkGarbage = []sample{
	{"ff", bytes.Repeat([]byte{0xFF}, 64<<10)},
	{"truncated", repeat("\xE2\x82")},
	{"alternating", repeat("a\xFF")},
	{"latin1", choose("Voil\xE0 ", "l'\xE9t\xE9 ", "gar\xE7on ", "est ", "tr\xE8s ", "content ", "de ", "la ")},
	{"random", random(64 << 10)},
}

func repeat(s string) []byte {
	return choose(s)
}

// choose makes 64 KiB of words in random order, whole ones only.
func choose(words ...string) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	var p []byte
	for {
		w := words[rnd.IntN(len(words))]
		if len(p)+len(w) > 64<<10 {
			return p
		}
		p = append(p, w...)
	}
}

func random(n int) []byte {
	p := make([]byte, n)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range p {
		p[i] = byte(rnd.Uint32())
	}
	return p
}

// BenchmarkRepairer compares with utf8.Valid, which only looks.
func BenchmarkRepairer(b *testing.B) {
	for _, in := range slices.Concat(benchmarkTexts, benchmarkGarbage) {
		b.Run(in.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in.text)))
			var r text.Repairer
			for b.Loop() {
				for p := in.text; len(p) > 0; {
					_, p = r.Next(p)
				}
			}
		})
	}
	for _, in := range benchmarkTexts {
		b.Run("utf8.Valid/"+in.name, func(b *testing.B) {
			b.SetBytes(int64(len(in.text)))
			for b.Loop() {
				utf8.Valid(in.text)
			}
		})
	}
}
