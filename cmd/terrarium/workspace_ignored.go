package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
)

// agreedToIgnored asks whether what git ignores shall be handed over with the rest, where nobody
// knows what that is. It may have secrets, as .env has.
func (w *nearWorkspace) agreedToIgnored(ctx context.Context, changes []workspace.Change) error {
	goes := slices.ContainsFunc(changes, func(c workspace.Change) bool { return c.Now.Kind != workspace.None })
	switch {
	case w.tree != nil || !goes:
		return nil
	case w.unsorted == nil:
		w.tellOuter()
		return nil
	}
	dir := printable.Text(w.state.Dir)
	ok, err := agree(ctx, fmt.Sprintf("%s: %v, so what git ignores goes to %s with the rest: hand it over?", dir, w.unsorted, w.place))
	switch {
	case errors.Is(err, errNobody):
		return fmt.Errorf("%s: %w, so what git ignores would be handed over with the rest, and nobody is there to be asked", dir, w.unsorted)
	case err == nil && !ok:
		return errors.New("not handed over")
	}
	return err
}

// tellOuter says that all of a directory goes where it is a part of a git tree.
func (w *nearWorkspace) tellOuter() {
	for dir := filepath.Dir(w.state.Dir); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			warn(os.Stderr, fmt.Errorf("%s is not the top of the git tree %s, so what git ignores is handed over, too", w.state.Dir, dir))
			return
		}
		if isRoot(dir) {
			return
		}
	}
}
