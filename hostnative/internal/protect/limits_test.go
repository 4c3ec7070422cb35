//go:build linux || darwin

package protect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What was kept first goes first, and what one call keeps is bounded too.
func TestKept(t *testing.T) {
	b := newBench(t, nil)
	b.take(Limits{Kept: 10})
	for _, data := range []string{"123456", "abcdef"} {
		b.write(".envrc", data)
		b.want(".envrc: created, taken away")
	}
	kept, err := filepath.Glob(filepath.Join(b.keep, "*", "*"))
	b.check(err)
	if len(kept) != 1 || filepath.Base(kept[0]) != "1-.envrc" {
		t.Fatalf("%q is kept", kept)
	}
	if data, err := os.ReadFile(kept[0]); string(data) != "abcdef" {
		t.Errorf("kept is %q, %v", data, err)
	}
	b.write(".envrc", "12345678901")
	b.want(".envrc: created (not kept: " + errKeptFull.Error() + "), taken away")
}

// What the bounds leave out is told, and is not taken for new when it is found later.
func TestDirs(t *testing.T) {
	b := newBench(t, nil)
	for i := range 5 {
		b.write(fmt.Sprintf("d%d/.envrc", i), "good")
	}
	b.take(Limits{Dirs: 3})
	gaps := b.s.Left()
	if len(gaps) != 3 || gaps[0].Why != "there are too many directories" {
		t.Fatalf("left out: %v", gaps)
	}
	for i := range 5 {
		if name := b.path(fmt.Sprintf("d%d", i)); !strings.Contains(fmt.Sprint(gaps), name+":") {
			b.check(os.RemoveAll(name))
		}
	}
	if told := b.restore(); len(told) != 2 { // with their directories
		t.Errorf("told: %q", told)
	}
	b.want() // two of the others have come in
	if gaps := b.s.Left(); len(gaps) != 1 {
		t.Errorf("left out: %v", gaps)
	}
	for _, g := range gaps {
		if _, err := os.Stat(filepath.Join(g.Path, ".envrc")); err != nil {
			t.Error(err)
		}
	}
}

// Startup files count in a home only.
func TestHome(t *testing.T) {
	b := newBench(t, map[string]string{"me/.bashrc": "good", "pkg/.bashrc": "good", "me/.config/fish/config.fish": "good"})
	b.take(Limits{}, b.path("me"))
	for _, name := range []string{"me/.bashrc", "pkg/.bashrc", "me/.config/fish/config.fish", "me/.config/fish/conf.d/x.fish"} {
		b.write(name, "evil")
	}
	b.want("me/.config/fish/conf.d/x.fish: created, taken away", "me/.bashrc: changed, put back", "me/.config/fish/config.fish: changed, put back")
}

// Versions are kept below a root only where commands can't write, which the caller sees to: there
// nothing is looked at. They are not kept around a root.
func TestKeepInside(t *testing.T) {
	b := newBench(t, map[string]string{"ours/kept/": ""})
	b.keep = b.path("ours/kept")
	b.take(Limits{})
	b.write("x.code-workspace", "evil")
	b.write("ours/kept/y.code-workspace", "kept before")
	b.want("x.code-workspace: created, taken away")
	if s, err := Take(t.Context(), Config{Roots: []string{b.root}, Keep: filepath.Dir(b.root)}); err == nil {
		s.Close()
		t.Error("versions are kept around what commands write")
	}
}
