// Package wasi answers what a sandboxed command asks of its system: all of
// WASI preview 1, its older form wasi_unstable, terrarium_proc_v0 and
// terrarium_fs_v0 (ABI.md), over a memory that any engine can lend.
//
// A [Process] is one command's view of the world: its arguments, descriptors,
// clocks and limits. [Funcs] are what an engine lets guests import. The
// goroutine that runs the guest is the only one that works for it: a guest
// that waits, for a pipe, a child or the time, is parked on one channel, which
// whatever it waits for and [Process.Interrupt] ring.
//
// The guest is hostile. Whatever it passes is checked against its memory
// before anything happens, what the host allocates for it is bounded by a
// small multiple of what it sent, and a mistake is answered with an errno.
// Where the specification leaves a choice, it is made as Linux makes it.
//
// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md
package wasi
