package tests

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"

	"github.com/terrarium-dev/terrarium/core/coretest"
)

// TestMain builds the command once and puts it on PATH.
func TestMain(m *testing.M) {
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "terrarium")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "terrarium")
	if built := os.Getenv("TERRARIUM_BUILT"); built != "" && !raceDetector() { // make test has it
		err = copyProgram(path, built)
	} else {
		err = buildCommand(path)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// Twice as many tests at once as there are processors: they wait for programs half of the time.
	flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	coretest.HeedSignals()
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return m.Run()
}

// buildCommand builds the command as "make build" does, with the race detector if the tests have
// it.
func buildCommand(path string) error {
	args := []string{"build", "-tags=grpcnotrace", "-o", path, "./cmd/terrarium"}
	if raceDetector() {
		args = slices.Insert(args, 1, "-race")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = ".."
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%v: %w", cmd, err)
	}
	return nil
}

// copyProgram copies a program. A link would not do: where a program is, the sandbox has to know.
func copyProgram(to, from string) error {
	p, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, p, 0o755)
}

// raceDetector reports whether the tests run with -race.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-race" {
			return s.Value == "true"
		}
	}
	return false
}
