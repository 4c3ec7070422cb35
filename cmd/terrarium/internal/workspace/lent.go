package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

// A LentError says that a directory's history is another repository's, which nobody has named. What
// writes in the directory, such as an agent's tool, could have it handed over so.
type LentError struct {
	Path  string // what leads there
	Leads string // where it leads, without symbolic links
}

func (e *LentError) Error() string {
	return printable.Text(e.Path) + " leads to " + printable.Text(e.Leads)
}

// checkOwn says what of the repository is neither in the tree nor in what was named.
//
// https://git-scm.com/docs/gitrepository-layout
func (t *Tree) checkOwn(ctx context.Context) error {
	text, err := t.git.line(ctx, "rev-parse", "--git-common-dir", "--absolute-git-dir", "--git-path", "objects")
	if err != nil {
		return err
	}
	dirs := strings.Split(text, "\n")
	if len(dirs) != 3 {
		return errors.New("git says of its directories what can't be")
	}
	for _, dir := range dirs[:2] { // of a worktree the second is in the first
		if _, err := t.own(".git", dir); err != nil {
			return err
		}
	}
	stores, err := t.alternates(ctx)
	if err != nil {
		return err
	}
	for _, store := range append(stores, dirs[2]) {
		if err := t.checkStore(store); err != nil {
			return err
		}
	}
	return nil
}

// own returns a directory of git's without symbolic links, if it is in the tree or was named.
func (t *Tree) own(name, dir string) (real string, err error) {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(t.git.dir, dir)
	}
	if real, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	if !isBelow(real, t.git.dir) && !t.isNamed(real) {
		return "", &LentError{filepath.Join(t.git.dir, name), real}
	}
	return real, nil
}

// isNamed reports whether a path without symbolic links is in a repository that was named.
func (t *Tree) isNamed(real string) bool {
	return slices.ContainsFunc(t.named, func(dir string) bool { return isBelow(real, dir) })
}

// isBelow reports whether a path is that of a directory, or of what is in it.
func isBelow(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// alternates returns the other directories that git takes objects from, and those that these name.
func (t *Tree) alternates(ctx context.Context) (dirs []string, err error) {
	text, err := t.git.line(ctx, "-c", "core.quotePath=false", "count-objects", "-v")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		dir, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "alternate: ")
		if !ok {
			continue
		}
		if strings.HasPrefix(dir, `"`) { // as a string of C
			if dir, err = strconv.Unquote(dir); err != nil {
				return nil, fmt.Errorf("git names a directory in another way: %w", err)
			}
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// maxStore is how many files a directory of objects may have. Git packs them long before.
const maxStore = 4_000_000

// checkStore looks for symbolic links in a directory of objects, which git follows.
func (t *Tree) checkStore(dir string) error {
	real, err := t.own(".git/objects", dir)
	if err != nil || t.isNamed(real) {
		return err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return err
	}
	defer root.Close()
	w := newWalker(root, ".", func(p string, d fs.DirEntry) error {
		if d.Type() != fs.ModeSymlink {
			return nil
		}
		p = filepath.Join(real, p)
		leads, err := filepath.EvalSymlinks(p)
		if err == nil && !t.isNamed(leads) {
			err = &LentError{p, leads}
		}
		return err
	})
	w.most = maxStore
	if err = w.walk("."); err == ErrTooMany {
		err = fmt.Errorf("%s: more than %d files: git gc packs them", printable.Text(real), maxStore)
	}
	return err
}
