package hostnative

import (
	"os"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
	"github.com/terrarium-dev/terrarium/hostnative/internal/protect"
)

// IsProtected reports whether a file is one that a Sandbox with that root puts back when a command
// has changed it: it is for who writes files in the place of commands. Both paths are absolute; the
// file need not be there. It goes by names, and by where links lead, but does not know what git's
// configuration leads to.
func IsProtected(root, name string) bool {
	root = confine.Resolve(root)
	rel, err := filepath.Rel(root, leadsTo(name))
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	var homes []string
	if home, err := os.UserHomeDir(); err == nil {
		homes = append(homes, confine.Resolve(home))
	}
	return protect.Covers(root, filepath.ToSlash(rel), homes)
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
