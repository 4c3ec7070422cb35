package meter

// A parser reads a module, and notes what a rewriter has to change.
type parser struct {
	c    Config // without zeros
	wasm []byte
	m    Module

	turn   func() // see RewriteInTurns
	turned int    // the offset where it was called last

	found [sectionTag]section

	types         []funcType
	named         int      // parameters and results of all types
	funcs         []uint32 // the type of each function, imported ones first
	importedFuncs int
	globals       []globalType // imported ones first
	imported      int          // how many of them are
	elemSizes     []uint32     // entries of each element segment
	elements      int          // all of them
	dataSizes     []uint32     // bytes of each data segment
	data          []datum      // what active ones put at constant offsets
	dataUsed      bool         // by code
	bodies        []extent     // of the defined functions

	// What is to be changed outside of the code, in ascending order.
	funcRefs []uint32 // offsets of function indices
	clamps   []clamp

	startFunc uint32 // if there is a start section
	names     extent // of the content of the name section
	fromGo    bool   // Go has made it

	// What is to be added.
	asks         bool // the import GrowName
	helpers      []helper
	helperNumber map[helper]uint32
	added        []string // types, in the binary format
	addedNumber  map[string]uint32
}

// turnBytes is how far we read until it is somebody else's turn: what takes longest
// takes some milliseconds for it, in a browser.
const turnBytes = 16 << 10

// reached gives others their turn if we have read enough, up to an offset. What is
// read again begins at a lower one.
func (p *parser) reached(offset int) {
	if uint(offset-p.turned) < turnBytes {
		return
	}
	p.turned = offset
	p.turn()
}

// An extent is a piece of the module, as offsets.
type extent struct{ start, end int }

// A clamp is where limits are that allow too much, and what they are to be.
type clamp struct {
	extent
	to Limits
}

type globalType struct {
	value   valueType
	mutable bool
}

func (t globalType) String() string {
	if t.mutable {
		return "var " + t.value.String()
	}
	return t.value.String()
}

// finish fills in what is only known at the end.
func (p *parser) finish() *Module {
	p.m.Types = len(p.types)
	p.m.Functions = len(p.funcs) - p.importedFuncs
	p.m.Globals = len(p.globals) - p.imported
	p.m.DataSegments = len(p.dataSizes)
	p.m.ElemSegments = len(p.elemSizes)
	_, _, p.m.HasNames = p.readNames()
	p.m.HasStart = p.found[sectionStart].present
	return &p.m
}

// The indices below are checked although an engine will check them again: once
// rewritten, an index that is too high by one would be of something of ours.

func (p *parser) typeIndex(r *reader) uint32   { return r.index("type", len(p.types)) }
func (p *parser) tableIndex(r *reader) uint32  { return r.index("table", len(p.m.Tables)) }
func (p *parser) globalIndex(r *reader) uint32 { return r.index("global", len(p.globals)) }

// funcIndex reads the index of a function outside of the code.
func (p *parser) funcIndex(r *reader) uint32 {
	p.funcRefs = append(p.funcRefs, uint32(r.i))
	return r.index("function", len(p.funcs))
}

func (r *reader) index(what string, n int) uint32 {
	at := r.i
	i := r.u32()
	if r.err == nil && uint64(i) >= uint64(n) {
		r.failAt(at, ErrMalformed, "there is no "+what+" "+utoa(i))
		return 0
	}
	return i
}
