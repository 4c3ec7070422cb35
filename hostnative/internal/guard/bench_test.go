//go:build linux || darwin

package guard

import (
	"os"
	"testing"
)

// BenchmarkUse is Begin and End around a command that changes nothing: all that a guard costs but
// for looks.
func BenchmarkUse(b *testing.B) {
	root := b.TempDir()
	g := New(Config{State: b.TempDir()})
	defer g.Close()
	if err := os.Mkdir(root+"/pkg", 0o755); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		u, err := g.Begin(b.Context(), []string{root})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := u.End(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
