package starter_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/starter"
)

// Each language has what its users look for first, and says how to run it.
func TestNew(t *testing.T) {
	want := map[string][]string{
		"go":         {"README.md", "agent.go", "agent_test.go", "go.mod", "main.go", "wire.go"},
		"javascript": {"README.md", "agent.mjs", "agent.test.mjs", "main.mjs", "wire.mjs"},
		"python":     {"README.md", "agent.py", "main.py", "test_agent.py", "wire.py"},
		"rust":       {"Cargo.toml", "README.md", "src/agent.rs", "src/json.rs", "src/lib.rs", "src/main.rs", "src/wire.rs", "tests/agent.rs"},
	}
	if got := starter.Languages(); len(got) != len(want) || !slices.IsSorted(got) {
		t.Errorf("got languages %q, want %d, sorted", got, len(want))
	}
	for language, want := range want {
		dir := filepath.Join(t.TempDir(), "a", "b")
		got, err := starter.New(language, dir)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", language, got, err, want)
			continue
		}
		for _, name := range got {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || len(text) == 0 {
				t.Errorf("%s: got %d bytes of %s, %v", language, len(text), name, err)
			}
			if strings.HasSuffix(name, ".md") && !strings.Contains(string(text), "\n\tterrarium harness --instruction ") {
				t.Errorf("%s: got %q, want how to run it", language, text)
			}
		}
	}
}

// Nothing that is there is touched.
func TestNewOverwritesNothing(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, ".mine")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ language, folder, want string }{
		{"go", dir, dir + ": not empty: name a folder that is empty or not there yet"},
		{"go", mine, "mkdir " + mine + ": not a directory"},
		{"cobol", filepath.Join(dir, "new"), "cobol: no such language: use go, javascript, python, rust"},
		{"../go", filepath.Join(dir, "new"), "../go: no such language: use go, javascript, python, rust"},
	} {
		if _, err := starter.New(test.language, test.folder); err == nil || err.Error() != test.want {
			t.Errorf("%s in %s: got %v, want %s", test.language, test.folder, err, test.want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v, want nothing beside the file that was there", entries, err)
	}
	if text, err := os.ReadFile(mine); string(text) != "mine" {
		t.Errorf("got %q, %v, want the file as it was", text, err)
	}
}
