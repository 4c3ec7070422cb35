package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestUnbuilt runs a command that was built without the sandbox's own commands:
// it says how to get them, where it is asked for one.
func TestUnbuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another command")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	without := map[string]string{} // files that are not there
	for _, name := range []string{"box.wasm", "box.txt", "git.wasm", "direct.wasm"} {
		without[filepath.Join(root, "plugins", "dist", name)] = ""
	}
	overlay, err := json.Marshal(map[string]any{"Replace": without})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, bare := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "terrarium")
	if err := os.WriteFile(file, overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", file, "-o", bare, "./cmd/terrarium")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const hint = ": this build has no box for the sandbox: run make build\n"
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--", "bash", "-c", "true"}, 127, "terrarium: bash: command not found" + hint},
		{[]string{"--in-process", "bash"}, 127, "terrarium: bash: command not found" + hint},
		{[]string{"echo a/b | cat"}, 127, "terrarium: echo a/b | cat: no such file in the sandbox" + hint},
		{[]string{"git"}, 126, "terrarium: git: this build has no git for the sandbox: run make build\n"},
		{[]string{"--in-process", "git"}, 127, "terrarium: git: this build has no git for the sandbox: run make build\n"},
		{[]string{"/work/tool", "x"}, 127, "terrarium: /work/tool: no such file in the sandbox\n"},
	} {
		cmd := exec.Command(bare, append([]string{"run", "--host", "wasm"}, test.args...)...)
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "XDG_DATA_HOME="+filepath.Join(dir, "data"))
		out, err := cmd.CombinedOutput()
		exit, _ := err.(*exec.ExitError)
		if exit == nil || exit.ExitCode() != test.status || string(out) != test.want {
			t.Errorf("%q: got %v, %q, want exit status %d and %q", test.args, err, out, test.status, test.want)
		}
	}
}
