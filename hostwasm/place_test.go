package hostwasm_test

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// A place is where hostile guests run: an engine, in this process or in workers.
type place struct {
	backend
	worker bool
}

// host is what both places have.
type host interface {
	driver.Host
	Prepare(ctx context.Context, name string) error
	Close() error
}

// everywhere runs a test on each engine, in this process and in workers.
func everywhere(t *testing.T, test func(*testing.T, place)) {
	for _, p := range places() {
		t.Run(p.String(), func(t *testing.T) { test(t, p) })
	}
}

func places() (all []place) {
	for _, b := range backends {
		all = append(all, place{b, false})
		if runtime.GOOS == "linux" || runtime.GOOS == "darwin" {
			all = append(all, place{b, true})
		}
	}
	return all
}

func (p place) String() string {
	if p.worker {
		return p.name + "/worker"
	}
	return p.name + "/in-process"
}

// cacheDir is where hosts in that place keep compiled modules.
func (p place) cacheDir() string {
	if p.worker {
		return filepath.Join(filepath.Dir(cacheDir), "workers-"+p.name)
	}
	return cacheDir
}

// host is newHost in that place. c has no engine, and nothing that can't be
// told to another process.
func (p place) host(t *testing.T, c hostwasm.Config) host {
	t.Helper()
	if !p.worker {
		return newHost(t, p.backend, c)
	}
	if c.Commands == nil {
		c.Commands = map[string]*hostwasm.Module{"guest": guest}
	}
	h, err := worker.New(worker.Config{
		Engine: p.name, CacheDir: p.cacheDir(), TmpDir: t.TempDir(), Pool: -1, Hidden: c.Hidden,
		Commands: c.Commands, Mounts: c.Mounts, Limits: c.Limits, Memory: c.Memory, Deterministic: c.Deterministic, HTTP: c.HTTP,
		Refused: func(call string) { t.Errorf("a worker was refused the system call %s, which is not on its list", call) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}
