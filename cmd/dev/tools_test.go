package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestMissingToolIsNamed(t *testing.T) {
	list := []tool{
		{name: "go", probe: []string{"go", "version"}, debian: []string{"golang"}},
		{name: "loom", why: "the cloth is woven on it", probe: []string{"no-such-loom"}, debian: []string{"loom", "loom-yarn"}},
	}
	missing := missingTools(t.Context(), list)
	if len(missing) != 1 || missing[0].name != "loom" {
		t.Fatalf("got %v, want only the loom", missing)
	}
	got := missingMessage(missing)
	for _, want := range []string{"missing: loom (the cloth is woven on it)", "the Debian packages are: loom loom-yarn"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}

// A package asks its policy with "ssh start", say, and 101 is no.
func TestNoServiceStarts(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy-rc.d")
	failed := errors.New("failed")
	for _, want := range []error{nil, failed} {
		err := withoutServices(policy, func() error {
			cmd := exec.Command(policy, "ssh", "start")
			if cmd.Run(); cmd.ProcessState.ExitCode() != 101 {
				t.Errorf("got %v, want exit status 101", cmd.ProcessState)
			}
			return want
		})
		if err != want {
			t.Errorf("got %v, want %v", err, want)
		}
		if _, err := os.Stat(policy); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v, want nothing left", err)
		}
	}

	if err := os.WriteFile(policy, []byte("own"), 0o644); err != nil {
		t.Fatal(err)
	}
	withoutServices(policy, func() error { return nil })
	if got, err := os.ReadFile(policy); err != nil || string(got) != "own" {
		t.Errorf("got %q and %v, want the machine's own policy", got, err)
	}
}
