package field

import (
	"math/big"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool/tooltest"
)

func TestLikeCoreutils(t *testing.T) {
	tooltest.Compare(t, Commands(), map[string]string{"one": "a\nb\nc\n", "two": "1\n2"}, []tooltest.Case{
		{"cut -d: -f2", "a:b:c\nx\n:\n", "b\nx\n\n", "", 0},
		{"cut -d: -s -f1,3-", "a:b:c:d\nx\n", "a:c:d\n", "", 0},
		{"cut -c2-3", "aéb\n漢字\n", "\xc3\xa9\n\xbc\xa2\n", "", 0},
		{"cut -b-2,4", "abcdef\nab", "abd\nab\n", "", 0},
		{"cut --complement -d' ' -f2", "1 2 3\n", "1 3\n", "", 0},
		{"cut -d, -f3,1 --output-delimiter=|", "a,b,c\n", "a|c\n", "", 0},
		{"cut -z -f2", "a\tb\x00c\td\x00", "b\x00d\x00", "", 0},
		{"cut -f0", "", "", "cut: fields are numbered from 1\nTry 'cut --help' for more information.\n", 1},
		{"cut -f3-1", "", "", "cut: invalid decreasing range\nTry 'cut --help' for more information.\n", 1},
		{"cut -f99999999999999999999", "", "", "cut: field number ‘99999999999999999999’ is too large\nTry 'cut --help' for more information.\n", 1},
		{"cut -f1 -c1", "", "", "cut: only one list may be specified\nTry 'cut --help' for more information.\n", 1},
		{"cut", "", "", "cut: you must specify a list of bytes, characters, or fields\nTry 'cut --help' for more information.\n", 1},
		{"cut -d ab -f1", "", "", "cut: the delimiter must be a single character\nTry 'cut --help' for more information.\n", 1},
		{"cut -c1 missing", "", "", "cut: missing: No such file or directory\n", 1},
		{"cut -b1-2,2-4 --output-delimiter=:", "abcdef\n", "abcd\n", "", 0},
		{"paste one two", "", "a\t1\nb\t2\nc\t\n", "", 0},
		{"paste -s -d, one two", "", "a,b,c\n1,2\n", "", 0},
		{"paste -d:, - - -", "1\n2\n3\n4\n", "1:2,3\n4:,\n", "", 0},
		{`paste -d '\n' one two`, "", "a\n1\nb\n2\nc\n\n", "", 0},
		{`paste -d '\0' one two`, "", "a1\nb2\nc\n", "", 0},
		{`paste -d '\' one two`, "", "", "paste: delimiter list ends with an unescaped backslash: \\\n", 1},
		{"paste -s", "", "\n", "", 0},
		{"paste -z -d x one -", "q\x00r", "a\nb\nc\nxq\x00xr\x00", "", 0},
		{"paste one missing", "", "", "paste: missing: No such file or directory\n", 1},
		{"column -t", "a bb c\nddd e\n\nf\n", "a    bb  c\nddd  e   \nf        \n", "", 0},
		{"column -t -s:", "a:b::c\nlong:é:x\n", "a     b     c\nlong  é  x  \n", "", 0},
		{"column -t -s, -o ' | '", "a,b\n漢,c\n", "a  | b\n漢 | c\n", "", 0},
		{"column -c 20", "a\nb\nc\nd\ne\n", "a\td\nb\te\nc\n", "", 0},
		{"column -x -c 20", "a\nb\nc\nd\ne\n", "a\tb\nc\td\ne\n", "", 0},
		{"column -t -x", "a\n", "", "column: mutually exclusive arguments: --table --fillrows\n", 1},
		{"column -c x", "", "", "column: invalid columns argument: 'x'\n", 1},
		{"column 'no such' other", "", "", "column: no such: No such file or directory\ncolumn: other: No such file or directory\n", 2},
		{"column -e -c 20", "a\nb\n", "a\tb\n", "", 0},
		{"numfmt --to=iec 1024 1000 1023 123456789", "", "1.0K\n1000\n1023\n118M\n", "", 0},
		{"numfmt --to=si --padding=8", "999\n1000\n99999\n", "     999\n    1.0K\n    100K\n", "", 0},
		{"numfmt --from=iec-i --format=%.2f 1.5Ki 2Mi", "", "1536.00\n2097152.00\n", "", 0},
		{"numfmt --from=auto 1K 1Ki", "", "1000\n1024\n", "", 0},
		{"numfmt --from-unit=Ki 3", "", "3072\n", "", 0},
		{"numfmt --from-unit=K --to-unit=M 5000", "", "5\n", "", 0},
		{"numfmt --to-unit=K 1500", "", "2\n", "", 0},
		{"numfmt --to-unit=0 1", "", "", "numfmt: invalid unit size: ‘0’\n", 1},
		{"numfmt --to-unit=KK 1", "", "", "numfmt: invalid unit size: ‘KK’\n", 1},
		{"numfmt --to-unit=Ki2 1", "", "", "numfmt: invalid unit size: ‘Ki2’\n", 1},
		{"numfmt --field=2 -d, --to=si", "a,1500,b\n", "a,1.5K,b\n", "", 0},
		{"numfmt --round=down --to=iec 1999", "", "1.9K\n", "", 0},
		{"numfmt --invalid=warn", "x\n1K\n7\n", "x\n1K\n7\n", "numfmt: invalid number: ‘x’\nnumfmt: rejecting suffix in input: ‘1K’ (consider using --from)\n", 0},
		{"numfmt --header=1 --to=si", "size\n2000\n", "size\n2.0K\n", "", 0},
		{"numfmt --suffix=B --to=si 5000", "", "5.0KB\n", "", 0},
		{"numfmt --padding=0 1", "", "", "numfmt: invalid padding value ‘0’\n", 1},
		{"numfmt --format=%d 1", "", "", "numfmt: invalid format ‘%d’, directive must be %[0]['][-][N][.][N]f\n", 1},
		{"numfmt --to=si 1e3", "", "", "numfmt: invalid suffix in input: ‘1e3’\n", 2},
		{"numfmt ''", "", "", "numfmt: invalid number: ‘’\n", 2},
		{"numfmt -- -0.5", "", "-0.5\n", "", 0},
	})
}

// FuzzCut compares cut -f with strings.Split.
func FuzzCut(f *testing.F) {
	f.Add("a:b:c\nx\n:\n", byte(':'), uint8(2))
	f.Add("a:b\n", byte(':'), uint8(3))
	f.Add("\xff\x00\n\n", byte(0), uint8(1))
	f.Fuzz(func(t *testing.T, text string, delim byte, field uint8) {
		if delim == '\n' || delim >= 0x80 || field == 0 {
			t.Skip("cut refuses it, or takes it for a part of a character")
		}
		var want strings.Builder
		for line := range strings.Lines(text) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), string(delim))
			switch {
			case len(fields) == 1:
				want.WriteString(fields[0])
			case int(field) <= len(fields):
				want.WriteString(fields[field-1])
			}
			want.WriteByte('\n')
		}
		got := tooltest.Run(Commands(), "", text, "cut", "-d", string(delim), "-f", big.NewInt(int64(field)).String())
		if got.Stdout != want.String() || got.Status != 0 {
			t.Errorf("%q: got %q, %d, want %q", text, got.Stdout, got.Status, want.String())
		}
	})
}

// Numbers of a thousand digits, and fields by the million, take no more than their length.
func TestHostileFields(t *testing.T) {
	long := strings.Repeat("9", 1000)
	for _, c := range []struct{ line, stdin, stderr string }{
		{"numfmt --to=si", long + "\n", "numfmt: value too large"},
		{"numfmt --padding=" + long, "1\n", "numfmt: invalid padding value"},
		{"numfmt --from-unit=" + long, "1\n", "numfmt: invalid unit size"},
		{"cut -f" + long, "a\n", "cut: field number"},
		{"column -c " + long, "a\n", "column: invalid columns argument"},
	} {
		got := tooltest.Run(Commands(), "", c.stdin, strings.Fields(c.line)...)
		if !strings.HasPrefix(got.Stderr, c.stderr) || len(got.Stdout) > 2<<20 {
			t.Errorf("%.40s: got %.80q and %d bytes, want %q", c.line, got.Stderr, len(got.Stdout), c.stderr)
		}
	}
	for _, option := range []string{"--padding=1000000", "--format=%" + long + "f"} {
		got := tooltest.Run(Commands(), "", "", "numfmt", option, "1")
		if want := strings.Repeat(" ", 999_999) + "1\n"; got.Stdout != want {
			t.Errorf("%.30s: got %.30q and %d bytes, want %d", option, got.Stdout, len(got.Stdout), len(want))
		}
	}
	fields := strings.Repeat(":", 1<<18)
	if got := tooltest.Run(Commands(), "", fields, "cut", "-d:", "-f1,3,5-"); len(got.Stdout) != 1<<18-1 {
		t.Errorf("got %d bytes of many fields, want %d", len(got.Stdout), 1<<18-1)
	}
}
