package main

import (
	"errors"
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

// files are what commands and the page see: in memory, but for what is mounted.
type files struct {
	root    vfs.FS // noting changes
	tree    *vfs.Tree
	quota   *vfs.Quota
	limit   int64 // of quota, in bytes
	asked   *asked
	mounts  []*mounted
	changes changes
}

// newFiles returns empty files but for the directory c.cwd and what c mounts. p is
// told when there are changes to take.
func newFiles(p page, c *config, wait vfs.Wait) (*files, error) {
	f := &files{
		tree:  vfs.New(vfs.Config{MaxBytes: c.fileBytes, MaxFiles: c.fileCount}),
		quota: vfs.NewQuota(c.fileBytes, c.fileCount), limit: c.fileBytes,
		asked: &asked{page: p},
	}
	f.changes.tell = p.changed
	f.root = watched{vfs.Memory(vfs.MemoryOptions{Quota: f.quota}), &f.changes}
	if err := f.tree.Mount("/", f.root); err != nil {
		return nil, err
	}
	for i, m := range c.mounts {
		makeAbove(f.root, path.Dir(m.path))
		f.mounts = append(f.mounts, f.provide(i, m, c, wait))
		if err := f.tree.Mount(m.path, f.mounts[i].files); err != nil {
			return nil, err
		}
	}
	if err := f.now().mkdir(c.cwd); err != nil && err != errWaits {
		return nil, err
	}
	return f, nil
}

// makeAbove makes a directory and those above it, so that there are files beside what
// is mounted in it.
func makeAbove(fs vfs.FS, dir string) {
	if dir == "/" {
		return
	}
	makeAbove(fs, path.Dir(dir))
	fs.Mkdir(dir[1:], 0) // or it is there
}

// A caller uses files, and waits in its way for whoever provides them.
type caller struct {
	tree *vfs.Tree
	wait vfs.Wait
}

// errWaits is what a caller gets that must not wait.
var errWaits = errors.New("the files are asked for")

// now is a caller that fails with errWaits where it would have to wait, before it
// has changed anything. later waits.
func (f *files) now() caller {
	return caller{f.tree, func(func()) error { return errWaits }}
}

func (f *files) later() caller { return caller{tree: f.tree} }

// lent is a file system that outlives the trees it is mounted in.
type lent struct{ vfs.FS }

func (lent) Close() error { return nil }

// open is hostwasm.Config.Root.
func (f *files) open(dir string) (vfs.FS, error) {
	switch {
	case dir == "/" && len(f.mounts) == 0:
		return lent{f.root}, nil
	case dir == "/":
		return vfs.Sub(f.tree, dir), nil
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
func (f caller) at(name string) vfs.Path {
	return vfs.Path{Dir: "/", Name: name, Follow: true, Wait: f.wait}
}

// itself is name in the tree, also if that is a link.
func (f caller) itself(name string) vfs.Path {
	return vfs.Path{Dir: "/", Name: name, Wait: f.wait}
}

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
func (f caller) stat(dst []byte, name string) ([]byte, error) {
	own, err := f.tree.Stat(f.itself(name))
	if err != nil {
		return dst, err
	}
	kind := fileType(own.Type)
	if own.Type == vfs.SymbolicLink {
		target, err := f.tree.Stat(f.at(name))
		switch err {
		case nil:
			own = target
			kind |= fileType(target.Type)
		case errWaits:
			return dst, err
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
func (f caller) list(dst []byte, name string) ([]byte, error) {
	dir, _, err := f.tree.Open(f.at(name), vfs.How{Read: true, Directory: true})
	if err != nil {
		return dst, err
	}
	defer dir.Close()
	if err := vfs.Settle(dir, f.wait); err != nil {
		return dst, err
	}
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
func (f caller) read(dst []byte, name string) ([]byte, error) {
	file, _, err := f.tree.Open(f.at(name), vfs.How{Read: true})
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
func (f caller) write(name string, p []byte, flags, mode int32) error {
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
	file, _, err := f.tree.Open(f.at(name), how)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err = file.WriteAt(p, 0); err != nil {
		return err
	}
	return vfs.Settle(file, f.wait)
}

// mkdir makes a directory, and those above it.
func (f caller) mkdir(name string) error {
	if name == "/" {
		return nil
	}
	stat, err := f.tree.Stat(f.at(name))
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
	return f.tree.Mkdir(f.itself(name), 0)
}

// remove removes a file or directory.
func (f caller) remove(name string, recursive bool) error {
	stat, err := f.tree.Stat(f.itself(name))
	switch {
	case err != nil:
		return err
	case stat.Type != vfs.Directory:
		return f.tree.Unlink(f.itself(name))
	case !recursive:
		return f.tree.Rmdir(f.itself(name))
	}
	return f.removeAll(name)
}

// removeAll removes a directory and all that is below it, however deep that is.
func (f caller) removeAll(name string) error {
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
		if err := f.tree.Rmdir(f.in(path.Dir(dir), path.Base(dir))); err != nil {
			return err
		}
		dirs = dirs[:len(dirs)-1]
	}
	return nil
}

// in is name, one component, in a directory, whose path may be of any length.
func (f caller) in(dir, name string) vfs.Path {
	return vfs.Path{Dir: dir, Name: name, Wait: f.wait}
}

// empty removes what is in a directory, up to a directory in it, whose name it
// returns.
func (f caller) empty(name string) (below string, err error) {
	dir, _, err := f.tree.Open(f.in(name, "."), vfs.How{Read: true, Directory: true})
	if err != nil {
		return "", err
	}
	defer dir.Close()
	if err := vfs.Settle(dir, f.wait); err != nil {
		return "", err
	}
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
			if err := f.tree.Unlink(f.in(name, e.Name)); err != nil {
				return "", err
			}
		}
	}
}

// rename gives a file another name.
func (f caller) rename(from, to string, overwrite bool) error {
	if !overwrite {
		if _, err := f.tree.Stat(f.itself(to)); err != errno.NOENT {
			if err == nil {
				err = errno.EXIST
			}
			return err
		}
	}
	return f.tree.Rename(f.itself(from), f.itself(to))
}
