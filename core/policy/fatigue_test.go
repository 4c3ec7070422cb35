package policy_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/policy"
)

// Fatigue is how often a person is asked about ordinary lines: by the starter, by the starter
// inside a sandbox, and by the starter and what "always" has added, answered to the first 30
// questions; then only the lines after the thirtieth are counted. A line that is denied counts as
// one that is asked about.
var fatigue = []struct {
	name    string
	sandbox string
	always  int
	// at most this share may be asked about, of the half that the rules were written with and of
	// the other: what was measured, and about one percent for changes that nobody would call worse
	written, heldOut float64
}{
	{"starter", "", 0, 33, 36},
	{"inside a sandbox", "workspace", 0, 2, 2},
	{"after 30 always", "", 30, 29, 34.5},
}

// TestFatigue judges the lines of testdata/ordinary. The starter's rules were written with a look
// at the half of them whose hash is even; the figures to go by are those of the other half.
func TestFatigue(t *testing.T) {
	data, err := os.ReadFile("testdata/ordinary/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	var halves [2][]recorded
	for _, l := range readLines(data) {
		h := hashOf(l.command) % 2
		halves[h] = append(halves[h], l)
	}
	for i, half := range halves {
		if len(half) < 400 {
			t.Errorf("half %d has %d lines", i, len(half))
		}
		// The file has them by where they are from; agents mix.
		slices.SortFunc(half, func(a, b recorded) int { return cmp.Compare(hashOf(a.command), hashOf(b.command)) })
		for _, f := range fatigue {
			asked, of := countAsked(t, half, f.sandbox, f.always)
			name, most := "written with", f.written
			if i == 1 {
				name, most = "held out", f.heldOut
			}
			t.Logf("%-12s  %-16s  %3d of %3d lines asked about: %4.1f %%", name, f.name, asked, of, percent(asked, of))
			if got := percent(asked, of); got > most {
				t.Errorf("%s, %s: %.1f %% are asked about, want at most %g %%", name, f.name, got, most)
			}
		}
	}
}

// TestRecordedFatigue prints the same figures for recordings of others. In the folder, a *.txt file
// has the form of testdata/ordinary/lines.txt, and each line of a *.jsonl file is a command's line
// as a JSON string, or an object with the members "command" and "cwd", which is what the session
// hands over ("/work/app" without).
func TestRecordedFatigue(t *testing.T) {
	dir := os.Getenv("TERRARIUM_COMMANDS")
	if dir == "" {
		t.Skip("TERRARIUM_COMMANDS is not set: it names a folder of command lines that agents ran")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range files {
		var lines []recorded
		data, err := os.ReadFile(name)
		switch {
		case err != nil:
			t.Error(err)
			continue
		case strings.HasSuffix(name, ".txt"):
			lines = readLines(data)
		case strings.HasSuffix(name, ".jsonl"):
			if lines, err = readJSON(data); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		default:
			continue
		}
		found += len(lines)
		for _, f := range fatigue {
			asked, of := countAsked(t, lines, f.sandbox, f.always)
			t.Logf("%s  %-16s  %5d of %5d lines asked about: %4.1f %%", filepath.Base(name), f.name, asked, of, percent(asked, of))
		}
	}
	if found == 0 {
		t.Errorf("no lines in %s", dir)
	}
}

// A recorded line is a command as an agent ran it, in the directory that its session handed over.
type recorded struct {
	command, cwd string
}

func readLines(data []byte) (lines []recorded) {
	for text := range strings.Lines(string(data)) {
		text = strings.TrimSuffix(text, "\n")
		switch more, ok := strings.CutPrefix(text, "\t"); {
		case ok && len(lines) > 0:
			lines[len(lines)-1].command += "\n" + more
		case text == "" || strings.HasPrefix(text, "##"):
		default:
			lines = append(lines, recorded{text, "/work/app"})
		}
	}
	return lines
}

func readJSON(data []byte) (lines []recorded, err error) {
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, len(data)+1)
	for n := 1; s.Scan(); n++ {
		l := recorded{cwd: "/work/app"}
		if json.Unmarshal(s.Bytes(), &l.command) != nil {
			var object struct{ Command, Cwd string }
			if err := json.Unmarshal(s.Bytes(), &object); err != nil {
				return lines, fmt.Errorf("line %d: %w", n, err)
			}
			l = recorded{object.Command, cmp.Or(object.Cwd, l.cwd)}
		}
		lines = append(lines, l)
	}
	return lines, s.Err()
}

func hashOf(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

// countAsked counts how many of the lines somebody is asked about. The first always questions are
// answered with "always", and only the lines after them count.
func countAsked(t testing.TB, lines []recorded, sandbox string, always int) (asked, of int) {
	added := &policy.File{Name: "always", Layer: policy.User}
	files := []*policy.File{mustParse(t, string(policy.Starter), policy.User), added}
	p := mustNew(t, files...)
	for _, l := range lines {
		e := line(l.command)
		e.Command.Cwd, e.Command.Roots = l.cwd, []string{l.cwd}
		v := p.Decide(e, policy.Context{Sandbox: sandbox})
		if always > 0 {
			if v.Decision == policy.Ask {
				always--
				added.Rules = append(added.Rules, v.Always...)
				p = mustNew(t, files...)
			}
			continue
		}
		of++
		if v.Decision != policy.Allow {
			asked++
		}
	}
	return asked, of
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
