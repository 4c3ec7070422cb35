package slim_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/terrarium-dev/terrarium/cmd/dev/internal/slim"
)

// TestModule lets a module that needs its functions found, and tells their names, do so as before.
func TestModule(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles modules of Go's")
	}
	large := build(t)
	small, err := slim.Module(large)
	if err != nil {
		t.Fatal(err)
	}
	if len(small) > len(large)*19/20 {
		t.Errorf("got %d bytes of %d, want a twentieth less", len(small), len(large))
	}
	want, got := output(t, large), output(t, small)
	if !bytes.Contains(want, []byte("main.fail")) {
		t.Fatalf("got %q, want something about main.fail", want)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	again, err := slim.Module(small)
	if err != nil || !bytes.Equal(again, small) {
		t.Errorf("got another module (%v) of one that has nothing to leave out", err)
	}
}

// TestDamaged lets what is not a whole module be refused.
func TestDamaged(t *testing.T) {
	const header = "\x00asm\x01\x00\x00\x00"
	for _, module := range []string{
		"",
		"\x7fELF",
		header,
		header + "\x0b\x05",
		header + "\x0b\x01\x05",
		header + "\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		header + "\x0c\x01\x00\x0b\x01\x00",
		header + "\x0b\x07\x01\x00\x41\x00\x0b\x05a",             // less than it says
		header + "\x0b\x07\x01\x01\x41\x00\x0b\x01a",             // passive
		header + "\x0b\x07\x01\x00\x23\x00\x0b\x01a",             // at a global
		header + "\x0b\x07\x01\x00\x41\x7f\x6a\x01a",             // at a sum
		header + "\x0b\x0b\x01\x00\x41\xff\xff\xff\x7f\x0b\x01a", // out of every memory
	} {
		if got, err := slim.Module([]byte(module)); err == nil {
			t.Errorf("%q: got %q, want an error", module, got)
		}
	}
}

func build(t *testing.T) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "deep.wasm")
	cmd := exec.Command("go", "build", "-o", file, "testdata/deep.go")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

func output(t *testing.T, wasm []byte) []byte {
	t.Helper()
	ctx := t.Context()
	// The interpreter begins sooner than a compiler.
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	var stderr bytes.Buffer
	if _, err := r.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithStderr(&stderr)); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	return stderr.Bytes()
}
