package widthgen_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/dev/internal/widthgen"
)

var update = flag.Bool("update", false, "write the table instead of comparing it")

// The committed table is what the generator makes. To make it anew:
//
//	npm i @xterm/addon-unicode11@0.9.0
//	TERRARIUM_NODE_MODULES=$PWD/node_modules go test ./cmd/dev/internal/widthgen -update
func TestTableIsCurrent(t *testing.T) {
	dir := os.Getenv("TERRARIUM_NODE_MODULES")
	if dir == "" {
		t.Skipf("TERRARIUM_NODE_MODULES names no node_modules folder with %s", widthgen.Addon)
	}
	got, err := widthgen.Generate(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.FromSlash("../../../../core/vt/width_table.go")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what %s gives; run with -update and read the diff", path, dir)
	}
}

func TestGenerateSaysWhatIsMissing(t *testing.T) {
	if _, err := widthgen.Generate(t.TempDir()); err == nil {
		t.Error("got no error from an empty folder")
	}
}
