package tests

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadme holds README.md's Go code against the example that is compiled and run.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../hostnative/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`(?ms)^func embed\(.*?^}\n`).FindString(string(example))
	_, section, _ := strings.Cut(string(readme), "\n## Embed it\n")
	block := regexp.MustCompile(`(?m)^(\t.*\n|\n)+`).FindString(section)
	got := strings.TrimSpace(regexp.MustCompile(`(?m)^\t`).ReplaceAllString(block, "")) + "\n"
	if want == "" || got != want {
		t.Errorf("got\n%s\nin README.md, want it as in hostnative/example_test.go:\n%s", got, want)
	}
}
