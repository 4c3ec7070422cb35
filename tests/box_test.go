package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins"
)

// sharedCache returns the directory in which all tests have modules compiled, as XDG_CACHE_HOME:
// compiling the box takes 17 s of processor time, and a minute with -race.
func sharedCache() (string, error) { return filepath.Abs(filepath.Join("..", ".cache")) }

// lacksBox returns why this build is without the sandbox's own commands, or nil.
func lacksBox() error {
	for _, m := range plugins.Modules() {
		if _, err := m.Load(); m.Name == "box" && err != nil {
			return err
		}
	}
	return nil
}

// compileBox has what is ours compiled, once: the command that comes first would say that it does,
// where a test wants to see what other things it says.
var compileBox = sync.OnceValue(func() error {
	cache, err := sharedCache()
	if err != nil {
		return err
	}
	cmd := exec.Command("terrarium", "run", "--host", "wasm", "--", "bash", "-c", "command -v git && git --version")
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	// This build may be without git.
	if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 {
		return fmt.Errorf("compile the box: %w\n%s", err, out)
	}
	return nil
})

// needBox skips a test without the sandbox's own commands. They are compiled then.
func needBox(t *testing.T) {
	t.Helper()
	if err := lacksBox(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	cache, err := sharedCache()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", cache)
	if err := compileBox(); err != nil {
		t.Fatal(err)
	}
}

// TestCompilingIsTold: where nothing is compiled yet, the first command says on standard error that
// it does that, before seconds without a word, and the next one says nothing. Standard output has
// what the command wrote, and with --json one object.
func TestCompilingIsTold(t *testing.T) {
	if raceDetector() {
		t.Skip("takes minutes to compile the box with the race detector, which sees nothing inside the sandbox")
	}
	needBox(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, c := range []struct {
		args   []string
		stdout string
		told   bool
	}{
		{[]string{"run", "--json", "--host", "wasm", "--", "bash", "-c", "echo hi"}, `"output":"hi\n"`, true},
		{[]string{"run", "--host", "wasm", "--", "bash", "-c", "echo hi"}, "hi\n", false},
	} {
		var stderr strings.Builder
		cmd := exec.Command("terrarium", c.args...)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), c.stdout) || strings.Contains(string(out), "compiling") {
			t.Errorf("%q: got %v and %q, want %q", c.args, err, out, c.stdout)
		}
		lines := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
		told := len(lines) == 1 && strings.HasPrefix(lines[0], "terrarium: compiling box (") && strings.HasSuffix(lines[0], ", only this once")
		if told != c.told || !told && stderr.Len() > 0 {
			t.Errorf("%q: got %q on standard error, want one line that the box is compiled: %v", c.args, stderr.String(), c.told)
		}
	}
}
