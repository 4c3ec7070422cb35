package wasi_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page"
	"github.com/terrarium-dev/terrarium/hostwasm/internal/pagetests"
)

func TestMain(m *testing.M) {
	pagetests.Skip("hostwasm/wasi")
	os.Exit(m.Run())
}

// openEngine returns the engine that guests run on here.
func openEngine() (engine.Engine, error) { return page.New() }

// buildGo returns the file of testdata/guest, which "dev browser" has built: nothing
// can be here.
func buildGo(testing.TB) string { return filepath.Join("testdata", "guest.wasm") }
