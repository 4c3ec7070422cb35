package tool

import (
	"context"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// descriptorsKey is that of the shell's descriptors in a context. The interpreter sets them, as it
// does umaskKey.
var descriptorsKey = struct{ Descriptors struct{} }{}

// Descriptor returns what a name such as /dev/fd/63 stands for, if that is a descriptor of the
// shell that runs the command: process substitutions have such names. in is nil if it can't be
// read, out if it can't be written.
func (e *Env) Descriptor(name string) (in io.Reader, out io.Writer, ok bool) {
	number, ok := strings.CutPrefix(name, "/dev/fd/")
	if !ok || e.Context == nil {
		return nil, nil, false
	}
	fd, err := strconv.Atoi(number)
	open, ok := e.Context.Value(descriptorsKey).(func(int) (io.Reader, io.Writer))
	if err != nil || !ok {
		return nil, nil, false
	}
	in, out = open(fd)
	return in, out, in != nil || out != nil
}

// descriptor reads one of the shell's, which stays open. Reads end early when the command should.
type descriptor struct {
	in       io.Reader
	stop     *stop
	unnotice func() bool
}

func (e *Env) openDescriptor(in io.Reader) (io.ReadCloser, error) {
	if in == nil {
		return nil, syscall.EACCES
	}
	d := &descriptor{in: in, stop: e.stop}
	d.unnotice = context.AfterFunc(e.Context, func() { // ends at once
		if f, ok := in.(interface{ SetReadDeadline(time.Time) error }); ok {
			f.SetReadDeadline(time.Unix(1, 0))
		}
	})
	return d, nil
}

func (d *descriptor) Read(p []byte) (int, error) {
	if d.stop.stopped() {
		return 0, io.EOF
	}
	n, err := d.in.Read(p)
	if n == 0 && d.stop.ctx.Err() != nil {
		return 0, io.EOF // the read was given up
	}
	return n, err
}

func (d *descriptor) Close() error {
	d.unnotice()
	return nil
}

// createDescriptor writes to one of the shell's, which stays open. A command dies of writes that
// nobody reads.
func (e *Env) createDescriptor(out io.Writer) (io.WriteCloser, error) {
	if out == nil {
		return nil, syscall.EACCES
	}
	return nopWriteCloser{e.Output(out)}, nil
}

// pipeInfo describes a descriptor.
type pipeInfo struct{ name string }

func (p pipeInfo) Name() string     { return path.Base(p.name) }
func (pipeInfo) Size() int64        { return 0 }
func (pipeInfo) Mode() fs.FileMode  { return fs.ModeNamedPipe | 0o600 }
func (pipeInfo) ModTime() time.Time { return time.Now() }
func (pipeInfo) IsDir() bool        { return false }
func (pipeInfo) Sys() any           { return nil }
