// Command sandbox is all of Terrarium that a page needs to run commands, as one
// WebAssembly module for GOOS=js: the machine, its driver, ACP, and the sandbox
// on the page's own engine. ABI.md is its contract with web/src/worker.ts.
//
//	go run ./cmd/dev sandbox web/dist
//
// The exports themselves are in exports_js.go; they only pass on to the methods of
// [instance], which know nothing of JavaScript and are tested natively too. No
// export waits: what takes time goes on in a goroutine, and the page is told.
package main
