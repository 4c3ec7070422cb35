package diff

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// installed is the git that knows the answers.
const installed = "/usr/bin/git"

// texts makes a text of lines of which many are equal, and two that were edited from it.
func texts(r *rand.Rand) (out [3][]byte) {
	words := []string{"a", "b", "c", "\td", "  e", "}", "", "func f() {"}
	base := make([]string, 5+r.IntN(40))
	for i := range base {
		base[i] = words[r.IntN(len(words))]
	}
	for side := range out {
		lines := append([]string{}, base...)
		for range r.IntN(6) * min(side, 1) {
			at := r.IntN(len(lines) + 1)
			switch r.IntN(3) {
			case 0:
				lines = append(lines[:at], append([]string{words[r.IntN(len(words))]}, lines[at:]...)...)
			case 1:
				lines = append(lines[:at], lines[min(at+1+r.IntN(3), len(lines)):]...)
			default:
				if at < len(lines) {
					lines[at] = words[r.IntN(len(words))]
				}
			}
		}
		out[side] = []byte(strings.Join(lines, "\n"))
		if len(lines) > 0 && r.IntN(8) > 0 {
			out[side] = append(out[side], '\n')
		}
	}
	return out
}

func oracle(t *testing.T, dir string, args ...string) string {
	cmd := exec.Command(installed, args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out)
}

// TestAgainstGit compares merges and diffs of small random texts with those of the installed git.
func TestAgainstGit(t *testing.T) {
	if _, err := os.Stat(installed); err != nil {
		t.Skip("needs " + installed)
	}
	dir := t.TempDir()
	for seed := range uint64(60) {
		sides := texts(rand.New(rand.NewPCG(seed, 0)))
		for i, name := range []string{"base", "ours", "theirs"} {
			if err := os.WriteFile(filepath.Join(dir, name), sides[i], 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want := oracle(t, dir, "merge-file", "-p", "-L", "ours", "-L", "base", "-L", "theirs", "ours", "base", "theirs")
		got, _ := Merge(sides[0], sides[1], sides[2], Merging{Ours: "ours", Base: "base", Theirs: "theirs"})
		if string(got) != want {
			t.Errorf("seed %d: merge: got\n%swant\n%s", seed, got, want)
		}
		want = oracle(t, dir, "diff", "--no-index", "base", "ours")
		if at := strings.Index(want, "@@ "); at >= 0 {
			want = want[at:]
		}
		var b bytes.Buffer
		Write(&b, sides[0], sides[1], 3, false)
		if b.String() != want && len(sides[0]) > 0 && len(sides[1]) > 0 {
			t.Errorf("seed %d: diff: got\n%swant\n%s", seed, &b, want)
		}
	}
}

// TestLongTexts bounds what texts take that have nothing or everything in common.
func TestLongTexts(t *testing.T) {
	var a, b, same bytes.Buffer
	for i := range 20000 {
		fmt.Fprintf(&a, "a%d\n", i)
		fmt.Fprintf(&b, "b%d\n", i)
		same.WriteString("x\n")
	}
	for _, pair := range [][2][]byte{{a.Bytes(), b.Bytes()}, {same.Bytes(), same.Bytes()[:20000]}, {a.Bytes(), same.Bytes()}} {
		rebuilt := 0
		for _, e := range Compare(Lines(pair[0]), Lines(pair[1])) {
			rebuilt += e.B1 - e.B0 - (e.A1 - e.A0)
		}
		if want := len(Lines(pair[1])) - len(Lines(pair[0])); rebuilt != want {
			t.Errorf("edits add %d lines, want %d", rebuilt, want)
		}
	}
}
