package rulebook

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/core/policy"
)

// Exposed says who else may write a file of the layer, or put another in its place: a command of a
// session that has these roots, or a user who is neither this one nor root. A managed file is
// root's alone. It is nil if nobody may.
//
// The directories that lead to the file count, and those that lead to a symbolic link on its way.
func Exposed(name string, layer policy.Layer, roots []string) error {
	file := real(name)
	info, err := os.Stat(file)
	if err != nil {
		return named(name, err)
	}
	for _, root := range roots {
		l := lookup{roots: []string{real(root)}}
		if l.roots[0] == "/" {
			continue
		}
		if l.below(file) || l.below(real(filepath.Dir(name))) {
			return fmt.Errorf("%s: commands may change it: it lies in %s, which a session hands over", name, root)
		}
	}
	if why := exposes(info, layer); why != "" {
		return fmt.Errorf("%s: %s", name, why)
	}
	looked := make(map[string]bool)
	for _, way := range ways(name) {
		for dir := filepath.Dir(way); !looked[dir]; dir = filepath.Dir(dir) {
			looked[dir] = true
			info, err := os.Stat(dir)
			if err != nil || info.Mode()&fs.ModeSticky != 0 && !foreign(info, layer) {
				continue // there the names of others are safe
			}
			if why := exposes(info, layer); why != "" {
				return fmt.Errorf("%s: its directory %s: %s", name, dir, why)
			}
		}
	}
	return nil
}

// Exposed says the same of the files that hold for all sessions.
func (b *Book) Exposed() (errs []error) {
	for _, s := range b.own() {
		if f, err := s.file(); f == nil || err != nil {
			continue
		}
		if err := Exposed(s.name, s.layer, nil); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// exposes says why others may write what info is of, or "".
func exposes(info fs.FileInfo, layer policy.Layer) string {
	switch {
	case foreign(info, layer) && layer == policy.Managed:
		return "it does not belong to root"
	case foreign(info, layer):
		return "it belongs to another user"
	case everybodys(info) || info.Mode()&0o020 != 0 && !ownGroup(info):
		return fmt.Sprintf("other users may write it (%v): chmod go-w", info.Mode().Perm())
	}
	return ""
}

// foreign reports whether somebody owns it who may change a file of the layer in no other way.
func foreign(info fs.FileInfo, layer policy.Layer) bool {
	uid, ok := owner(info)
	return ok && uid != 0 && (layer == policy.Managed || uid != os.Geteuid())
}

// maxLinks are followed, as by the kernel.
const maxLinks = 40

// ways are the names by which the file is come to: its own, those of the symbolic links that it
// leads to, and the last without any.
func ways(name string) []string {
	all := []string{name}
	for at := name; len(all) <= maxLinks; all = append(all, at) {
		to, err := os.Readlink(at)
		if err != nil {
			break
		}
		if at = to; !filepath.IsAbs(to) {
			at = filepath.Join(real(filepath.Dir(all[len(all)-1])), to)
		}
	}
	return append(all, real(name))
}
