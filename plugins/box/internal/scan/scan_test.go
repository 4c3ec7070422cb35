package scan

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// A finder notes what grep would show of an input: N:TEXT@PLACE for a line that matches,
// N-TEXT@PLACE for its context, and -- where lines were left out.
type finder struct {
	scan  *Scan
	after int
	shown strings.Builder
	any   bool
	over  bool // after the first match
}

func (f *finder) Over() bool                      { return f.over && f.any }
func (f *finder) Arrived(p []byte, at int64) bool { return true }

func (f *finder) Visit(line []byte, at int64, match bool) error {
	if !match {
		if f.scan.Pending == 0 {
			f.scan.Keep(line)
			return nil
		}
		f.scan.Pending--
		fmt.Fprintf(&f.shown, "%d-%s@%d\n", f.scan.Line, line, at)
		return nil
	}
	if f.scan.Gap && f.any {
		f.shown.WriteString("--\n")
	}
	f.scan.Gap = false
	f.scan.Kept(at, func(line []byte, number, at int64) { fmt.Fprintf(&f.shown, "%d-%s@%d\n", number, line, at) })
	fmt.Fprintf(&f.shown, "%d:%s@%d\n", f.scan.Line, line, at)
	f.scan.Pending, f.any = f.after, true
	return nil
}

// find scans text, of which as much as room has is looked at, at a time.
func find(t *testing.T, text, pattern string, before, after, room int) string {
	t.Helper()
	re, err := regex.Compile(pattern, regex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Scan{Regexp: re, Delim: '\n', Number: true, Before: before}
	f := &finder{scan: s, after: after}
	if err := s.Run(iotest.OneByteReader(strings.NewReader(text)), make([]byte, room), f); err != nil {
		t.Fatal(err)
	}
	return f.shown.String()
}

// plainly is find for who has all lines at once.
func plainly(text, pattern string, before, after int) string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var b strings.Builder
	last, at := -1, 0 // the last line that was shown
	places := make([]int, len(lines))
	for i, line := range lines {
		places[i], lines[i] = at, strings.TrimSuffix(line, "\n")
		at += len(line)
	}
	show := func(i int, mark string) {
		fmt.Fprintf(&b, "%d%s%s@%d\n", i+1, mark, lines[i], places[i])
		last = i
	}
	matched, left := false, 0
	for i, line := range lines {
		switch {
		case strings.Contains(line, pattern):
			first := max(last+1, i-before)
			if matched && first > last+1 {
				b.WriteString("--\n")
			}
			for k := first; k < i; k++ {
				show(k, "-")
			}
			show(i, ":")
			matched, left = true, after
		case left > 0:
			show(i, "-")
			left--
		}
	}
	return b.String()
}

func TestContext(t *testing.T) {
	const text = "a\nb\nx1\nc\nd\ne\nx2\nx3\nf\n\ng\nx4"
	for before := range 4 {
		for after := range 4 {
			want := plainly(text, "x", before, after)
			for _, room := range []int{1, 2, 7, 64} {
				if got := find(t, text, "x", before, after, room); got != want {
					t.Errorf("before %d, after %d, room %d: got %q, want %q", before, after, room, got, want)
				}
			}
		}
	}
}

// FuzzScan compares with what has all lines at once.
func FuzzScan(f *testing.F) {
	f.Add("a\nxa\n\nb\nx", "x", uint8(1), uint8(2), uint8(3))
	f.Add("a\nb\nc\nx\nd\ne\nx\n", "x", uint8(2), uint8(1), uint8(1))
	f.Add("\n\n\n", "x", uint8(0), uint8(0), uint8(1))
	f.Fuzz(func(t *testing.T, text, pattern string, before, after, room uint8) {
		if pattern == "" || strings.Trim(pattern, "abcxyz") != "" {
			t.Skip("it would be an expression")
		}
		b, a := int(before%5), int(after%5)
		want := plainly(text, pattern, b, a)
		if text == "" {
			want = ""
		}
		if got := find(t, text, pattern, b, a, int(room)+1); got != want {
			t.Errorf("%q in %q, before %d, after %d, room %d: got %q, want %q", pattern, text, b, a, room, got, want)
		}
	})
}

// A scan reads no more than is asked for, and tells who reads of an error.
func TestEnds(t *testing.T) {
	re, _ := regex.Compile("x", regex.Options{})
	s := &Scan{Regexp: re, Delim: '\n'}
	rest := bytes.NewReader([]byte(strings.Repeat("x\n", 1000)))
	f := &finder{scan: s, over: true}
	if err := s.Run(rest, make([]byte, 16), f); err != nil || rest.Len() < 1900 {
		t.Errorf("got %v and %d bytes left, want most of 2000", err, rest.Len())
	}
	s = &Scan{Regexp: re, Delim: '\n'}
	broken := io.MultiReader(strings.NewReader("x\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if err := s.Run(broken, make([]byte, 16), &finder{scan: s}); err != io.ErrUnexpectedEOF {
		t.Errorf("got %v, want %v", err, io.ErrUnexpectedEOF)
	}
}
