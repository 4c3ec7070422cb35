package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMissingSuite(t *testing.T) {
	s := suite{name: "weaving", env: "TERRARIUM_TEST_NO_SUCH_SUITE", what: "a checkout of the weaving suite"}
	var notes notes
	if err := s.step(&notes).run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), s.env) {
		t.Errorf("conformance without the suite: got %v, want an error that names %s", err, s.env)
	}
	var w bytes.Buffer
	printNotRun(&w, []suite{s})
	const want = "NOT RUN weaving: TERRARIUM_TEST_NO_SUCH_SUITE is not set: it names a checkout of the weaving suite\n"
	if got := w.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}

	t.Setenv(s.env, "there")
	w.Reset()
	printNotRun(&w, []suite{s, {name: "spinning", env: s.env, npm: "tests/spinning"}})
	if got, want := w.String(), "NOT RUN spinning: make conformance does\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestNodeSuite: node is content where no test has the name of a suite, and a suite is not.
func TestNodeSuite(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	s := suite{name: "weaving", env: "TERRARIUM_TEST_WEAVERS", node: "weaving.test.mjs", only: "loom", npm: "weavers"}
	t.Setenv(s.env, "there")
	for _, passed := range []int{0, 3} {
		node := fmt.Sprintf("#!/bin/sh\nprintf 'TAP version 13\\n# tests 9\\n# pass %d\\n# fail 0\\n'\n", passed)
		if err := os.WriteFile(filepath.Join(bin, "node"), []byte(node), 0o755); err != nil {
			t.Fatal(err)
		}
		var notes notes
		if err := s.step(&notes).run(t.Context(), io.Discard); (err == nil) != (passed > 0) {
			t.Errorf("%d passed: got %v", passed, err)
		}
		if want := fmt.Sprintf("weaving: %d tests passed", passed); len(notes.said) != 1 || notes.said[0] != want {
			t.Errorf("got %q, want %q", notes.said, want)
		}
	}
}
