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
func IsProtected(root, name string) bool {
	real := confine.Resolve(root)
	var homes []string
	if home, err := os.UserHomeDir(); err == nil {
		homes = append(homes, confine.Resolve(home))
	}
	covers := func(root, name string) bool {
		rel, err := filepath.Rel(root, name)
		return err == nil && filepath.IsLocal(rel) && protect.Covers(real, filepath.ToSlash(rel), homes)
	}
	return covers(root, name) || covers(real, leadsTo(name))
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
