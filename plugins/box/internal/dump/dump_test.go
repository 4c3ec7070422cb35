package dump

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool/tooltest"
)

func TestLikeTheirs(t *testing.T) {
	tooltest.Compare(t, Commands(), map[string]string{"f": "\x01\x02"}, []tooltest.Case{
		{"od", "hello\n", "0000000 062550 066154 005157\n0000006\n", "", 0},
		{"od -c", "a\n\x00\x7fÿé", "0000000   a  \\n  \\0 177 303 277 303 251\n0000010\n", "", 0},
		{"od -tx1z", "abc\nabc\n", "0000000 61 62 63 0a 61 62 63 0a                          >abc.abc.<\n0000010\n", "", 0},
		{"od -An -tx1 -w4", "abcdefg", " 61 62 63 64\n 65 66 67\n", "", 0},
		{"od -tx1d2", "abcde", "0000000  61 62  63 64  65\n         25185  25699    101\n0000005\n", "", 0},
		{"od -td1x2", "abcd", "0000000   97   98   99  100\n             6261      6463\n0000004\n", "", 0},
		{"od -tcx4", "abcdefgh", "0000000   a   b   c   d   e   f   g   h\n               64636261        68676665\n0000010\n", "", 0},
		{"od -tx1 -td4 -tc", "abcdefgh", "0000000  61  62  63  64  65  66  67  68\n             1684234849      1751606885\n          a   b   c   d   e   f   g   h\n0000010\n", "", 0},
		{"od -Ax -td4", "\x00\x00\x00\u0080ÿÿÿÿ", "000000 -1040187392 -1010842752 -1010842689         191\n00000d\n", "", 0},
		{"od -tu8", "ÿÿÿÿÿÿÿÿ", "0000000 13818098929159618499 13818098929159618499\n0000020\n", "", 0},
		{"od -ta", "\x00\n \x7f\u0080a", "0000000 nul  nl  sp del   B nul   a\n0000007\n", "", 0},
		{"od -tf4", "\x00\x00\u0080?\x00\x00\u0080\x7f", "0000000  -1.7816086e-38       -32.00024      4.5738e-41\n0000012\n", "", 0},
		{"od -tf8", "\x18-DTû!\t@", "0000000  1.0999350368694613e-264                3.16e-322\n0000011\n", "", 0},
		{"od -j 3 -N 2 -c", "abcdefgh", "0000003   d   e\n0000005\n", "", 0},
		{"od -j 30", "abc", "", "od: cannot skip past end of combined input\n", 1},
		{"od -N 0", "abc", "0000000\n", "", 0},
		{"od -v -w2", "aaaaaa", "0000000 060541\n0000002 060541\n0000004 060541\n0000006\n", "", 0},
		{"od -w2", "aaaaaabb", "0000000 060541\n*\n0000006 061142\n0000010\n", "", 0},
		{"od -S3", "ab\x00abc\x00defg\x00hi", "0000003 abc\n0000007 defg\n", "", 0},
		{"od -S4 -An", "abcd\x00abc\x00", "abcd\n", "", 0},
		{"od -S2 -Ad -j1", "abc\x00", "0000001 bc\n", "", 0},
		{"od -S2 -N4", "abc\x00de\x00", "0000000 abc\n", "", 0},
		{"od -S3 -tx1", "abc\x00", "", "od: no type may be specified when dumping strings\n", 1},
		{"od -S3", "abc\ndef\x00", "0000004 def\n", "", 0},
		{"od -Sx", "", "", "od: invalid -S argument 'x'\n", 1},
		{"od --strings", "abc\x00", "0000000 abc\n", "", 0},
		{"od -tz", "", "", "od: invalid character 'z' in type string ‘z’\n", 1},
		{"od -tx3", "", "", "od: invalid type string ‘x3’;\nthis system doesn't provide a 3-byte integral type\n", 1},
		{"od -Aq", "", "", "od: invalid output address radix 'q'; it must be one character from [doxn]\n", 1},
		{"od -w0", "", "0000000\n", "od: warning: invalid width 0; using 2 instead\n", 0},
		{"od -j x", "", "", "od: invalid -j argument 'x'\n", 1},
		{"od missing", "", "", "od: missing: No such file or directory\n", 1},
		{"od -w3 -tx2", "abcd", "0000000 6261\n0000002 6463\n0000004\n", "od: warning: invalid width 3; using 2 instead\n", 0},
		{"xxd", "hello world, this is\n", "00000000: 6865 6c6c 6f20 776f 726c 642c 2074 6869  hello world, thi\n00000010: 7320 6973 0a                             s is.\n", "", 0},
		{"xxd -p", "hello", "68656c6c6f\n", "", 0},
		{"xxd -c 4 -g 1", "abcdefghi", "00000000: 61 62 63 64  abcd\n00000004: 65 66 67 68  efgh\n00000008: 69           i\n", "", 0},
		{"xxd -b", "abc", "00000000: 01100001 01100010 01100011                             abc\n", "", 0},
		{"xxd -u", "«Í", "00000000: C2AB C38D                                ....\n", "", 0},
		{"xxd -e", "abcdef", "00000000: 64636261     6665                    abcdef\n", "", 0},
		{"xxd -i", "ab\n", "  0x61, 0x62, 0x0a\n", "", 0},
		{"xxd -d", "abcdefghijklmnopqrstuvwxyz", "00000000: 6162 6364 6566 6768 696a 6b6c 6d6e 6f70  abcdefghijklmnop\n00000016: 7172 7374 7576 7778 797a                 qrstuvwxyz\n", "", 0},
		{"xxd -s 2 -l 3", "abcdef", "00000002: 6364 65                                  cde\n", "", 0},
		{"xxd -c 300", "a", "", "xxd: invalid number of columns (max. 256).\n", 1},
		{"xxd -c 256 -p", "a", "61\n", "", 0},
		{"xxd -i -p", "ab", "6162\n", "", 0},
		{"xxd -p -i", "ab", "  0x61, 0x62\n", "", 0},
		{"xxd -r", "00000000: 6162 630a  abc.\n", "abc\n", "", 0},
		{"xxd -r", "0: 61\n3: 62\n", "a\x00\x00b", "", 0},
		{"xxd -r", "00000004: 61\n00000000: 62\n", "\x00\x00\x00\x00a", "xxd: Sorry, cannot seek backwards.\n", 5},
		{"xxd -r", "00000000: 61zz 62\n", "a", "", 0},
		{"xxd -r", "no dump\n", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "", 0},
		{"xxd -r -p", "6162 63\n0a", "abc\n", "", 0},
		{"xxd -r -p", "61x62\n", "ab", "", 0},
		{"xxd -r -p", "616\n", "a", "", 0},
		{"xxd -r -p", "61zzz62\n63\n", "ac", "", 0},
		{"xxd -r -p", "6x1 62\n", "\x16", "", 0},
		{"xxd -i f", "", "unsigned char f[] = {\n  0x01, 0x02\n};\nunsigned int f_len = 2;\n", "", 0},
		{"xxd -i -C f", "", "unsigned char F[] = {\n  0x01, 0x02\n};\nunsigned int F_LEN = 2;\n", "", 0},
		{"xxd missing", "", "", "xxd: missing: No such file or directory\n", 2},
		{"hexdump", "hello\n", "0000000 6568 6c6c 0a6f                         \n0000006\n", "", 0},
		{"hexdump -C", "hello world, this is\n", "00000000  68 65 6c 6c 6f 20 77 6f  72 6c 64 2c 20 74 68 69  |hello world, thi|\n00000010  73 20 69 73 0a                                    |s is.|\n00000015\n", "", 0},
		{"hexdump -b", "ab", "0000000 141 142                                                        \n0000002\n", "", 0},
		{"hexdump -c", "a\n\x00", "0000000   a  \\n  \\0                                                    \n0000003\n", "", 0},
		{"hexdump -d", "abcd", "0000000   25185   25699                                                \n0000004\n", "", 0},
		{"hexdump -n 2 -C", "abcd", "00000000  61 62                                             |ab|\n00000002\n", "", 0},
		{"hexdump -C", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "00000000  61 61 61 61 61 61 61 61  61 61 61 61 61 61 61 61  |aaaaaaaaaaaaaaaa|\n*\n00000030  62                                                |b|\n00000031\n", "", 0},
		{"hexdump -n x", "", "", "hexdump: failed to parse length: 'x': Invalid argument\n", 1},
		{"hexdump missing", "", "", "hexdump: missing: No such file or directory\nhexdump: all input file arguments failed\n", 1},
		{"xxd -e -g 3", "abc", "", "xxd: number of octets per group must be a power of 2 with -e.\n", 1},
		{"xxd -r -b", "", "", "xxd: Sorry, cannot revert this type of hexdump\n", 255},
		{"xxd -b -e -p", "ab", "6162\n", "", 0},
		{"xxd -r -c 2", "00000000: 6162 6364  abcd\n", "ab", "", 0},
		{"xxd -r -s 2", "0: 61\n", "\x00\x00a", "", 0},
		{"od -tx1z -td2", "abc", "0000000  61 62  63                                               >abc<\n         25185     99\n0000003\n", "", 0},
		{"od -td8 -tcz", "abcdefghi", "0000000             7523094288207667809                             105\n          a   b   c   d   e   f   g   h   i                              >abcdefghi<\n0000011\n", "", 0},
		{"strings", "abc\x00abcd\x01ef\tgh", "abcd\nef\tgh\n", "", 0},
		{"strings -n 2", "a\x00ab\x00", "ab\n", "", 0},
		{"strings -t x", "\x00\x00abcd\n", "      2 abcd\n", "", 0},
		{"strings -t d -n 1", "aÿb", "      0 a\n      3 b\n", "", 0},
		{"strings -n 0", "", "", "strings: invalid minimum string length 0\n", 1},
		{"strings -n x", "", "", "strings: invalid integer argument x\n", 1},
		{"strings missing", "", "", "strings: 'missing': No such file\n", 1},
	})
}

// TestLength: what is asked for is read, and not the rest of an input, which may have no end.
func TestLength(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"xxd -l 4 -p", "61616161\n"},
		{"xxd -s 2 -l 4 -p", "61616161\n"},
		{"xxd -l 0", ""},
		{"xxd -l 4", "00000000: 6161 6161                                aaaa\n"},
		{"xxd -l 4 -i", "  0x61, 0x61, 0x61, 0x61\n"},
		{"hexdump -s 2 -n 4 -b", "0000002 141 141 141 141                                                \n0000006\n"},
		{"od -j 2 -N 4 -c", "0000002   a   a   a   a\n0000006\n"},
		{"od -An -N 5 -S 4", "aaaaa\n"},
	} {
		argv := strings.Fields(test.line)
		for _, c := range Commands() {
			if c.Name != argv[0] {
				continue
			}
			rest := iotest.ErrReader(errors.New("the rest was read"))
			var stdout, stderr bytes.Buffer
			env := tool.Env{Stdin: io.MultiReader(strings.NewReader(strings.Repeat("a", 64<<10)), rest), Stdout: &stdout, Stderr: &stderr}
			if status := tool.Run(c, env, argv); status != 0 || stdout.String() != test.want || stderr.Len() > 0 {
				t.Errorf("%s: got %q, %q, %d, want %q", test.line, stdout.String(), stderr.String(), status, test.want)
			}
		}
	}
}

// FuzzDumps compares od with a loop, and has what xxd shows come back.
func FuzzDumps(f *testing.F) {
	f.Add([]byte("hello, world, this is more than a row\n"), uint8(16))
	f.Add([]byte(strings.Repeat("\x00", 64)+"\xff"), uint8(3))
	f.Add([]byte("what looks like digits: deadbeefdeadbeef deadbeef"), uint8(8))
	f.Fuzz(func(t *testing.T, p []byte, width uint8) {
		if width == 0 {
			t.Skip()
		}
		w := fmt.Sprint(width)
		var want strings.Builder
		for i, c := range p {
			fmt.Fprintf(&want, " %02x", c)
			if (i+1)%int(width) == 0 || i+1 == len(p) {
				want.WriteByte('\n')
			}
		}
		if got := tooltest.Run(Commands(), "", string(p), "od", "-An", "-v", "-tx1", "-w"+w); got.Stdout != want.String() {
			t.Errorf("got %q, want %q", got.Stdout, want.String())
		}
		for _, how := range [][]string{{}, {"-p"}, {"-c", w}, {"-c", w, "-p"}, {"-u", "-g", "1"}} {
			shown := tooltest.Run(Commands(), "", string(p), append([]string{"xxd"}, how...)...)
			back := tooltest.Run(Commands(), "", shown.Stdout, append([]string{"xxd", "-r"}, how...)...)
			if back.Stdout != string(p) || back.Status != 0 {
				t.Errorf("xxd %q: got %q, %q of %q, want %q", how, back.Stdout, back.Stderr, shown.Stdout, p)
			}
		}
		// Whatever xxd is given to take back, it writes no more than the offsets ask for.
		if got := tooltest.Run(Commands(), "", string(p), "xxd", "-r", "-p"); len(got.Stdout) > len(p)/2 {
			t.Errorf("got %d bytes of %d", len(got.Stdout), len(p))
		}
	})
}
