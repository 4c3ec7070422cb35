//go:build linux || darwin

package worker

import "testing"

// What is handed over is told from all else, whatever a directory is called: here one
// whose name looks like a list of two.
func TestTell(t *testing.T) {
	two := tell(nil, []near{{"/a", 1, 2}, {"/b", 3, 4}})
	for name, other := range map[string]string{
		"one of a long name": tell(nil, []near{{"/a 1 2} {/b", 3, 4}}),
		"one with quotes":    tell(nil, []near{{`/a"1 2 "/b`, 3, 4}}),
		"roots of the names": tell([]string{"/a", "/b"}),
		"in two lists":       tell(nil, []near{{"/a", 1, 2}}, []near{{"/b", 3, 4}}),
		"another inode":      tell(nil, []near{{"/a", 1, 2}, {"/b", 3, 5}}),
	} {
		if other == two {
			t.Errorf("%s: got %s for both", name, two)
		}
	}
}
