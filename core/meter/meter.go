package meter

// Version is part of what identifies a metered module, together with the
// original and the [Config]: it changes whenever [Rewrite] would answer with
// other bytes.
const Version = 7

// What a metered module has beside what it had.
const (
	// RefillModule and RefillName are what it imports: a function ()->() that is
	// called when there is less than no fuel. The function adds fuel to the
	// global, or ends the guest by panicking.
	RefillModule = "terrarium_meter"
	RefillName   = "refill"
	// FuelExport is what it exports: a mutable i64, at first 0, which has the
	// fuel that is left.
	FuelExport = "terrarium.fuel"
	// RefusedExport is what it exports, if it can come to grow its memory: a
	// mutable i32, at first 0, and 1 once memory.grow has failed although the
	// module itself allows that much. A module that Go has made traps then.
	RefusedExport = "terrarium.refused"
	// StartExport is what it exports the original's start function as, if there is
	// one. The host calls it first; nothing runs when it makes an instance.
	StartExport = "terrarium.start"
)

// A module may grow maxGrowth times when it is metered, and maxGrowthBase bytes.
// Those that compilers make grow by a fifth.
const (
	maxGrowth     = 4
	maxGrowthBase = 1 << 20
)

// Inspect reads a module and checks it as [Rewrite] does. wasm is not kept. The
// error is an [*Error].
func Inspect(wasm []byte, c Config) (*Module, error) {
	p := parser{c: c.withDefaults(), wasm: wasm}
	if err := p.module(); err != nil {
		return nil, err
	}
	s := scan{parser: &p}
	for i := range p.bodies {
		if err := s.function(i); err != nil {
			return nil, err
		}
	}
	return p.finish(), nil
}

// Rewrite returns the metered module, in memory of its own, and what it learnt
// about the original. wasm is neither changed nor kept. The error is an
// [*Error].
//
// A module is refused if its structure is not valid, if it uses what is not
// allowed or exceeds a limit, and if it uses one of the names above itself. The
// types of operands are not checked: an engine refuses the metered module for
// them if it would have refused the original.
func Rewrite(wasm []byte, c Config) ([]byte, *Module, error) {
	p := parser{c: c.withDefaults(), wasm: wasm}
	if err := p.module(); err != nil {
		return nil, nil, err
	}
	s := scan{parser: &p}
	var code []byte
	if n := len(p.bodies); n > 0 {
		original := p.found[sectionCode]
		code = make([]byte, 0, (original.end-original.start)*5/4+256)
	}
	for i := range p.bodies {
		if err := s.function(i); err != nil {
			return nil, nil, err
		}
		code = s.appendBody(code)
		if len(code) > maxGrowth*len(wasm)+maxGrowthBase {
			n := p.importedFuncs + i
			return nil, nil, &Error{p.bodies[i].start, n, p.functionName(n), "metered code would be too long", ErrLimit}
		}
	}
	return p.assemble(code), p.finish(), nil
}
