//go:build linux || darwin

package guard

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A place is a directory but for some below it, which are other places. It is what a file
// says of an area.
type place struct {
	Root     string // without links
	Dev, Ino uint64
	Except   []string

	dir string // of its files
}

// newPlace returns the place of a directory that no known one has.
func newPlace(root string, known []place) (place, error) {
	var st unix.Stat_t
	if err := unix.Lstat(root, &st); err != nil {
		return place{}, &fs.PathError{Op: "stat", Path: root, Err: err}
	}
	p := place{Root: root, Dev: uint64(st.Dev), Ino: st.Ino}
	for _, k := range known {
		if k.Root != root && within(k.Root, root) {
			p.Except = append(p.Except, k.Root)
		}
	}
	slices.Sort(p.Except)
	p.Except = slices.Compact(p.Except)
	all := p.Except
	p.Except = slices.DeleteFunc(slices.Clone(all), func(e string) bool { // the outermost
		return slices.ContainsFunc(all, func(o string) bool { return o != e && within(e, o) })
	})
	return p, nil
}

// key names a place's directory.
func (p place) key() string {
	sum := sha256.Sum256([]byte(p.Root + "\x00" + strings.Join(p.Except, "\x00")))
	return fmt.Sprintf("%x-%x-%x", p.Dev, p.Ino, sum[:6])
}

// covers reports whether a directory itself is in p.
func (p place) covers(dir string) bool {
	return within(dir, p.Root) && !slices.ContainsFunc(p.Except, func(e string) bool { return within(dir, e) })
}

// holes are what of a directory that p covers it does not have.
func (p place) holes(dir string) []string {
	return slices.DeleteFunc(slices.Clone(p.Except), func(e string) bool { return !within(e, dir) })
}

// still reports whether the directory is the one that it was.
func (p place) still() bool {
	var st unix.Stat_t
	return unix.Lstat(p.Root, &st) == nil && st.Ino == p.Ino && uint64(st.Dev) == p.Dev
}

// within reports whether a path is a directory, or below it.
func within(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// maxActive bounds the places that are used at once by all programs of a user.
const maxActive = 4096

var errTooMany = errors.New("too many directories are used at once")

// active returns the places that some program uses, and removes what nobody does.
// State is locked.
func (g *Guard) active() ([]place, error) {
	at := filepath.Join(g.config.State, "areas")
	names, err := g.listed.names(at)
	if err != nil {
		return nil, err
	}
	if len(names) > maxActive {
		return nil, errTooMany
	}
	var known []place
	for _, name := range names {
		dir := filepath.Join(at, name)
		mendArea(dir)
		if a := g.own(dir); a != nil {
			if used(dir) {
				known = append(known, a.place)
			}
			continue // we may use it again
		}
		p := place{dir: dir}
		text, err := os.ReadFile(filepath.Join(dir, "place"))
		if err != nil || json.Unmarshal(text, &p) != nil || !used(dir) {
			if err := os.RemoveAll(dir); err != nil {
				return nil, err
			}
			continue
		}
		known = append(known, p)
	}
	return known, nil
}

// used reports whether a program uses the area in dir. State is locked.
func used(dir string) bool {
	f, err := openLock(filepath.Join(dir, "users"), 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return flock(f, unix.LOCK_EX) != nil
}
