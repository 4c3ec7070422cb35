package patch

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzParse: whatever a patch has, reading and applying it ends, without panic.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n",
		"diff --git a/x b/x\nnew file mode 100644\nindex 0000000..1\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n",
		"diff --git a/g b/h\nsimilarity index 100%\nrename from g\nrename to h\n",
		"diff --git a/b b/b\nindex 1..2 100644\nGIT binary patch\nliteral 2\nJcmZQ%U|>@I00aO4\n\nliteral 0\nHcmV?d00001\n\n",
		"diff --git \"a/\\303\\274\" \"b/\\303\\274\"\nold mode 100644\nnew mode 100755\n",
		"@@ -1 +1 @@\n-a\n+b\n", "--- a/f\n+++ b/f\n@@ -1,99999999999999999999 +1 @@\n", "--- \n+++ \n@@ -0,0 +0,0 @@\n",
		"diff --git a/ b/\n", "diff --git \n--- a\n+++ b\n@@ -1 +1 @@\n\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n\\ No newline at end of file\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, o := range []Options{{Strip: -1}, {Strip: 1, Recount: true}, {Strip: 0}} {
			files, err := Parse(text, o)
			if err != nil {
				continue
			}
			for _, file := range files {
				for range 2 {
					for _, how := range []Application{{}, {Reduce: true, Continue: true}} {
						how.Apply([]byte("1\n2\n3\n"), file.Hunks)
					}
					file.Flaws()
					file.Counts()
					file.Reverse()
				}
				if b := file.Literal[0]; b != nil {
					b.Contents([]byte("old"))
				}
			}
		}
	})
}

// TestEncode85: what is encoded can be read again.
func TestEncode85(t *testing.T) {
	for _, n := range []int{0, 1, 26, 27, 52, 53, 5000} {
		contents := bytes.Repeat([]byte{0, 1, 255, 'x', byte(n)}, n/5+1)[:n]
		var b strings.Builder
		b.WriteString("diff --git a/b b/b\nindex 1..2 100644\nGIT binary patch\n")
		if err := Encode85(&b, contents); err != nil {
			t.Fatal(err)
		}
		if err := Encode85(&b, nil); err != nil {
			t.Fatal(err)
		}
		files, err := Parse([]byte(b.String()), Options{Strip: -1})
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		got, err := files[0].Literal[0].Contents(nil)
		if err != nil || !bytes.Equal(got, contents) {
			t.Errorf("%d bytes: got %d, %v", n, len(got), err)
		}
	}
}

// TestHugeDelta: a delta of a few bytes that says it makes gigabytes is refused.
func TestHugeDelta(t *testing.T) {
	b := &Binary{Delta: true, data: []byte{3, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x80}}
	if out, err := b.Contents([]byte("old")); err == nil {
		t.Errorf("got %d bytes, want an error", len(out))
	}
}
