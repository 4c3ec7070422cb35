package vt_test

import (
	"testing"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// TestAmongText writes each kind of character in the midst of ASCII, which is
// looked at eight bytes at a time.
func TestAmongText(t *testing.T) {
	o := vt.Options{Rows: 2, Cols: 40}
	last := rune(0x3000)
	if testing.Short() {
		last = 0x400 // with C1, and marks that combine
	}
	for r := range last {
		for at := range 8 {
			in := append([]byte("\x1b[2;1Hsome text that is longer than all\r"), "01234567"[:at]...)
			in = append(utf8.AppendRune(in, r), "01234567890123456"...)
			whole, single := vt.NewScreen(o), vt.NewScreen(o)
			whole.Write(in)
			for p := in; len(p) > 0; {
				_, n := utf8.DecodeRune(p)
				single.Write(p[:n])
				p = p[n:]
			}
			if got, want := string(whole.AppendText(nil)), string(single.AppendText(nil)); got != want {
				t.Fatalf("U+%04X after %d: got %q, want %q", r, at, got, want)
			}
		}
	}
}
