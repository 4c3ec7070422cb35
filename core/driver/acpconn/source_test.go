package acpconn

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// TestSourceKeepsTheNewest: whatever is written and taken, what is kept is the newest bytes, as
// many as there is room for, and their number is told.
func TestSourceKeepsTheNewest(t *testing.T) {
	for seed := range uint64(50) {
		r, noise := rand.New(rand.NewPCG(seed, 1)), rand.NewChaCha8([32]byte{byte(seed)})
		s := source{topics: acp.TopicBytes}
		all, taken, room := []byte(nil), 0, 300<<10
		for range 100 {
			if r.IntN(3) == 0 {
				most := r.IntN(100 << 10)
				before := s.kept.size
				got, offset := s.take([]byte("x"), most)
				room += before - s.kept.size
				taken = max(taken, int(offset))
				if want := all[taken : taken+len(got)-1]; !bytes.Equal(got[1:], want) {
					t.Fatalf("seed %d: the %d bytes at %d are not those that were written", seed, len(want), taken)
				}
				taken += len(got) - 1
				continue
			}
			p := make([]byte, r.IntN(1<<r.IntN(20)))
			noise.Read(p)
			all = append(all, p...)
			limit := min(maxKept, s.kept.size+room)
			room += s.write(p, room)
			if want := min(len(all)-taken, limit); s.kept.size != want || room < 0 {
				t.Fatalf("seed %d: got %d bytes and room for %d, want %d bytes", seed, s.kept.size, room, want)
			}
			taken = len(all) - s.kept.size
		}
	}
}

// TestLastInPieces: how a screen looked in the end is told in pieces, as what it shows before is,
// and whole.
func TestLastInPieces(t *testing.T) {
	screen := vt.NewScreen(vt.Options{Rows: 100, Cols: 300})
	for y := range 100 {
		for x := range 300 {
			screen.Write(fmt.Appendf(nil, "\x1b[38;5;%dmx", (x+y)%256))
		}
	}
	lines := 0
	for _, piece := range new(source).takeLast(screen) {
		if most := lastPiece + 64<<10; len(piece) > most {
			t.Errorf("got a piece of %d bytes, want at most %d", len(piece), most)
		}
		lines += bytes.Count(piece, []byte(`{"y":`))
	}
	if lines != 100 {
		t.Errorf("got %d lines, want 100", lines)
	}
}

// BenchmarkSourceWrite is small writes that nobody takes: each has to be as cheap when all room is
// full as before.
func BenchmarkSourceWrite(b *testing.B) {
	for _, full := range []bool{false, true} {
		b.Run(fmt.Sprintf("full=%v", full), func(b *testing.B) {
			s := source{topics: acp.TopicBytes}
			p := make([]byte, 64)
			room := maxAllKept
			if full {
				room += s.write(make([]byte, maxKept), room)
			}
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				if room += s.write(p, room); !full {
					before := s.kept.size
					s.take(nil, maxKept)
					room += before - s.kept.size
				}
			}
		})
	}
}
