// Command reactor is the machine as one WebAssembly module, for JavaScript and
// every other embedder: a WASI reactor whose exports are the methods of
// core.Registry and acp.Conn, one to one. ABI.md is its contract.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o core.wasm ./cmd/reactor
//
// The exports themselves are in exports.go; they only pass on to the methods of
// [instance], which know nothing of WebAssembly and are tested natively too.
// Like the core it never blocks, and starts no goroutine: nothing would run it
// between two calls.
package main
