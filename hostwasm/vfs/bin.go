package vfs

import (
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// Bin returns what belongs at /bin: a file for each name, so that commands are
// found by those who look for files. content, called when a file is first
// opened or described and at most once for each, returns what is in it, which
// must not change any more; nil makes it a line with its name.
// Names that could not be in a directory are left out.
func Bin(names []string, content func(name string) []byte) FS {
	if content == nil {
		content = func(name string) []byte { return []byte("#!terrarium " + name + "\n") }
	}
	files := make(map[string]made, len(names))
	for _, name := range names {
		if plain(name) && !strings.Contains(name, "/") {
			files[name] = program(sync.OnceValue(func() []byte { return content(name) }))
		}
	}
	return newFlat(files)
}

// A program is a file in Bin: it returns its content.
type program func() []byte

func (program) kind() Type     { return RegularFile }
func (program) mode() Mode     { return ModeKnown | 0o755 }
func (p program) size() uint64 { return uint64(len(p())) }

func (p program) open(how How, s Stat) (File, error) {
	if how.Write || how.Truncate {
		return nil, errno.ROFS
	}
	return openProgram{made: s, content: p(), read: how.Read}, nil
}

type openProgram struct {
	made    Stat
	content []byte
	read    bool
}

func (f openProgram) ReadAt(p []byte, offset int64) (int, error) {
	switch {
	case !f.read:
		return 0, errno.BADF
	case offset < 0:
		return 0, errno.INVAL
	}
	return copy(p, f.content[min(offset, int64(len(f.content))):]), nil
}

func (f openProgram) Stat() (Stat, error)                { return f.made, nil }
func (openProgram) WriteAt([]byte, int64) (int, error)   { return 0, errno.BADF }
func (openProgram) Truncate(int64) error                 { return errno.BADF }
func (openProgram) Allocate(int64, int64) error          { return errno.BADF }
func (openProgram) SetTimes(Times) error                 { return errno.ROFS }
func (openProgram) Sync(bool) error                      { return nil }
func (openProgram) ReadDir(uint64, int) ([]Entry, error) { return nil, errno.NOTDIR }
func (openProgram) Close() error                         { return nil }
