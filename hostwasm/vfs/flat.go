package vfs

import (
	"maps"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A flat is a file system of one directory, whose files are made up. Nothing
// can be made or removed in it.
type flat struct {
	readOnly // of the flat itself: why it cannot be changed
	names    []string
	files    map[string]made
}

// A made is a file of a flat.
type made interface {
	kind() Type
	mode() Mode
	size() uint64
	open(how How, s Stat) (File, error)
}

func newFlat(files map[string]made) *flat {
	f := &flat{names: slices.Sorted(maps.Keys(files)), files: files}
	f.readOnly = readOnly{f}
	return f
}

func (f *flat) Lstat(name string) (Stat, error) {
	if name == "." {
		return Stat{Ino: 1, Type: Directory, Mode: ModeKnown | 0o755, Nlink: 2}, nil
	}
	first, _, deeper := strings.Cut(name, "/")
	file := f.files[first]
	switch {
	case file == nil:
		return Stat{}, errno.NOENT
	case deeper:
		return Stat{}, errno.NOTDIR
	}
	i, _ := slices.BinarySearch(f.names, name)
	return Stat{Ino: uint64(i) + 2, Type: file.kind(), Mode: file.mode(), Nlink: 1, Size: file.size()}, nil
}

func (f *flat) Open(name string, how How) (File, error) {
	s, err := f.Lstat(name)
	switch {
	case err == errno.NOENT && how.Create:
		return nil, f.create(name)
	case err != nil:
		return nil, err
	case how.Create && how.Exclusive:
		return nil, errno.EXIST
	case s.Type == Directory:
		return flatDir{fs: f}, nil
	case how.Directory:
		return nil, errno.NOTDIR
	}
	return f.files[name].open(how, s)
}

func (f *flat) Readlink(name string) (string, error) {
	if _, err := f.Lstat(name); err != nil {
		return "", err
	}
	return "", errno.INVAL
}

func (f *flat) Close() error { return nil }

// A flatDir is the open directory of a flat.
type flatDir struct {
	directory
	fs *flat
}

func (d flatDir) Stat() (Stat, error) { return d.fs.Lstat(".") }

func (d flatDir) ReadDir(cookie uint64, max int) ([]Entry, error) {
	entries := dots(nil, 1, cookie, max)
	if len(entries) >= max {
		return entries, nil // the names begin behind the dots
	}
	from := min(cookie+uint64(len(entries)), uint64(len(d.fs.names))+2)
	for _, name := range d.fs.names[from-2:] {
		if len(entries) >= max {
			break
		}
		from++
		entries = append(entries, Entry{Name: name, Type: d.fs.files[name].kind(), Ino: from - 1, Next: from})
	}
	return entries, nil
}
