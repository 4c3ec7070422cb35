package tests

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestDocuments runs the commands of all documents, each document's in a directory of its own that
// holds a small project. What stands in the line above a block says what is done with it:
//
//	<!-- not run: WHY -->      nothing
//	<!-- file: NAME -->        the directory has it under this name from here on
//	<!-- transcript -->        "terrarium serve --stdio" is talked to (transcript_test.go)
//
// Without that a block of "sh" is run and must succeed. In a block of "console" what stands behind
// "$ " is run and must print what follows: "…" stands for anything in a line, and alone for any
// lines. In blocks of no language a command is found by its name, and must be in notRun.
func TestDocuments(t *testing.T) {
	nativeHost(t)
	watchModule(t)
	dir := t.TempDir()
	blocks := make(map[string]*block)
	used := make(map[excuse]bool)
	for _, d := range documents(t) {
		var script strings.Builder
		for _, b := range d.blocks {
			if !b.runs() {
				for _, line := range b.strayCommands() {
					i := slices.IndexFunc(notRun, func(e excuse) bool { return e.covers(d.path, line) })
					if i < 0 {
						t.Errorf("%s:%d: %s: nothing runs it: mark the block, or add it to notRun", d.path, b.line, line)
						continue
					}
					used[notRun[i]] = true
				}
				continue
			}
			name := fmt.Sprintf("%s:%d", d.path, b.line)
			blocks[name] = b
			fmt.Fprintf(&script, "%sblock %s\n", b.conditions(), name)
		}
		if script.Len() == 0 {
			continue
		}
		name := strings.ReplaceAll(strings.TrimSuffix(d.path, ".md"), "/", "_") + ".txtar"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script.String()+project), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range notRun {
		if !used[e] {
			t.Errorf("notRun has %q of %s, which is not there", e.line, e.document)
		}
	}
	params := scripts(t, dir)
	params.Cmds["block"] = func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: block DOCUMENT:LINE")
		}
		if err := blocks[args[0]].run(ts); err != nil {
			ts.Fatalf("%s: %v", args[0], err)
		}
	}
	testscript.Run(t, params)
}

// project is what the directory of a document has.
const project = `
-- main.go --
package main

// TODO: read the name from the arguments
func main() {
	println("hello") // TODO: in French, too
}
-- Makefile --
test:
	@echo tested
`

// An excuse is the beginning of command lines in documents whose path begins so, or that have this
// name in any folder, and why no test runs them.
type excuse struct{ document, line, why string }

func (e excuse) covers(document, line string) bool {
	return (strings.HasPrefix(document, e.document) || path.Base(document) == e.document) && strings.HasPrefix(line, e.line)
}

var notRun = []excuse{
	{"CONTRIBUTING.md", "GOOS=", "make test does the same for many packages"},
	{"RATIONALE.md", "go test ", "it measures"},
	{"cmd/terrarium/internal/starter/templates/", "", "the tests of harness new do"},
	{"plugins/box/OILS.md", "TERRARIUM_OILS_SPEC=", "it needs the suite of others"},
	{"tests/acp/README.md", "go test ", "it is a test"},
	{"web/", "npm install", "it needs the network"},
	{"web/", "npx ", "it serves until it is stopped"},
}

var (
	aCommand = regexp.MustCompile(`^(\$ )?([A-Z_]+=\S+ +)*(terrarium|\./terrarium|go|make|git|npm|npx|node|cargo|rustc|python3?|pip|curl|jq|claude|codex|sudo|apt-get|docker)( |$)`)
	// takes are what parts of commands need, as conditions of scripts.
	takes = []struct {
		part      *regexp.Regexp
		condition string
	}{
		{regexp.MustCompile(`--host wasm`), "[box]"},
		{regexp.MustCompile(`--sandbox (workspace|strict)`), "[landlock]"},
		{regexp.MustCompile(`-- make\b`), "[exec:make]"},
	}
)

func (b *block) runs() bool {
	if strings.HasPrefix(b.note, "not run: ") {
		return false
	}
	return b.lang == "sh" || b.lang == "console" || b.note == "transcript" || strings.HasPrefix(b.note, "file: ")
}

// strayCommands returns commands in a block that nobody has said of what it is.
func (b *block) strayCommands() (found []string) {
	if b.lang != "" || strings.HasPrefix(b.note, "not run: ") {
		return nil
	}
	for line := range strings.Lines(b.text) {
		if line = strings.TrimSpace(line); aCommand.MatchString(line) {
			found = append(found, line)
		}
	}
	return found
}

func (b *block) conditions() (prefix string) {
	for _, take := range takes {
		if take.part.MatchString(b.text) {
			prefix += take.condition + " "
		}
	}
	return prefix
}

func (b *block) run(ts *testscript.TestScript) error {
	name, isFile := strings.CutPrefix(b.note, "file: ")
	switch {
	case isFile:
		return os.WriteFile(ts.MkAbs(name), []byte(b.text), 0o666)
	case b.note == "transcript":
		file := ts.MkAbs("transcript-" + strconv.Itoa(b.line))
		if err := os.WriteFile(file, []byte(b.text), 0o666); err != nil {
			return err
		}
		defer os.Remove(file)
		transcript(ts, false, []string{file})
		return nil
	case b.lang == "sh":
		out, err := command(ts, "sh", "-ec", b.text).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		return nil
	}
	for line, want := range b.typed() {
		out, err := command(ts, "sh", "-c", line).CombinedOutput()
		if got := string(bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n"))); !shows(want).MatchString(got) {
			return fmt.Errorf("%s: got %v and\n%s\nwant\n%s", line, err, got, want)
		}
	}
	return nil
}

// typed yields the commands of a block of "console", and what each prints.
func (b *block) typed() func(yield func(line, want string) bool) {
	return func(yield func(line, want string) bool) {
		for _, part := range strings.Split("\n"+b.text, "\n$ ")[1:] {
			line, want, _ := strings.Cut(part+"\n", "\n")
			if !yield(line, strings.TrimRight(want, "\n")) {
				return
			}
		}
	}
}

// shows returns what matches the output that a document shows.
func shows(want string) *regexp.Regexp {
	var lines []string
	for _, line := range strings.Split(want, "\n") {
		if line == "…" {
			lines = append(lines, `(?s:.*)`)
			continue
		}
		lines = append(lines, strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*"))
	}
	return regexp.MustCompile(`\A` + strings.Join(lines, "\n") + `\n*\z`)
}

func TestShows(t *testing.T) {
	for _, test := range []struct {
		want, got string
		ok        bool
	}{
		{"a", "a\n", true},
		{"a", "a\nb\n", false},
		{"a … c", "a b c\n", true},
		{"a …c", "a \nc\n", false},
		{"a\n…", "a\nb\nc\n", true},
		{"…\nc", "a\nc\n", true},
		{"a.", "ab\n", false},
		{"", "", true},
		{"", "x\n", false},
	} {
		if shows(test.want).MatchString(test.got) != test.ok {
			t.Errorf("%q shows %q: got %v, want %v", test.want, test.got, !test.ok, test.ok)
		}
	}
	b := block{text: "$ one\n1\n\n2\n$ two\n", lang: "console"}
	var got []string
	for line, want := range b.typed() {
		got = append(got, line, want)
	}
	if want := []string{"one", "1\n\n2", "two", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
