//go:build !wasip1

package meter_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/terrarium-dev/terrarium/core/meter"
)

// kernels are in both languages. n is for a test, long for a benchmark.
var kernels = []struct {
	name    string
	n, long uint64
}{
	{"sha256", 64, 16384},
	{"sieve", 10_000, 5_000_000},
	{"fib", 15, 32},
	{"matmul", 20, 256},
	{"qsort", 2000, 300_000},
}

// cKernels returns the C kernels as a module with an export for each.
func cKernels(t testing.TB) []byte {
	clang := ""
	for _, name := range []string{"clang-19", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			clang = path
			break
		}
	}
	if clang == "" {
		t.Skip("needs clang")
	}
	out := filepath.Join(t.TempDir(), "kernels.wasm")
	if msg, err := exec.Command(clang, "--target=wasm32-wasi", "-O2", "-mbulk-memory", "-mexec-model=reactor",
		"-o", out, "testdata/kernels/kernels.c").CombinedOutput(); err != nil {
		t.Skipf("needs clang with wasi-libc: %v\n%s", err, msg)
	}
	return read(t, out)
}

// goKernels returns the Go kernels as a command.
func goKernels(t testing.TB) []byte {
	if testing.Short() || raceDetector {
		t.Skip("compiling takes some seconds, or a minute with the race detector")
	}
	out := filepath.Join(t.TempDir(), "kernels.wasm")
	build := exec.Command("go", "build", "-o", out, "testdata/kernels/main.go")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if msg, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	return read(t, out)
}

func read(t testing.TB, path string) []byte {
	p, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A program has kernels to run, metered or not.
type program interface {
	// run returns what a kernel answers, and how much fuel that took.
	run(t testing.TB, kernel string, n uint64) (answer string, fuel int64)
}

// newProgram compiles a module and, if metered, rewrites it first.
type newProgram func(t testing.TB, wasm []byte, metered bool) program

func maybeRewrite(t testing.TB, wasm []byte, metered bool) []byte {
	if !metered {
		return wasm
	}
	out, _, err := meter.Rewrite(wasm, meter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A library is an instance with an export for each kernel.
type library struct {
	tank *fuelTank
	api.Module
}

func newLibrary(t testing.TB, wasm []byte, metered bool) program {
	tank := &fuelTank{}
	m, err := newRuntime(t, tank).InstantiateWithConfig(context.Background(), maybeRewrite(t, wasm, metered),
		wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	return &library{tank, m}
}

func (l *library) run(t testing.TB, kernel string, n uint64) (string, int64) {
	before := l.used()
	results, err := l.ExportedFunction(kernel).Call(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.FormatUint(results[0], 10), l.used() - before
}

func (l *library) used() int64 {
	if l.ExportedGlobal(meter.FuelExport) == nil {
		return 0
	}
	return l.tank.used(l.Module)
}

// A command is started anew for each kernel.
type command struct {
	tank    *fuelTank
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

func newCommand(t testing.TB, wasm []byte, metered bool) program {
	c := &command{tank: &fuelTank{}}
	c.runtime = newRuntime(t, c.tank)
	var err error
	if c.module, err = c.runtime.CompileModule(context.Background(), maybeRewrite(t, wasm, metered)); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *command) run(t testing.TB, kernel string, n uint64) (string, int64) {
	var output bytes.Buffer
	*c.tank = fuelTank{}
	config := wazero.NewModuleConfig().WithName("").WithArgs("kernels", kernel, strconv.FormatUint(n, 10)).
		WithStdout(&output).WithStderr(&output)
	_, err := c.runtime.InstantiateModule(context.Background(), c.module, config)
	if exit := (*sys.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 0) {
		t.Fatalf("got %v, want exit code 0\n%s", err, &output)
	}
	return output.String(), c.tank.granted
}

// TestKernels compares what real programs answer.
func TestKernels(t *testing.T) {
	for _, language := range []struct {
		name    string
		modules func(testing.TB) []byte
		program newProgram
		bulk    bool
	}{
		{"C", cKernels, newLibrary, true},
		{"Go", goKernels, newCommand, false},
	} {
		t.Run(language.name, func(t *testing.T) {
			wasm := language.modules(t)
			plain, metered := language.program(t, wasm, false), language.program(t, wasm, true)
			tested := slices.Clone(kernels)
			if language.bulk {
				tested = append(tested, struct {
					name    string
					n, long uint64
				}{"bulk", 100, 0})
			}
			for _, k := range tested {
				want, _ := plain.run(t, k.name, k.n)
				got, fuel := metered.run(t, k.name, k.n)
				if got != want {
					t.Errorf("%s: got %s, want %s", k.name, got, want)
				}
				if fuel <= 0 {
					t.Errorf("%s: got %d units of fuel, want some", k.name, fuel)
				}
			}
		})
	}
}

// BenchmarkKernels compares metered programs with plain ones:
//
//	go test -run '^$' -bench Kernels ./core/meter
func BenchmarkKernels(b *testing.B) {
	b.Run("C", func(b *testing.B) { benchmark(b, cKernels(b), newLibrary) })
	b.Run("Go", func(b *testing.B) { benchmark(b, goKernels(b), newCommand) })
}

func benchmark(b *testing.B, wasm []byte, program newProgram) {
	plain, metered := program(b, wasm, false), program(b, wasm, true)
	var plainTotal, meteredTotal float64
	for _, k := range kernels {
		b.Run(k.name, func(b *testing.B) {
			const runs = 5 // alternating, the best of each counts
			var bestPlain, bestMetered, perUnit float64
			for b.Loop() {
				bestPlain, bestMetered = 1e9, 1e9
				var fuel int64
				for range runs {
					bestPlain = min(bestPlain, seconds(func() { plain.run(b, k.name, k.long) }))
					bestMetered = min(bestMetered, seconds(func() { _, fuel = metered.run(b, k.name, k.long) }))
				}
				perUnit = bestMetered * 1e9 / float64(fuel)
			}
			b.ReportMetric(0, "ns/op")
			plainTotal += bestPlain
			meteredTotal += bestMetered
			b.ReportMetric(bestMetered/bestPlain, "metered/plain")
			b.ReportMetric(perUnit, "ns/unit")
		})
	}
	b.Run("total", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(meteredTotal/plainTotal, "metered/plain")
	})
}

// BenchmarkRewrite is how fast modules are rewritten.
func BenchmarkRewrite(b *testing.B) {
	for name, module := range map[string]func(testing.TB) []byte{"C": cKernels, "Go": goKernels} {
		b.Run(name, func(b *testing.B) {
			wasm := module(b)
			b.SetBytes(int64(len(wasm)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := meter.Rewrite(wasm, meter.Config{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
