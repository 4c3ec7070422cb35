package workspace

import (
	"archive/tar"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// stagePrefix begins the name of the directory, in the workspace, where what comes is kept until
// all of it is there. No file of such a name is carried.
const stagePrefix = ".terrarium-workspace-"

// In that directory are those of the new files, and of the old ones while new ones take their
// places.
const (
	stageNew = "new"
	stageOld = "old"
)

// An Incoming is changes that have come, and are not made yet. It is for one goroutine.
type Incoming struct {
	root    *os.Root
	stage   string // its path below root
	changes []Change
	blobs   func(id string) (io.ReadCloser, error)
	bytes   int64
	most    int64
	stuck   bool // not all could be put back
}

// Options say what Receive takes.
type Options struct {
	// Accept says what a change is to be, or why it is refused. nil accepts all. It is for who has
	// asked for some.
	Accept func(Change) (Change, error)
	// Blob opens an object of git. nil if there are none.
	Blob func(id string) (io.ReadCloser, error)
	// MaxBytes is how large all files may be together; 0 for MaxBytes.
	MaxBytes int64
}

// Receive reads what Pack has written. Nothing but a directory of ours is made below root, until
// Commit. Close removes it. The error names what can't be.
func Receive(root *os.Root, r io.Reader, o Options) (_ *Incoming, err error) {
	in := &Incoming{root: root, stage: stagePrefix + strings.ToLower(rand.Text()), blobs: o.Blob, most: o.MaxBytes}
	if in.most == 0 {
		in.most = MaxBytes
	}
	if err := sweep(root, staleAge); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			in.Close()
		}
	}()
	if err := root.Mkdir(in.stage, 0o700); err != nil {
		return nil, err
	}
	if err := root.Mkdir(path.Join(in.stage, stageNew), 0o700); err != nil {
		return nil, err
	}
	// git status does not show it.
	if err := root.WriteFile(path.Join(in.stage, ".gitignore"), []byte("*\n"), 0o600); err != nil {
		return nil, err
	}
	return in, in.readAll(tar.NewReader(r), o.Accept)
}

// staleAge is when nobody waits any more for what has come to be put into place.
const staleAge = 24 * time.Hour

// sweep removes what was left so long ago by those who were killed, unless it has what was in the
// place of new files.
func sweep(root *os.Root, age time.Duration) error {
	return eachEntry(root, ".", func(d fs.DirEntry) error {
		name := d.Name()
		if !strings.HasPrefix(name, stagePrefix) {
			return nil
		}
		info, err := root.Lstat(name)
		if err != nil || age > 0 && time.Since(info.ModTime()) < age {
			return nil
		}
		if _, err := root.Lstat(path.Join(name, stageOld)); errors.Is(err, fs.ErrNotExist) {
			root.RemoveAll(name)
		}
		return nil
	})
}

// readAll reads members up to the one that says that it is the last.
func (in *Incoming) readAll(t *tar.Reader, accept func(Change) (Change, error)) error {
	var c counts
	seen := make(map[string]bool)
	for {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			return errors.New("what came has no end: it was cut off")
		case err != nil:
			return fmt.Errorf("what came is no tar: %w", err)
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			if h.PAXRecords[recordEnd] != strconv.Itoa(len(in.changes)) {
				return errors.New("what came is not as much as it says")
			}
			return nil
		}
		change, err := memberOf(h)
		if err := cmp.Or(c.add(h.Name, change.Was, change.Now), err); err != nil {
			return err
		}
		if seen[change.Path] {
			return &PathError{change.Path, "it comes twice"}
		}
		seen[change.Path] = true
		if accept != nil {
			if change, err = accept(change); err != nil {
				return err
			}
		}
		if err := in.take(change, h, t); err != nil {
			return err
		}
	}
}

// memberOf returns the change that a member of a tar is.
func memberOf(h *tar.Header) (c Change, err error) {
	c.Path = h.Name
	if h.Typeflag == tar.TypeDir {
		c.Path = strings.TrimSuffix(c.Path, "/")
	}
	if err := CheckPath(c.Path); err != nil {
		return c, err
	}
	if c.Was, err = parseEntry(h.PAXRecords[recordWas]); err == nil {
		c.Now, err = parseEntry(h.PAXRecords[recordNow])
	}
	if err != nil {
		return c, &PathError{c.Path, err.Error()}
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return c, &PathError{c.Path, "a sparse file"}
		}
	}
	want := byte(tar.TypeReg)
	switch c.Now.Kind {
	case Link:
		want = tar.TypeSymlink
	case Dir:
		want = tar.TypeDir
	}
	size := c.Now.Size
	if h.PAXRecords[recordBlob] != "" {
		size = 0
	}
	switch {
	case h.Typeflag != want:
		return c, &PathError{c.Path, "it is another kind of file than it says: " + kindName(h.Typeflag)}
	case h.Size != size:
		return c, &PathError{c.Path, "it has another size than it says"}
	case c.Now.Kind == Link && h.Linkname != c.Now.Target:
		return c, &PathError{c.Path, "a symbolic link to something else than it says"}
	}
	return c, nil
}

func kindName(flag byte) string {
	switch flag {
	case tar.TypeReg:
		return "a regular file"
	case tar.TypeLink:
		return "a hard link"
	case tar.TypeSymlink:
		return "a symbolic link"
	case tar.TypeChar, tar.TypeBlock:
		return "a device"
	case tar.TypeDir:
		return "a directory"
	case tar.TypeFifo:
		return "a pipe"
	case tar.TypeGNUSparse:
		return "a sparse file"
	}
	return "unknown"
}

// Add adds a change that needs nothing to come: something is removed.
func (in *Incoming) Add(c Change) error { return in.take(c, nil, nil) }

// take keeps a change, and what will be there.
func (in *Incoming) take(c Change, h *tar.Header, content io.Reader) error {
	staged := in.staged(len(in.changes))
	in.changes = append(in.changes, c)
	switch {
	case c.Now.Kind == Link:
		return in.root.Symlink(c.Now.Target, staged)
	case !c.Now.IsFile():
		return nil
	}
	if in.bytes += c.Now.Size; in.bytes > in.most {
		return &PathError{c.Path, fmt.Sprintf("more than %d bytes of files, of which this is the last", in.most)}
	}
	if id := h.PAXRecords[recordBlob]; id != "" {
		if in.blobs == nil {
			return &PathError{c.Path, "it is to be had from git, and there is no repository"}
		}
		blob, err := in.blobs(id)
		if err != nil {
			return &PathError{c.Path, err.Error()}
		}
		defer blob.Close()
		content = blob
	}
	return in.fill(staged, c, content)
}

// fill writes a new file.
func (in *Incoming) fill(staged string, c Change, content io.Reader) error {
	perm := fs.FileMode(0o666)
	if c.Now.Kind == Executable {
		perm = 0o777
	}
	f, err := in.root.OpenFile(staged, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(content, c.Now.Size+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return &fs.PathError{Op: "write", Path: c.Path, Err: unwrapped(err)}
	}
	if n != c.Now.Size || [32]byte(sum.Sum(nil)) != c.Now.Sum {
		return &PathError{c.Path, "what came is not what was promised: was it changed just now?"}
	}
	return nil
}

// unwrapped returns err without the path of a file that nobody knows.
func unwrapped(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// staged is where what will be at the path of a change is kept.
func (in *Incoming) staged(i int) string {
	return path.Join(in.stage, stageNew, strconv.Itoa(i))
}

// old is where what was at the path of a change is kept while all is put into place.
func (in *Incoming) old(i int) string {
	return path.Join(in.stage, stageOld, strconv.Itoa(i))
}

// Changes returns what has come.
func (in *Incoming) Changes() []Change { return in.changes }

// Open opens what will be at the path of the change with that index: a regular file.
func (in *Incoming) Open(i int) (*os.File, error) { return openFile(in.root, in.staged(i)) }

// Close drops what has come. It stays where Commit could not put back what was there before: the
// only copy of that is beside it.
func (in *Incoming) Close() error {
	if in.stuck {
		return nil
	}
	return in.root.RemoveAll(in.stage)
}
