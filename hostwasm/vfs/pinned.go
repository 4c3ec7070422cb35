package vfs

import (
	"maps"
	"slices"
)

// firstPinned is the cookie of the first mount point in a directory: they come
// after what the file system has.
const firstPinned = 3 << 62

// A pinnedDir is an open directory that leads to mount points.
type pinnedDir struct {
	File // without them
	at   place
}

// Settle implements Settler for what is there without them.
func (d *pinnedDir) Settle(wait Wait) error { return Settle(d.File, wait) }

func (d *pinnedDir) ReadDir(cookie uint64, max int) ([]Entry, error) {
	for cookie < firstPinned {
		entries, err := d.File.ReadDir(cookie, max)
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			cookie = firstPinned
			break
		}
		cookie = entries[len(entries)-1].Next
		entries = slices.DeleteFunc(entries, func(e Entry) bool { return d.at.node.children[e.Name] != nil })
		if len(entries) > 0 {
			return entries, nil
		}
	}
	names := slices.Sorted(maps.Keys(d.at.node.children))
	from := min(cookie-firstPinned, uint64(len(names)))
	var entries []Entry
	for _, name := range names[from:] {
		if len(entries) >= max {
			break
		}
		cookie++
		e := Entry{Name: name, Type: Directory, Next: cookie}
		if s, err := d.at.tree.place(join(d.at.path, name), nil).lstat(); err == nil {
			e.Ino = s.Ino
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// An emptyDir is an open directory that only the Tree has.
type emptyDir struct {
	directory
	node *node
}

func (d emptyDir) Stat() (Stat, error) { return d.node.stat(), nil }

func (d emptyDir) ReadDir(cookie uint64, max int) ([]Entry, error) {
	return dots(nil, d.node.ino, cookie, max), nil
}
