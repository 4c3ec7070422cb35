// Package tooltest runs a family's commands in its tests, and compares them with what the programs
// do that they are like.
package tooltest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A Case is a command line, its standard input, and what comes of it. Blanks separate the words of
// the line, except between single quotes. The type has no name of its own, so that tables need not
// name its fields.
type Case = struct {
	Line, Stdin    string
	Stdout, Stderr string
	Status         int
}

var environ = []string{"LC_ALL=C.UTF-8", "TZ=UTC", "HOME=/", "PATH=/usr/bin:/bin"}

// Compare runs the cases, one after the other, in a directory that has files. What they want was
// recorded from Debian 12's programs. With TERRARIUM_REAL=1 it runs those too, in a directory of
// their own, and says where they do something else.
func Compare(t *testing.T, commands []tool.Command, files map[string]string, cases []Case) {
	t.Helper()
	dir, other := Dir(t, files), Dir(t, files)
	for _, c := range cases {
		argv := words(c.Line)
		got := Run(commands, dir, c.Stdin, argv...)
		got.Line = c.Line
		if got != c {
			t.Errorf("%s < %.200q\n got %q, %q, %d\nwant %q, %q, %d",
				c.Line, c.Stdin, got.Stdout, got.Stderr, got.Status, c.Stdout, c.Stderr, c.Status)
		}
		if os.Getenv("TERRARIUM_REAL") != "1" {
			continue
		}
		real := program(t, other, c.Stdin, argv)
		real.Line = c.Line
		if real != c {
			t.Errorf("%s < %.200q: the program itself\n got %q, %q, %d\nwant %q, %q, %d",
				c.Line, c.Stdin, real.Stdout, real.Stderr, real.Status, c.Stdout, c.Stderr, c.Status)
		}
	}
}

// Dir returns a new directory with files, whose names may have directories.
func Dir(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Run runs argv, which is one of commands, in a directory. The line of what it returns is empty.
func Run(commands []tool.Command, dir, stdin string, argv ...string) Case {
	for _, c := range commands {
		if c.Name != argv[0] {
			continue
		}
		var stdout, stderr bytes.Buffer
		env := tool.Env{Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr, Dir: dir, Environ: environ}
		status := tool.Run(c, env, argv)
		return Case{Stdin: stdin, Stdout: stdout.String(), Stderr: stderr.String(), Status: status}
	}
	return Case{Stdin: stdin, Stderr: argv[0] + ": no command of this family", Status: 127}
}

func program(t *testing.T, dir, stdin string, argv []string) Case {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return Case{Stdin: stdin, Stdout: stdout.String(), Stderr: stderr.String(), Status: cmd.ProcessState.ExitCode()}
}

// words takes a line apart.
func words(line string) (list []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			list = append(list, part)
			continue
		}
		list = append(list, strings.Fields(part)...)
	}
	return list
}
