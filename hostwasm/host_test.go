package hostwasm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// guest and shout are the modules of testdata/guest and testdata/shout.
var guest, shout *hostwasm.Module

// skip has tests be left out that can't run here.
var skip = func() {}

func TestMain(m *testing.M) {
	hostwasm.WaitForFetched() // in workers, too
	worker.Main()
	skip()
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hostwasm")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	cacheDir = filepath.Join(dir, "cache")
	for name, module := range map[string]**hostwasm.Module{"guest": &guest, "shout": &shout} {
		file, err := buildGuest(dir, name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		*module = &hostwasm.Module{Name: name, Load: func() ([]byte, error) { return os.ReadFile(file) }}
	}
	return m.Run()
}

// newHost returns a host with the command guest, whose module is compiled once
// for all hosts of a test binary.
func newHost(t testing.TB, on backend, c hostwasm.Config) *hostwasm.Host {
	t.Helper()
	if c.Engine == nil {
		var err error
		if c.Engine, err = on.open(); err == nil && c.Cache == nil {
			c.Cache, err = modules()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if c.Commands == nil {
		c.Commands = map[string]*hostwasm.Module{"guest": guest}
	}
	if c.Root == nil {
		c.Root = openRoot
	}
	h, err := hostwasm.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
			return
		}
		if memory, processes := h.Booked(); memory != 0 || processes != 0 {
			t.Errorf("booked at the end: got %d bytes and %d processes, want none", memory, processes)
		}
	})
	return h
}

// cacheDir keeps compiled modules while the tests run.
var cacheDir string

// command returns a call of the guest's commands.
func command(args ...string) core.Command { return core.Command{Command: "guest", Args: args} }

func TestHost(t *testing.T) { onEachEngine(t, testHost) }

func testHost(t *testing.T, on backend) {
	coretest.HostTests{
		New: func(t *testing.T) driver.Host { return newHost(t, on, hostwasm.Config{}) },
		Pty: true,
		Commands: coretest.HostCommands{
			Exit:    func(code int) core.Command { return command("exit", strconv.Itoa(code)) },
			Print:   func(args []string) core.Command { return command(append([]string{"print"}, args...)...) },
			Streams: command("streams"),
			Zeros:   func(n int) core.Command { return command("zeros", strconv.Itoa(n)) },
			Flood:   command("flood"),
			Pwd:     command("pwd"),
			Getenv:  func(name string) core.Command { return command("getenv", name) },
			Cat:     command("cat"),
			Block:   command("block"),
			Tree:    command("tree"),
		},
	}.Run(t)
}
