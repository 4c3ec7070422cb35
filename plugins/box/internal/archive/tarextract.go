package archive

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	modes "github.com/terrarium-dev/terrarium/plugins/fs"
)

// An extractor writes members below one directory. All goes through an os.Root, so nothing is
// written outside of it, whatever links there are or an archive makes.
type extractor struct {
	job  *job
	root *os.Root
	base string // what names begin with in root, with -P
	dirs []madeDir
}

// madeDir is a directory whose time and permissions wait until all is in it.
type madeDir struct {
	name string
	mode uint32
	time time.Time
}

func (j *job) newExtractor() (*extractor, error) {
	dir := j.dir
	if dir == "" {
		dir = "."
	}
	x := &extractor{job: j}
	place := j.env.Path(dir)
	if j.flags["P"] {
		x.base, place = place, "/"
	}
	root, err := os.OpenRoot(place)
	if err != nil {
		return nil, j.fatal("%s: Cannot open: %s", dir, strerror(err))
	}
	x.root = root
	return x, nil
}

// name returns a member's name in the root.
func (x *extractor) name(name string) string {
	if !x.job.flags["P"] {
		return path.Clean(name)
	}
	if !path.IsAbs(name) {
		name = x.base + "/" + name
	}
	if name = strings.TrimLeft(path.Clean(name), "/"); name == "" {
		return "."
	}
	return name
}

// extract writes one member.
func (x *extractor) extract(h *tar.Header, in *input) error {
	j := x.job
	shown := h.Name
	name, ok := stripped(j.transformed(h.Name), j.strip)
	if !ok && j.strip > 0 {
		return nil
	}
	if j.oneTop {
		if rest := strings.TrimPrefix(name, "./"); rest != j.top && !strings.HasPrefix(rest, j.top+"/") {
			name = j.top + "/" + rest
		}
	}
	if j.flags["show-transformed-names"] {
		shown = name
	}
	if j.verbose > 0 {
		j.show(h, shown)
	}
	safe := j.safeName(name, false)
	if !j.flags["P"] && climbs(name) {
		j.errorf("%s: Member name contains '..'", quoted(name))
		return nil
	}
	if j.flags["O"] {
		return x.print(h, in)
	}
	to := x.name(safe)
	switch h.Typeflag {
	case tar.TypeDir:
		x.makeDir(h, to, safe)
	case tar.TypeSymlink:
		err := x.place(to, func() error { return x.root.Symlink(h.Linkname, to) })
		if x.tell(safe, "Cannot create symlink to "+j.env.Quote(h.Linkname), err) && !j.flags["m"] {
			// The times of a link lead out of root no more than the link does.
			sys.Lchtimes(x.root.Name()+"/"+to, h.ModTime, h.ModTime)
		}
	case tar.TypeLink:
		target := j.safeName(j.transformed(h.Linkname), true)
		if rest, ok := stripped(target, j.strip); ok {
			target = rest
		}
		x.link(target, to, safe)
	case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
		return x.makeFile(h, in, to, safe)
	case tar.TypeFifo:
		j.errorf("%s: Cannot mkfifo: Function not implemented", quoted(safe))
	case tar.TypeChar, tar.TypeBlock:
		j.errorf("%s: Cannot mknod: Operation not permitted", quoted(safe))
	default:
		j.errorf("%s: Unknown file type '%c', extracted as normal file", quoted(safe), h.Typeflag)
		return x.makeFile(h, in, to, safe)
	}
	return nil
}

// print writes a member's data to standard output.
func (x *extractor) print(h *tar.Header, in *input) error {
	if h.Typeflag == tar.TypeDir || h.Linkname != "" {
		return nil
	}
	read := &readErrors{r: in.tar}
	if _, err := io.Copy(x.job.env.Out, read); err != nil && read.err != nil {
		return in.cut(read.err)
	}
	return nil
}

// tell complains about a member, if there is something to complain about.
func (x *extractor) tell(name, what string, err error) bool {
	if err == nil || errors.Is(err, errTold) {
		return err == nil
	}
	x.job.errorf("%s: %s: %s", quoted(name), what, strerror(err))
	return false
}

// errSkip is what place says of a member that an old file stands for.
var errSkip = errTold

// place calls make, which makes something new at name. It makes the directories that it needs, and
// makes way, if it may.
func (x *extractor) place(name string, make func() error) error {
	err := make()
	if errors.Is(err, fs.ErrNotExist) && strings.Contains(name, "/") {
		if parents := x.mkdirAll(path.Dir(name)); parents != nil {
			return parents
		}
		err = make()
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	switch {
	case x.job.flags["skip-old-files"]:
		return errSkip
	case x.job.flags["k"]:
		return err
	}
	if x.root.Remove(name) != nil {
		return err
	}
	return make()
}

func (x *extractor) makeFile(h *tar.Header, in *input, to, shown string) error {
	j := x.job
	if j.flags["keep-newer-files"] {
		if fi, err := x.root.Lstat(to); err == nil && !fi.ModTime().Before(h.ModTime) {
			j.env.Errorf("Current %s is newer or same age", j.env.Quote(shown))
			return nil
		}
	}
	var f *os.File
	open := func(flags int) func() error {
		return func() (err error) {
			mode := x.mode(h)&0o777 | 0o200
			return modes.Creating(mode, mode, func() error {
				f, err = x.root.OpenFile(to, os.O_WRONLY|os.O_CREATE|flags, sys.FileMode(mode))
				return err
			})
		}
	}
	err := error(nil)
	if j.flags["overwrite"] {
		err = open(os.O_TRUNC)()
	} else {
		err = x.place(to, open(os.O_EXCL))
	}
	if err != nil {
		x.tell(shown, "Cannot open", err)
		return nil
	}
	read := &readErrors{r: in.tar}
	if _, err = io.Copy(f, read); err == nil {
		sys.Chmod(f, x.mode(h)) // what can't be set is not
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	switch {
	case read.err == io.ErrUnexpectedEOF:
		j.errorf("Unexpected EOF in archive")
		return in.cut(read.err)
	case read.err != nil:
		return in.cut(read.err)
	case err != nil:
		j.errorf("%s: Cannot write: %s", quoted(shown), strerror(err))
		return nil
	}
	x.finishTime(to, h.ModTime)
	return nil
}

// mode returns the permissions that a member gets.
func (x *extractor) mode(h *tar.Header) uint32 {
	mode := uint32(h.Mode) & 0o7777
	uid, _ := sys.Self()
	if x.job.flags["no-same-permissions"] || !x.job.flags["p"] && uid != 0 {
		mode &= 0o777 &^ x.job.env.Umask()
	}
	return mode
}

// mkdirAll makes a directory, and those that lead to it.
func (x *extractor) mkdirAll(name string) error {
	mode := 0o777 &^ x.job.env.Umask()
	return modes.Creating(mode, mode, func() error { return x.root.MkdirAll(name, sys.FileMode(mode)) })
}

// finishDir sets a directory's permissions and time. Where they can't be set they aren't.
func (x *extractor) finishDir(d madeDir) {
	if f, err := x.root.Open(d.name); err == nil {
		sys.Chmod(f, d.mode)
		f.Close()
	}
	x.finishTime(d.name, d.time)
}

func (x *extractor) finishTime(name string, modified time.Time) {
	if !x.job.flags["m"] {
		x.root.Chtimes(name, modified, modified)
	}
}

func (x *extractor) makeDir(h *tar.Header, to, shown string) {
	made := madeDir{to, x.mode(h), h.ModTime}
	if to == "." {
		x.dirs = append(x.dirs, made)
		return
	}
	mkdir := func() error {
		return modes.Creating(0o700, 0o700, func() error { return x.root.Mkdir(to, 0o700) })
	}
	err := mkdir()
	if errors.Is(err, fs.ErrExist) {
		if fi, err := x.root.Lstat(to); err == nil && fi.IsDir() {
			x.dirs = append(x.dirs, made)
			return
		}
	}
	if err != nil {
		err = x.place(to, mkdir)
	}
	if x.tell(shown, "Cannot mkdir", err) {
		x.dirs = append(x.dirs, made)
	}
}

func (x *extractor) link(target, to, shown string) {
	from := x.name(target)
	if from == to {
		return
	}
	err := x.place(to, func() error { return x.root.Link(from, to) })
	x.tell(shown, "Cannot hard link to "+x.job.env.Quote(target), err)
}

// finish sets what waits, the innermost directories first.
func (x *extractor) finish() {
	for i := len(x.dirs) - 1; i >= 0; i-- {
		x.finishDir(x.dirs[i])
	}
	x.root.Close()
}
