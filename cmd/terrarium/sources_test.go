package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWithHome(t *testing.T) {
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ home, want string }{
		{"", "why: set HOME"},
		{t.TempDir(), "why"},
		{filepath.Join(closed, "nosuch"), "why: set HOME to a directory that you may read: it is " + closed + "/nosuch"},
	} {
		t.Setenv("HOME", test.home)
		if f, err := os.Open(closed); err == nil && filepath.Dir(test.home) == closed {
			f.Close()
			continue // root may read it
		}
		if err := withHome(errors.New("why")); err.Error() != test.want {
			t.Errorf("HOME=%s: got %q, want %q", test.home, err, test.want)
		}
	}
	if err := withHome(nil); err != nil {
		t.Errorf("got %v of no error", err)
	}
}
