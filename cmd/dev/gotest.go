package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// packages is how many run at once: twice as many as there are processors, because the longest of
// our tests wait for other processes half of the time.
var packages = strconv.Itoa(2 * runtime.NumCPU())

// goTest is a step that runs "go test" and notes which tests were skipped, which plain "go test"
// hides, and which packages took long.
func goTest(title string, env []string, notes *notes, args ...string) step {
	return step{title, func(ctx context.Context, out io.Writer) error {
		pr, pw := io.Pipe()
		read := make(chan error, 1)
		go func() { read <- readTestEvents(pr, out, title, notes) }() // ends with pw, below
		err := command(ctx, pw, env, "go", append([]string{"test", "-json", "-p=" + packages}, args...)...)
		pw.Close()
		return errors.Join(err, <-read)
	}}
}

// A testEvent is one line of "go test -json": go doc cmd/test2json, go help buildjson.
type testEvent struct {
	Action  string
	Package string
	Test    string // "" in the events of the package itself
	Output  string
	Elapsed float64 // seconds
}

// readTestEvents reads the output of "go test -json", copies to out what belongs to tests and
// packages that did not pass, and adds to notes what was skipped or took long. It reads r to its
// end.
func readTestEvents(r io.Reader, out io.Writer, title string, notes *notes) error {
	type key struct{ pkg, test string }
	var order []key                       // of first output
	pending := map[key]*strings.Builder{} // output of what has not ended

	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		var e testEvent
		if json.Unmarshal([]byte(line), &e) != nil {
			io.WriteString(out, line) // the command line, or a message of the go command
			continue
		}
		k := key{e.Package, e.Test}
		if e.Test == "" && e.Elapsed > 0 {
			notes.took(title, shortPackage(e.Package), e.Elapsed)
		}
		switch e.Action {
		case "output":
			if strings.HasPrefix(e.Output, "=== ") {
				continue // RUN, PAUSE, CONT: what -json adds
			}
			if pending[k] == nil {
				pending[k] = new(strings.Builder)
				order = append(order, k)
			}
			pending[k].WriteString(e.Output)
		case "build-output":
			io.WriteString(out, e.Output)
		case "skip", "pass":
			if e.Action == "skip" && e.Test != "" && pending[k] != nil {
				notes.skip(title, shortPackage(e.Package)+"."+e.Test, skipReason(pending[k].String()))
			}
			delete(pending, k)
		case "fail":
			// A package that fails shows also what ran when it broke off.
			for _, o := range order {
				if b := pending[o]; b != nil && (o == k || e.Test == "" && o.pkg == e.Package) {
					io.WriteString(out, b.String())
					delete(pending, o)
				}
			}
		}
	}
}

// skipReason picks what the test said from its output: all but the verdict.
func skipReason(output string) string {
	var reason []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "--- ") {
			continue
		}
		if _, after, ok := strings.Cut(line, ".go:"); ok {
			_, line, _ = strings.Cut(after, ": ") // file and line go
		}
		reason = append(reason, line)
	}
	return strings.Join(reason, " ")
}

func shortPackage(path string) string {
	return strings.TrimPrefix(path, module+"/")
}

// notes are what is told after all steps. Steps that run side by side may take notes at once.
type notes struct {
	mu      sync.Mutex          // for what follows
	skipped map[string][]string // "test: reason" to the titles of the steps
	times   []packageTime
	said    []string // lines of what measures
}

// A packageTime is how long the tests of a package took in a step.
type packageTime struct {
	pkg, title string
	seconds    float64
}

func (n *notes) skip(title, test, reason string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.skipped == nil {
		n.skipped = map[string][]string{}
	}
	k := test + ": " + reason
	n.skipped[k] = append(n.skipped[k], title)
}

func (n *notes) took(title, pkg string, seconds float64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.times = append(n.times, packageTime{pkg, title, seconds})
}

func (n *notes) print(w io.Writer) {
	for _, line := range n.said {
		fmt.Fprintf(w, "MEASURED %s\n", line)
	}
	var lines []string
	for test, titles := range n.skipped {
		lines = append(lines, fmt.Sprintf("SKIPPED %s (%s)\n", test, strings.Join(titles, ", ")))
	}
	slices.Sort(lines)
	for _, line := range lines {
		io.WriteString(w, line)
	}
	const most, fewest = 10, 5 // packages, seconds
	slices.SortStableFunc(n.times, func(a, b packageTime) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range n.times[:min(len(n.times), most)] {
		if t.seconds >= fewest {
			fmt.Fprintf(w, "SLOW %s: %.0fs (%s)\n", t.pkg, t.seconds, t.title)
		}
	}
}
