package protect

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Covers reports whether a file is protected for how it is called. name is its path below root,
// which is without links, and it need not be there. Links in name are taken for directories. homes
// are home directories, absolute and without links. What git's configuration leads to is not asked
// about.
//
// Capital letters count as small ones: the file system may take them for the same.
func Covers(root, name string, homes []string) bool {
	role, at := rootRole(root), root
	for dir, base := range steps(name) {
		if at = filepath.Join(root, dir); slices.Contains(homes, at) {
			role = home
		}
		switch {
		case role == gitDirs && isGit(at):
			role = gitDir
		case (role == plain || role == home) && isGit(at):
			role = bare
		}
		if path.Join(dir, base) == name {
			return role.covers(base)
		}
		next, ok := folded(role.dirs, base)
		if !ok {
			next = role.below
		}
		if next == nil || next.below == plain && skipped[base] {
			return false
		}
		role = next
	}
	return false
}

// steps are those of a path: where each begins, and what it leads into.
func steps(name string) func(yield func(dir, base string) bool) {
	return func(yield func(dir, base string) bool) {
		dir := "."
		for _, base := range strings.Split(name, "/") {
			if !yield(dir, base) {
				return
			}
			dir = path.Join(dir, base)
		}
	}
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
