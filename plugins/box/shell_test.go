package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/coretest"
)

// needsShell reports whether the cases need the shell itself. They run in a process of the box,
// which is built with our patches of the interpreter, as the sandbox's is.
func (s suite) needsShell() bool { return s.drawn || strings.HasPrefix(s.name, "shell") }

// caseLimit is how long a command line may take that takes milliseconds on a machine that does
// nothing else.
const caseLimit = time.Minute

// runShell runs a line as a process of the patched box.
func (s suite) runShell(t *testing.T, line string) outcome {
	build := patchedBox
	if raceEnabled() {
		build = racingBox
	}
	box, err := build()
	if err != nil {
		t.Fatal(err)
	}
	dir := s.prepare(t)
	ctx, cancel := context.WithTimeout(t.Context(), caseLimit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, box)
	cmd.Args = []string{"/bin/bash", "-c", s.inside(dir, line)}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, s.environ(t, dir), &stdout, &stderr
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Errorf("%s: takes too long", line)
	}
	return s.outcome(t, dir, &stdout, &stderr, cmd.ProcessState.ExitCode())
}

// patchedBox builds the box for this system with our patches, once, and racingBox the same with the
// race detector.
var (
	patchedBox = sync.OnceValues(func() (string, error) { return buildPatched("box") })
	racingBox  = sync.OnceValues(func() (string, error) { return buildPatched("racing", "-race") })
)

func buildPatched(name string, flags ...string) (string, error) {
	dir, err := scratch()
	if err != nil {
		return "", err
	}
	modfile, err := patchedModules()
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, name)
	args := append([]string{"build", "-modfile=" + modfile, "-o", file}, flags...)
	return file, goCommand(root, append(args, "./plugins/box")...)
}

var root = filepath.Join("..", "..")

// patchedModules patches what the box is built from, and returns the go.mod to build with.
var patchedModules = sync.OnceValues(func() (modfile string, err error) {
	dir := filepath.Join(".cache", "patched-test")
	return filepath.Join(dir, "go.mod"), goCommand(root, "run", "./cmd/dev", "patch", dir)
})

// scratch is a directory for what is built and for what the cases do, which TestMain removes. Until
// the end nothing else is removed: ext4 is slow to make files where many have gone in the last
// seconds.
var scratch = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "box") })

func TestMain(m *testing.M) {
	coretest.HeedSignals()
	// The cases were recorded with it, and show the permissions of what they make.
	syscall.Umask(0o022)
	status := m.Run()
	if dir, err := scratch(); err == nil {
		os.RemoveAll(dir)
	}
	if debianBin != "" {
		os.RemoveAll(debianBin)
	}
	os.Exit(status)
}

func goCommand(dir string, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		return err
	}
	return nil
}

// raceEnabled reports whether this test was built with -race, so that the box is too.
func raceEnabled() bool {
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
