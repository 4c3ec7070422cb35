package main

import (
	"bytes"
	"io"
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
