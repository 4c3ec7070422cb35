//go:build unix

package hostwasm_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// kernels are the programs of core/meter's benchmark, in C and in Go, and how
// much they are given to do.
var kernels = []struct {
	name string
	n    int
}{{"sha256", 16384}, {"sieve", 5_000_000}, {"fib", 32}, {"matmul", 256}, {"qsort", 300_000}}

const kernelSources = "../core/meter/testdata/kernels/"

// cKernels builds the kernels in C as a native command and as a module.
func cKernels(b *testing.B, native, module string) {
	b.Helper()
	compileC(b, native, module)
}

// cVectorKernels is cKernels with instructions that compute with several numbers at once, of which
// gcc uses the machine's by itself.
func cVectorKernels(b *testing.B, native, module string) {
	b.Helper()
	compileC(b, native, module, "-msimd128")
}

func compileC(b *testing.B, native, module string, flags ...string) {
	b.Helper()
	sources := []string{kernelSources + "kernels.c", kernelSources + "main.c"}
	compileWith(b, "gcc", append([]string{"-O2", "-w", "-o", native}, sources...)...)
	flags = append(flags, "--target=wasm32-wasi", "-O2", "-mbulk-memory", "-o", module)
	compileWith(b, "clang-19", append(flags, sources...)...)
}

// goKernels is the same in Go.
func goKernels(b *testing.B, native, module string) {
	b.Helper()
	compileWith(b, "go", "build", "-o", native, kernelSources+"main.go")
	compileWith(b, "env", "GOOS=wasip1", "GOARCH=wasm", "go", "build", "-o", module, kernelSources+"main.go")
}

func compileWith(b *testing.B, name string, args ...string) {
	b.Helper()
	if _, err := exec.LookPath(name); err != nil {
		b.Skipf("needs %s", name)
	}
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.Skipf("%s: %v\n%s", name, err, out)
	}
}

// BenchmarkKernels compares commands of the sandbox, metered and from start to
// exit, with the same programs compiled for this machine:
//
//	go test -tags wasmtime -run '^$' -bench Kernels -benchtime 1x ./hostwasm
//
// What counts is the processor's time, of the fastest of five runs.
func BenchmarkKernels(b *testing.B) {
	b.Run("C", func(b *testing.B) { benchmarkKernels(b, cKernels) })
	b.Run("C-msimd128", func(b *testing.B) { benchmarkKernels(b, cVectorKernels) })
	b.Run("Go", func(b *testing.B) { benchmarkKernels(b, goKernels) })
}

func benchmarkKernels(b *testing.B, compile func(b *testing.B, native, module string)) {
	dir := b.TempDir()
	native, module := filepath.Join(dir, "native"), filepath.Join(dir, "module.wasm")
	compile(b, native, module)
	wasm, err := os.ReadFile(module)
	if err != nil {
		b.Fatal(err)
	}
	var hosts []*hostwasm.Host
	for _, on := range backends {
		h := newHost(b, on, hostwasm.Config{Commands: map[string]*hostwasm.Module{"kernels": hostwasm.NewModule("kernels", wasm)}})
		if err := h.Prepare(b.Context(), "kernels"); err != nil {
			b.Fatal(err)
		}
		hosts = append(hosts, h)
	}
	totals := make([]float64, 1+len(hosts)) // native, then each engine
	report := func(b *testing.B, seconds []float64) {
		b.ReportMetric(0, "ns/op")
		for i, on := range backends {
			b.ReportMetric(seconds[i+1]/seconds[0], on.name+"/native")
		}
		if len(hosts) == 2 {
			b.ReportMetric(seconds[1]/seconds[2], backends[0].name+"/"+backends[1].name)
		}
	}
	for _, k := range kernels {
		b.Run(k.name, func(b *testing.B) {
			args := []string{k.name, strconv.Itoa(k.n)}
			best := make([]float64, 1+len(hosts))
			for b.Loop() {
				clear(best)
				for range 5 {
					want, took := runNative(b, native, args)
					keep(&best[0], took)
					for i, h := range hosts {
						before := busy(b)
						got := run(b, h, core.Command{Command: "kernels", Args: args})
						keep(&best[i+1], busy(b)-before)
						if got.stderr != want || got.exit.Status != exitCode(0) {
							b.Fatalf("%s: got %q, %v, want %q", backends[i].name, got.stderr, got.exit.Status, want)
						}
					}
				}
			}
			for i := range totals {
				totals[i] += best[i]
			}
			report(b, best)
		})
	}
	b.Run("total", func(b *testing.B) {
		for b.Loop() {
		}
		report(b, totals)
	})
}

// BenchmarkCopy reports how long a guest copies 1 MiB, of 255 at once, to memory
// that was never touched and to memory that was. Go's collector waits for one of
// core/meter's pieces.
//
//	go test -run '^$' -bench Copy -benchtime 1x ./hostwasm
func BenchmarkCopy(b *testing.B) {
	const mib = 1 << 20
	grow := Code(I32(511*16), MemoryGrow(), Op(Drop))
	fill := Code(I32(0), I32(1), I32(511*mib), Misc(11, 0))
	copies := func(n int) []byte {
		return bytes.Repeat(Code(I32(256*mib), I32(1), I32(255*mib), Misc(10, 0, 0)), n)
	}
	for _, on := range backends {
		b.Run(on.name, func(b *testing.B) {
			// seconds is what the best of so many runs takes.
			seconds := func(code ...[]byte) float64 {
				h := newHost(b, on, hostwasm.Config{
					Limits:   hostwasm.Limits{Memory: 1 << 30},
					Commands: map[string]*hostwasm.Module{"copy": hostwasm.NewModule("copy", hostileCommand("", code...))},
				})
				if err := h.Prepare(b.Context(), "copy"); err != nil {
					b.Fatal(err)
				}
				best := 0.0
				for range 7 {
					before := busy(b)
					if got := run(b, h, core.Command{Command: "copy", Args: []string{"x"}}); got.exit.Status != exitCode(0) {
						b.Fatalf("got %+v", got.exit)
					}
					keep(&best, busy(b)-before)
				}
				return best
			}
			var untouched, touched float64
			for b.Loop() {
				untouched = seconds(grow, copies(1)) / 255
				touched = (seconds(grow, fill, copies(9)) - seconds(grow, fill, copies(1))) / 8 / 255
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(untouched*1000, "ms/MiB-untouched")
			b.ReportMetric(touched*1000, "ms/MiB-touched")
		})
	}
}

// runNative runs a native command, and returns what it says and how long it took.
func runNative(b *testing.B, file string, args []string) (string, float64) {
	b.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(file, args...)
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		b.Fatal(err)
	}
	return stderr.String(), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

// keep sets best to the lower one of the two, if there was one.
func keep(best *float64, took float64) {
	if *best == 0 || took < *best {
		*best = took
	}
}

// busy returns how many seconds of the processor have been used.
func busy(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
