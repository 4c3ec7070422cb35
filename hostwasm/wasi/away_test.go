package wasi_test

import (
	"bytes"
	"slices"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// An away is the guest's memory out of our reach, as an engine in a page has it.
type away struct {
	g     *guest
	wrote bool
}

func (a *away) Size() uint64 { return uint64(len(a.g.mem)) }

// Buffer returns bytes that show where somebody takes them for the guest's, or
// stores more than was written.
func (a *away) Buffer(n uint32) []byte { return bytes.Repeat([]byte{0xa5}, int(n)) }

func (a *away) Read(b []byte, ptr uint32) { copy(b, a.g.mem[ptr:][:len(b)]) }

func (a *away) Write(ptr uint32, b []byte) {
	a.wrote = true
	copy(a.g.mem[ptr:][:len(b)], b)
}

// tryThenCall makes a call as an engine does that has to copy its guests' memory,
// and on whose one thread nobody may wait: without waiting, and only if that is
// not enough in the way of other engines.
func (g *guest) tryThenCall(f engine.Func, stack []uint64) error {
	a := &away{g: g}
	if f.Try == nil {
		return f.Call(g.p, engine.Away(a), stack)
	}
	params := slices.Clone(stack)
	err := f.Try(g.p, engine.Away(a), stack)
	if err != engine.ErrWait {
		return err
	}
	if !slices.Equal(stack, params) || a.wrote {
		g.t.Errorf("%s%v would wait, and has changed the guest", f.Name, params)
	}
	return f.Call(g.p, engine.Lent(g.mem), stack)
}
