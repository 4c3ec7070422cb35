package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
)

// To compare files takes time, however short their diffs are: it is bounded, and can be
// interrupted.
func TestComparedBounded(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	open := func(dir string) *os.Root {
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		return root
	}
	var changes []workspace.Change
	for _, name := range []string{"a", "b", "c"} {
		if err := open(from).WriteFile(name, []byte("1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	scan, err := workspace.ScanAll(open(from))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range scan.Listing.Paths() {
		changes = append(changes, workspace.Change{Path: p, Now: scan.Listing[p]})
	}
	var b bytes.Buffer
	if err := workspace.Pack(&b, open(from), changes, nil, nil); err != nil {
		t.Fatal(err)
	}
	in, err := workspace.Receive(open(to), &b, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	w := &nearWorkspace{state: &workspace.State{Dir: to}, scan: scan}
	var all pulled
	d := &diffs{left: maxDiffs, compare: 3} // a has two
	if err := w.show(t.Context(), &all, in.Changes(), in, d); err != nil {
		t.Fatal(err)
	}
	var hidden []bool
	for _, c := range all.Changes {
		hidden = append(hidden, c.Hidden)
	}
	if want := []bool{false, false, true}; !slices.Equal(hidden, want) {
		t.Errorf("got hidden %v, want %v", hidden, want)
	}
	if got, want := d.why(), "the files of those before have more than 512.0MiB"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	stop := errors.New("it was interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := w.show(ctx, &all, in.Changes(), in, &diffs{left: maxDiffs, compare: maxCompared}); !errors.Is(err, stop) {
		t.Errorf("got %v, want %v", err, stop)
	}
}
