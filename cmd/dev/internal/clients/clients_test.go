package clients

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHangs has a client that does nothing: it is ended, and the reader is told so, with the last
// it said.
func TestHangs(t *testing.T) {
	hangs := client{
		version: func(context.Context, *tools) (string, error) { return "1", nil },
		run: func(ctx context.Context, t *tools, _ []string, _ string) error {
			fmt.Fprintln(t.log, "I begin")
			<-ctx.Done()
			return nil
		},
	}
	var r row
	err := (&tools{limit: time.Millisecond}).try(t.Context(), &hangs, &r, filepath.Join(t.TempDir(), "dir"))
	if err == nil || !strings.Contains(err.Error(), "had not ended after 1ms") {
		t.Errorf("got the error %v", err)
	}
	if r.said != "\tI begin\n" {
		t.Errorf("got the last lines %q", r.said)
	}
}

// TestServe tries terrarium serve with terrarium conform, both as programs: no point may fail.
func TestServe(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	terrarium := os.Getenv("TERRARIUM_BUILT") // make test has it
	if terrarium == "" {
		terrarium = filepath.Join(dir, "terrarium")
		build := exec.Command("go", "build", "-o", terrarium, "./cmd/terrarium")
		build.Dir = "../../../.."
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	name := filepath.Join(dir, "report.json")
	conform := exec.CommandContext(t.Context(), terrarium, "conform", "--timeout", "60s", "--report", name, "--report", filepath.Join(dir, "report.md"))
	serve := exec.CommandContext(t.Context(), terrarium, "serve", "--stdio", "--cwd", dir)
	serve.Stderr = os.Stderr
	if err := bridge(context.Background(), conform, serve, dir); err != nil {
		t.Fatal(err)
	}
	r, err := readReport(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Points {
		if p.Verdict != "passed" && p.Number != 2 && p.Number != 10 {
			t.Errorf("%d %s: %s: %s", p.Number, p.Name, p.Verdict, p.Evidence)
		}
	}
	doc := string(document([]row{{name: "serve", report: r}, {name: "other", notRun: "it is not here"}}))
	for _, want := range []string{"| 14 | the newest output is kept |", "| other |  | NOT RUN: it is not here |"} {
		if !strings.Contains(doc, want) {
			t.Errorf("the document has no %q:\n%s", want, doc)
		}
	}
	md, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil || !strings.Contains(string(md), "# What the terminals of bridge 1 do") {
		t.Errorf("got the report %s, %v", md, err)
	}
}
