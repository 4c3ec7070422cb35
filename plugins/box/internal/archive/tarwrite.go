package archive

import (
	"archive/tar"
	"bufio"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/compress"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// An output is an archive that is written.
type output struct {
	job     *job
	tar     *tar.Writer
	blocks  *tool.CountingWriter // what tar writes to
	packed  io.WriteCloser       // the compressor
	buffer  *bufio.Writer
	file    io.WriteCloser // nil for standard output
	info    sys.Info       // of file
	links   map[[2]uint64]string
	members int
}

// newOutput returns an output to w, whose record begins at offset.
func (j *job) newOutput(w io.Writer, offset int64) (*output, error) {
	o := &output{job: j, buffer: bufio.NewWriterSize(w, 64<<10), links: map[[2]uint64]string{}}
	packed, err := compress.NewWriter(j.format, o.buffer, 6)
	if err != nil {
		return nil, j.fatal("%v", err)
	}
	o.packed = packed
	o.blocks = &tool.CountingWriter{W: packed, N: offset}
	o.tar = tar.NewWriter(o.blocks)
	return o, nil
}

// fail ends the command because the archive can't be written.
func (o *output) fail(err error) error {
	if o.job.env.Stopped() {
		return errTold
	}
	return o.job.fatal("%s: Cannot write: %s", o.job.archive, strerror(err))
}

// close ends the archive, and fills up its last record.
func (o *output) close() error {
	err := o.tar.Close()
	if err == nil {
		if n := o.blocks.N % o.job.record; n > 0 {
			_, err = io.CopyN(o.blocks, zeros{}, o.job.record-n)
		}
	}
	if err == nil {
		err = o.packed.Close()
	}
	if err == nil {
		err = o.buffer.Flush()
	}
	if o.file != nil {
		if closing := o.file.Close(); err == nil {
			err = closing
		}
	}
	if err != nil {
		return o.fail(err)
	}
	if o.job.flags["totals"] {
		o.job.env.Errorf("Total bytes written: %d", o.blocks.N)
	}
	return nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// create makes a new archive.
func (j *job) create() error {
	if len(j.steps) == 0 && !j.fromFile {
		j.env.Errorf("Cowardly refusing to create an empty archive")
		j.tryHelp(tarTrouble)
		return errTold
	}
	w, file := io.Writer(j.env.Out), io.WriteCloser(nil)
	var info sys.Info
	if j.archive != "-" {
		f, err := j.env.Create(j.archive, os.O_TRUNC)
		if err != nil {
			return j.fatal("%s: Cannot open: %s", j.archive, strerror(err))
		}
		w, file = f, f
		if fi, err := j.env.Stat(j.archive); err == nil {
			info = sys.Of(fi)
		}
	}
	o, err := j.newOutput(w, 0)
	if err != nil {
		return err
	}
	o.file, o.info = file, info
	if err := o.addAll(); err != nil {
		return err
	}
	return o.close()
}

// addAll adds what the operands name.
func (o *output) addAll() error {
	j := o.job
	for _, s := range j.steps {
		if s.dir != "" {
			if fi, err := j.env.Stat(s.dir); err != nil || !fi.IsDir() {
				if err == nil {
					return j.fatal("%s: Cannot open: Not a directory", s.dir)
				}
				return j.fatal("%s: Cannot open: %s", s.dir, strerror(err))
			}
		}
		name := s.name
		if n := len(strings.TrimRight(name, "/")); n > 0 {
			name = name[:min(n+1, len(name))]
		}
		if excluded(s.excludes, name) {
			continue
		}
		if err := o.add(s, name); err != nil {
			return err
		}
	}
	return nil
}

// add adds a file, and what is in it if it is a directory. Its error ends the command.
func (o *output) add(s step, name string) error {
	j := o.job
	if j.env.Stopped() {
		return errTold
	}
	look := j.env.Lstat
	if j.flags["h"] {
		look = j.env.Stat
	}
	place := join(s.dir, name)
	fi, err := look(place)
	if err != nil {
		j.errorf("%s: Cannot stat: %s", quoted(name), strerror(err))
		return nil
	}
	info := sys.Of(fi)
	if o.info.Ino != 0 && sys.Same(info, o.info) {
		j.env.Errorf("%s: file is the archive; not dumped", quoted(name))
		return nil
	}
	if !j.newer.IsZero() && !info.IsDir() && !info.Mtime.After(j.newer) {
		return nil
	}
	h, ok := o.header(place, name, info)
	if !ok {
		return nil
	}
	if info.IsDir() {
		return o.addDir(s, name, place, h, info)
	}
	if h.Typeflag != tar.TypeReg {
		if err := o.write(name, h, info); err != nil {
			return err
		}
		return o.dropped(place, name)
	}
	in, err := j.env.Open(place)
	if err != nil {
		j.errorf("%s: Cannot open: %s", quoted(name), strerror(err))
		return nil
	}
	defer in.Close()
	if err := o.write(name, h, info); err != nil {
		return err
	}
	if err := o.copy(name, in, h.Size); err != nil {
		return err
	}
	return o.dropped(place, name)
}

// dropped removes what was added, for --remove-files.
func (o *output) dropped(place, name string) error {
	if !o.job.flags["remove-files"] {
		return nil
	}
	if err := o.job.env.Remove(place); err != nil {
		o.job.errorf("%s: Cannot unlink: %s", quoted(name), strerror(err))
	}
	return nil
}

func (o *output) addDir(s step, name, place string, h *tar.Header, info sys.Info) error {
	if !strings.HasSuffix(name, "/") {
		name += "/"
	}
	if err := o.write(name, h, info); err != nil {
		return err
	}
	if s.flat {
		return nil
	}
	entries, err := o.job.env.ReadDir(place)
	if err != nil {
		o.job.errorf("%s: Cannot open: %s", quoted(strings.TrimRight(name, "/")), strerror(err))
		return nil
	}
	for _, e := range entries {
		child := name + e.Name()
		if excluded(s.excludes, child) {
			continue
		}
		if err := o.add(s, child); err != nil {
			return err
		}
	}
	return o.dropped(place, name)
}

// header describes a file. It is false, after a message, for what no archive can hold.
func (o *output) header(place, name string, info sys.Info) (*tar.Header, bool) {
	j := o.job
	h := &tar.Header{
		Name: j.transformed(j.safeName(name, false)), Mode: int64(info.Mode & 0o7777), Uid: int(info.Uid), Gid: int(info.Gid),
		Uname: j.userName(info.Uid, false), Gname: j.userName(info.Gid, true), ModTime: info.Mtime, Format: j.tarFormat,
	}
	if j.tarFormat != tar.FormatPAX {
		h.ModTime = h.ModTime.Truncate(time.Second)
	}
	key := [2]uint64{info.Dev, info.Ino}
	first, linked := o.links[key]
	switch {
	case info.IsDir():
		h.Typeflag = tar.TypeDir
		if !strings.HasSuffix(h.Name, "/") {
			h.Name += "/"
		}
	case linked && info.Nlink > 1 && !j.flags["hard-dereference"]:
		h.Typeflag, h.Linkname = tar.TypeLink, first
	case info.IsLink():
		target, err := os.Readlink(j.env.Path(place))
		if err != nil {
			j.errorf("%s: Cannot readlink: %s", quoted(name), strerror(err))
			return nil, false
		}
		h.Typeflag, h.Linkname = tar.TypeSymlink, target
	case info.IsRegular():
		h.Typeflag, h.Size = tar.TypeReg, info.Size
	case info.Type() == 'p':
		h.Typeflag = tar.TypeFifo
	case info.Type() == 's':
		j.env.Errorf("%s: socket ignored", quoted(name))
		return nil, false
	default:
		h.Typeflag = tar.TypeChar
		if info.Type() == 'b' {
			h.Typeflag = tar.TypeBlock
		}
		h.Devmajor, h.Devminor = int64(info.Rdev>>8&0xfff), int64(info.Rdev&0xff)
	}
	if info.Nlink > 1 && !info.IsDir() && !linked && info.Ino != 0 {
		o.links[key] = j.safeName(name, true)
	}
	j.override(h, info)
	return h, true
}

// override applies --owner, --group, --mode and --mtime.
func (j *job) override(h *tar.Header, info sys.Info) {
	if j.owner != nil {
		h.Uname = j.owner.name
		if j.owner.id >= 0 {
			h.Uid = j.owner.id
		}
	}
	if j.group != nil {
		h.Gname = j.group.name
		if j.group.id >= 0 {
			h.Gid = j.group.id
		}
	}
	if j.flags["numeric-owner"] {
		h.Uname, h.Gname = "", ""
	}
	if j.mode != nil {
		h.Mode = int64(j.mode(info.Mode) & 0o7777)
	}
	if !j.mtime.IsZero() {
		h.ModTime = j.mtime
	}
}

// write writes a member's header, and tells of it. The time that is told is the file's.
func (o *output) write(name string, h *tar.Header, info sys.Info) error {
	if o.job.verbose > 0 {
		shown := *h
		shown.ModTime = info.Mtime
		if o.job.verb == create || o.job.verb == appendV || o.job.verb == update {
			shown.Name = name
		}
		o.job.show(&shown, shown.Name)
	}
	err := o.tar.WriteHeader(h)
	if err == nil {
		o.members++
		return nil
	}
	if errors.Is(err, tar.ErrHeader) || strings.HasPrefix(err.Error(), "archive/tar: cannot encode header") {
		return o.job.fatal("%s: this format can't describe the file: not dumped", quoted(name))
	}
	return o.fail(err)
}

// copy writes the data of a member. A file that grew or shrank meanwhile gives what the header
// says.
func (o *output) copy(name string, in io.Reader, size int64) error {
	j := o.job
	read := &readErrors{r: in}
	n, err := io.CopyN(o.tar, read, size)
	if err != nil && err != io.EOF && read.err == nil {
		return o.fail(err)
	}
	if n == size {
		if _, err := io.CopyN(io.Discard, in, 1); err == nil {
			j.env.Errorf("%s: file changed as we read it", quoted(name))
			j.status = max(j.status, tarDiffers)
		}
		return nil
	}
	if j.env.Stopped() {
		return errTold
	}
	if read.err != nil {
		j.errorf("%s: Read error at byte %d, while reading %d bytes: %s", quoted(name), n, size-n, strerror(read.err))
	} else {
		j.env.Errorf("%s: File shrank by %d bytes; padding with zeros", quoted(name), size-n)
		j.status = max(j.status, tarDiffers)
	}
	if _, err := io.CopyN(o.tar, zeros{}, size-n); err != nil {
		return o.fail(err)
	}
	return nil
}

// readErrors remembers what went wrong with r.
type readErrors struct {
	r   io.Reader
	err error
}

func (r *readErrors) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
