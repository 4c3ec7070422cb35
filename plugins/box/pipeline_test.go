package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// BenchmarkPipeline is five commands over a file of 10 MB, in the sandbox and by Debian's own tools, in turn. It reports
// the fastest run of each and their ratio.
func BenchmarkPipeline(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "log"), logLines(10<<20), 0o666); err != nil {
		b.Fatal(err)
	}
	h := newSandbox(b)
	for _, line := range []string{
		`cat log | grep ERROR | sed 's/user=[0-9]*/user=N/' | sort | uniq -c`,
		`cat log | cut -d' ' -f3 | tr a-z A-Z | sort | uniq -c`,
		`cat log | tr ' ' '\n' | grep -i o | sort -u | wc -l`,
		`cat log | sed 's/o/0/g' | tr -d = | cut -c1-40 | wc`,
		`grep -v DEBUG log | awk '{ print $4 }' | sort | uniq -c | sort -rn`,
	} {
		b.Run(line, func(b *testing.B) {
			c := core.Command{Command: "bash", Args: []string{"-c", line}, Cwd: dir, Roots: []string{dir}}
			runCommand(b, h, core.Command{Command: "true"}) // compiled before
			native, sandbox := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for b.Loop() {
				start := time.Now()
				cmd := exec.Command("bash", "-c", line)
				cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
				want, err := cmd.Output()
				if err != nil {
					b.Skip(err)
				}
				native = min(native, time.Since(start))

				start = time.Now()
				stdout, stderr, _ := runCommand(b, h, c)
				sandbox = min(sandbox, time.Since(start))
				if !bytes.Equal(stdout.Bytes(), want) {
					b.Fatalf("got %d bytes and %q, want %d bytes", stdout.Len(), stderr, len(want))
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(native.Milliseconds()), "native-ms")
			b.ReportMetric(float64(sandbox.Milliseconds()), "sandbox-ms")
			b.ReportMetric(float64(sandbox)/float64(native), "times-native")
		})
	}
}

// logLines returns n bytes of a log, a little more to end the last line.
func logLines(n int) []byte {
	levels := []string{"DEBUG", "INFO", "INFO", "WARN", "ERROR"}
	paths := []string{"/", "/login", "/api/orders", "/api/items", "/static/logo.png"}
	var log bytes.Buffer
	for i := uint32(1); log.Len() < n; i = i*1664525 + 1013904223 {
		r := i >> 8
		fmt.Fprintf(&log, "2026-11-22 %02d:%02d:%02d %s %s user=%d took=%dms\n",
			r%24, r/24%60, r/1440%60, levels[r%5], paths[r/5%5], r/25%1000, r%977)
	}
	return log.Bytes()
}
