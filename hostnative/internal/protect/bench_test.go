//go:build linux || darwin

package protect

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// cpu reports the processor time of each operation too: on a busy machine the clock says little.
func cpu(b *testing.B, do func()) {
	var before, after unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &before)
	for b.Loop() {
		do()
	}
	unix.Getrusage(unix.RUSAGE_SELF, &after)
	used := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	b.ReportMetric(float64(used)/float64(b.N)/1e6, "cpu-ms/op")
}

func benchmark(b *testing.B, root string) {
	c := Config{Roots: []string{root}, Keep: filepath.Join(b.TempDir(), "keep")}
	b.Run("Take", func(b *testing.B) {
		cpu(b, func() {
			s, err := Take(b.Context(), c)
			if err != nil {
				b.Fatal(err)
			}
			s.Close()
		})
	})
	b.Run("Restore", func(b *testing.B) {
		s, err := Take(b.Context(), c)
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		b.ReportMetric(float64(len(s.roots[0].base.dirs)), "dirs")
		b.ReportMetric(float64(len(s.roots[0].base.leaves)), "files")
		cpu(b, func() {
			if changes, err := s.Restore(b.Context()); err != nil || len(changes) > 0 {
				b.Fatal(changes, err)
			}
		})
	})
}

// This module's checkout.
func BenchmarkCheckout(b *testing.B) { benchmark(b, filepath.Join("..", "..", "..")) }

// 50,000 files in 5,000 directories, a tenth of them in repositories of their own.
func BenchmarkTree(b *testing.B) {
	t := newBench(b, nil)
	for i := range 5000 {
		dir := fmt.Sprintf("a%d/b%d/c%d", i%10, i/10%25, i)
		t.write(dir+"/", "")
		for j := range 10 {
			if err := os.WriteFile(t.path(fmt.Sprintf("%s/file%d", dir, j)), nil, 0o600); err != nil {
				b.Fatal(err)
			}
		}
		if i%100 == 0 {
			for name, data := range repository(dir + "/.git") {
				t.write(name, data)
			}
		}
	}
	benchmark(b, t.root)
}
