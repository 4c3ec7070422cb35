package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/plugins"
)

// What stands for the box where a command is started directly does what the box does, and is not
// taken where it can't. Which of them has run shows in the fuel: a Go program takes millions before
// it comes to its main.
func TestDirect(t *testing.T) {
	if raceEnabled() {
		t.Skip("compiles a module of 14 MB")
	}
	box := newSandbox(t)
	direct := newSandboxBeside(t, backends[0], directCommands(t, plugins.Modules()[0]))
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		argv    []string
		variant core.Command
		direct  bool
	}{
		{"true", []string{"true"}, core.Command{}, true},
		{"true of arguments", []string{"true", "x", "", "y"}, core.Command{}, true},
		{"true by a path", []string{"/bin/true"}, core.Command{}, true},
		{"true by another path", []string{"/usr/bin/../bin/true", "x"}, core.Command{}, true},
		{"true of help", []string{"true", "--help"}, core.Command{}, false},
		{"true of a version", []string{"true", "--version"}, core.Command{}, false},
		{"false", []string{"false"}, core.Command{}, true},
		{"false of arguments", []string{"/usr/local/bin/false", "x"}, core.Command{}, true},
		{"false of help", []string{"false", "--help"}, core.Command{}, false},
		{"echo", []string{"echo"}, core.Command{}, true},
		{"echo of nothing", []string{"echo", ""}, core.Command{}, true},
		{"echo of nothing twice", []string{"echo", "", ""}, core.Command{}, true},
		{"echo of words", []string{"echo", "a", "b c", "d"}, core.Command{}, true},
		{"echo of no escapes", []string{"echo", `a\tb\c`, "\n", "\xff", "é"}, core.Command{}, true},
		{"echo by a path", []string{"/bin/echo", "a"}, core.Command{}, true},
		{"echo on a terminal", []string{"echo", "a", "b\nc"}, core.Command{Pty: true}, true},
		{"echo at a terminal", []string{"echo", "a", "b\nc"}, core.Command{Pty: true, Interactive: true}, true},
		{"echo of much", append([]string{"echo"}, strings.Split(strings.Repeat("xyz,", 20_000), ",")...), core.Command{}, true},
		{"echo of a long word", []string{"echo", strings.Repeat("x", 200_000)}, core.Command{}, true},
		{"echo without a new line", []string{"echo", "-n", "a"}, core.Command{}, false},
		{"echo of escapes", []string{"echo", "-e", `a\tb`}, core.Command{}, false},
		{"echo of a minus", []string{"echo", "a", "-"}, core.Command{}, false},
		{"echo as POSIX", []string{"echo", `a\tb`}, with("POSIXLY_CORRECT", ""), false},
		{"pwd", []string{"pwd"}, core.Command{}, true},
		{"pwd elsewhere", []string{"pwd"}, core.Command{Cwd: filepath.Join(dir, "real")}, true},
		{"pwd of arguments", []string{"pwd", "x", "y"}, core.Command{}, true},
		{"pwd behind a link", []string{"pwd"}, core.Command{Cwd: filepath.Join(dir, "link")}, false},
		{"pwd of another name", []string{"pwd"}, with("PWD", filepath.Join(dir, "real")), false},
		{"pwd of options", []string{"pwd", "-P"}, core.Command{}, false},
		{"pwd beside other variables", []string{"pwd"}, with("PWDX", "PWD=x"), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := test.variant
			c.Command, c.Args, c.Roots = test.argv[0], test.argv[1:], []string{dir}
			if c.Cwd == "" {
				c.Cwd = dir
			}
			wantOut, wantErr, want := runCommand(t, box, c)
			stdout, stderr, got := runCommand(t, direct, c)
			if got.Status != want.Status || got.Reason != want.Reason {
				t.Errorf("got %v, %q, want %v, %q", got.Status, got.Reason, want.Status, want.Reason)
			}
			if stdout.String() != wantOut.String() || stderr.String() != wantErr.String() {
				t.Errorf("got %.100q and %.100q, want %.100q and %.100q", stdout, stderr, wantOut, wantErr)
			}
			if small := got.Usage.Fuel < want.Usage.Fuel/2; small != test.direct {
				t.Errorf("got %d of fuel, and the box takes %d, want the box to have run: %v", got.Usage.Fuel, want.Usage.Fuel, !test.direct)
			}
		})
	}
}

// with returns a command with one variable.
func with(name, value string) core.Command {
	return core.Command{Env: []core.EnvVariable{{Name: name, Value: value}}}
}

// directCommands returns the commands of the box with what stands for some of them.
func directCommands(t *testing.T, box plugins.Module) map[string]*hostwasm.Module {
	small, ok := box.Direct()
	if !ok {
		t.Skip(small.Missing())
	}
	stands := &hostwasm.Module{Name: small.Name, Load: small.Load}
	module := &hostwasm.Module{Name: box.Name, Load: box.Load, Direct: map[string]*hostwasm.Module{}}
	for _, name := range small.Commands {
		module.Direct[name] = stands
	}
	commands := map[string]*hostwasm.Module{}
	for _, name := range box.Commands {
		commands[name] = module
	}
	return commands
}
