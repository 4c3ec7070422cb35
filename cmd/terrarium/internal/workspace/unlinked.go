package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// IgnoredUnlinked is Ignored for paths that lead through symbolic links, as if these were gone: git
// itself says nothing of such paths. So it is asked in a tree that has none, and of ours no more
// than the files that say what is ignored.
func (t *Tree) IgnoredUnlinked(ctx context.Context, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	store, err := t.git.line(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "terrarium-ignored-")
	if err != nil {
		return nil, fmt.Errorf("no directory to ask git in what it ignores: %w", err)
	}
	defer os.RemoveAll(tmp)
	if tmp, err = filepath.Abs(tmp); err != nil { // TMPDIR may be relative, and git runs in it
		return nil, err
	}
	c, err := newIgnoreCopier(t.git.dir, tmp)
	if err != nil {
		return nil, err
	}
	defer c.close()
	for _, p := range paths {
		if err := c.copy(p); err != nil {
			return nil, err
		}
	}
	git := &gitRunner{dir: tmp, env: []string{"GIT_DIR=" + store, "GIT_WORK_TREE=" + tmp}, patience: t.git.patience}
	return ignored(ctx, git, paths)
}

// An ignoreCopier copies the files that say what git ignores.
//
// https://git-scm.com/docs/gitignore
type ignoreCopier struct {
	from  *os.Root
	to    string
	links *Links
	done  map[string]bool // directories, which are here
	left  int64           // bytes that may be copied
}

const (
	ignoreFile = ".gitignore"
	maxIgnore  = 16 << 20 // bytes of all of them
)

func newIgnoreCopier(from, to string) (*ignoreCopier, error) {
	root, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	return &ignoreCopier{root, to, NewLinks(root), make(map[string]bool), maxIgnore}, nil
}

func (c *ignoreCopier) close() { c.from.Close() }

// copy copies those that hold for a path, up to the first link that leads there.
func (c *ignoreCopier) copy(p string) error {
	if err := c.copyOf("."); err != nil {
		return err
	}
	for dir := range above(p) {
		if c.links.typeOf(dir) != fs.ModeDir {
			return nil
		}
		if err := c.copyOf(dir); err != nil {
			return err
		}
	}
	return nil
}

// copyOf copies that of a directory, once.
func (c *ignoreCopier) copyOf(dir string) error {
	if c.done[dir] {
		return nil
	}
	c.done[dir] = true
	name := path.Join(dir, ignoreFile)
	// Git follows no link to such a file.
	info, err := c.from.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ignoreMissing(err)
	}
	f, err := openFile(c.from, name)
	if err != nil {
		return ignoreMissing(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, c.left+1))
	if err != nil {
		return err
	}
	if c.left -= int64(len(text)); c.left < 0 {
		return &PathError{name, fmt.Sprintf("more than %d MiB of files that say what git ignores", maxIgnore>>20)}
	}
	to := filepath.Join(c.to, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}

// ignoreMissing returns nil if nothing is there.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
