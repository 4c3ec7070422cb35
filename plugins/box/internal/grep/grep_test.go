package grep

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool/tooltest"
)

func TestLikeGNU(t *testing.T) {
	files := map[string]string{
		"a": "foo\nbar\nFoo bar\n\nbaz.\n", "b": "nothing\n", "bin": "foo\x00bar\n",
		"s/x.c": "foo\n", "s/y.h": "foo\n", "pats": "foo\nbaz\n",
	}
	tooltest.Compare(t, Commands(), files, []tooltest.Case{
		{"grep foo a", "", "foo\n", "", 0},
		{"grep -c foo a b", "", "a:1\nb:0\n", "", 0},
		{"grep -i foo a", "", "foo\nFoo bar\n", "", 0},
		{"grep -v o a", "", "bar\n\nbaz.\n", "", 0},
		{"grep -n bar a b", "", "a:2:bar\na:3:Foo bar\n", "", 0},
		{"grep -o ba. a", "", "bar\nbar\nbaz\n", "", 0},
		{"grep -ob bar a", "", "4:bar\n12:bar\n", "", 0},
		{"grep -w foo -", "foo foobar\nfoobar\nx_foo\nfoo-x\n", "foo foobar\nfoo-x\n", "", 0},
		{"grep -x foo a", "", "foo\n", "", 0},
		{"grep -l foo a b", "", "a\n", "", 0},
		{"grep -L foo a b", "", "b\n", "", 0},
		{"grep -q foo a missing", "", "", "", 0},
		{"grep foo missing", "", "", "grep: missing: No such file or directory\n", 2},
		{"grep -s foo missing", "", "", "", 2},
		{"grep -A1 foo a", "", "foo\nbar\n", "", 0},
		{"grep -B1 -n bar a", "", "1-foo\n2:bar\n3:Foo bar\n", "", 0},
		{"grep -C0 bar a", "", "bar\nFoo bar\n", "", 0},
		{"grep -m1 ba a", "", "bar\n", "", 0},
		{"grep -E 'foo|baz' a", "", "foo\nbaz.\n", "", 0},
		{"grep -F . a", "", "baz.\n", "", 0},
		{"grep -P '(?<=F)oo' a", "", "Foo bar\n", "", 0},
		{`grep 'fo\{2\}' a`, "", "foo\n", "", 0},
		{`grep '\(ba\).*\1' -`, "ba ba\nba\n", "ba ba\n", "", 0},
		{"grep -f pats a", "", "foo\nbaz.\n", "", 0},
		{"grep foo bin", "", "", "grep: bin: binary file matches\n", 0},
		{"grep -a foo bin", "", "foo\x00bar\n", "", 0},
		{"grep -z bar bin", "", "bar\n\x00", "", 0},
		{"grep -r foo s", "", "s/x.c:foo\ns/y.h:foo\n", "", 0},
		{"grep -r --include=*.c foo s", "", "s/x.c:foo\n", "", 0},
		{"grep -H -Z foo a", "", "a\x00foo\n", "", 0},
		{"grep --color=always oo a", "", "f\x1b[01;31m\x1b[Koo\x1b[m\x1b[K\nF\x1b[01;31m\x1b[Koo\x1b[m\x1b[K bar\n", "", 0},
		{"grep -T -n foo a", "", " 1:\tfoo\n", "", 0},
		{"grep '' b", "", "nothing\n", "", 0},
		{"grep -e '' -v b", "", "", "", 1},
		{"grep '[' a", "", "", "grep: Invalid regular expression\n", 2},
		{"grep -E '(' a", "", "", "grep: Unmatched ( or \\(\n", 2},
		{"grep -E 'a{1' a", "", "", "", 1},
		{"grep -E '*a' a", "", "bar\nFoo bar\nbaz.\n", "grep: warning: * at start of expression\n", 0},
		{`grep 'a\{2,1\}' a`, "", "", "grep: Invalid content of \\{\\}\n", 2},
		{"grep -E 'a{99999}' a", "", "", "grep: Regular expression too big\n", 2},
		{"grep -P '(' a", "", "", "grep: missing closing parenthesis\n", 2},
		{"grep '[[:nope:]]' a", "", "", "grep: Invalid character class name\n", 2},
		{"grep -E -F a a", "", "", "grep: conflicting matchers specified\n", 2},
		{"grep -m x a a", "", "", "grep: invalid max count\n", 2},
		{"grep -A x a a", "", "", "grep: x: invalid context length argument\n", 2},
		{"grep --binary-files=x a a", "", "", "grep: unknown binary-files type\n", 2},
		{"grep", "", "", "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n", 2},
		{"egrep 'a|b' b", "", "", "", 1},
		{"fgrep a.b -", "a.b\naxb\n", "a.b\n", "", 0},
		{"grep -c ''", "a\nb", "2\n", "", 0},
		{"grep -i É -", "é\nÉ\n", "é\nÉ\n", "", 0},
		{"grep . -", "\xff\n\xc3\xa9\n", "é\n", "", 0},
	})
}

// FuzzFixed compares grep -F with a search line by line.
func FuzzFixed(f *testing.F) {
	f.Add("foo\nbar\nfoobar", "foo", uint8(0))
	f.Add("\n\na\n", "", uint8(1))
	f.Add("aaa\naa\n", "aa", uint8(5))
	f.Add("foo\nfoobar\n", "foo", uint8(2))
	f.Fuzz(func(t *testing.T, text, pattern string, how uint8) {
		if strings.ContainsAny(pattern, "\n\x00") {
			t.Skip("two patterns, or none")
		}
		argv, invert, whole, number := []string{"grep", "-a", "-F"}, how&1 != 0, how&2 != 0, how&4 != 0
		for i, option := range []string{"-v", "-x", "-n"} {
			if how>>i&1 != 0 {
				argv = append(argv, option)
			}
		}
		var want strings.Builder
		n, status := 0, 1
		for line := range strings.Lines(text) {
			n++
			line = strings.TrimSuffix(line, "\n")
			if match := strings.Contains(line, pattern) && (!whole || line == pattern); match == invert {
				continue
			}
			if status = 0; number {
				fmt.Fprintf(&want, "%d:", n)
			}
			want.WriteString(line + "\n")
		}
		got := tooltest.Run(Commands(), "", text, append(argv, "-e", pattern)...)
		if got.Stdout != want.String() || got.Status != status {
			t.Errorf("%q in %q: got %q, %d, want %q, %d", argv, text, got.Stdout, got.Status, want.String(), status)
		}
	})
}

// What is known to take exponential time in other programs takes none here.
func TestHostilePatterns(t *testing.T) {
	text := strings.Repeat("a", 4000) + "b\n"
	for _, pattern := range []string{`(a*)*c`, `(a|a)*c`, `(a|aa)+$`, `(.*)(.*)(.*)(.*)c`, `a{1,100}{1,100}c`} {
		if got := tooltest.Run(Commands(), "", text, "grep", "-E", "-c", pattern); got.Status > 2 || got.Stdout == "1\n" {
			t.Errorf("%s: got %d, %q, %q", pattern, got.Status, got.Stdout, got.Stderr)
		}
	}
}
