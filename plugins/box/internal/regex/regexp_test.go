package regex

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	ere, bre := Options{Extended: true}, Options{}
	fold := Options{Extended: true, IgnoreCase: true}
	multi := Options{Multiline: true}
	perl := Options{Perl: true}
	for _, tt := range []struct {
		o             Options
		pattern, text string
		want          string // edges of the match and its groups; "-" if there is none
	}{
		{bre, "abc", "xabcabc", "1,4"},
		{bre, "a*", "baaa", "0,0"},
		{bre, "x*$", "abxx", "2,4"},
		{bre, "*a", "b*a", "1,3"},
		{bre, `\(*a\)`, "b*a", "1,3 1,3"},
		{bre, "a^b$c", "a^b$c", "0,5"},
		{bre, "^^a", "^a", "0,2"},
		{bre, `a\{2\}`, "aaa", "0,2"},
		{bre, `a\{2,\}b`, "abaaab", "2,6"},
		{bre, `a\{,1\}b`, "aab", "1,3"},
		{bre, `\(ab*\)*c`, "abbabc", "0,6 3,5"},
		{bre, `a\+b\?`, "caab", "1,4"},
		{bre, `a\|bc`, "xbc", "1,3"},
		{bre, `\(.\)\1`, "abccd", "2,4 2,3"},
		{bre, "^\\(.*\\)\n\\1$", "ab\nab", "0,5 0,2"},
		{bre, `\(a*\)*\1x`, "aax", "0,3 0,1"},
		{bre, `^b`, "a\nb", "-"},
		{multi, `^b$`, "a\nb\nc", "2,3"},
		{multi, "\\`b", "a\nb", "-"},
		{multi, `c\'`, "c\nc", "2,3"},
		{ere, "a|ab|abc", "abcd", "0,3"},
		{ere, "(a|ab)(c|bcd)", "abcd", "0,4 0,1 1,4"},
		{ere, "x*", "", "0,0"},
		{ere, "(a*)+", "b", "0,0 0,0"},
		{ere, "a{2,3}", "aaaa", "0,3"},
		{ere, "(a{1,2}){2}", "aaaa", "0,4 2,4"},
		{ere, "()b", "ab", "1,2 1,1"},
		{ere, "a||b", "b", "0,1"},
		{ere, "^(foo|bar)+$", "foobarfoo", "0,9 6,9"},
		{ere, `[^a-c]+`, "abcdé-", "3,7"},
		{ere, `[]a]+`, "x]a", "1,3"},
		{ere, `[^]a]`, "]ax", "2,3"},
		{ere, `[a\]+`, `x\a`, "1,3"},
		{ere, `[[:digit:][:upper:]_]+`, "ab3X_", "2,5"},
		{ere, `[[.-.][=a=]x-z]+`, "m-ay", "1,4"},
		{ere, `[a-]+`, "b-a", "1,3"},
		{ere, `\<b\w*\>`, "ab bcd", "3,6"},
		{ere, `\bé`, "é", "0,2"},
		{ere, `a\B`, "a ab", "2,3"},
		{ere, `\s\S`, "a b", "1,3"},
		{ere, `\W`, "aé!", "3,4"},
		{ere, "é.ö", "xéüö", "1,7"},
		{ere, "a.b", "a\xffb", "-"},
		{ere, "a\xffb", "a\xffb", "0,3"},
		{ere, `\.\*\[`, "a.*[", "1,4"},
		{perl, "a|ab", "ab", "0,1"},
		{perl, "a+?b??", "aab", "0,1"},
		{perl, `(\d+)-(?<x>\w+?)\b`, "ab 12-cd", "3,8 3,5 6,8"},
		{perl, `(?<=c)\d+(?=3)`, "abc123", "3,5"},
		{perl, `(?<!a|bc)x`, "ax bcx dx", "8,9"},
		{perl, `foo(?!bar)`, "foobar foo", "7,10"},
		{perl, `key=\Kval`, "key=val", "4,7"},
		{perl, `(?>a+)ab`, "aaab", "-"},
		{perl, `a++b`, "aab", "0,3"},
		{perl, `(a)(?=(b))\2`, "ab", "0,2 0,1 1,2"},
		{perl, `(?i)É(?-i)x`, "éx", "0,3"},
		{perl, `\Qa.b\E+`, "a.bb", "0,4"},
		{perl, `\p{Lu}[^\d\s]`, "aB c", "-"},
		{perl, `(?P<n>a|b)\k<n>`, "abb", "1,3 1,2"},
		{perl, `[\w.-]+@[a-z]+\.(?:com|org)`, "to: a.b@ex.org.", "4,14"},
		{perl, `a{2`, "a{2", "0,3"},
		{perl, `(a*)*b`, "aab", "0,3 0,2"},
		{fold, "strasse", "STRAsse", "0,7"},
		{fold, "[a-c]É", "Bé", "0,3"},
		{fold, "[[:upper:]]+", "abC", "0,3"},
		{fold, `(ab)\1`, "aBAb", "0,4 0,2"},
	} {
		re, err := Compile(tt.pattern, tt.o)
		if err != nil {
			t.Errorf("Compile(%q): %v", tt.pattern, err)
			continue
		}
		loc, err := re.Find([]byte(tt.text), 0)
		if got := show(loc); got != tt.want || err != nil {
			t.Errorf("%q in %q: got %v, %v, want %v", tt.pattern, tt.text, got, err, tt.want)
		}
		edges, err := re.FindEdges([]byte(tt.text), 0)
		if got, want := show(edges), strings.Fields(tt.want)[0]; got != want || err != nil {
			t.Errorf("%q in %q: FindEdges: got %v, %v, want %v", tt.pattern, tt.text, got, err, want)
		}
		if got, _ := re.Match([]byte(tt.text)); got != (tt.want != "-") {
			t.Errorf("%q in %q: Match is %v", tt.pattern, tt.text, got)
		}
	}
}

func show(loc []int) string {
	if loc == nil {
		return "-"
	}
	var parts []string
	for i := 0; i < len(loc); i += 2 {
		parts = append(parts, fmt.Sprintf("%d,%d", loc[i], loc[i+1]))
	}
	return strings.Join(parts, " ")
}

func TestCompileErrors(t *testing.T) {
	ere, lenient := Options{Extended: true}, Options{Extended: true, Lenient: true}
	for _, tt := range []struct {
		o       Options
		pattern string
		want    error
	}{
		{Options{}, `\(a`, errParen},
		{Options{}, `a\)`, errRParen},
		{ere, "a)", errRParen},
		{lenient, "a)", nil},
		{ere, "[a", errBracket},
		{ere, "[[:foo:]]", errClass},
		{ere, "[b-a]", errRange},
		{ere, "[[.foo.]]", errCollate},
		{ere, "a{1", errBrace},
		{lenient, "a{1", nil},
		{ere, "a{x}", errInterval},
		{lenient, "a{x}", nil},
		{lenient, "a{2,1}", errInterval},
		{ere, "a{40000}", errTooBig},
		{ere, "((a{1000}){1000}){1000}", errTooBig},
		{ere, strings.Repeat("(", 1000), errTooBig},
		{ere, "*a", errRepeat},
		{ere, "a|*b", errRepeat},
		{lenient, "*a", nil},
		{ere, `a\`, errBackslash},
		{ere, `\1(a)`, errBackref},
		{ere, `(a\1)`, errBackref},
		{lenient, "[:space:]", errDotClass},
		{Options{Perl: true}, "(", errPerlParen},
		{Options{Perl: true}, "a)", errPerlRParen},
		{Options{Perl: true}, "[a", errPerlClass},
		{Options{Perl: true}, "a**", errPerlRepeat},
		{Options{Perl: true}, "(?<=a+)b", errPerlBehind},
		{Options{Perl: true}, `(a)\2`, errPerlBackref},
	} {
		if _, err := Compile(tt.pattern, tt.o); err != tt.want {
			t.Errorf("Compile(%q): got %v, want %v", tt.pattern, err, tt.want)
		}
	}
}

// What needs more steps than there are ends with an error.
func TestBacktrackingEnds(t *testing.T) {
	re, err := Compile(`\(a*\)*\(a*\)*\(a*\)*b\1`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(strings.Repeat("a", 400) + "b" + strings.Repeat("c", 10))
	if _, err := re.Find(append(text, 'x'), 0); err != nil && err != ErrTooComplex {
		t.Fatalf("got %v", err)
	}
	re, _ = Compile(`^\(\(a*\)*\)*\2c`, Options{})
	if _, err := re.Find(text[:60], 0); err != nil && err != ErrTooComplex {
		t.Fatalf("got %v", err)
	}
}

// FuzzEngines checks that all searches agree with each other, and with the regexp of Go where both
// mean the same.
func FuzzEngines(f *testing.F) {
	for _, pattern := range []string{
		"a*b", "(a|ab)(c|bcd)(d*)", "^a$", "[^b-d]+x", `\<a\b|b\>`, "(a*)*", "((a|b){2,3}c)?", "é+|.", "x{0}y", "a**", "a+?",
		`(?<=a)b\K.`, `(?>a|b)+?\w(?!c)`, `[\d-z]{2,}+|(?i:É)`, `(?<n>a)\k<n>|(?#x)\p{L}`,
	} {
		f.Add(pattern, "abcd aab éé x", false)
		f.Add(pattern, "zz\n\n\xffb\nax\n", false)
		f.Add(pattern, "", true)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, fold bool) {
		if len(pattern) > 60 || len(text) > 200 {
			return
		}
		for _, o := range []Options{{IgnoreCase: fold}, {Extended: true, IgnoreCase: fold}, {Extended: true, Lenient: true, Multiline: true}, {Perl: true, IgnoreCase: fold}} {
			re, err := Compile(pattern, o)
			if err != nil {
				continue
			}
			p := []byte(text)
			if re.backs {
				re.Find(p, 0)
				continue
			}
			want := show(re.pike.find(re.prog, p, 0))
			if re.bits.fits(re.prog, len(p)) {
				if got := show(re.bits.find(re.prog, p, 0)); got != want {
					t.Errorf("%q in %q: bitstate %v, pike %v", pattern, text, got, want)
				}
			}
			if got := newDFA(re.prog).match(p); got != (want != "-") {
				t.Errorf("%q in %q: dfa %v, pike %v", pattern, text, got, want)
			}
			first, lines := len(p), 0
			for line := range bytes.Lines(p) {
				if ok, _ := re.Match(bytes.TrimSuffix(line, []byte("\n"))); ok {
					first = lines
					break
				}
				lines += len(line)
			}
			if got := re.FirstLine(p, '\n'); got != first {
				t.Errorf("%q in %q: FirstLine %d, want %d", pattern, text, got, first)
			}
			loc, _ := re.Find(p, 0)
			if (loc == nil) != (want == "-") || loc != nil && !strings.HasPrefix(want, fmt.Sprintf("%d,%d", loc[0], loc[1])) {
				t.Errorf("%q in %q: Find %v, pike %v", pattern, text, show(loc), want)
			}
			for from := 0; from <= len(p); from += max(1, len(p)/3) {
				want := re.pike.find(re.prog, p, from)
				want = slices.Clone(want[:min(2, len(want))])
				if got, _ := re.FindEdges(p, from); !slices.Equal(got, want) {
					t.Errorf("%q in %q from %d: FindEdges %v, pike %v", pattern, text, from, got, want)
				}
			}
			if !o.Extended || fold || o.Lenient || o.Perl || strings.ContainsAny(pattern, `\?{[`+"\x00") || strings.Contains(text, "\n") {
				continue
			}
			std, err := regexp.CompilePOSIX(pattern)
			if err != nil || strings.ToValidUTF8(pattern, "") != pattern || strings.ToValidUTF8(text, "") != text {
				continue
			}
			if got := show(std.FindStringIndex(text)); !strings.HasPrefix(want, got) {
				t.Errorf("%q in %q: got %v, Go says %v", pattern, text, want, got)
			}
		}
	})
}
