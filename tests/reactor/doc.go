// Package reactor runs cmd/reactor in WebAssembly engines, for tests: the
// scripts of the machine and of its ACP connection must give the same answers
// there as in this process.
//
// An [Engine] makes an [Instance]; a [Client] speaks the ABI to one
// (cmd/reactor/ABI.md) and is a coretest.Backend. The engines are wazero,
// V8 (node.mjs, if node is on PATH) and, with the build tag wasmtime, wasmtime.
package reactor
