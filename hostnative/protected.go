package hostnative

import (
	"os"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
	"github.com/terrarium-dev/terrarium/hostnative/internal/protect"
)

// IsProtected reports whether a file is one that a Sandbox with that root puts back when a command
// has changed it: it is for who writes files in the place of commands. Both paths are absolute; the
// file need not be there. It goes by names, and by where links lead, of which either is enough:
// the links may be replaced together with what is written. It does not know what git's
// configuration leads to.
func IsProtected(root, name string) bool { return NewProtectedFiles(root).Has(name) }

// ProtectedFiles answer IsProtected for many files of a root. They look at each directory once, so
// they may not know of what has changed since. They are for one goroutine.
type ProtectedFiles struct {
	root, real string // real is root without links
	cover      *protect.Cover
	dirs       map[string]realDir // by their names
}

// A realDir is a directory without links, as far as it is there.
type realDir struct {
	path    string
	missing bool
}

// NewProtectedFiles returns those of a root, which is absolute.
func NewProtectedFiles(root string) *ProtectedFiles {
	var homes []string
	if home, err := os.UserHomeDir(); err == nil {
		homes = append(homes, confine.Resolve(home))
	}
	real := confine.Resolve(root)
	return &ProtectedFiles{
		root: filepath.Clean(root), real: real, cover: protect.NewCover(real, homes), dirs: make(map[string]realDir),
	}
}

// Has is IsProtected. name is absolute.
func (f *ProtectedFiles) Has(name string) bool {
	return f.covers(f.root, name) || f.covers(f.real, f.leadsTo(name))
}

func (f *ProtectedFiles) covers(root, name string) bool {
	rel, err := filepath.Rel(root, name)
	return err == nil && filepath.IsLocal(rel) && f.cover.Has(filepath.ToSlash(rel))
}

// leadsTo is leadsTo for a file whose directory may be known.
func (f *ProtectedFiles) leadsTo(name string) string {
	dir := f.dir(filepath.Dir(name))
	name = filepath.Join(dir.path, filepath.Base(name))
	if dir.missing {
		return name
	}
	return leadsTo(name)
}

// dir resolves a directory. Below one that is not there, nothing is looked for.
func (f *ProtectedFiles) dir(name string) realDir {
	d, known := f.dirs[name]
	if known {
		return d
	}
	if above := filepath.Dir(name); above == name {
		d.path = name
	} else {
		d = f.dir(above)
		d.path = filepath.Join(d.path, filepath.Base(name))
	}
	if !d.missing {
		real, err := filepath.EvalSymlinks(d.path)
		if d.missing = err != nil; !d.missing {
			d.path = real
		}
	}
	f.dirs[name] = d
	return d
}

// maxLinks is how many links to nothing are followed, as by the kernel.
const maxLinks = 40

// leadsTo returns where a path leads to, also where nothing is there yet: who writes to a link
// makes what it leads to.
func leadsTo(name string) string {
	for range maxLinks {
		name = confine.Resolve(name)
		to, err := os.Readlink(name)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return name
}
