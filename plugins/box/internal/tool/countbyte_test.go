package tool

import (
	"bytes"
	"math/rand"
	"testing"
)

func TestCountByte(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, c := range []byte{0, '\n', 0x7f, 0x80, 0xff} {
		for n := range 200 {
			p := make([]byte, n)
			for i := range p {
				// These are its neighbours, and it with another highest bit.
				p[i] = c + byte([]int{0, 0, 1, 0x80, 0xff}[r.Intn(5)])
			}
			if got, want := CountByte(p, c), bytes.Count(p, []byte{c}); got != want {
				t.Fatalf("%x in %x: got %d, want %d", c, p, got, want)
			}
		}
	}
}
