package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool/tooltest"
)

func TestLikeGNU(t *testing.T) {
	files := map[string]string{
		"a":   "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n",
		"b":   "one\nTWO\nthree\n\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\n",
		"c":   "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten",
		"d":   "one\n\ntwo\nthree\nfour\nfive\n\nsix\n7\neight\nnine\nten\n",
		"bin": "a\x00b", "bin2": "a\x00c", "d1/x": "x\n", "d1/only": "1\n", "d2/x": "y\n",
	}
	tooltest.Compare(t, Commands(), files, []tooltest.Case{
		{"diff a a", "", "", "", 0},
		{"diff a b", "", "2c2\n< two\n---\n> TWO\n3a4\n> \n10a12\n> eleven\n", "", 1},
		{"diff -u --label a --label b a b", "", "--- a\n+++ b\n@@ -1,6 +1,7 @@\n one\n-two\n+TWO\n three\n+\n four\n five\n six\n@@ -8,3 +9,4 @@\n eight\n nine\n ten\n+eleven\n", "", 1},
		{"diff -U0 --label a --label b a b", "", "--- a\n+++ b\n@@ -2 +2 @@\n-two\n+TWO\n@@ -3,0 +4 @@\n+\n@@ -10,0 +12 @@\n+eleven\n", "", 1},
		{"diff -c --label a --label b a b", "", "*** a\n--- b\n***************\n*** 1,6 ****\n  one\n! two\n  three\n  four\n  five\n  six\n--- 1,7 ----\n  one\n! TWO\n  three\n+ \n  four\n  five\n  six\n***************\n*** 8,10 ****\n--- 9,12 ----\n  eight\n  nine\n  ten\n+ eleven\n", "", 1},
		{"diff -e a b", "", "10a\neleven\n.\n3a\n\n.\n2c\nTWO\n.\n", "", 1},
		{"diff -n a b", "", "d2 1\na2 1\nTWO\na3 1\n\na10 1\neleven\n", "", 1},
		{"diff -y -W 40 a b", "", "one\t\t\tone\ntwo\t\t   |\tTWO\nthree\t\t\tthree\n\t\t   >\nfour\t\t\tfour\nfive\t\t\tfive\nsix\t\t\tsix\nseven\t\t\tseven\neight\t\t\teight\nnine\t\t\tnine\nten\t\t\tten\n\t\t   >\televen\n", "", 1},
		{"diff -y -W 40 --suppress-common-lines a b", "", "two\t\t   |\tTWO\n\t\t   >\n\t\t   >\televen\n", "", 1},
		{"diff -q a b", "", "Files a and b differ\n", "", 1},
		{"diff -s a a", "", "Files a and a are identical\n", "", 0},
		{"diff a c", "", "10c10\n< ten\n---\n> ten\n\\ No newline at end of file\n", "", 1},
		{"diff -u --label a --label c a c", "", "--- a\n+++ c\n@@ -7,4 +7,4 @@\n seven\n eight\n nine\n-ten\n+ten\n\\ No newline at end of file\n", "", 1},
		{"diff -i a b", "", "3a4\n> \n10a12\n> eleven\n", "", 1},
		{"diff -B a d", "", "7c9\n< seven\n---\n> 7\n", "", 1},
		{"diff -u -B --label a --label d a d", "", "--- a\n+++ d\n@@ -3,8 +4,9 @@\n three\n four\n five\n+\n six\n-seven\n+7\n eight\n nine\n ten\n", "", 1},
		{"diff -c -B --label a --label d a d", "", "*** a\n--- d\n***************\n*** 3,10 ****\n  three\n  four\n  five\n  six\n! seven\n  eight\n  nine\n  ten\n--- 4,12 ----\n  three\n  four\n  five\n+ \n  six\n! 7\n  eight\n  nine\n  ten\n", "", 1},
		{"diff -U1 -B --label a --label d a d", "", "--- a\n+++ d\n@@ -5,4 +6,5 @@\n five\n+\n six\n-seven\n+7\n eight\n", "", 1},
		{"diff -u -I '^$' --label a --label d a d", "", "--- a\n+++ d\n@@ -3,8 +4,9 @@\n three\n four\n five\n+\n six\n-seven\n+7\n eight\n nine\n ten\n", "", 1},
		{"diff -B -q a d", "", "Files a and d differ\n", "", 1},
		{"diff -w a -", "one\n t w o\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n", "", "", 0},
		{"diff -b a -", "one\ntwo  \nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n", "", "", 0},
		{"diff bin bin2", "", "Binary files bin and bin2 differ\n", "", 1},
		{"diff -a bin bin2", "", "1c1\n< a\x00b\n\\ No newline at end of file\n---\n> a\x00c\n\\ No newline at end of file\n", "", 1},
		{"diff a missing", "", "", "diff: missing: No such file or directory\n", 2},
		{"diff -N -U0 --label a --label m bin missing", "", "Binary files a and m differ\n", "", 1},
		{"diff d1 d2", "", "Only in d1: only\ndiff d1/x d2/x\n1c1\n< x\n---\n> y\n", "", 1},
		{"diff -r -q d1 d2", "", "Only in d1: only\nFiles d1/x and d2/x differ\n", "", 1},
		{"diff -u -y a b", "", "", "diff: conflicting output style options\ndiff: Try 'diff --help' for more information.\n", 2},
		{"diff a", "", "", "diff: missing operand after 'a'\ndiff: Try 'diff --help' for more information.\n", 2},
		{"diff -W x a b", "", "", "diff: invalid width 'x'\ndiff: Try 'diff --help' for more information.\n", 2},
		{"cmp a b", "", "a b differ: byte 5, line 2\n", "", 1},
		{"cmp -l bin bin2", "", "3 142 143\n", "", 1},
		{"cmp -b bin bin2", "", "bin bin2 differ: byte 3, line 1 is 142 b 143 c\n", "", 1},
		{"cmp -s a b", "", "", "", 1},
		{"cmp a c", "", "", "cmp: EOF on c after byte 48, in line 10\n", 1},
		{"cmp c a", "", "", "cmp: EOF on c after byte 48, in line 10\n", 1},
		{"cmp -n 4 a b", "", "", "", 0},
		{"cmp -i 4:4 a b", "", "a b differ: byte 1, line 1\n", "", 1},
		{"cmp a missing", "", "", "cmp: missing: No such file or directory\n", 2},
		{"patch -p0 --dry-run", "--- a\n+++ b\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n", "checking file a\n", "", 0},
		{"patch -o - c", "2c2\n< two\n---\n> TWO\n", "one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten", "patching file - (read from c)\n", 0},
		{"patch --dry-run a", "2c2\n< two\n---\n> TWO\n", "checking file a\n", "", 0},
		{"patch --dry-run a", "@@ -1,3 +1,3 @@\n one\n-2\n+TWO\n three\n", "checking file a\nHunk #1 FAILED at 1.\n1 out of 1 hunk FAILED\n", "", 1},
		{"patch --dry-run a", "rubbish\n", "", "patch: **** Only garbage was found in the patch input.\n", 2},
		{"patch --dry-run missing", "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n", "checking file missing\nHunk #1 FAILED at 1.\n1 out of 1 hunk FAILED\n", "", 1},
	})
}

// FuzzPatch has patch make the second file of the first by what diff says of them, forwards and
// backwards, in whatever format and with whatever left out of account.
func FuzzPatch(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n\n")
	f.Add("one\n\ntwo\n\nthree", "\none\ntwo\nthree\n")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.ContainsAny(a+b, "\x00\r") {
			t.Skip("binary, or what patch takes for another system's")
		}
		dir := tooltest.Dir(t, map[string]string{"a": a, "b": b})
		for _, style := range []string{"-u", "-U0", "-U1", "--normal", "-uB"} {
			found := tooltest.Run(Commands(), dir, "", "diff", "-a", style, "--label", "f", "--label", "f", "a", "b")
			same := a == b || found.Stdout == "" && style == "-uB"
			if (found.Status == 0) != same || found.Status > 1 {
				t.Fatalf("diff %s of %q and %q: got %d, %q", style, a, b, found.Status, found.Stderr)
			}
			if found.Status == 0 || style == "--normal" && strings.Contains(found.Stdout, "No newline") {
				continue
			}
			for _, c := range []struct{ how, from, want string }{{"-N", a, b}, {"-R", b, a}} {
				if err := os.WriteFile(filepath.Join(dir, "f"), []byte(c.from), 0o666); err != nil {
					t.Fatal(err)
				}
				done := tooltest.Run(Commands(), dir, found.Stdout, "patch", "-E", c.how, "f")
				got, _ := os.ReadFile(filepath.Join(dir, "f"))
				if string(got) != c.want || done.Status != 0 || strings.Contains(done.Stdout, "succeeded at") {
					t.Errorf("patch %s of %q by %q: got %q, %q, want %q", c.how, c.from, found.Stdout, got, done.Stdout+done.Stderr, c.want)
				}
			}
		}
	})
}

// What is no patch is an error, and changes nothing: numbers that are too large, counts that lie,
// names that lead elsewhere.
func TestHostilePatches(t *testing.T) {
	const text = "one\ntwo\n"
	root := t.TempDir()
	for _, patch := range []string{
		"--- f\n+++ f\n@@ -1,99999999 +1,99999999 @@\n one\n",
		"--- f\n+++ f\n@@ -999999999,1 +1,1 @@\n-one\n+1\n",
		"--- f\n+++ f\n@@ -1,-1 +1,1 @@\n-one\n+1\n",
		"--- ../f\n+++ ../f\n@@ -1 +1 @@\n-one\n+1\n",
		"--- ROOT/f\n+++ ROOT/f\n@@ -1 +1 @@\n-one\n+1\n",
		"1,99999999d0\n< one\n",
	} {
		dir := tooltest.Dir(t, map[string]string{"in/f": text, "f": text})
		if err := os.WriteFile(filepath.Join(root, "f"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		patch = strings.ReplaceAll(patch, "ROOT", root)
		got := tooltest.Run(Commands(), filepath.Join(dir, "in"), patch, "patch", "-p0", "-f")
		after, err := os.ReadFile(filepath.Join(dir, "in/f"))
		if got.Status == 0 || string(after) != text || err != nil {
			t.Errorf("%q: got %d, %q, %q", patch, got.Status, got.Stdout+got.Stderr, after)
		}
		for _, outside := range []string{dir, root} {
			if p, err := os.ReadFile(filepath.Join(outside, "f")); string(p) != text || err != nil {
				t.Errorf("%q: wrote outside: %q, %v", patch, p, err)
			}
		}
	}
}

// Files without a line in common are compared in time that their length bounds.
func TestNothingInCommon(t *testing.T) {
	var a, b strings.Builder
	for i := range 4000 {
		fmt.Fprintln(&a, i)
		fmt.Fprintln(&b, -1-i)
	}
	dir := tooltest.Dir(t, map[string]string{"a": a.String(), "b": b.String()})
	got := tooltest.Run(Commands(), dir, "", "diff", "a", "b")
	if n := strings.Count(got.Stdout, "\n"); n != 8002 || got.Status != 1 {
		t.Errorf("got %d lines, %d, want 8002, 1", n, got.Status)
	}
}
