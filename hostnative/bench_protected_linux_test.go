package hostnative_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// BenchmarkProtected is one command from Resolve to Close: without a sandbox, and in one
// in a directory that has so many others below it.
func BenchmarkProtected(b *testing.B) {
	if err := confine.Available().Err(); err != nil {
		b.Skip("NOT RUN: ", err)
	}
	run := func(b *testing.B, h *hostnative.Host, root string) {
		c := core.Command{Command: "/bin/true", Cwd: root}
		for b.Loop() {
			e, err := h.Resolve(context.Background(), c)
			if err != nil {
				b.Fatal(err)
			}
			p, err := h.Start(context.Background(), e)
			if err != nil {
				b.Fatal(err)
			}
			p.Output(func(uint8, []byte) {})
			if _, err := p.Wait(); err != nil {
				b.Fatal(err)
			}
			if err := p.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("off", func(b *testing.B) { run(b, newHost(b, hostnative.Config{}), b.TempDir()) })
	for _, dirs := range []int{0, 280, 2800} {
		b.Run(fmt.Sprintf("%d directories", dirs), func(b *testing.B) {
			root := b.TempDir()
			for i := range dirs {
				dir := filepath.Join(root, fmt.Sprintf("%d/%d", i/20, i))
				if err := os.MkdirAll(dir, 0o755); err != nil {
					b.Fatal(err)
				}
			}
			h := newHost(b, hostnative.Config{Sandbox: hostnative.Sandbox{Level: hostnative.SandboxWorkspace, Roots: []string{root}, Private: b.TempDir()}})
			run(b, h, root)
		})
	}
}
