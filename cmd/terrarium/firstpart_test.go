package main

import (
	"bytes"
	"testing"
)

// What comes first is passed on whole, and the end of it is told once.
func TestFirstPart(t *testing.T) {
	const told = "\nterrarium: the agent writes too much on its standard error: the rest is left out\n"
	for _, test := range []struct{ in, want string }{
		{"abcd", "abcd"},
		{"abcdefgh", "abcdefgh"},
		{"abcdefghi", "abcdefgh" + told},
		{"abcdefghijklmno", "abcdefgh" + told},
	} {
		var got bytes.Buffer
		f := &firstPart{w: &got, left: 8}
		for in := []byte(test.in); len(in) > 0; {
			n := min(len(in), 3)
			if m, err := f.Write(in[:n]); m != n || err != nil {
				t.Errorf("got %d, %v, want %d", m, err, n)
			}
			in = in[n:]
		}
		if got.String() != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got.String(), test.want)
		}
	}
}
