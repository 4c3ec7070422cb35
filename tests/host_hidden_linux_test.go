package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// A command of the same user opens no stream of the process that serves it, also where it has all
// of that one's variables. In a container that process is the first one, and what is written to its
// standard error is shown by who has started the container.
func TestHostHidden(t *testing.T) {
	for name, flags := range map[string][]string{
		"stdio": {"--env-inherit"},
		"kept":  {"--env-inherit", "--keep", "hidden"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nobody, dir := asNobody(t)
			checkHidden(t, nobody, dir, flags)
		})
	}
	// As root has it in a container, where it may not trace processes.
	t.Run("root", func(t *testing.T) {
		t.Parallel()
		if os.Getuid() != 0 {
			t.Skip("NOT RUN: only root is root")
		}
		if err := exec.Command("setpriv", "--bounding-set", "-sys_ptrace", "true").Run(); err != nil {
			t.Skipf("NOT RUN: no setpriv: %v", err)
		}
		checkHidden(t, `exec setpriv --bounding-set -sys_ptrace "$@"`, t.TempDir(), []string{"--env-inherit"})
	})
}

// checkHidden runs a host by a shell's line, in a directory of the host's user, and has a command
// try to open its streams.
func checkHidden(t *testing.T, line, dir string, flags []string) {
	f := newFarEnd(t, flags...)
	// The pipe of its standard error is made by its own user, and so no reason to be refused.
	const script = `cd "$1" && export TMPDIR="$1" && shift || exit
exec 3>&1; sh -c 'echo $$ >pid; exec "$@" 2>&1 >&3 3>&-' sh "$@" | cat >&2`
	f.via = []string{"sh", "-c", line, "sh", "sh", "-c", script, "sh", dir}
	d, _, _ := f.connect(remote.Config{})
	pid, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, d, core.Command{Cwd: dir, Command: `for i in 0 1 2; do
	{ (: <>/proc/` + strings.TrimSpace(string(pid)) + `/fd/$i) && echo opened $i; } 2>/dev/null
done; test -d /proc/` + strings.TrimSpace(string(pid)) + ` && echo tried`})
	if got != "tried\n" {
		t.Errorf("got %q, want that it has tried in vain", got)
	}
}
