package coretest

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what scripts observe back to their files")

// ErrNotHere is what a Target returns, perhaps with a reason around it, for a
// script that is not for it.
var ErrNotHere = errors.New("the script is not for this target")

// A Target is something that scripts run against.
type Target interface {
	// Do carries out one input and returns what came of it, as lines that
	// begin with "<". An error means that the script is wrong.
	Do(in Line) ([]string, error)
}

// Scripts returns the script files of a folder.
func Scripts(t testing.TB, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in %s (error: %v)", dir, err)
	}
	return files
}

// Name is the name of a script's subtest.
func Name(file string) string {
	return strings.TrimSuffix(filepath.Base(file), ".txtar")
}

// Run runs the script in file against target and compares what it observes.
// unordered compares the observations of one input as a set, for targets in
// which goroutines race to report them.
func Run(t testing.TB, file string, target Target, unordered bool) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	script := find(archive, "script")
	if script == nil {
		t.Fatalf("%s: no file named script", file)
	}
	want := string(script.Data)
	got, err := Replay(want, target)
	if errors.Is(err, ErrNotHere) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if *update && !unordered && got != want {
		script.Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if unordered {
		got, want = normalize(got), normalize(want)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got; run with -update and read the change):\n%s", file, diff)
	}
}

func find(a *txtar.Archive, name string) *txtar.File {
	for i := range a.Files {
		if a.Files[i].Name == name {
			return &a.Files[i]
		}
	}
	return nil
}

// Replay carries out the inputs of a script and returns the script with what
// target observed in place of the observations it had.
func Replay(script string, target Target) (string, error) {
	var out strings.Builder
	for i, text := range strings.Split(strings.TrimSuffix(script, "\n"), "\n") {
		if strings.HasPrefix(text, "<") {
			continue
		}
		out.WriteString(text + "\n")
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		line, err := ParseLine(text)
		if err != nil {
			return "", lineError(i, text, err)
		}
		observed, err := target.Do(line)
		if err != nil {
			return "", lineError(i, text, err)
		}
		for _, o := range observed {
			out.WriteString(o + "\n")
		}
	}
	return out.String(), nil
}

// normalize sorts each run of observation lines, and leaves out those that
// only say that there is output: a driver tells that to those who ask for it.
func normalize(script string) string {
	lines := strings.Split(script, "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "< output_changed") })
	for i := 0; i < len(lines); {
		j := i
		for j < len(lines) && strings.HasPrefix(lines[j], "<") {
			j++
		}
		slices.Sort(lines[i:j])
		i = j + 1
	}
	return strings.Join(lines, "\n")
}
