// Package meter rewrites WebAssembly modules so that what they execute is
// counted and can be stopped.
//
// [Rewrite] adds a global, the fuel, from which the code takes what it costs
// before it runs, and an imported function, which is called when there is less
// than none. The host gives more there, or ends the guest:
//
//	metered, module, err := meter.Rewrite(wasm, meter.Config{})
//	…
//	func refill(guest) { // imported as RefillModule, RefillName
//		if killed { panic(errKilled) }
//		guest.Fuel += slice // exported as FuelExport; it is below zero now
//	}
//
// What a guest has used is the sum of what it was given, less what is left. The
// count depends on the module and its inputs alone, not on the engine or the
// machine. At first there is no fuel. A start function becomes an export, for the
// host to call first: then all code of the guest runs in calls that it makes.
//
// # Costs
//
// An instruction costs a unit, about a tenth of a nanosecond; one that produces no
// code costs nothing; divisions and calls cost a few (costs.go). Filling and
// copying memory costs a unit for each 8 bytes, or from 64 KiB on for each 2, growing
// it as much as filling what is new, and tables a unit for each entry.
//
// Code is charged by region: instructions that run together or not at all. A
// branch is charged with what comes before it as long as that at most doubles the
// charge, or else when it is entered. So what is taken is never less than what
// runs costs, and at most twice that. What a trap cuts off has been paid for.
//
// # Checks
//
// Fuel is compared with zero where code could go on without end: on the way into
// functions, and on the way back in loops. Functions of at most 32 units that
// neither call nor loop go without, and so may code of up to 65,536 units
// in a row. A call of refill is for one check: if it leaves too little, the guest
// runs on to the next.
//
// Recursion ends with the fuel, or before that with the engine's stack, which
// the meter does not count: how much of it a call takes, engines alone know.
//
// Instructions that fill or copy memory by a number of bytes that is not known
// to be small become calls of functions, also added, that work in pieces of at
// most 1 MiB with a check between. They are exact: the bounds come first, so that
// nothing is written by what traps, and overlapping copies go the way round that
// keeps what is still to be read. Tables are not split; [Config.MaxTableEntries]
// bounds them.
//
// In a function with loops a local has the fuel, and the global has it only
// during calls and afterwards. Such a function that traps has not given back what
// it took since its last call or refill, so up to a slice goes uncounted; a guest
// that may go on after traps should be charged for each.
//
// # Memory
//
// A module that Go has made, which a custom section tells, traps where
// memory.grow fails although the module itself allows that much: Go's runtime
// only writes a long report then, and exits.
//
// Where an engine doesn't let the host decide how far a memory grows, as in a web
// page, [Config.AskGrow] has the module do that: another imported function is asked
// before each growth, and without its consent there is none.
//
// # Data
//
// Data segments with few zeros between them become one, where code can't see it
// and none writes over another: the memory is the same, and engines start such
// guests in a third of the time.
//
// # What is allowed
//
// WebAssembly 2.0 with vectors, but one memory only: no threads, exceptions,
// garbage collection, tail calls, 64-bit memories, relaxed vectors or extended
// constants. Sections, opcodes, types and indices that are not known are refused, as is
// what exceeds [Config], each with an [*Error] of one line that says what and
// where. A guest that itself uses the names of what is added is refused too, so
// no module can be metered twice. Types of operands are left to the engine.
//
// Names of functions are kept, up to 128 bytes of each and with the right indices,
// so that traps can show them. Other custom sections are dropped.
//
// Everything read is taken as hostile: time and memory are linear in its size,
// and nothing panics. The source is https://www.w3.org/TR/wasm-core-2/.
package meter
