//go:build !wasip1

package meter_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
)

// A seen is what testdata/run.mjs prints of a run.
type seen struct {
	Result  uint32 `json:"result"`
	Trapped bool   `json:"trapped"`
	Steps   uint32 `json:"steps"`
	Memory  uint32 `json:"memory"`
	Fuel    int64  `json:"fuel"`
}

// TestEngines runs random modules, metered in both ways and not, on wazero's compiler, on its
// interpreter and on V8. All must agree, on the fuel too.
func TestEngines(t *testing.T) {
	modules := 50
	if os.Getenv("TERRARIUM_LONG") != "" {
		modules = 150
	}
	dir := t.TempDir()
	var files []string
	for seed := range modules {
		plain := Generate(seedBytes(1000 + seed))
		for _, form := range []struct {
			name string
			wasm []byte
		}{
			{"plain", plain},
			{"metered", rewrite(t, plain, meter.Config{})},
			{"asking", rewrite(t, plain, asking)},
		} {
			file := filepath.Join(dir, fmt.Sprint(form.name, seed))
			if err := os.WriteFile(file, form.wasm, 0o666); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	compiled := onWazero(t, files, wazero.NewRuntimeConfig())
	for i := 0; i < len(files); i += 3 {
		plain, metered, asking := compiled[i], compiled[i+1], compiled[i+2]
		if metered.Fuel <= 0 {
			t.Errorf("%s: got %d units of fuel, want some", files[i+1], metered.Fuel)
		}
		if asking != metered {
			t.Errorf("%s: got %+v, want %+v", files[i+2], asking, metered)
		}
		if metered.Fuel = 0; metered != plain {
			t.Errorf("%s: metered: got %+v, want %+v", files[i], metered, plain)
		}
	}
	t.Run("interpreter", func(t *testing.T) {
		wantSeen(t, files, onWazero(t, files, wazero.NewRuntimeConfigInterpreter()), compiled)
	})
	t.Run("node", func(t *testing.T) {
		wantSeen(t, files, onNode(t, files), compiled)
	})
}

func wantSeen(t *testing.T, files []string, got, want []seen) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d runs, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: got %+v, want %+v", files[i], got[i], want[i])
		}
	}
}

func onNode(t *testing.T, files []string) []seen {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("needs node")
	}
	var stderr bytes.Buffer
	cmd := exec.Command(node, append([]string{"testdata/run.mjs"}, files...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var all []seen
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var s seen
		if err := d.Decode(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func onWazero(t *testing.T, files []string, config wazero.RuntimeConfig) []seen {
	ctx := context.Background()
	tank := &fuelTank{}
	r := newRuntimeWith(t, tank, config)
	var all []seen
	for _, file := range files {
		*tank = fuelTank{answer: 1}
		m, err := r.InstantiateWithConfig(ctx, read(t, file), wazero.NewModuleConfig().WithName(""))
		if err != nil {
			t.Fatal(err)
		}
		var s seen
		if results, err := m.ExportedFunction("run").Call(ctx, 1, 2); err != nil {
			s.Trapped = true
		} else {
			s.Result = uint32(results[0])
		}
		s.Steps = uint32(m.ExportedGlobal("steps").Get())
		p, _ := m.Memory().Read(0, m.Memory().Size())
		s.Memory = 0x811c9dc5
		for ; len(p) > 0; p = p[4:] {
			s.Memory = (s.Memory ^ binary.LittleEndian.Uint32(p)) * 0x01000193
		}
		if m.ExportedGlobal(meter.FuelExport) != nil {
			s.Fuel = tank.used(m)
		}
		all = append(all, s)
		if err := m.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
