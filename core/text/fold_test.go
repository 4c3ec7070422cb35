package text_test

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/text"
)

// collect is a Sink.
type collect struct{ p []byte }

func (c *collect) Append(p []byte) { c.p = append(c.p, p...) }

// fold returns what a Folder commits of chunks, and the open line.
func fold(chunks ...string) (committed, open string) {
	var f text.Folder
	var dst collect
	for _, c := range chunks {
		f.Write(&dst, []byte(c))
	}
	return string(dst.p), string(f.AppendOpen(nil))
}

func TestFolder(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"lines", "one\ntwo\n\nthree", "one\ntwo\n\nthree"},
		{"CR LF", "one\r\ntwo\r\n\r\nthree\r\n", "one\ntwo\n\nthree\n"},
		{"CR CR LF", "one\r\r\ntwo\r\r\n", "one\ntwo\n"},
		{"VT, FF, NEL and IND", "a\vb\fc\u0085d\u0084e\x1bEf\x1bDg", "a\nb\nc\nd\ne\nf\ng"},
		{"printed blanks stay", "  a  \n \n", "  a  \n \n"},
		{"tabs stay", "\ta\t\tb\t\n\t\n", "\ta\t\tb\t\n\t\n"},
		{"other controls", "a\x00b\x07c\x7Fd\x0Ee\x1Ff\u0080g\n", "abcdefg\n"},
		{"a byte order mark", "\uFEFFa\n", "\uFEFFa\n"},

		{"colours", "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mtrue\x1b[m\x1b[K\n", "red true\n"},
		{"colours with colons", "\x1b[38:2::1:2:3mx\x1b[4:3my\x1b[0m\n", "xy\n"},
		{"title", "\x1b]0;title\x07a\x1b]2;t\x1b\\b\n", "ab\n"},
		{"hyperlink", "see \x1b]8;;https://example.com\x1b\\here\x1b]8;;\x1b\\.\n", "see here.\n"},
		{"strings", "a\x1bP1$r0m\x1b\\b\x1b_apc\x1b\\c\x1b^pm\x1b\\d\n", "abcd\n"},
		{"charsets and modes", "\x1b(Ba\x1b=\x1b[?25l\x1b[?2004hb\x1b[>4;1m\x1b[!p\x1b7\n", "ab\n"},
		{"C1", "\u009B1ma\u009B0mb\u009D0;t\u009Cc\n", "abc\n"},
		{"sequence cut by the end", "a\x1b[3", "a"},

		{"rewrite", "10%\r20%\r100%\n", "100%\n"},
		{"shorter rewrite", "downloading\rdone\n", "doneloading\n"},
		{"rewrite with blanks", "downloading\rdone       \n", "done       \n"},
		{"CR at the end", "text\r", "text"},
		{"CR before an escape sequence", "old\r\x1b[32mnew\x1b[0m\n", "new\n"},
		{"erase and rewrite", "downloading\r\x1b[Kdone\n", "done\n"},
		{"rewrite and erase", "downloading\rdone\x1b[K\n", "done\n"},
		{"erase all and rewrite", "downloading\x1b[2K\rdone\n", "done\n"},
		{"erase all and stay", "ab\x1b[2Kcd\n", "  cd\n"},
		{"erase to the left", "abcdef\b\b\b\x1b[1K\n", "    ef\n"},
		{"erase to the left at the end", "abcdef\x1b[1K\n", "\n"},
		{"erase below", "prompt\r\x1b[Jnew\n", "new\n"},
		{"erase above", "abcd\b\b\x1b[1Jx\n", "  xd\n"},
		{"erase with CHA", "\x1b[1Gone\x1b[0K\x1b[1Gtwo\x1b[0K\n", "two\n"},
		{"zsh end of line mark", "%" + strings.Repeat(" ", 79) + "\r \r\r\x1b[0m\x1b[J$ ls\n", "$ ls\n"},

		{"spinner", "wait |\b/\b-\b\\\b|\b \bdone\n", "wait done\n"},
		{"BS at the start", "\b\b\ba\b\b\bb\n", "b\n"},
		{"BS, blank, BS", "abc\b \b\b \bX\n", "aX \n"},
		{"underline by overstriking", "_\bu_\bn\n", "un\n"},

		{"CHA", "abcdef\x1b[3GX\x1b[GY\x1b[0GZ\n", "ZbXdef\n"},
		{"HPA and HPR", "abcdef\x1b[2`X\x1b[2aY\n", "aXcdYf\n"},
		{"CUF and CUB", "abcdef\x1b[4DX\x1b[CY\x1b[DZ\n", "abXdZf\n"},
		{"CUB beyond the start", "abc\x1b[99DX\n", "Xbc\n"},
		{"moves without text", "abc\x1b[20C\n\x1b[9G\n", "abc\n\n"},
		{"text beyond the end", "abc\x1b[3CX\n\x1b[4GX\n", "abc   X\n   X\n"},
		{"erased text beyond the end", "abc\x1b[9GX\b\x1b[K\n", "abc\n"},
		{"far right", "\x1b[99999GX\n", strings.Repeat(" ", 1023) + "X\n"},
		{"two columns", "[    ] name\x1b[2G ok \n", "[ ok ] name\n"},

		{"ECH", "abcdef\r\x1b[2X\n", "  cdef\n"},
		{"ECH beyond the end", "abcdef\b\b\x1b[9X\n", "abcd\n"},
		{"DCH", "abcdef\r\x1b[2PX\n", "Xdef\n"},
		{"DCH beyond the end", "abcdef\b\b\x1b[9P\n", "abcd\n"},
		{"ICH", "abcdef\r\x1b[2@X\n", "X abcdef\n"},
		{"ICH at the end", "abc\x1b[2@d\n", "abcd\n"},

		{"tab over text", "abcdefghijkl\r\tX\n", "abcdefghXjkl\n"},
		{"tab from text beyond the end", "abc\r\tX\n", "abc     X\n"},
		{"text over a tab", "a\tb\rxyz\n", "xyz     b\n"},
		{"text behind a tab", "a\tb\bc\n", "a\tc\n"},
		{"text inside a tab", "a\tb\x1b[4GX\n", "a  X    b\n"},
		{"tab and marks", "a\t\u0301\rb\n", "b\t\u0301\n"},

		{"wide", "世界\rXYZ\n", "XYZ\n"},
		{"half of wide", "世界\rX\n", "X 界\n"},
		{"other half of wide", "世界\x1b[2GX\n", " X界\n"},
		{"half of the last wide", "世\rX\n", "X\n"},
		{"wide over halves", "a世界b\r世\n", "世 界b\n"},
		{"wide over narrow", "abcd\r世\n", "世cd\n"},
		{"half of wide deleted", "世界\x1b[2G\x1b[P\n", " 界\n"},
		{"half of wide erased", "世界\x1b[2G\x1b[K\n", "\n"},
		{"emoji", "🚀 50%\r✅ 99%\n", "✅ 99%\n"},

		{"combining", "e\u0301a\u0300\n", "e\u0301a\u0300\n"},
		{"combining over", "e\u0301a\u0300\rx\n", "xa\u0300\n"},
		{"combining after a move", "ea\x1b[D\u0301\n", "e\u0301a\n"},
		{"many combining", "a\rb\u0300\u0301\u0302c\u0303\u0304\n", "b\u0300\u0301\u0302c\u0303\u0304\n"},
		{"combining on wide", "世\rは\u3099か\u3099\n", "は\u3099か\u3099\n"},
		{"combining at the start", "\u0301a\rb\n", "ba\n"},
		{"combining on a blank", "\x1b[3G\u0301\x1b[3D\u0300\n", "\u0300 \u0301\n"},
		{"joiners", "x\r👩\u200D🚀!\n", "👩\u200D🚀!\n"},

		{"leave a line", "one\x1b[Atwo\x1b[5;1Hthree\x1b[2Jfour\x1b[?1049hfive\n", "one\ntwo\nthree\nfour\nfive\n"},
		{"leave an empty line", "\x1b[H\x1b[2J\x1b[3J\x1b[?1049l\x1b8\x1b[u\x1bM\x1bcone\n", "one\n"},
		{"leave an erased line", "one\x1b[2K\x1b[Htwo\n", "two\n"},
		{"committed lines stay", "one\ntwo\n\x1b[2A\x1b[2Kthree\n", "one\ntwo\nthree\n"},

		{"curl", "" +
			"  % Total    % Received\r\n" +
			"\r  0 29.1M    0     0\r 42 29.1M   42 12.3M\r100 29.1M  100 29.1M\r\n",
			"  % Total    % Received\n100 29.1M  100 29.1M\n"},
		{"wget", "\rfile    0%[          ]       0  --.-KB/s\rfile  100%[=========>]  29.1M  1.2MB/s    in 1s\r\n\r\n",
			"file  100%[=========>]  29.1M  1.2MB/s    in 1s\n\n"},
		{"npm", "\x1b[1G\x1b[0K⠋\x1b[1G\x1b[0K⠙\x1b[1G\x1b[0K⠹\x1b[1G\x1b[0K\nadded 2 packages\n", "\nadded 2 packages\n"},
		{"cargo", "\x1b[K\x1b[0m\x1b[1m\x1b[36m    Building\x1b[0m [=>   ] 1/4: libc\r" +
			"\x1b[K\x1b[0m\x1b[1m\x1b[32m   Compiling\x1b[0m serde\n" +
			"\x1b[0m\x1b[1m\x1b[36m    Building\x1b[0m [===> ] 3/4: serde\r\x1b[K    Finished\n",
			"   Compiling serde\n    Finished\n"},
		{"pip", "\r\x1b[2K   \x1b[91m━━━\x1b[0m\x1b[90m╺━━\x1b[0m 1/2 MB\r\x1b[2K   \x1b[92m━━━━━━\x1b[0m 2/2 MB\r\n", "   ━━━━━━ 2/2 MB\n"},
		{"git", "Counting: 50% (1/2)\rCounting: 100% (2/2)\rCounting: 100% (2/2), done.\n", "Counting: 100% (2/2), done.\n"},
		{"docker pull", "a: Waiting\r\nb: Waiting\r\n\x1b[2A\x1b[2K\ra: Done\r\x1b[2B", "a: Waiting\nb: Waiting\na: Done\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, open := fold(test.in)
			if got += open; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			for i := range test.in {
				got, open := fold(test.in[:i], test.in[i:])
				if got += open; got != test.want {
					t.Errorf("cut before byte %d: got %q, want %q", i, got, test.want)
				}
			}
			got, open = fold(strings.Split(test.in, "")...)
			if got += open; got != test.want {
				t.Errorf("in single characters: got %q, want %q", got, test.want)
			}
		})
	}
}

func TestFolderOpenLine(t *testing.T) {
	var f text.Folder
	var dst collect
	for _, step := range []struct{ in, committed, open string }{
		{"one", "", "one"},
		{"\r", "", "one"},
		{"\n", "one\n", ""},
		{"two\nthr", "one\ntwo\n", "thr"},
		{"ee\rT", "one\ntwo\n", "Three"},
		{"\x1b", "one\ntwo\n", "Three"},
		{"[2K", "one\ntwo\n", ""},
		{"\x1b[5Cx", "one\ntwo\n", "      x"},
		{"\b\x1b[K", "one\ntwo\n", ""},
		{"\r世界", "one\ntwo\n", "世界"},
	} {
		f.Write(&dst, []byte(step.in))
		open := string(f.AppendOpen([]byte("+")))
		if string(dst.p) != step.committed || open != "+"+step.open {
			t.Errorf("after %q: got %q and open %q, want %q and %q", step.in, dst.p, open, step.committed, step.open)
		}
		if got := f.OpenLen(); got != len(step.open) {
			t.Errorf("after %q: got length %d, want %d", step.in, got, len(step.open))
		}
	}
	f.Write(&dst, []byte("\x1b[1"))
	f.Flush(&dst)
	f.Write(&dst, []byte("m\n"))
	if got, want := string(dst.p), "one\ntwo\n世界m\n"; got != want {
		t.Errorf("after Flush: got %q, want %q", got, want)
	}
}

func TestFolderCommitsLongLines(t *testing.T) {
	const limit = 64 << 10
	x := strings.Repeat("x", limit-1)
	for _, test := range []struct{ name, in, committed, open string }{
		{"below", x, "", x},
		{"at", x + "y", x + "y", ""},
		{"beyond", x + "yz\rZ", x + "y", "Z"},
		{"a wide character across", x + "世z", x + "世", "z"},
		{"a tab", x + "\tz", x + "\t", "z"},
		{"newline", x + "y\n\n", x + "y\n\n", ""},
		{"newline beyond", x + x + "\nz", x + x + "\n", "z"},
		{"rewritten", x + "\ry\ry", "", "y" + x[1:]},
		{"grown by rewriting", x + "\r\u00E9z", "\u00E9" + x[1:], "z"},
		{"grown by marks", "a\r" + x + "\b\u0301z", x[1:] + "\u0301x", "z"},
		{"tabs being rewritten", strings.Repeat("\t", 20000) + "\bx", strings.Repeat("\t", 16384), strings.Repeat("\t", 3615) + "       x"},
		{"a sequence behind", x + "y\x1b[mz", x + "y", "z"},
	} {
		for _, n := range []int{1 << 20, 4096, 1000} {
			committed, open := fold(chunks(test.in, n)...)
			if committed != test.committed || open != test.open {
				t.Errorf("%s, in chunks of %d: got %d bytes and open %d (%.9q), want %d and %d (%.9q)",
					test.name, n, len(committed), len(open), open, len(test.committed), len(test.open), test.open)
			}
		}
	}
}

// Edits that shift cells are done up to 1024 of them, and erasing up to the end
// always.
func TestFolderLongLineEdits(t *testing.T) {
	for _, test := range []struct {
		cells int
		edit  string
		want  func(line string) string
	}{
		{1024, "\r\x1b[P", func(s string) string { return s[1:] }},
		{1025, "\r\x1b[P", func(s string) string { return s }},
		{1023, "\r\x1b[9@", func(s string) string { return " " + s }},
		{1024, "\r\x1b[@", func(s string) string { return s }},
		{1024, "\r\x1b[X", func(s string) string { return " " + s[1:] }},
		{1025, "\r\x1b[X", func(s string) string { return s }},
		{1025, "\x1b[2D\x1b[1K", func(s string) string { return s }},
		{2000, "\x1b[2D\x1b[K", func(s string) string { return s[2:] }},
		{2000, "\x1b[1K", func(s string) string { return "" }},
		{2000, "\x1b[2D\x1b[2P", func(s string) string { return s[2:] }},
		{2000, "\x1b[2KX", func(s string) string { return strings.Repeat(" ", 1023) + "X" }},
		{2000, "\x1b[1500GX", func(s string) string { return s[:1499] + "X" + s[1500:] }},
		{2000, "\x1b[2500GX", func(s string) string { return s + "X" }},
	} {
		line := strings.Repeat("x", test.cells)
		want := test.want(line)
		if _, got := fold(line + test.edit); got != want {
			t.Errorf("%q on %d cells: got %d bytes, want %d", test.edit, test.cells, len(got), len(want))
		}
	}
}

// chunks cuts s into chunks of about n bytes, whole characters.
func chunks(s string, n int) []string {
	var c []string
	for len(s) > n {
		i := n
		for i < len(s) && !utf8.RuneStart(s[i]) {
			i++
		}
		c = append(c, s[:i])
		s = s[i:]
	}
	return append(c, s)
}

func TestFolderDoesNotAllocate(t *testing.T) {
	type stream struct{ name, in string }
	long := strings.Repeat("世x", 10<<10)
	streams := []stream{
		{"long lines", "\x1b[1m" + long + "\x1b[m\n"},
		{"long rewritten lines", long + "\r" + long + "\n"},
	}
	for _, b := range benchmarks {
		// The hostile ones go from long lines to short ones and back.
		if !strings.HasPrefix(b.name, "hostile-") {
			streams = append(streams, stream{b.name, b.in})
		}
	}
	for _, s := range streams {
		var f text.Folder
		var dst discard
		in := []byte(s.in)
		f.Write(&dst, in)
		if n := testing.AllocsPerRun(5, func() { f.Write(&dst, in) }); n != 0 {
			t.Errorf("%s: got %v allocations, want 0", s.name, n)
		}
	}
}

// A Folder holds little enough for the sum of all it ever allocated to show it.
func TestFolderMemoryIsBounded(t *testing.T) {
	for _, s := range []struct{ name, in string }{
		{"one line", strings.Repeat("x", 64<<10)},
		{"rewritten line", "x\r" + strings.Repeat("x", 60<<10) + "\r"},
		{"marks", "x\r" + strings.Repeat("e\u0301", 20<<10)},
		{"marks on one cell", "x\r" + strings.Repeat("\u0301", 20<<10)},
		{"replaced marks", strings.Repeat("\re\u0301\u0301", 10<<10)},
		{"rewritten tabs", strings.Repeat("\t", 64<<10-1) + "\b"},
		{"an OSC without an end", "\x1b]" + strings.Repeat("x", 64<<10)},
		{"a DCS without an end", "\x1bPq" + strings.Repeat("x", 64<<10)},
	} {
		var before, after runtime.MemStats
		var f text.Folder
		var dst discard
		in := []byte(s.in)
		runtime.ReadMemStats(&before)
		for range 20 {
			f.Write(&dst, in)
		}
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(&f)
		if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
			t.Errorf("%s: got %d bytes allocated, want less than 4 MiB", s.name, got)
		}
	}
}
