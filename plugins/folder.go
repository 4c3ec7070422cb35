package plugins

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// A Built says what a module in a folder was made of.
type Built struct {
	// Version is this module's, of which the source was: "v1.2.3", or Devel.
	Version string `json:"version"`
	// Source is what it was built from, for people: a module with its version, or a
	// directory; or the file that it was.
	Source string `json:"source"`
	// Sum is that of the source as go.sum has it, where it was a release.
	Sum string `json:"sum,omitempty"`
	// Go is the release of Go that built it, "go1.26.1", or empty.
	Go string `json:"go,omitempty"`
	// File and Size are the module's path, and how many bytes it has.
	File string `json:"-"`
	Size int64  `json:"-"`
}

// A folder is one file of a folder, or why it can't be had.
type folder struct {
	dir    string
	record *record
	piece  piece
	err    error
}

// In returns the modules of this program, and of those that it was built without those
// that Build or Install has put into dir. What is part of the program wins: that is made
// for it. For the same reason one in dir is only taken where it is of this program's
// version. Of one that can't be taken, Missing says why. Nothing is kept open.
func In(dir string) []Module {
	modules := Modules()
	for i, m := range modules {
		if m.Missing() == nil {
			continue
		}
		r, err := readRecord(dir, m.Name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && r.Version != Version():
			err = &MissingError{m.Name, fmt.Sprintf("the one that was added is of version %s, and this program of %s", r.Version, Version())}
		case err != nil:
			err = &MissingError{m.Name, err.Error()}
		}
		modules[i].folder = &folder{dir: dir, err: err}
		if err == nil {
			modules[i].Commands, modules[i].Built = r.Commands, &r.Built
			modules[i].folder = &folder{dir: dir, record: r, piece: r.Module}
		}
	}
	return modules
}

// Outdated returns what is known of a module in dir that is of another version than
// this program. ok is false if there is none.
func Outdated(dir, name string) (b Built, ok bool) {
	r, err := readRecord(dir, name)
	if err != nil || r.Version == Version() {
		return Built{}, false
	}
	return r.Built, true
}

// direct returns the file of the small module, or nil.
func (f *folder) direct() *folder {
	if f.record.Direct == nil {
		return nil
	}
	return &folder{dir: f.dir, record: f.record, piece: *f.record.Direct}
}

// load returns the file's bytes, if they are those that were put there.
func (f *folder) load() ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	file := filepath.Join(f.dir, f.piece.File)
	b, err := readBounded(file, maxModule)
	if err == nil && !strings.EqualFold(sumOf(b), f.piece.SHA256) {
		err = &fs.PathError{Op: "read", Path: file, Err: errors.New("not the module that was put there")}
	}
	return b, err
}
