//go:build linux || darwin

package worker_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// beStranger is a program whose main does not begin with worker.Main.
func beStranger() {
	_, err := worker.New(worker.Config{CacheDir: os.TempDir()})
	fmt.Print(err)
	os.Exit(0)
}

// A program that does not begin with worker.Main is not started again unasked,
// and if it is asked for, we find out.
func TestNoSilentWorker(t *testing.T) {
	for _, mode := range []string{"", "1"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{testMode + "=stranger"}
		if mode != "" {
			cmd.Env = append(cmd.Env, "TERRARIUM_WORKER="+mode)
		}
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), "worker.Main()") {
			t.Errorf("TERRARIUM_WORKER=%q: got %q, %v, want an error about worker.Main()", mode, out, err)
		}
	}
	h := newHost(t, worker.Config{Helper: "/bin/true", Pool: -1})
	if _, err := h.Report(context.Background()); err == nil || !strings.Contains(err.Error(), "/bin/true") {
		t.Errorf("with /bin/true: got %v, want an error that names it", err)
	}
}

// A file system in this program is out of a worker's reach.
func TestMountFS(t *testing.T) {
	h, err := worker.New(worker.Config{
		CacheDir: cacheDir, TmpDir: t.TempDir(),
		Mounts: []hostwasm.Mount{{Guest: "/mine", FS: vfs.Memory(vfs.MemoryOptions{})}},
	})
	if err == nil {
		h.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "/mine") {
		t.Errorf("got %v, want an error that names /mine", err)
	}
}
