//go:build linux || darwin

package worker_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// A small module stands for a command's own in a worker, too, and only where it may.
func TestDirect(t *testing.T) { onEachEngine(t, testDirect) }

func testDirect(t *testing.T, engine string) {
	own := &hostwasm.Module{Name: "guest", Load: guest.Load, Direct: map[string]*hostwasm.Module{"guest": small}}
	h, err := worker.New(worker.Config{
		Engine: engine, CacheDir: cacheDir, TmpDir: t.TempDir(), Pool: -1,
		Commands: map[string]*hostwasm.Module{"guest": own, "other": own},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.PrepareAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	env := func(name, value string) core.Command {
		c := command("exit", "3")
		c.Env = []core.EnvVariable{{Name: name, Value: value}}
		return c
	}
	other := command("exit", "3")
	other.Command = "other"
	for _, test := range []struct {
		name string
		c    core.Command
		want uint32
	}{
		{"plain", command("exit", "3"), 7},
		{"by a path", core.Command{Command: "/usr/bin/guest", Args: []string{"exit", "3"}}, 7},
		{"with a variable", env("X", "POSIXLY_CORRECT=1"), 7},
		{"as POSIX", env("POSIXLY_CORRECT", ""), 3},
		{"with another directory", env("PWD", "/tmp/.."), 3},
		{"with an option", command("exit", "3", "-"), 3},
		{"by another name", other, 3},
	} {
		if got := run(t, h, test.c); got.exit.Status != (core.ExitStatus{ExitCode: test.want}) {
			t.Errorf("%s: got %v %s, want exit status %d", test.name, got.exit.Status, got.stderr, test.want)
		}
	}
}
