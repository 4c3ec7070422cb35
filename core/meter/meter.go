package meter

// Version is part of what identifies a metered module, together with the
// original and the [Config]: it changes whenever [Rewrite] would answer with
// other bytes.
const Version = 7

// What a metered module has beside what it had.
const (
	// RefillModule is the module that it imports functions from.
	RefillModule = "terrarium_meter"
	// RefillName is a function ()->() that it imports, and calls when there is less
	// than no fuel. The function adds fuel to the global, or ends the guest by
	// panicking.
	RefillName = "refill"
	// GrowName is imported from RefillModule too, where [Config.AskGrow] is set and
	// the module can come to grow its memory: a function (i32)->i32, which is called
	// before it does. The parameter is how many pages it wants more, unsigned and
	// never 0. It gets them unless the result is 0; then memory.grow answers -1. The
	// function is not called for more than the module may have anyway. It must not
	// grow the memory itself, nor run code of the guest.
	GrowName = "grow"
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
	p := parser{c: c.withDefaults(), wasm: wasm, turn: func() {}}
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
	return RewriteInTurns(wasm, c, func() {})
}

// RewriteInTurns is [Rewrite] for who has one thread for all: it calls turn, which
// may let others run, whenever it has read some kilobytes.
func RewriteInTurns(wasm []byte, c Config, turn func()) ([]byte, *Module, error) {
	p, code, err := rewrite(wasm, c, turn)
	if err == nil && p.asks && !p.grows() {
		// What has a memory nearly always grows it, so the import was taken for
		// granted. Without it all functions have other indices.
		c.AskGrow = false
		p, code, err = rewrite(wasm, c, turn)
	}
	if err != nil {
		return nil, nil, err
	}
	return p.assemble(code), p.finish(), nil
}

// rewrite reads a module and returns the metered bodies of its functions.
func rewrite(wasm []byte, c Config, turn func()) (*parser, []byte, error) {
	p := &parser{c: c.withDefaults(), wasm: wasm, turn: turn}
	if err := p.module(); err != nil {
		return nil, nil, err
	}
	p.asks = c.AskGrow && p.m.HasMemory
	s := scan{parser: p}
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
	return p, code, nil
}
