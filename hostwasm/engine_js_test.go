package hostwasm_test

import (
	"path/filepath"

	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page"
)

// Here guests run in the page.
func init() { backends = []backend{{page.Target{}.Name(), page.New}} }

// buildGuest returns the file of testdata/NAME, which "dev browser" has built: nothing
// can be here.
func buildGuest(_, name string) (string, error) {
	return filepath.Join("testdata", name+".wasm"), nil
}

// modules keeps nothing: where there are no directories, only the page has
// modules that are compiled.
func modules() (hostwasm.Cache, error) { return page.Cache{}, nil }
