package protect

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Cover knows which files are protected for how they are called. It looks at each directory once,
// so it may not know of what has changed since. It is for one goroutine.
type Cover struct {
	root  string
	homes []string
	roles map[string]*role // of directories, by their paths below root; nil: nothing is protected
}

// NewCover returns the Cover of what is below a root, which is without links. homes are home
// directories, absolute and without links.
func NewCover(root string, homes []string) *Cover {
	return &Cover{root, homes, make(map[string]*role)}
}

// Has reports whether a file is protected. name is its path below the root, clean, and it need not
// be there. Links in it are taken for directories. What git's configuration leads to is not asked
// about.
//
// Capital letters count as small ones: the file system may take them for the same.
func (c *Cover) Has(name string) bool {
	r := c.role(path.Dir(name))
	return r != nil && r.covers(path.Base(name))
}

// role returns what a directory is, or nil if nothing is protected in it or below.
func (c *Cover) role(dir string) *role {
	r, known := c.roles[dir]
	if known {
		return r
	}
	if dir == "." {
		r = rootRole(c.root)
	} else if above := c.role(path.Dir(dir)); above != nil {
		r = above.next(path.Base(dir))
	}
	if r != nil {
		r = r.at(filepath.Join(c.root, dir), c.homes)
	}
	c.roles[dir] = r
	return r
}

// next returns what a directory of that name is in one that is r, or nil as Cover.role does.
func (r *role) next(base string) *role {
	next, ok := folded(r.dirs, base)
	if !ok {
		next = r.below
	}
	if next == nil || next.below == plain && skipped[base] {
		return nil
	}
	return next
}

// at returns what a directory is that is r for how it is called, for what it is.
func (r *role) at(dir string, homes []string) *role {
	if slices.Contains(homes, dir) {
		r = home
	}
	switch {
	case r == gitDirs && isGit(dir):
		return gitDir
	case (r == plain || r == home) && isGit(dir):
		return bare
	}
	return r
}

// covers reports whether a file of a directory is protected, or what stands in the place of a
// directory that has such.
func (r *role) covers(name string) bool {
	if _, ok := folded(r.files, name); ok {
		return true
	}
	if dir, ok := folded(r.dirs, name); ok && dir != nil {
		return true
	}
	_, ok := r.file(strings.ToLower(name))
	return ok
}

// folded returns the value of a name, or of one that is but for the case of its letters.
func folded[V any](m map[string]V, name string) (v V, ok bool) {
	if v, ok = m[name]; ok {
		return v, true
	}
	for known, v := range m {
		if strings.EqualFold(known, name) {
			return v, true
		}
	}
	return v, false
}

// isGit is looksGit for a directory.
func isGit(dir string) bool {
	return looksGit(func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}
