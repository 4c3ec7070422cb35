package text

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

// TestCountInPieces reads characters cut in two, and compares with what GNU wc says of the whole.
func TestCountInPieces(t *testing.T) {
	all := [5]bool{true, true, true, true, true}
	for _, tt := range []struct {
		text string
		want counts // lines, words, characters, bytes, width
	}{
		{"", counts{}},
		{"a b\tc\n", counts{1, 3, 6, 6, 9}},
		{"no end", counts{0, 2, 6, 6, 6}},
		{"é ü\nöö", counts{1, 3, 6, 10, 3}},
		{"\u00a0\u3000x", counts{0, 1, 3, 6, 4}},
		{"a\x00b\x01 \x7f", counts{0, 1, 6, 6, 3}},
		{"a\xe2\x82 \xf0\x9f\x98\x80\xff", counts{0, 2, 3, 9, 4}},
		{"\r\f\v\n", counts{1, 0, 4, 4, 0}},
	} {
		whole, _ := count(strings.NewReader(tt.text), all)
		pieces, err := count(iotest.OneByteReader(strings.NewReader(tt.text)), all)
		if whole != tt.want || pieces != tt.want || err != nil {
			t.Errorf("%q: got %v whole, %v, %v in pieces, want %v", tt.text, whole, pieces, err, tt.want)
		}
		narrow := [5]bool{true, true, true, true, false}
		want := tt.want
		want[countWidth] = 0
		whole, _ = count(strings.NewReader(tt.text), narrow)
		pieces, _ = count(iotest.OneByteReader(strings.NewReader(tt.text)), narrow)
		whole[countWidth], pieces[countWidth] = 0, 0
		if whole != want || pieces != want {
			t.Errorf("%q without width: got %v whole, %v in pieces, want %v", tt.text, whole, pieces, want)
		}
	}
}

// TestTailOfMuch reads more than is kept at once.
func TestTailOfMuch(t *testing.T) {
	var text bytes.Buffer
	for i := range 400_000 {
		fmt.Fprintln(&text, "line", i)
	}
	lines := bytes.SplitAfter(text.Bytes(), []byte("\n"))
	lines = lines[:len(lines)-1]
	for _, n := range []int{1, 100, 200_000, 399_999, 500_000} {
		want := bytes.Join(lines[max(0, len(lines)-n):], nil)
		got, err := tailOf(bytes.NewReader(text.Bytes()), &span{count: int64(n)})
		if !bytes.Equal(got, want) || err != nil {
			t.Errorf("%d lines: got %d bytes, %v, want %d", n, len(got), err, len(want))
		}
	}
}
