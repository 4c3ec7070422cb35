package main

import (
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// allFiles are the roots of who may see all files.
var allFiles = []string{"/"}

// files are what commands and the page see, in memory.
type files struct {
	root    vfs.FS // noting changes
	tree    *vfs.Tree
	changes changes
}

// newFiles returns empty files but for the directory dir. tell is called when
// there are changes to take.
func newFiles(bytes, names int64, dir string, tell func()) (*files, error) {
	f := &files{tree: vfs.New(vfs.Config{MaxBytes: bytes, MaxFiles: names})}
	f.changes.tell = tell
	f.root = watched{vfs.Memory(vfs.MemoryOptions{Quota: vfs.NewQuota(bytes, names)}), &f.changes}
	if err := f.tree.Mount("/", f.root); err != nil {
		return nil, err
	}
	if err := f.mkdir(dir); err != nil {
		return nil, err
	}
	return f, nil
}

// lent is a file system that outlives the trees it is mounted in.
type lent struct{ vfs.FS }

func (lent) Close() error { return nil }

// open is hostwasm.Config.Root.
func (f *files) open(dir string) (vfs.FS, error) {
	if dir == "/" {
		return lent{f.root}, nil
	}
	stat, err := f.tree.Stat(vfs.Path{Dir: "/", Name: dir})
	switch {
	case err == errno.NOENT || !cleanPath(dir):
		return nil, &core.HostError{Reason: "not_found", Message: dir + ": no such directory"}
	case err != nil:
		return nil, err
	case stat.Type != vfs.Directory:
		return nil, &core.HostError{Reason: "not_directory", Message: dir + ": not a directory"}
	}
	return vfs.Sub(f.tree, dir), nil
}

// maxPath is the longest path that the page may use, in bytes, as guests.
const maxPath = 4096

// cleanPath reports whether p is absolute and has no empty component, "." or "..".
func cleanPath(p string) bool {
	return path.IsAbs(p) && path.Clean(p) == p && len(p) <= maxPath &&
		utf8.ValidString(p) && strings.IndexByte(p, 0) < 0
}

// at is name in the tree, links followed.
func at(name string) vfs.Path { return vfs.Path{Dir: "/", Name: name, Follow: true} }

// itself is name in the tree, also if that is a link.
func itself(name string) vfs.Path { return vfs.Path{Dir: "/", Name: name} }

// Types, in VS Code's numbers.
func fileType(t vfs.Type) int64 {
	switch t {
	case vfs.RegularFile:
		return 1
	case vfs.Directory:
		return 2
	case vfs.SymbolicLink:
		return 64
	}
	return 0
}

// stat appends what is known of a file, as JSON. A link is described by what it
// leads to, if anything.
func (f *files) stat(dst []byte, name string) ([]byte, error) {
	own, err := f.tree.Stat(itself(name))
	if err != nil {
		return dst, err
	}
	kind := fileType(own.Type)
	if own.Type == vfs.SymbolicLink {
		if target, err := f.tree.Stat(at(name)); err == nil {
			own = target
			kind |= fileType(target.Type)
		}
	}
	e := encoder{abi.Encoder{JSON: dst}}
	e.Begin()
	e.Int("type", kind)
	e.Int("size", int64(own.Size))
	e.Int("mode", int64(own.Mode&vfs.ModePerm))
	e.Int("mtimeMs", own.Mtim/1e6)
	e.Int("ctimeMs", own.Ctim/1e6)
	e.End()
	return e.JSON, nil
}

// list appends the names in a directory and their types, as JSON.
func (f *files) list(dst []byte, name string) ([]byte, error) {
	dir, _, err := f.tree.Open(at(name), vfs.How{Read: true, Directory: true})
	if err != nil {
		return dst, err
	}
	defer dir.Close()
	dst = append(dst, '[')
	for cookie := uint64(0); ; {
		entries, err := dir.ReadDir(cookie, 256)
		if err != nil {
			return dst, err
		}
		if len(entries) == 0 {
			return append(dst, ']'), nil
		}
		for _, e := range entries {
			cookie = e.Next
			if e.Name == "." || e.Name == ".." {
				continue
			}
			dst = append(jsonrpc.AppendComma(dst), '[')
			dst = append(jsonrpc.AppendString(dst, e.Name), ',')
			dst = append(strconv.AppendInt(dst, fileType(e.Type), 10), ']')
		}
	}
}

// read appends what is in a file.
func (f *files) read(dst []byte, name string) ([]byte, error) {
	file, _, err := f.tree.Open(at(name), vfs.How{Read: true})
	if err != nil {
		return dst, err
	}
	defer file.Close()
	stat, err := file.Stat()
	switch {
	case err != nil:
		return dst, err
	case stat.Type == vfs.Directory:
		return dst, errno.ISDIR
	case stat.Size > maxInput:
		return dst, errno.FBIG
	}
	start := len(dst)
	dst = append(dst, make([]byte, stat.Size)...)
	for n := start; n < len(dst); {
		m, err := file.ReadAt(dst[n:], int64(n-start))
		if err != nil || m == 0 {
			return dst[:n], err // 0: it became shorter
		}
		n += m
	}
	return dst, nil
}

// How write writes, as ABI.md numbers it.
const (
	makeFile    = 1 << iota // if it is not there
	replaceFile             // if it is
	makeDirs                // above it
)

// write makes p what is in a file.
func (f *files) write(name string, p []byte, flags, mode int32) error {
	if flags&makeDirs != 0 {
		if err := f.mkdir(path.Dir(name)); err != nil {
			return err
		}
	}
	how := vfs.How{
		Write: true, Truncate: true, Create: flags&makeFile != 0, Exclusive: flags&replaceFile == 0,
	}
	if mode != 0 {
		how.Mode = vfs.Mode(mode)&vfs.ModePerm | vfs.ModeKnown
	}
	if how.Exclusive && !how.Create {
		return errno.EXIST // or it is not there: neither may be
	}
	file, _, err := f.tree.Open(at(name), how)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteAt(p, 0)
	return err
}

// mkdir makes a directory, and those above it.
func (f *files) mkdir(name string) error {
	if name == "/" {
		return nil
	}
	stat, err := f.tree.Stat(at(name))
	switch {
	case err == nil && stat.Type == vfs.Directory:
		return nil
	case err == nil:
		return errno.NOTDIR
	case err != errno.NOENT:
		return err
	}
	if err := f.mkdir(path.Dir(name)); err != nil {
		return err
	}
	return f.tree.Mkdir(itself(name), 0)
}

// remove removes a file or directory.
func (f *files) remove(name string, recursive bool) error {
	stat, err := f.tree.Stat(itself(name))
	switch {
	case err != nil:
		return err
	case stat.Type != vfs.Directory:
		return f.tree.Unlink(itself(name))
	case !recursive:
		return f.tree.Rmdir(itself(name))
	}
	return f.removeAll(name)
}

// removeAll removes a directory and all that is below it, however deep that is.
func (f *files) removeAll(name string) error {
	for dirs := []string{name}; len(dirs) > 0; {
		dir := dirs[len(dirs)-1]
		below, err := f.empty(dir)
		if err != nil {
			return err
		}
		if below != "" {
			dirs = append(dirs, path.Join(dir, below))
			continue
		}
		if err := f.tree.Rmdir(in(path.Dir(dir), path.Base(dir))); err != nil {
			return err
		}
		dirs = dirs[:len(dirs)-1]
	}
	return nil
}

// in is name, one component, in a directory, whose path may be of any length.
func in(dir, name string) vfs.Path { return vfs.Path{Dir: dir, Name: name} }

// empty removes what is in a directory, up to a directory in it, whose name it
// returns.
func (f *files) empty(name string) (below string, err error) {
	dir, _, err := f.tree.Open(in(name, "."), vfs.How{Read: true, Directory: true})
	if err != nil {
		return "", err
	}
	defer dir.Close()
	for cookie := uint64(0); ; {
		entries, err := dir.ReadDir(cookie, 256)
		if err != nil || len(entries) == 0 {
			return "", err
		}
		for _, e := range entries {
			cookie = e.Next
			switch {
			case e.Name == "." || e.Name == "..":
				continue
			case e.Type == vfs.Directory:
				return e.Name, nil
			}
			if err := f.tree.Unlink(in(name, e.Name)); err != nil {
				return "", err
			}
		}
	}
}

// rename gives a file another name.
func (f *files) rename(from, to string, overwrite bool) error {
	if !overwrite {
		if _, err := f.tree.Stat(itself(to)); err != errno.NOENT {
			if err == nil {
				err = errno.EXIST
			}
			return err
		}
	}
	return f.tree.Rename(itself(from), itself(to))
}
