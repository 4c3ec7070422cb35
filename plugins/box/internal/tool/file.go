package tool

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	modes "github.com/terrarium-dev/terrarium/plugins/fs"
)

// Path returns name as the operating system finds it: joined to the current directory unless it is
// absolute. An empty name stays empty, so that using it fails as it should.
func (e *Env) Path(name string) string {
	if name == "" || path.IsAbs(name) || e.Dir == "" {
		return name
	}
	if e.Dir[len(e.Dir)-1] == '/' {
		return e.Dir + name
	}
	// It can't be path.Join: "link/.." must not be shortened, and a final slash counts.
	return e.Dir + "/" + name
}

// Open opens a file for reading. "/dev/stdin" is the command's own standard input.
func (e *Env) Open(name string) (io.ReadCloser, error) {
	if name == "/dev/stdin" {
		return e.Input("-")
	}
	if in, _, ok := e.Descriptor(name); ok {
		return e.openDescriptor(in)
	}
	f, err := os.Open(e.Path(name))
	if err != nil {
		return nil, err
	}
	return &file{File: f, stop: e.stop}, nil
}

// Input is Open, but "-" is the command's standard input.
func (e *Env) Input(name string) (io.ReadCloser, error) {
	if name == "-" {
		return nopCloser{e.Stdin.(*stdin)}, nil
	}
	return e.Open(name)
}

// Create opens a file for writing with flags such as os.O_TRUNC; os.O_WRONLY|os.O_CREATE are
// implied. "/dev/stdout" and "/dev/stderr" are the command's own.
func (e *Env) Create(name string, flags int) (io.WriteCloser, error) {
	switch name {
	case "/dev/stdout":
		return nopWriteCloser{e.Out}, nil
	case "/dev/stderr":
		return nopWriteCloser{e.Stderr}, nil
	}
	if _, out, ok := e.Descriptor(name); ok {
		return e.createDescriptor(out)
	}
	f, err := e.OpenFile(name, os.O_WRONLY|os.O_CREATE|flags, 0o666)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// umaskKey is that of a context's umask, which the interpreter sets, and can't import this package:
// types that have no name are the same everywhere.
var umaskKey = struct{ Umask struct{} }{}

// Umask returns the permissions that what the command makes does not get.
func (e *Env) Umask() uint32 {
	if e.Context != nil {
		if mask, ok := e.Context.Value(umaskKey).(int); ok {
			return uint32(mask)
		}
	}
	return modes.Umask()
}

// OpenFile opens a file with flags such as os.O_RDWR. A new one gets the permissions mode, less the
// umask.
func (e *Env) OpenFile(name string, flags int, mode uint32) (*os.File, error) {
	return modes.OpenFile(e.Path(name), flags, mode&^e.Umask())
}

// Mkdir makes a directory with the permissions mode, less the umask.
func (e *Env) Mkdir(name string, mode uint32) error {
	return modes.Mkdir(e.Path(name), mode&^e.Umask())
}

// MkdirAll makes a directory, and those that lead to it.
func (e *Env) MkdirAll(name string) error {
	mode := 0o777 &^ e.Umask()
	return modes.Creating(mode, mode, func() error { return os.MkdirAll(e.Path(name), fs.FileMode(mode)) })
}

// Chmod sets the permissions of a file, through symbolic links.
func (e *Env) Chmod(name string, mode uint32) error { return modes.Chmod(e.Path(name), mode) }

// ReadFile reads a whole file; "-" is the command's standard input.
func (e *Env) ReadFile(name string) ([]byte, error) {
	r, err := e.Input(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return ReadAll(r)
}

// Stat describes a file, following symbolic links.
func (e *Env) Stat(name string) (fs.FileInfo, error) {
	if _, _, ok := e.Descriptor(name); ok {
		return pipeInfo{name}, nil
	}
	return os.Stat(e.Path(name))
}

// StatInput is Stat, but "-" is the command's standard input, if that can be described.
func (e *Env) StatInput(name string) (fs.FileInfo, error) {
	if name != "-" {
		return e.Stat(name)
	}
	if f, ok := e.Stdin.(*stdin).r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		return f.Stat()
	}
	return nil, syscall.EBADF
}

// IsOutput reports whether a file is the one that the command's standard output goes to.
func (e *Env) IsOutput(fi fs.FileInfo) bool {
	f, ok := e.Stdout.(interface{ Stat() (fs.FileInfo, error) })
	if !ok || !fi.Mode().IsRegular() {
		return false
	}
	out, err := f.Stat()
	return err == nil && out.Mode().IsRegular() && os.SameFile(fi, out)
}

// HasInput reports whether somebody gave the command an input: a file, a pipe, and not what its
// process was started with. Commands that may do without one can't wait for what never comes.
func (e *Env) HasInput() bool {
	r := e.Stdin.(*stdin).r
	if r == nil || r == os.Stdin {
		return false
	}
	fi, err := e.StatInput("-")
	return err != nil || fi.Mode()&fs.ModeCharDevice == 0
}

// Lstat describes a file, or a symbolic link itself.
func (e *Env) Lstat(name string) (fs.FileInfo, error) {
	if _, _, ok := e.Descriptor(name); ok {
		return pipeInfo{name}, nil
	}
	return os.Lstat(e.Path(name))
}

// ReadDir lists a directory in the order of names.
func (e *Env) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(e.Path(name)) }

// Remove removes a file or an empty directory.
func (e *Env) Remove(name string) error { return os.Remove(e.Path(name)) }

// Rename moves a file.
func (e *Env) Rename(from, to string) error { return os.Rename(e.Path(from), e.Path(to)) }

// file ends early when its command should, and says of a directory that it is one, whatever the
// system says.
type file struct {
	*os.File
	stop *stop
}

func (f *file) Read(p []byte) (int, error) {
	if f.stop.stopped() {
		return 0, io.EOF
	}
	n, err := f.File.Read(p)
	if err != nil && err != io.EOF && !errors.Is(err, syscall.EISDIR) {
		// wasip1 answers EBADF here.
		if fi, e := f.Stat(); e == nil && fi.IsDir() {
			return n, syscall.EISDIR
		}
	}
	return n, err
}

// WriteTo hides the one of os.File, which would not ask stop.
func (f *file) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{f})
}

// nopCloser is standard input, which stays open. Unlike io.NopCloser it can still Seek.
type nopCloser struct{ *stdin }

func (nopCloser) Close() error { return nil }

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
