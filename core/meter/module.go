package meter

// A Module is what was learnt about a module. Indices and counts are those of
// the original, without what [Rewrite] adds.
type Module struct {
	Imports []Import // in their order
	Exports []Export // in their order
	Tables  []Table  // imported ones first
	Memory  Limits   // in pages of 64 KiB; all zero if there is no memory

	HasMemory bool
	HasStart  bool // it has a start function, which runs when it is instantiated
	HasNames  bool // it has a well-formed name section, so traps can tell where they happened

	Types        int
	Functions    int // defined, not imported
	Globals      int // defined, not imported
	DataSegments int
	ElemSegments int
}

// A Kind is what an import or export is.
type Kind uint8

// The kinds, with the numbers that the binary format gives them.
const (
	KindFunc   Kind = iota // a function
	KindTable              // a table of functions or other references
	KindMemory             // a linear memory
	KindGlobal             // a global variable
)

func (k Kind) String() string {
	return [...]string{"func", "table", "memory", "global"}[k&3]
}

// An Import is something that the module needs from outside.
type Import struct {
	Module, Name string
	Kind         Kind
	// Type is the signature of a function, like "(i32,i64)->i32" or "()->()";
	// the entries' type of a table; the type of a global, after "var " if it is
	// mutable; "" for a memory.
	Type string
}

// An Export is something that the module offers.
type Export struct {
	Name  string
	Kind  Kind
	Index uint32 // among all of its kind, imported ones included
	Type  string // as in Import
}

// Limits say how much there is at first, and how much there may be.
type Limits struct {
	Min, Max uint32
	HasMax   bool // or Max is 0 and the engine decides
}

// A Table holds references. Its limits are in entries.
type Table struct {
	Limits
	Type string // "funcref" or "externref"
}
