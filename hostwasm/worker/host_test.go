//go:build linux || darwin

package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

var (
	guest    *hostwasm.Module // of hostwasm/testdata/guest
	cacheDir string           // keeps compiled modules while the tests run
)

func TestMain(m *testing.M) {
	if os.Getenv(testMode) == "stranger" {
		beStranger()
	}
	worker.Main()
	if be := modes[os.Getenv(testMode)]; be != nil {
		be()
		return
	}
	os.Exit(testMain(m))
}

// testMode says in the environment that this test program is to be something
// else, one of modes.
const testMode = "TERRARIUM_TEST_MODE"

var modes = map[string]func(){}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "worker")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	cacheDir = filepath.Join(dir, "cache")
	file := filepath.Join(dir, "guest.wasm")
	build := exec.Command("go", "build", "-o", file, "../testdata/guest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build ../testdata/guest: %v\n%s", err, out)
		return 1
	}
	guest = fileModule(file)
	return m.Run()
}

func fileModule(file string) *hostwasm.Module {
	return &hostwasm.Module{Name: "guest", Load: func() ([]byte, error) { return os.ReadFile(file) }}
}

// patience is how long a test waits for what must happen.
const patience = 90 * time.Second

// newHost returns a host with the command guest, whose module is compiled once
// for all hosts of a test binary.
func newHost(t testing.TB, c worker.Config) *worker.Host {
	t.Helper()
	c.Commands = commands()
	if c.CacheDir == "" {
		c.CacheDir = cacheDir
	}
	if c.TmpDir == "" {
		c.TmpDir = t.TempDir()
	}
	c.Refused = func(call string) {
		t.Errorf("a worker has made the system call %s, which is not on its list", call)
	}
	h, err := worker.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if got := h.Booked(); got != 0 {
			t.Errorf("booked at the end: got %d bytes, want none", got)
		}
	})
	return h
}

// small exits with 7. To compile it takes no time.
var small = hostwasm.NewModule("small", func() []byte {
	var m Module
	exit := m.Import("wasi_snapshot_preview1", "proc_exit", "(i32)->()")
	m.Memory(1, 0)
	m.ExportMemory("memory")
	m.Export("_start", m.Func("()->()", "", I32(7), Call(exit)))
	return m.Bytes()
}())

func commands() map[string]*hostwasm.Module {
	return map[string]*hostwasm.Module{"guest": guest, "small": small}
}

// command returns a call of the guest's commands.
func command(args ...string) core.Command { return core.Command{Command: "guest", Args: args} }

// engines are those that are compiled in. A file with a build tag adds to them.
var engines = []string{"wazero"}

// onEachEngine runs a test once for each engine.
func onEachEngine(t *testing.T, test func(t *testing.T, engine string)) {
	for _, e := range engines {
		t.Run(e, func(t *testing.T) { test(t, e) })
	}
}

func TestHost(t *testing.T) { onEachEngine(t, testHost) }

func testHost(t *testing.T, engine string) {
	coretest.HostTests{
		New: func(t *testing.T) driver.Host { return newHost(t, worker.Config{Engine: engine, Pool: -1}) },
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

// start starts c.
func start(t testing.TB, h *worker.Host, c core.Command) driver.Process {
	t.Helper()
	e, err := h.Resolve(context.Background(), c)
	if err != nil {
		t.Fatalf("Resolve: %v", err)
	}
	p, err := h.Start(context.Background(), e)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// result is what a command did.
type result struct {
	stdout, stderr string
	exit           core.Exit
}

// run runs c to its end.
func run(t testing.TB, h *worker.Host, c core.Command) result {
	t.Helper()
	p := start(t, h, c)
	defer p.Close()
	overdue := time.AfterFunc(2*patience, func() { p.Close() })
	defer overdue.Stop()
	var streams [3]bytes.Buffer
	if err := p.Output(func(stream uint8, b []byte) { streams[stream].Write(b) }); err != nil {
		t.Errorf("Output: %v", err)
	}
	exit, err := p.Wait()
	if err != nil {
		t.Errorf("Wait: %v", err)
	}
	return result{streams[1].String(), streams[2].String(), exit}
}
