package wasi

import (
	"sync"
	"sync/atomic"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// An OpenFile is what descriptors stand for: an open file or directory, a
// pipe's end or a child process. Descriptors that were duplicated, or handed
// to a child, share one, and with it its position.
//
// It belongs to the processes that have it and is closed when the last of them
// lets go of it; so it must not be given to another [New] after that.
type OpenFile struct {
	refs   atomic.Int64
	typ    vfs.Type
	rights rights // all that make sense for it
	output bool   // what is written to it leaves the sandbox

	stream stream // or it is a file:

	files Files
	path  string // absolute, with all links resolved

	mu     sync.Mutex // guards the fields below: a child may use it at the same time
	file   vfs.File   // nil for a directory that only names were looked up in
	offset int64
	flags  fdflags // of a file: fileFlags
	how    vfs.How // of a file: to open it again
}

func (f *OpenFile) retain() { f.refs.Add(1) }

func (f *OpenFile) release() {
	if f.refs.Add(-1) > 0 {
		return
	}
	if f.stream != nil {
		f.stream.close()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil {
		f.file.Close() // what it wrote is not in our hands any longer
		f.file = nil
	}
}

// lock locks f.mu, which another process may have while a file system has it wait.
func (p *Process) lock(f *OpenFile) error {
	switch {
	case !p.trying:
		f.mu.Lock()
	case !f.mu.TryLock():
		return engine.ErrWait
	}
	return nil
}

// settle has a regular file that is written behind written, before a descriptor of
// it is closed: so that whoever is told of the end of its writer finds all of it.
func (p *Process) settle(f *OpenFile) error {
	if f.typ != vfs.RegularFile || f.stream != nil {
		return nil
	}
	if err := p.lock(f); err != nil {
		return err
	}
	file := f.file
	f.mu.Unlock() // others may use it meanwhile
	return asErrno(vfs.Settle(file, p.wait))
}

// open returns the file, with f.mu held. A preopened directory is opened when
// something other than a name in it is asked for, so that a thousand sleeping
// guests do not hold ten thousand of the host's descriptors.
func (f *OpenFile) open(wait vfs.Wait) (vfs.File, error) {
	if f.file != nil {
		return f.file, nil
	}
	file, _, err := f.files.Open(vfs.Path{Dir: f.path, Name: ".", Wait: wait}, vfs.How{Read: true, Directory: true})
	if err != nil {
		return nil, asErrno(err)
	}
	f.file = file
	return file, nil
}
