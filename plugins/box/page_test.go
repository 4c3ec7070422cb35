package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page"
	"github.com/terrarium-dev/terrarium/plugins"
)

// pageDiffers are the cases whose results are others in a page, and why, besides those in
// sandboxDiffers.
var pageDiffers = map[string]string{
	"ls ''":  emptyName,
	"rm ''":  emptyName,
	"cat ''": emptyName,

	"chmod 4755 a.txt; stat -c '%a %A' a.txt": noSpecialBits,
	"chmod +t d; stat -c '%a %A' d":           noSpecialBits,

	"ls --sort=size -1":                   noSize,
	"stat -c '%n %s %F %h' a.txt d empty": noSize,
	"find . -size 0":                      noSize,
	"ls -la a src | sed 's/ [A-Z][a-z][a-z] .*//; s/^total.*/total/'": noSize,

	"which ls":              inBin,
	"which ls nosuch cat":   inBin,
	"which -a sh | head -1": inBin,

	"uname -m": "the machine is wasm32",
	"arch":     "the machine is wasm32",
}

const (
	emptyName     = "Go's own calls say that an empty name is an invalid argument, for wasip1"
	noSpecialBits = "guests set no other bits than permissions"
	noSize        = "directories in memory have no size, and two links"
)

// pageFuel are lines that take the same fuel wherever the box runs: one process each, which waits
// for nobody.
var pageFuel = []string{
	"echo hi", "printf '%s\\n' a b c", "seq 1000", "for i in 1 2 3; do echo $((i * i)); done", "cat words", "wc words",
	"sort words", "sort -r words", "uniq -c words", "head -3 words", "tail -2 words", "tr a-z A-Z <words", "cut -c1-2 words",
	"grep -n o words", "sed 's/o/0/g' words", "awk '{ n += length($0) } END { print n }' words", "sha256sum words",
	"base64 words", "test -f words; echo $?", "mkdir -p a/b && touch a/b/c && find a", "nosuch; echo $?", "ls -l",
}

// A pageRequest and a pageResponse are those of testdata/page.
type pageRequest struct {
	Line      string
	Env       []core.EnvVariable
	Dir, Root string
	Files     []pageFile

	Deterministic bool
}

type pageResponse struct {
	Stdout, Stderr []byte
	Exit           core.ExitStatus
	Fuel           uint64
	Files          []pageFile
	Error          string
}

type pageFile struct {
	Name   string
	Dir    bool
	Target string
	Data   []byte
	Mode   uint16
	Time   int64
}

// TestPage runs a tenth of the cases in a page, in Chromium, or with TERRARIUM_LONG=1 all of them.
// Debian's tools say what they do there too. What a command costs is what it costs natively.
func TestPage(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("takes a browser")
	}
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("NOT RUN: there is no chromium")
	}
	box, err := plugins.Modules()[0].Load()
	if err != nil {
		t.Skip(err)
	}
	t.Parallel() // the page has a processor of its own, if there are two
	one := 10
	if os.Getenv("TERRARIUM_LONG") == "1" {
		one = 1
	}
	type pageCase struct {
		suite
		testCase
		dir  string
		want outcome
	}
	var cases []pageCase
	var requests []pageRequest
	n := 0
	for _, s := range loadFolder(t, "testdata/cases") {
		want := readWants(t, s.path)
		for _, c := range s.cases {
			if n++; n%one != 0 || c.differs != "" {
				continue
			}
			dir := s.prepare(t)
			cases = append(cases, pageCase{s, c, dir, want[c.line]})
			requests = append(requests, newPageRequest(t, dir, c.line))
		}
	}
	words := suite{files: map[string]string{"words": strings.Repeat("one\ntwo\nfoo\nbook\n", 50)}}
	var costs []pageRequest
	for _, line := range pageFuel {
		r := newPageRequest(t, words.prepare(t), line)
		r.Deterministic = true
		costs = append(costs, r)
	}

	p := newPageRunner(t, box)
	got := p.run(t, true, append(requests, costs...))
	for i, c := range cases {
		c.restore(t, c.dir, got[i].Files)
		stdout, stderr := bytes.NewBuffer(got[i].Stdout), bytes.NewBuffer(got[i].Stderr)
		diff := c.outcome(t, c.dir, stdout, stderr, shellStatus(core.Exit{Status: got[i].Exit})).diff(c.want)
		if got[i].Error != "" {
			diff = got[i].Error
		}
		reason, known := sandboxDiffers[c.line]
		if !known {
			reason, known = pageDiffers[c.line]
		}
		switch {
		case diff != "" && !known:
			t.Errorf("%s: %s\n%s", c.suite.name, c.line, diff)
		case diff == "" && known:
			t.Errorf("%s: does not differ any more (%s)", c.line, reason)
		}
	}
	t.Logf("%d of %d cases", len(cases), n)
	inPage := got[len(cases):]
	for i, native := range p.run(t, false, costs) {
		if inPage[i].Fuel != native.Fuel || native.Fuel == 0 {
			t.Errorf("%s: takes %d units of fuel in the page and %d natively", pageFuel[i], inPage[i].Fuel, native.Fuel)
		}
		if string(inPage[i].Stdout) != string(native.Stdout) || inPage[i].Exit != native.Exit {
			t.Errorf("%s: got %q and %+v in the page, %q and %+v natively",
				pageFuel[i], inPage[i].Stdout, inPage[i].Exit, native.Stdout, native.Exit)
		}
	}
}

// newPageRequest returns a request for a line in a directory as it is now.
func newPageRequest(t *testing.T, dir, line string) pageRequest {
	r := pageRequest{Line: line, Dir: dir, Root: dir}
	for _, v := range environ(dir) {
		name, value, _ := strings.Cut(v, "=")
		r.Env = append(r.Env, core.EnvVariable{Name: name, Value: value})
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		f := pageFile{Name: name, Dir: d.IsDir(), Mode: uint16(info.Mode().Perm()), Time: info.ModTime().UnixNano()}
		if !f.Dir {
			f.Data, err = os.ReadFile(path)
		}
		r.Files = append(r.Files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// restore makes a directory hold these files and nothing else.
func (s suite) restore(t *testing.T, dir string, files []pageFile) {
	err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o777))
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		switch {
		case f.Dir:
			err = errors.Join(err, os.Mkdir(path, 0o777))
		case f.Target != "":
			err = errors.Join(err, os.Symlink(f.Target, path))
		default:
			err = errors.Join(err, os.WriteFile(path, f.Data, 0o666))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A pageRunner has testdata/page, built for the page and for here, and the box in a directory.
type pageRunner struct{ dir string }

// meteredBox is the file with the box as a page gets it.
const meteredBox = "metered.wasm"

func newPageRunner(t *testing.T, box []byte) pageRunner {
	dir := t.TempDir()
	metered, err := hostwasm.MeterFor(page.Target{}, hostwasm.NewModule("box", box), hostwasm.Limits{})
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "box.wasm"), box, 0o666),
		os.WriteFile(filepath.Join(dir, meteredBox), metered, 0o666))
	if err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string][]string{"page": nil, "page.wasm": {"GOOS=js", "GOARCH=wasm"}} {
		build := exec.Command("go", "build", "-o", filepath.Join(dir, "bin", name), "./testdata/page")
		build.Env = append(os.Environ(), env...)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build testdata/page: %v\n%s", err, out)
		}
	}
	return pageRunner{dir}
}

// run runs the requests in the page, or natively.
func (p pageRunner) run(t *testing.T, inPage bool, requests []pageRequest) []pageResponse {
	data, err := json.Marshal(map[string]any{"Commands": plugins.Modules()[0].Commands, "Lines": requests})
	if err == nil {
		err = os.WriteFile(filepath.Join(p.dir, "requests.json"), data, 0o666)
	}
	kept, errKept := filepath.Abs(filepath.Join(root, ".cache", "terrarium", "modules"))
	if err := errors.Join(err, errKept); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(p.dir, "bin", "page"), "box.wasm", "requests.json", kept)
	cmd.Dir = p.dir
	if inPage {
		cmd = exec.Command("go", "run", "./cmd/dev", "browser", "-dir", p.dir, "--",
			filepath.Join(p.dir, "bin", "page.wasm"), "box.wasm", "requests.json", meteredBox)
		cmd.Dir = root
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
	}
	t.Logf("%d lines took %v", len(requests), time.Since(start).Round(time.Millisecond))
	var responses []pageResponse
	for line := range bytes.Lines(stdout.Bytes()) {
		var r pageResponse
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		responses = append(responses, r)
	}
	if len(responses) != len(requests) {
		t.Fatalf("got %d responses, want %d; %s", len(responses), len(requests), &stderr)
	}
	return slices.Clip(responses)
}
