// Package wasmtime is the second engine.Engine: bytecodealliance/wasmtime,
// whose code is faster than wazero's. It is linked with cgo, and there with
// the build tag wasmtime alone.
//
// A guest takes a thread of the operating system for as long as it runs, even
// while it waits in a function of ours; so there are at most 256 at once.
//
// The calls of a guest may take 512 KiB of that thread's stack, whatever
// RunConfig.MaxStack says, which wasmtime has one setting for: about as many
// calls as wazero's code makes in the default.
//
// Wasmtime can't be asked before a memory grows. The most that a guest may ever
// have is exact: beyond RunConfig.MaxMemory, memory.grow fails with -1. What
// RunConfig.Grow decides comes late: it is asked when the guest next calls a
// function or refill, which core/meter lets happen right after anything that
// grows by 4 MiB, before it is used; then a refusal ends the guest.
package wasmtime
