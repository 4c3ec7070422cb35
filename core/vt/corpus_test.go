package vt_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// corpusDeviations are the cases where we do not show what two of the three
// references do, and why.
var corpusDeviations = map[string]string{
	"a-utf8-invalid": "the owner shows invalid UTF-8 as U+FFFD; xterm.js drops it, so that a person would not know",
}

// The corpus holds recorded programs and written cases, and the screen that
// tmux 3.3a, xterm.js 6 with Unicode 11 widths, and libghostty-vt agree on: all
// three in tier A, two in tier B, no two in tier C.
type corpus struct {
	Rows, Cols int
	Cases      map[string]struct {
		Tier     string
		Majority string
		Cursor   []int // x, y; not there if not all agree
		Alt      bool
	}
}

func readCorpus(t testing.TB) corpus {
	t.Helper()
	var c corpus
	if err := json.Unmarshal(readFile(t, "testdata/corpus/index.json"), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	p, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCorpus(t *testing.T) {
	c := readCorpus(t)
	for name, test := range c.Cases {
		t.Run(test.Tier+"/"+name, func(t *testing.T) {
			in := repair(readFile(t, "testdata/corpus/rec/"+name+".bin"))
			s := vt.NewScreen(vt.Options{Rows: c.Rows, Cols: c.Cols})
			s.Write(in)
			checkChunks(t, vt.Options{Rows: c.Rows, Cols: c.Cols}, in)
			if test.Tier == "C" {
				return
			}
			s.EndSynchronized() // the references show what is not complete after a while, too
			want := trimText(readFile(t, "testdata/corpus/want/"+name+".txt"))
			diff := cmp.Diff(want, trimText(s.AppendText(nil)))
			switch reason := corpusDeviations[name]; {
			case reason != "" && diff == "":
				t.Errorf("is listed as a deviation, but is none")
			case reason != "":
				t.Skipf("decided otherwise: %s", reason)
			case diff != "":
				t.Errorf("screen (-want +got):\n%s", diff)
			}
			if test.Cursor != nil {
				got := s.Cursor()
				x := min(got.X, c.Cols-1)
				if wantX := min(test.Cursor[0], c.Cols-1); x != wantX || got.Y != test.Cursor[1] {
					t.Errorf("cursor: got %d, %d, want %d, %d", x, got.Y, wantX, test.Cursor[1])
				}
			}
			if s.Alt() != test.Alt {
				t.Errorf("alternate screen: got %v, want %v", s.Alt(), test.Alt)
			}
		})
	}
}

// checkChunks checks that cutting in anywhere makes no difference.
func checkChunks(t testing.TB, o vt.Options, in []byte) {
	t.Helper()
	whole := vt.NewScreen(o)
	whole.Write(in)
	want := state(whole)
	single := vt.NewScreen(o)
	for p := in; len(p) > 0; {
		_, n := utf8.DecodeRune(p)
		single.Write(p[:n])
		p = p[n:]
	}
	if diff := cmp.Diff(want, state(single)); diff != "" {
		t.Errorf("in single characters (-whole +cut):\n%s", diff)
	}
	random := rand.New(rand.NewPCG(1, uint64(len(in))))
	cuts := vt.NewScreen(o)
	for p := in; len(p) > 0; {
		n := cut(p, 1+random.IntN(200))
		cuts.Write(p[:n])
		p = p[n:]
	}
	if diff := cmp.Diff(want, state(cuts)); diff != "" {
		t.Errorf("in random chunks (-whole +cut):\n%s", diff)
	}
}

// state returns all that can be seen of s.
func state(s *vt.Screen) string {
	first, end := s.History()
	history := s.AppendHistory(nil, first, end, false)
	return string(s.AppendEscapes(nil, 0)) + "\n" + string(s.AppendJSON(nil)) + "\n" + string(history) + "\n" + s.Title()
}

// trimText returns the lines of p, without blanks at their ends and without
// blank ones at the end.
func trimText(p []byte) []string {
	lines := strings.Split(string(p), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// repair makes p valid UTF-8, as the owner of a Screen does: U+FFFD for what is
// invalid, and nothing for a character whose rest is yet to come.
func repair(p []byte) []byte {
	var out []byte
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		if r == utf8.RuneError && n == 1 && !utf8.FullRune(p) {
			break
		}
		out = utf8.AppendRune(out, r)
		p = p[n:]
	}
	return out
}
