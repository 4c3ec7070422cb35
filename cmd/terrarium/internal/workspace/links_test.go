package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// deepPaths are paths below a directory that have no directory in common.
func deepPaths(below string, n, depth int) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprintf("%s%06x%s/z", below, i, strings.Repeat("/a", depth)))
	}
	return paths
}

// What is kept of paths is what is here, and where they leave it, however deep they are.
func TestLinksBounded(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(os.MkdirAll(filepath.Join(dir, "d/e"), 0o700), os.WriteFile(filepath.Join(dir, "f"), nil, 0o600), os.Symlink("d", filepath.Join(dir, "l")))
	if err != nil {
		t.Fatal(err)
	}
	c, err := newIgnoreCopier(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, test := range []struct {
		below, link string
		kept, done  int
	}{
		{"l/", "l", 1, 1}, {"f/", "", 2, 1}, {"d/e/", "", 104, 3}, {"", "", 204, 3},
	} {
		for _, p := range deepPaths(test.below, 100, 75) {
			if got := c.links.Before(p); got != test.link {
				t.Fatalf("%s: got %q, want %q", p, got, test.link)
			}
			if err := c.copy(p); err != nil {
				t.Fatal(err)
			}
		}
		if len(c.links.at) != test.kept || len(c.done) != test.done {
			t.Errorf("below %q: got %d and %d kept, want %d and %d", test.below, len(c.links.at), len(c.done), test.kept, test.done)
		}
	}
}

// The directories are bounded that paths name, of which there may be many for each.
func TestTooManyDirs(t *testing.T) {
	var c counts
	most := maxDirs / 100
	for i, p := range deepPaths("", most+1, 99) {
		err := c.add(p)
		if i < most && err != nil || i == most && !errors.Is(err, ErrTooMany) {
			t.Fatalf("%d paths: got %v", i+1, err)
		}
	}
	// Those that paths have in common count once.
	c = counts{}
	for _, p := range []string{"a", "a-/b", "a/b", "a/b/c", "a/b/d", "a/c", "b/c/d", "bc"} {
		if err := c.add(p); err != nil {
			t.Fatal(err)
		}
	}
	if want := 5; c.dirs != want { // a-, a, a/b, b, b/c
		t.Errorf("got %d directories, want %d", c.dirs, want)
	}
	text := strings.Join(deepPaths("l\t0\tx\t", most+1, 99), "\n") + "\n"
	if _, err := ReadListing(strings.NewReader(text)); !errors.Is(err, ErrTooMany) || !strings.Contains(err.Error(), "500000 directories") {
		t.Errorf("got %v, want %v", err, ErrTooMany)
	}
}
