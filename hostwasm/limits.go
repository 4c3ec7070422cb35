package hostwasm

import (
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// Limits bound what one terminal may use, its command and all that this
// starts together. A zero field is its default; a negative one, where the type
// allows it, is no limit.
type Limits struct {
	// Memory is how many bytes of linear memory its guests may have together, and
	// of stacks. Default 512 MiB.
	Memory int64
	// Stack is how many bytes the calls of each guest may take, inside each other:
	// what the engine has for them, not what a compiler has put into linear
	// memory. Default 8 MiB, or a quarter of Memory if that is less; from 64 KiB
	// to 32 MiB. All of it counts as memory for as long as the guest runs. On
	// wasmtime it is 512 KiB, whatever this says, which holds about as many calls
	// as the default does.
	Stack int64
	// Table is how many entries the tables of each guest may have together,
	// where it keeps functions that it calls by number. Default 1,048,576.
	Table int
	// Fuel is how much they may execute, in units of core/meter, about one
	// for each instruction. By default there is no limit.
	Fuel int64
	// Wall is the longest it may run, from when its own module is compiled or was
	// found in the cache. By default 1 hour. Time that it waits later, for modules
	// of what it starts to be compiled, does not count either, up to ten times
	// Compile. core.Command.Timeout counts all of that.
	Wall time.Duration
	// Output is how many bytes it may write to its two streams. Default 1 GiB.
	Output int64
	// Disk is how many bytes it may add to files that were handed over, and
	// Files how many it may create. Default 1 GiB and 100,000.
	Disk  int64
	Files int
	// Scratch is how many bytes the files of a session may have in /tmp, in blocks
	// of 4 KiB. Default 64 MiB. /tmp is in memory, where there may be a name for
	// each KiB; for worker.Host it is on disk, where there may be Files, and each
	// directory and symbolic link has a block.
	Scratch int64
	// OpenFiles is how many descriptors each guest may have. Default 256. Of
	// the files that were handed over all of them together may have 1,024 open.
	OpenFiles int
	// Arguments is how many bytes argv and environment of each guest may
	// have. Default 1 MiB.
	Arguments int
	// Processes is how many guests may run at once. Default 64.
	Processes int
	// Module is the largest module, in bytes. Default 128 MiB.
	Module int64
	// Compile is the longest a module may take to compile. Default 2 minutes. For
	// worker.Host it is processor time, which does not depend on what else the
	// machine does.
	Compile time.Duration
	// Flow is how much control flow the functions of a module may have, in the
	// units of meter.Config.MaxFlow. It bounds how long an engine compiles, which
	// can't be stopped here. Default 100,000: about 80 s. With a negative Flow, the
	// default of worker.Host, whose compilers can be ended, a module may have as
	// much as befits its size: see flowFor.
	Flow int
}

// WithDefaults returns l, its zeros replaced by the defaults.
func (l Limits) WithDefaults() Limits {
	l.Memory = or(l.Memory, 512<<20)
	l.Stack = min(max(or(l.Stack, defaultStack(l.Memory)), engine.LeastStack), engine.MostStack)
	l.Table = or(l.Table, 1<<20)
	l.Fuel = or(l.Fuel, -1)
	l.Wall = or(l.Wall, time.Hour)
	l.Output = or(l.Output, 1<<30)
	l.Disk = or(l.Disk, 1<<30)
	l.Scratch = or(l.Scratch, 64<<20)
	l.Files = or(l.Files, 100_000)
	l.OpenFiles = or(l.OpenFiles, 256)
	l.Arguments = or(l.Arguments, 1<<20)
	l.Processes = or(l.Processes, 64)
	l.Module = or(l.Module, 128<<20)
	l.Compile = or(l.Compile, 2*time.Minute)
	l.Flow = or(l.Flow, 100_000)
	return l
}

func defaultStack(memory int64) int64 {
	if memory < 0 {
		return engine.DefaultStack
	}
	return min(engine.DefaultStack, memory/4)
}

func or[T int | int64 | time.Duration](v, fallback T) T {
	if v == 0 {
		return fallback
	}
	return v
}
