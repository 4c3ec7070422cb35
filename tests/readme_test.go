package tests

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadme holds the Go programs of documents against examples that are compiled: each is the
// same but for what makes it a program.
func TestReadme(t *testing.T) {
	for _, program := range []struct{ document, heading, example string }{
		{"README.md", "## Embed it", "hostnative/example_test.go"},
		{"docs/embedding.md", "### The sandbox", "hostwasm/worker/example_test.go"},
	} {
		document, err := os.ReadFile("../" + program.document)
		if err != nil {
			t.Fatal(err)
		}
		example, err := os.ReadFile("../" + program.example)
		if err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(string(document), "\n"+program.heading+"\n")
		_, block, _ := strings.Cut(section, "\n```go\n")
		got, _, ok := strings.Cut(block, "```\n")
		if !ok {
			t.Errorf("got no block of Go in %s, below %q", program.document, program.heading)
			continue
		}
		if diff := cmp.Diff(asProgram(string(example)), got); diff != "" {
			t.Errorf("%s differs from %s (- is the example):\n%s", program.document, program.example, diff)
		}
	}
}

// asProgram returns what a reader of a document would write in the place of an example.
func asProgram(example string) string {
	for _, r := range []struct{ from, to string }{
		{`(?m)\A//go:build .*\n\n`, ""},
		{`(?m)^package .*`, "package main"},
		{`(?m)^// (README|docs/embedding)\.md .*\n`, ""},
		{`(?m)^func Example\(`, "func main("},
		{`(?m)^\t// Output:\n(\t// .*\n)*`, ""},
	} {
		example = regexp.MustCompile(r.from).ReplaceAllString(example, r.to)
	}
	return example
}
