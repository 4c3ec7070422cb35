//go:build linux || darwin

package worker_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// A program that is a file of the guest's is compiled, and each for itself: a
// worker may not send it, and has the host give it a file for that.
func TestProgramsInFiles(t *testing.T) { onEachEngine(t, testProgramsInFiles) }

func testProgramsInFiles(t *testing.T, engine string) {
	dir := t.TempDir()
	h := newHost(t, worker.Config{Engine: engine, Pool: -1})
	for name, code := range map[string]int{"a": 3, "b": 4} {
		var m metertest.Module
		exit := m.Import("wasi_snapshot_preview1", "proc_exit", "(i32)->()")
		m.Memory(1, 0)
		m.ExportMemory("memory")
		m.Export("_start", m.Func("()->()", "", metertest.I32(int32(code)), metertest.Call(exit)))
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, m.Bytes(), 0o700); err != nil {
			t.Fatal(err)
		}
		r := run(t, h, core.Command{Command: file, Roots: []string{dir}})
		if want := (core.ExitStatus{ExitCode: uint32(code)}); r.exit.Status != want {
			t.Errorf("%s: got %v, %q, want %v", name, r.exit.Status, r.stderr, want)
		}
	}
}
