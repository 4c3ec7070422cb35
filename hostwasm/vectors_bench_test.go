//go:build unix

package hostwasm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// BenchmarkVectors says what -msimd128 gives C that loops over bytes: the processor's time of the
// fastest of five runs over the native program's, without it and with it, and the fuel of both.
//
//	go test -tags wasmtime -run '^$' -bench Vectors -benchtime 1x ./hostwasm
func BenchmarkVectors(b *testing.B) {
	clang := ""
	for _, name := range []string{"clang-19", "clang-14", "clang"} {
		if _, err := exec.LookPath(name); err == nil {
			clang = name
			break
		}
	}
	if clang == "" {
		b.Skip("needs clang")
	}
	dir := b.TempDir()
	native := filepath.Join(dir, "native")
	compileWith(b, clang, "-O3", "-o", native, "testdata/vectors.c")
	flags := map[string][]string{"plain": nil, "msimd128": {"-msimd128"}}
	modules := map[string]*hostwasm.Module{}
	for name, more := range flags {
		file := filepath.Join(dir, name+".wasm")
		compileWith(b, clang, append(more, "--target=wasm32-wasi", "-O3", "-o", file, "testdata/vectors.c")...)
		wasm, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		modules[name] = hostwasm.NewModule(name, wasm)
	}
	for _, on := range backends {
		h := newHost(b, on, hostwasm.Config{Commands: modules})
		for _, loop := range []string{"sum", "count", "upper"} {
			b.Run(on.name+"/"+loop, func(b *testing.B) {
				best, fuel := map[string]float64{}, map[string]uint64{}
				for b.Loop() {
					for range 5 {
						want, took := runNative(b, native, []string{loop})
						best["native"] = lower(best["native"], took)
						for name := range modules {
							before := busy(b)
							got := run(b, h, core.Command{Command: name, Args: []string{loop}})
							best[name] = lower(best[name], busy(b)-before)
							if fuel[name] = got.exit.Usage.Fuel; got.stderr != want || got.exit.Status != exitCode(0) {
								b.Fatalf("%s: got %q, %v, want %q", name, got.stderr, got.exit.Status, want)
							}
						}
					}
				}
				b.ReportMetric(0, "ns/op")
				for name := range modules {
					b.ReportMetric(best[name]/best["native"], name+"/native")
					b.ReportMetric(float64(fuel[name]/1e6), name+"-Mfuel")
				}
			})
		}
	}
}

// lower returns the lower one of the two, if there was one before.
func lower(best, took float64) float64 {
	keep(&best, took)
	return best
}
