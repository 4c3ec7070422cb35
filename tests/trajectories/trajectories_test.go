package trajectories

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/challenge"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/harness"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
	"github.com/terrarium-dev/terrarium/plugins"
)

func TestMain(m *testing.M) {
	worker.Main()
	os.Exit(m.Run())
}

// long has all tasks done as terminus-2 does them, too. That takes minutes,
// most of which are spent waiting.
var long = os.Getenv("TERRARIUM_LONG") != ""

// aim is how much of the time that a strict agent takes ours may take, over all
// tasks.
const aim = 1.0 / 3

// TestTrajectories does every task, and with TERRARIUM_LONG also strictly, and
// compares what comes of it and how long it took.
func TestTrajectories(t *testing.T) {
	host, err := hostnative.New(hostnative.Config{})
	coretest.Supported(t, err)
	t.Cleanup(func() { host.Close() })
	wizard := filepath.Join(t.TempDir(), "wizard")
	if out, err := exec.Command("go", "build", "-o", wizard, "./wizard").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	testAll(t, place{host: host, provide: func(t *testing.T, task *task, dir string) {
		for _, need := range task.needs {
			if need == "./wizard" {
				if err := os.Symlink(wizard, filepath.Join(dir, "wizard")); err != nil {
					t.Fatal(err)
				}
			} else if _, err := exec.LookPath(need); err != nil {
				t.Skip("NOT RUN: ", err)
			}
		}
	}})
}

// TestTrajectoriesInSandbox does what of the tasks can be done there, at the
// same files.
func TestTrajectoriesInSandbox(t *testing.T) {
	modules := plugins.Modules()
	for _, m := range modules {
		if err := m.Missing(); err != nil {
			t.Skip("NOT RUN: ", err)
		}
	}
	commands := hostwasm.Commands(modules)
	cache := filepath.Join("..", "..", ".cache", "terrarium", "modules")
	host, err := worker.New(worker.Config{
		Commands: commands, CacheDir: cache, TmpDir: t.TempDir(),
		Refused: func(call string) { t.Errorf("a worker was refused the system call %s, which is not on its list", call) },
	})
	coretest.Supported(t, err)
	t.Cleanup(func() { host.Close() })
	// It is compiled once, which is no part of a task.
	if err := host.Prepare(t.Context(), "bash"); err != nil {
		t.Fatal(err)
	}
	testAll(t, place{host: host, provide: func(t *testing.T, task *task, dir string) {
		if task.onlyNative {
			t.Skip("the sandbox's terminal has lines, not keys")
		}
		for _, need := range task.needs {
			if commands[need] == nil {
				t.Skipf("the sandbox has no %s", need)
			}
		}
	}})
}

// testAll does every task at a place.
func testAll(t *testing.T, at place) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("there are no tasks", err)
	}
	var report strings.Builder
	var sum, strictSum time.Duration
	for _, file := range archives {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			task := read(t, file)
			took, got := at.do(t, task, false)
			if diff := cmp.Diff(task.want, got); diff != "" {
				t.Errorf("the files that are left (-want +got):\n%s", diff)
			}
			if !long || task.onlyDefault {
				fmt.Fprintf(&report, "%-14s %6.2f s\n", name, took.Seconds())
				return
			}
			strictTook, strictGot := at.do(t, task, true)
			if diff := cmp.Diff(got, strictGot); diff != "" {
				t.Errorf("strict leaves other files (-default +strict):\n%s", diff)
			}
			fmt.Fprintf(&report, "%-14s %6.2f s %6.2f s  %.2f\n", name, took.Seconds(), strictTook.Seconds(), took.Seconds()/strictTook.Seconds())
			sum, strictSum = sum+took, strictSum+strictTook
		})
	}
	t.Logf("task, wall time, strict wall time, ratio:\n%s", report.String())
	if strictSum == 0 {
		return
	}
	ratio := sum.Seconds() / strictSum.Seconds()
	t.Logf("together %.2f s, strict %.2f s, ratio %.2f", sum.Seconds(), strictSum.Seconds(), ratio)
	if ratio > aim {
		t.Errorf("got %.2f of the strict time, want at most %.2f", ratio, aim)
	}
}

func read(t *testing.T, file string) *task {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	task, err := parse(archive)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// A place is where tasks are done, each time in a directory of its own.
type place struct {
	host driver.Host
	// provide puts what a task needs into its directory, or skips it.
	provide func(t *testing.T, task *task, dir string)
}

// taskLimit is how long a task may take. The longest takes 40 s, strictly; all that a task waits
// for may take a busy machine many times as long.
const taskLimit = 15 * time.Minute

// do returns how long it took, and the files that the task wants as they are
// in the end.
func (p *place) do(t *testing.T, task *task, strict bool) (took time.Duration, left map[string]string) {
	t.Helper()
	dir := t.TempDir()
	p.provide(t, task, dir)
	for name, text := range task.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), taskLimit)
	defer cancel()
	began := time.Now()
	result, err := harness.Run(ctx, harness.Config{
		Host: p.host, Agent: &scripted{steps: task.steps},
		Challenge: challenge.Config{Instruction: t.Name(), Parser: challenge.Parser{Strict: strict}},
		Shell: core.Command{Cwd: dir, Roots: []string{dir}, Env: []core.EnvVariable{
			{Name: "HOME", Value: dir}, {Name: "LC_ALL", Value: "C.UTF-8"}, {Name: "PYTHONDONTWRITEBYTECODE", Value: "1"},
		}},
	})
	took = time.Since(began)
	if err != nil || result.Outcome != challenge.Completed {
		t.Fatalf("strict %v: got %v, %v, %v after %d turns; the screen:\n%s", strict, result.Outcome, result.Err, err, result.Turns, result.Screen)
	}
	left = map[string]string{}
	for name := range task.want {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		left[name] = string(text)
	}
	return took, left
}
