package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// oilsShare is how many percent of the cases that bash passes ours has to.
const oilsShare = 95

// TestOils runs the spec tests of Oils, a shell that is tested against many others: all files in
// the folder TERRARIUM_OILS_SPEC that compare with bash. What counts are the cases that the
// installed bash passes here.
//
// https://github.com/oils-for-unix/oils/blob/master/spec/README.md
func TestOils(t *testing.T) {
	spec := os.Getenv("TERRARIUM_OILS_SPEC")
	if spec == "" {
		t.Skip("TERRARIUM_OILS_SPEC is not set: it names spec in a checkout of github.com/oils-for-unix/oils")
	}
	box, err := patchedBox()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(spec, "*.test.sh"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no spec tests in %s: %v", spec, err)
	}
	only := os.Getenv("TERRARIUM_OILS_ONLY")
	run := &oilsRun{root: filepath.Dir(spec), box: box}
	if run.bin, err = filepath.Abs("testdata/oils"); err != nil {
		t.Fatal(err)
	}
	passed, total := 0, 0
	var table strings.Builder
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".test.sh")
		if only != "" && name != only {
			continue
		}
		cases, err := readOils(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(cases) == 0 {
			continue
		}
		good, counted, failures := run.file(t, cases)
		passed, total = passed+good, total+counted
		fmt.Fprintf(&table, "\n%4d of %4d  %s", good, counted, name)
		for _, f := range failures {
			t.Logf("%s: %s", name, f)
		}
	}
	if total == 0 {
		t.Fatal("bash passes nothing")
	}
	t.Logf("of the cases that bash passes, ours passes:%s", &table)
	share := 100 * float64(passed) / float64(total)
	t.Logf("%d of %d, %.1f %%", passed, total, share)
	if share < oilsShare && only == "" {
		t.Errorf("%.1f %%, want %d %%", share, oilsShare)
	}
}

// An oilsCase is a script, and what a shell is to do.
type oilsCase struct {
	name string
	code string
	// "stdout", "stderr" and "status", as far as something is said; "bash stdout" for bash alone
	want map[string]string
}

var (
	oilsValue = regexp.MustCompile(`^##\s+(?:(?:OK(?:-\d)?|BUG(?:-\d)?|N-I)\s+([\w+/.-]+)\s+)?([\w-]+):\s*(.*)`)
	oilsEnd   = regexp.MustCompile(`^##\s+END`)
)

// readOils reads a file of cases; none if they are not for bash.
func readOils(path string) ([]oilsCase, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cases []oilsCase
	var c *oilsCase
	forBash, into := false, ""
	for line := range strings.Lines(string(data)) {
		value := oilsValue.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "####"):
			cases = append(cases, oilsCase{name: strings.TrimSpace(line[4:]), want: map[string]string{}})
			c, into = &cases[len(cases)-1], ""
		case c == nil:
			if value != nil && value[2] == "compare_shells" {
				forBash = strings.Contains(value[3], "bash")
			}
		case oilsEnd.MatchString(line):
			into = ""
		case value != nil:
			into = c.set(value[1], value[2], value[3])
		case into != "":
			c.want[into] += line
		case len(c.want) == 0 || !strings.HasPrefix(strings.TrimSpace(line), "#"):
			if len(c.want) == 0 {
				c.code += line
			}
		}
	}
	if !forBash {
		return nil, nil
	}
	return cases, nil
}

// set takes what is said of a result. It returns which result the following lines belong to, if
// they do.
func (c *oilsCase) set(shells, key, value string) (into string) {
	prefix := ""
	if shells != "" {
		prefix = "other "
		for shell := range strings.SplitSeq(shells, "/") {
			if shell == "bash" || strings.HasPrefix(shell, "bash-") {
				prefix = "bash "
			}
		}
	}
	switch key {
	case "code":
		c.code = value + "\n"
	case "stdout", "stderr":
		c.want[prefix+key] = value + "\n"
	case "status":
		c.want[prefix+key] = value
	case "stdout-json", "stderr-json":
		var text string
		if json.Unmarshal([]byte(value), &text) == nil {
			c.want[prefix+strings.TrimSuffix(key, "-json")] = text
		}
	case "STDOUT", "STDERR":
		into = prefix + strings.ToLower(key)
		c.want[into] = ""
	}
	return into
}

// wanted returns what bash is to do, and whether something is said of it.
func (c *oilsCase) wanted(key string) (string, bool) {
	if text, ok := c.want["bash "+key]; ok {
		return text, true
	}
	text, ok := c.want[key]
	if !ok && key == "status" {
		return "0", true
	}
	return text, ok
}

// fails says how a result is not what bash is to do, "" if it is.
func (c *oilsCase) fails(o outcome) string {
	for _, r := range []struct{ key, got string }{
		{"status", strconv.Itoa(o.status)}, {"stdout", o.stdout}, {"stderr", o.stderr},
	} {
		if want, ok := c.wanted(r.key); ok && r.got != want {
			return fmt.Sprintf("%s %q, want %q; stderr %.200q", r.key, r.got, want, o.stderr)
		}
	}
	return ""
}

// An oilsRun runs cases with bash and with ours.
type oilsRun struct {
	root string // of the checkout
	bin  string // of the programs that the cases use
	box  string
}

// file runs the cases of a file. counted are those that bash passes.
func (r *oilsRun) file(t *testing.T, cases []oilsCase) (passed, counted int, failures []string) {
	var mu sync.Mutex // guards the results
	var running sync.WaitGroup
	turns := make(chan struct{}, 2)
	for i, c := range cases {
		turns <- struct{}{}
		running.Go(func() {
			defer func() { <-turns }()
			if c.fails(r.run(t, "/bin/bash", c.code)) != "" {
				return
			}
			why := c.fails(r.run(t, r.box, c.code))
			mu.Lock()
			defer mu.Unlock()
			counted++
			if why == "" {
				passed++
				return
			}
			failures = append(failures, fmt.Sprintf("%03d %s: %s", i, c.name, why))
		})
	}
	running.Wait()
	slices.Sort(failures)
	return passed, counted, failures
}

// run gives a script to a shell, as its input.
func (r *oilsRun) run(t *testing.T, shell, code string) outcome {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, shell)
	cmd.Args = []string{"bash"}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(code), &stdout, &stderr
	cmd.Env = []string{
		"PATH=" + r.bin + ":/usr/bin:/bin", "LC_ALL=C.UTF-8", "SH=bash", "TMP=" + dir, "REPO_ROOT=" + r.root, "OILS_GC_ON_EXIT=", "LOCALE_ARCHIVE=",
	}
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{stdout: stdout.String(), stderr: stderr.String(), status: exitStatus(cmd.ProcessState)}
}
