package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"syscall/js"

	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page"
)

func newEngine() (engine.Engine, error) { return page.New() }

// compiled returns a cache with the module in box, which was metered to the file kept: to meter it
// here would take many seconds. The browser compiles it, once for all engines.
func compiled(box, kept string) (hostwasm.Cache, error) {
	wasm, err := os.ReadFile(box)
	if err != nil {
		return nil, err
	}
	metered, err := os.ReadFile(kept)
	if err != nil {
		return nil, err
	}
	bytes := js.Global().Get("Uint8Array").New(len(metered))
	js.CopyBytesToJS(bytes, metered)
	module := js.Global().Get("WebAssembly").Get("Module").New(bytes)
	sum := sha256.Sum256(wasm)
	js.Global().Get("terrariumGuests").Call("register",
		hex.EncodeToString(sum[:]), hostwasm.CompiledBy(page.Target{}, hostwasm.Limits{}), module)
	return page.Cache{}, nil
}
