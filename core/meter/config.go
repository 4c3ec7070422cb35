package meter

// Config has the limits that a module must keep. A zero field means the
// default, which is what engines and compilers of our day can do with room to
// spare; for counts it is close to what web browsers allow.
type Config struct {
	MaxModuleSize int // in bytes; 64 MiB
	MaxBodySize   int // of one function, in bytes; 7,654,321, as in browsers

	MaxTypes     int // 16,384
	MaxImports   int // 4,096
	MaxFunctions int // defined ones; 262,144
	MaxTables    int // 64
	MaxGlobals   int // 65,536
	MaxExports   int // 65,536
	MaxSegments  int // data segments, and element segments; 100,000 of each
	MaxLocals    int // parameters and locals of one function; 32,768
	MaxDepth     int // blocks inside each other; 65,536

	// What engines take longer for than its size says. MaxLoopDepth is how many
	// loops there may be inside each other; 256. MaxLabels is how many labels the
	// branch tables of one function may have together; 65,536.
	MaxLoopDepth int
	MaxLabels    int

	// MaxJoins is how many blocks and branches one function can have, times its
	// locals and 1; 4,194,304. It bounds the memory that compiling it takes. Here
	// and in MaxFlow the most values that a block takes and leaves count as locals.
	MaxJoins int

	// MaxFlow bounds how long compiling takes: the sum, for all functions, of
	// the square of the number of blocks and branches, times the locals and 40,
	// in units of 1 << 20; 100,000.
	MaxFlow int

	// MaxValues bounds how long compiling takes for values that no instruction
	// names: how many of them all blocks, branches, calls, returns and functions of
	// a module take and leave, beyond 16 each; 262,144. Two bytes can call for
	// 1,000, each of which takes about a microsecond.
	MaxValues int

	// MaxMemoryPages is how large a memory can be, in pages of 64 KiB; 65,536.
	// A module that starts with more is refused. One that may grow beyond is
	// rewritten so that it can't: memory.grow then answers -1.
	MaxMemoryPages int

	// MaxTableEntries is the same for each table, in entries; 1,048,576. Table
	// instructions are not split, so this also bounds how long one takes.
	MaxTableEntries int

	// AskGrow has the module ask the host before its memory grows: see [GrowName].
	AskGrow bool
}

const (
	maxPages   = 1 << 16 // what a 32-bit memory can have
	maxOffsets = 1<<31 - 1
)

// withDefaults returns c with all fields set, none above what the format allows.
func (c Config) withDefaults() Config {
	set := func(field *int, otherwise, highest int) {
		if *field <= 0 {
			*field = otherwise
		}
		*field = min(*field, highest)
	}
	set(&c.MaxModuleSize, 64<<20, maxOffsets)
	set(&c.MaxBodySize, 7_654_321, maxOffsets)
	set(&c.MaxTypes, 1<<14, maxOffsets)
	set(&c.MaxImports, 1<<12, maxOffsets)
	set(&c.MaxFunctions, 1<<18, maxOffsets)
	set(&c.MaxTables, 64, maxOffsets)
	set(&c.MaxGlobals, 1<<16, maxOffsets)
	set(&c.MaxExports, 1<<16, maxOffsets)
	set(&c.MaxSegments, 100_000, maxOffsets)
	set(&c.MaxLocals, 1<<15, maxOffsets)
	set(&c.MaxDepth, 1<<16, maxOffsets)
	set(&c.MaxLoopDepth, 1<<8, maxOffsets)
	set(&c.MaxLabels, 1<<16, maxOffsets)
	set(&c.MaxJoins, 1<<22, 1<<28)
	set(&c.MaxFlow, 100_000, maxOffsets)
	set(&c.MaxValues, 1<<18, maxOffsets)
	set(&c.MaxMemoryPages, maxPages, maxPages)
	set(&c.MaxTableEntries, 1<<20, maxOffsets)
	return c
}
