package rulebook

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	for _, dir := range directories(name) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode()&fs.ModeSticky != 0 && !foreign(info, layer) {
			continue // there the names of others are safe
		}
		if why := exposes(info, layer); why != "" {
			return fmt.Errorf("%s: its directory %s: %s", name, dir, why)
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

// exposes says why others may write what info is of, or "". Where the system tells no owners, modes
// do not tell who may, either.
func exposes(info fs.FileInfo, layer policy.Layer) string {
	_, known := owner(info)
	switch {
	case !known:
		return ""
	case foreign(info, layer) && layer == policy.Managed:
		return "it does not belong to root"
	case foreign(info, layer):
		return "it belongs to another user"
	case everybodys(info) || info.Mode()&0o020 != 0 && !ownGroup(info):
		return fmt.Sprintf("other users may write it (%v): chmod go-w", info.Mode().Perm())
	}
	return ""
}

// foreign reports whether it belongs to a user who should have no say in files of the layer.
func foreign(info fs.FileInfo, layer policy.Layer) bool {
	uid, ok := owner(info)
	return ok && uid != 0 && (layer == policy.Managed || uid != os.Geteuid())
}

// maxLinks are followed, as by the kernel.
const maxLinks = 40

// directories are those in which a name is looked up on the way to a file, from the root on: its
// own, and those that symbolic links lead through. name is absolute.
func directories(name string) (all []string) {
	const separator = string(filepath.Separator)
	root := filepath.VolumeName(name) + separator
	at, rest, links := root, strings.Split(name[len(root):], separator), 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		if !slices.Contains(all, at) {
			all = append(all, at)
		}
		next := filepath.Join(at, part) // at has no links, so ".." is what is above it
		to, err := os.Readlink(next)
		switch {
		case err != nil:
			at = next
			continue
		case links == maxLinks:
			return all
		case filepath.IsAbs(to):
			at = root
		}
		links++
		rest = append(strings.Split(to, separator), rest...)
	}
	return all
}
