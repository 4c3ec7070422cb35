//go:build linux || darwin

package worker

import (
	"os"
	"slices"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A distant is a directory where a worker has the host do what takes a name.
type distant struct {
	asks *asks
	dir  string
}

// names is hostwasm.Config.Names.
func (w *worker) names(dir string) vfs.Names {
	if w.nearby(dir) != nil {
		return nil
	}
	return distant{&w.asks, dir}
}

// nearby returns what a directory has to be in which we do ourselves what takes a
// name, or nil if the host does.
func (w *worker) nearby(dir string) *near {
	if i := slices.IndexFunc(w.session.Near, func(n near) bool { return n.Dir == dir }); i >= 0 {
		return &w.session.Near[i]
	}
	return nil
}

func (d distant) Open(name string, h vfs.How) (*os.File, error) {
	q := ask{What: askOpen, Dir: d.dir, Name: name, Number: int64(h.Mode)}
	q.How = how{h.Read, h.Write, h.Append, h.Create, h.Exclusive, h.Directory}
	r, err := d.asks.tree(q)
	if err != nil {
		return nil, err
	}
	if len(r.files) != 1 {
		closeAll(r.files)
		return nil, errno.IO
	}
	return r.files[0], nil
}

func (d distant) Mkdir(name string, mode vfs.Mode) error {
	return d.do(ask{What: askMkdir, Name: name, Number: int64(mode)})
}

func (d distant) Unlink(name string) error     { return d.do(ask{What: askUnlink, Name: name}) }
func (d distant) Rmdir(name string) error      { return d.do(ask{What: askRmdir, Name: name}) }
func (d distant) Rename(old, new string) error { return d.do(ask{What: askRename, Name: old, To: new}) }
func (d distant) Link(old, new string) error   { return d.do(ask{What: askLink, Name: old, To: new}) }
func (d distant) Symlink(target, name string) error {
	return d.do(ask{What: askSymlink, Name: name, To: target})
}

func (d distant) do(q ask) error {
	q.Dir = d.dir
	_, err := d.asks.tree(q)
	return err
}
