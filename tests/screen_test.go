package tests

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// corpus is what core/vt is tested with: recorded programs, and what three
// other terminals show of them.
const corpus = "../core/vt/testdata/corpus"

// TestScreenCorpus has "terrarium screen" show what those three agree on.
func TestScreenCorpus(t *testing.T) {
	t.Parallel()
	var index struct {
		Rows, Cols int
		Cases      map[string]struct {
			Tier   string
			Cursor []int
			Alt    bool
		}
	}
	text, err := os.ReadFile(filepath.Join(corpus, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	screen := func(t *testing.T, in []byte, args ...string) []byte {
		t.Helper()
		cmd := exec.Command("terrarium", append([]string{
			"screen", "--rows", strconv.Itoa(index.Rows), "--cols", strconv.Itoa(index.Cols)}, args...)...)
		cmd.Stdin = bytes.NewReader(in)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	cases := 0
	for name, test := range index.Cases {
		if test.Tier != "A" {
			continue
		}
		cases++
		t.Run(name, func(t *testing.T) {
			in, err := os.ReadFile(filepath.Join(corpus, "rec", name+".bin"))
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(corpus, "want", name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(trimLines(string(want)), trimLines(string(screen(t, in)))); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			var got struct {
				Lines  [][]struct{ Text string }
				Cursor struct{ X, Y int }
				Alt    bool
			}
			if err := json.Unmarshal(screen(t, in, "--json"), &got); err != nil {
				t.Fatal(err)
			}
			var lines strings.Builder
			for _, runs := range got.Lines {
				for _, run := range runs {
					lines.WriteString(run.Text)
				}
				lines.WriteByte('\n')
			}
			if diff := cmp.Diff(trimLines(string(want)), trimLines(lines.String())); diff != "" {
				t.Errorf("JSON (-want +got):\n%s", diff)
			}
			if got.Alt != test.Alt {
				t.Errorf("alternate screen: got %v, want %v", got.Alt, test.Alt)
			}
			// After the last column some count on, and some do not.
			last := index.Cols - 1
			x := min(got.Cursor.X, last)
			if c := test.Cursor; c != nil && (x != min(c[0], last) || got.Cursor.Y != c[1]) {
				t.Errorf("cursor: got %d, %d, want %v", x, got.Cursor.Y, c)
			}
		})
	}
	if cases < 42 {
		t.Errorf("got %d cases, want 42 at least", cases)
	}
}

// trimLines returns the lines of text without blanks at their ends, and without
// blank ones at the end.
func trimLines(text string) []string {
	lines := strings.Split(strings.TrimRight(text, " \n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	if len(lines) == 1 && lines[0] == "" {
		return []string{}
	}
	return lines
}
