package tests

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// TestPruned looks for what has the linker keep every exported method of every type, which was 6 MB
// of the command: methods that are looked up by name, as text/template does. "go build
// -ldflags=-dumpdep ./cmd/terrarium" says who calls it.
func TestPruned(t *testing.T) {
	path, err := exec.LookPath("terrarium")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Go's programs name their functions, also where symbols were left out.
	if !bytes.Contains(program, []byte("main.newRoot")) {
		t.Fatal("the command does not name its functions")
	}
	if bytes.Contains(program, []byte("text/template.(*state).evalField")) {
		t.Error("the command has text/template, or was built without -tags=grpcnotrace")
	}
}
