//go:build js

package page

import (
	"math"
	"unsafe"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// slots are what the glue passes parameters in, and gets the result. The one behind
// them is set when an export returns: one that has blocked comes back to the glue
// too, with the state of another goroutine, and from then on nothing is right.
var slots [maxValues + 1]uint64

// leave is the last thing that an export does.
func leave() { slots[maxValues] = 1 }

// pageSlots returns where slots are.
//
//go:wasmexport page_slots
func pageSlots() uint32 { return uint32(uintptr(unsafe.Pointer(&slots))) }

// latest is who has called last, and will mostly call next.
var latest *guest

// trying says that a Func's Try is under way.
var trying bool

// Trying reports whether a guest's call is being tried without waiting. What has
// to wait fails with engine.ErrWait then, and is called again.
func Trying() bool { return trying }

// pageCall makes a guest's call of its import number f, while it has that many
// pages of memory: done, pending or ended.
//
//go:wasmexport page_call
func pageCall(guest, f, pages int32) int32 {
	status := call(guest, f, pages)
	leave()
	return status
}

func call(guest, f, pages int32) int32 {
	g := latest
	if g == nil || g.id != guest {
		g = guests[guest]
		latest = g
	}
	if g == nil || f < 0 || int(f) >= len(g.program.funcs) || g.err != nil {
		return ended
	}
	fn := &g.program.funcs[f]
	if fn.Call == nil {
		g.err = errBug
		return ended
	}
	m := newMemory(guest, uint64(uint32(pages))<<16)
	stack := slots[:max(len(fn.Params), len(fn.Results), 1)]
	var err error
	if fn.Try != nil {
		trying = true
		err = fn.Try(g.config.Guest, m.Memory, stack)
		trying = false
	} else {
		err = fn.Call(g.config.Guest, m.Memory, stack)
	}
	m.free()
	switch err {
	case nil:
		return done
	case engine.ErrWait:
		g.call, g.args = fn, append(g.args[:0], stack...)
		g.size = m.size
		if g.notify() {
			return pending
		}
		err = errBug
	}
	g.err = err
	return ended
}

// noFuel is what pageRefill answers when the guest has ended.
const noFuel = math.MinInt64

// pageRefill asks for fuel.
//
//go:wasmexport page_refill
func pageRefill(guest int32, left int64) int64 {
	g := guests[guest]
	if g == nil || g.err != nil {
		leave()
		return noFuel
	}
	fuel, err := g.config.Refill(left)
	if err != nil {
		g.err = err
		fuel = noFuel
	}
	leave()
	return fuel
}

// pageGrow asks whether a guest's memory may grow, in pages; from is 0 at its start.
// Where it has not grown by what it was allowed before, that still counts.
//
//go:wasmexport page_grow
func pageGrow(guest int32, from, to uint32) int32 {
	allowed := grow(guests[guest], from, to)
	leave()
	if allowed {
		return 1
	}
	return 0
}

func grow(g *guest, from, to uint32) bool {
	if g == nil || g.err != nil || to < from {
		return false
	}
	want := uint64(to) << 16
	allowed := want <= g.config.MaxMemory
	if allowed && want > g.granted {
		allowed = g.config.Grow == nil || g.config.Grow(max(uint64(from)<<16, g.granted), want)
	}
	if allowed {
		g.granted = max(g.granted, want)
	}
	return allowed
}
