package direct_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/dev/internal/direct"
	"github.com/terrarium-dev/terrarium/core/meter"
)

// What it does is tested where it runs, in plugins/box.
func TestBytes(t *testing.T) {
	wasm := direct.Bytes()
	if len(wasm) > 1024 {
		t.Errorf("got %d bytes, want some hundred", len(wasm))
	}
	info, err := meter.Inspect(wasm, meter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Imports) != 6 {
		t.Errorf("got %d imports, want 6", len(info.Imports))
	}
}
