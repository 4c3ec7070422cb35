package main

import (
	"bytes"
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/plugins"
)

// TestSandbox runs the shell's cases in the sandbox, where pipes, modes and named pipes are not the
// system's, and those of archives and makefiles, which are about modes, times and links.
func TestSandbox(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a module for each case")
	}
	if raceEnabled() {
		t.Skip("takes minutes with the race detector, which sees nothing inside the sandbox")
	}
	h := newSandbox(t)
	for _, s := range loadSuites(t) {
		if !s.needsShell() && !s.packs() {
			continue
		}
		want, sample := readWants(t, s.path), s.sandboxSample()
		for i, c := range s.cases {
			if i%sample != 0 {
				continue
			}
			diff := s.runSandbox(t, h, c.line).diff(s.expected(want[c.line]))
			reason, known := sandboxDiffers[c.line]
			switch {
			case c.differs != "":
			case diff != "" && !known:
				t.Errorf("%s\n%s", c.line, diff)
			case diff == "" && known:
				t.Errorf("%s: does not differ any more (%s)", c.line, reason)
			}
		}
	}
}

// sandboxSample is of how many cases one is run in the sandbox, of which TestRecorded runs all.
// What looks at what the sandbox does otherwise, which is modes, times and links, pipes and
// signals, is run whole.
func (s suite) sandboxSample() int {
	switch {
	case os.Getenv("TERRARIUM_LONG") == "1" || slices.Contains([]string{"archive", "shell-modes", "shell-pipes", "shell-traps"}, s.name):
		return 1
	case s.drawn:
		return 24
	}
	return 8
}

// packs reports whether the cases are about compressed files, archives, pieces of files, and what
// is made of files.
func (s suite) packs() bool {
	return slices.Contains([]string{"archive", "compress", "make", "split", "transfer", "zip"}, s.name)
}

// sandboxDiffers are the cases whose results are others in the sandbox, and why.
var sandboxDiffers = map[string]string{
	"cd /usr; cd /tmp; cd -; echo $OLDPWD": "there is no /usr",
	"which ls cat":                         inBin,
	"which bash grep sed":                  inBin,
	"type ls cd":                           inBin,
	"env | sort | grep -c =":               "the sandbox has variables of its own",

	"cat > /etc/ledger.conf <<'EOF' && echo written || echo failed\nport=1\nEOF": "there is no /etc",
}

const inBin = "commands are in /bin"

// newSandbox returns a host on the default engine, with the box that was built last, and with git
// by some names.
func newSandbox(t testing.TB, gits ...string) *hostwasm.Host {
	return newSandboxOn(t, backends[0], gits...)
}

func newSandboxOn(t testing.TB, on backend, gits ...string) *hostwasm.Host {
	others := map[string]*hostwasm.Module{}
	for _, name := range gits {
		git := plugins.Modules()[1]
		others[name] = &hostwasm.Module{Name: git.Name, Load: git.Load}
	}
	return newSandboxBeside(t, on, others)
}

// newSandboxBeside is newSandboxOn with commands of other modules.
func newSandboxBeside(t testing.TB, on backend, others map[string]*hostwasm.Module) *hostwasm.Host {
	box, git := plugins.Modules()[0], plugins.Modules()[1]
	for _, m := range []plugins.Module{box, git} {
		if _, err := m.Load(); err != nil {
			t.Skip(err)
		}
	}
	// Compiling takes seconds, so what was compiled outlives the test, in the ignored folder.
	kept, err := hostwasm.CacheIn(filepath.Join("..", "..", ".cache", "terrarium", "modules"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := on.open()
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]*hostwasm.Module{}
	module := &hostwasm.Module{Name: box.Name, Load: box.Load}
	for _, name := range box.Commands {
		commands[name] = module
	}
	maps.Copy(commands, others)
	h, err := hostwasm.New(hostwasm.Config{Engine: e, Cache: kept, Commands: commands})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// BenchmarkEcho is bash -c 'echo hi' from start to exit, with the module compiled.
func BenchmarkEcho(b *testing.B) {
	h := newSandbox(b)
	c := core.Command{Command: "bash", Args: []string{"-c", "echo hi"}}
	runCommand(b, h, c)
	// What a busy machine does to the mean, it does not do to every run.
	least := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		if stdout, _, _ := runCommand(b, h, c); stdout.String() != "hi\n" {
			b.Fatalf("got %q, want %q", stdout, "hi\n")
		}
		least = min(least, time.Since(start))
	}
	b.ReportMetric(float64(least.Microseconds())/1000, "min-ms/op")
}

// TestStartCost keeps what every command pays before it begins from growing unseen: 5 million units
// of fuel are some 2 ms. GODEBUG=inittrace=1 in the guest's environment tells which package takes
// them: a table or an expression there should be made when it is first used.
func TestStartCost(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 13 MB")
	}
	const most = 6_500_000
	_, _, exit := runCommand(t, newSandbox(t), core.Command{Command: "bash", Args: []string{"-c", "echo hi"}})
	if fuel := exit.Usage.Fuel; fuel == 0 || fuel > most {
		t.Errorf("got %d units of fuel for echo, want at most %d", fuel, most)
	}
}

// TestSize keeps the box from growing unseen: all of it is compiled before a sandbox's first
// command, and is part of every binary. smallPackages in cmd/dev says what is built for its size.
func TestSize(t *testing.T) {
	const most = 14_670_000 // with all time zones: see plugins/RATIONALE.md
	fi, err := os.Stat("../dist/box.wasm")
	if err != nil {
		t.Skipf("NOT RUN: the box is not built (make build): %v", err)
	}
	if fi.Size() > most {
		t.Errorf("got a box.wasm of %d bytes, want at most %d", fi.Size(), most)
	}
}

// runSandbox runs a line in a sandbox that has the suite's files.
func (s suite) runSandbox(t *testing.T, h *hostwasm.Host, line string) outcome {
	dir := s.prepare(t)
	c := core.Command{Command: "/bin/bash", Args: []string{"-c", s.inside(dir, line)}, Cwd: dir, Roots: []string{dir}}
	if s.drawn {
		c.Roots = []string{filepath.Dir(dir)}
	}
	variables := environ(dir)
	if s.drawn {
		variables[0] = "PATH=/bin"
	}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		c.Env = append(c.Env, core.EnvVariable{Name: name, Value: value})
	}
	stdout, stderr, exit := runCommand(t, h, c)
	return s.outcome(t, dir, stdout, stderr, shellStatus(exit))
}

// shellStatus is what a shell would say of a terminal that has ended: 128 for a signal that is none
// of those.
func shellStatus(e core.Exit) int {
	if e.Status.Signal != "" {
		return 128 + map[string]int{"SIGHUP": 1, "SIGINT": 2, "SIGKILL": 9, "SIGPIPE": 13, "SIGTERM": 15}[e.Status.Signal]
	}
	return int(e.Status.ExitCode)
}

// runCommand runs a command to its end.
func runCommand(t testing.TB, h *hostwasm.Host, c core.Command) (stdout, stderr *bytes.Buffer, exit core.Exit) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	e, err := h.Resolve(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(ctx, e)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	const limit = time.Minute // a busy machine takes many times as long
	overdue := time.AfterFunc(limit, func() {
		t.Errorf("%s %q: takes longer than %v", c.Command, c.Args, limit)
		p.Close()
	})
	defer overdue.Stop()
	var streams [3]bytes.Buffer
	if err := p.Output(func(stream uint8, b []byte) { streams[stream].Write(b) }); err != nil {
		t.Error(err)
	}
	exit, err = p.Wait()
	if err != nil {
		t.Error(err)
	}
	return &streams[1], &streams[2], exit
}

// TestPlugin runs commands of another module, by every name that scripts have for them. One that is
// named like a command of the box is used in its place.
func TestPlugin(t *testing.T) {
	if raceEnabled() {
		t.Skip("compiles a module of 14 MB")
	}
	h := newSandbox(t, "git", "rev")
	for _, test := range []struct{ line, want string }{
		{"git --version | cut -d' ' -f1,2", "git version\n"},
		{"/bin/git --version | cut -c1-3", "git\n"},
		{"/usr/bin/git --version | cut -c1-3", "git\n"},
		{"/usr/local/bin/git --version | cut -c1-3", "git\n"},
		{"rev --version | cut -c1-3", "git\n"},
		{"/usr/bin/rev --version | cut -c1-3", "git\n"},
		{"env rev --version | cut -c1-3; echo --version | xargs rev | cut -c1-3", "git\ngit\n"},
		{"/usr/local/bin/tac <<<x; /usr/bin/env tac <<<y", "x\ny\n"},
		{"printf '#!/usr/local/bin/git\\n' > s; chmod +x s; ./s 2>&1 | grep -c 'not a git command'", "1\n"},
		{"printf '#!/bin/sh\\necho mine \"$@\"\\n' > rev; chmod +x rev; PATH=$PWD:$PATH; rev a; command rev b", "mine a\nmine b\n"},
		{"printf '#!/usr/local/bin/bash\\necho $0 $1\\n' > s; chmod +x s; PATH=.:$PATH s x", "./s x\n"},
	} {
		dir := t.TempDir()
		c := core.Command{Command: "/bin/bash", Args: []string{"-c", test.line}, Cwd: dir, Roots: []string{dir}}
		stdout, stderr, _ := runCommand(t, h, c)
		if stdout.String() != test.want || stderr.Len() > 0 {
			t.Errorf("%s: got %q, %q, want %q", test.line, stdout, stderr, test.want)
		}
	}
}

// TestMoveKept moves to another file system what can't be removed from its own.
func TestMoveKept(t *testing.T) {
	if raceEnabled() {
		t.Skip("compiles a module of 14 MB")
	}
	dir := t.TempDir()
	const line = "mv /bin/rev mine; echo $?; cmp /bin/rev mine && echo copied"
	c := core.Command{Command: "bash", Args: []string{"-c", line}, Cwd: dir, Roots: []string{dir}}
	stdout, stderr, _ := runCommand(t, newSandbox(t), c)
	if want := "1\ncopied\n"; stdout.String() != want {
		t.Errorf("got %q, want %q", stdout, want)
	}
	if got, want := stderr.String(), "mv: cannot remove '/bin/rev': "; !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("got %q, want one line with %q", got, want)
	}
}
