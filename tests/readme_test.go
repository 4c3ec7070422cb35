package tests

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadme holds README.md's Go program against the example that is compiled and run: it is the
// same but for what makes it a program.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../hostnative/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## Embed it\n")
	_, block, _ := strings.Cut(section, "\n```go\n")
	got, _, ok := strings.Cut(block, "```\n")
	if !ok {
		t.Fatal("got no block of Go in README.md, below Embed it")
	}
	if diff := cmp.Diff(asProgram(string(example)), got); diff != "" {
		t.Errorf("README.md differs from hostnative/example_test.go (- is the example):\n%s", diff)
	}
}

// asProgram returns what a reader of README.md would write in the place of an example.
func asProgram(example string) string {
	for _, r := range []struct{ from, to string }{
		{`(?m)\A//go:build .*\n\n`, ""},
		{`(?m)^package .*`, "package main"},
		{`(?m)^// README\.md .*\n`, ""},
		{`(?m)^func Example\(`, "func main("},
		{`(?m)^\t// Output:\n(\t// .*\n)*`, ""},
	} {
		example = regexp.MustCompile(r.from).ReplaceAllString(example, r.to)
	}
	return example
}
