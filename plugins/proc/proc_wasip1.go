package proc

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

//go:wasmimport terrarium_proc_v0 features
func features() uint64

//go:wasmimport terrarium_proc_v0 pipe
//go:noescape
func pipe(flags uint32, r, w *uint32) syscall.Errno

//go:wasmimport terrarium_proc_v0 spawn
//go:noescape
func spawn(req *byte, size uint32, proc *uint32) syscall.Errno

//go:wasmimport terrarium_proc_v0 kill
func killProcess(proc uint32, how uint32) syscall.Errno

//go:wasmimport terrarium_proc_v0 interrupts
//go:noescape
func openInterrupts(fd *uint32) syscall.Errno

// Bits of features.
const (
	hasSpawn      = 2
	hasInterrupts = 32
	hasProcesses  = 64
	hasTerminal   = 128
)

func supported() bool { return features()&hasSpawn != 0 }

func newPipe() (r, w *os.File, err error) {
	var rfd, wfd uint32
	const nonblock = 1 // so that the runtime waits for them, and not the process
	if errno := pipe(nonblock, &rfd, &wfd); errno != 0 {
		return nil, nil, os.NewSyscallError("pipe", errno)
	}
	return os.NewFile(uintptr(rfd), "|0"), os.NewFile(uintptr(wfd), "|1"), nil
}

func interrupts() (*os.File, error) {
	if features()&hasInterrupts == 0 {
		return nil, errors.ErrUnsupported
	}
	var n uint32
	if errno := openInterrupts(&n); errno != 0 {
		return nil, os.NewSyscallError("interrupts", errno)
	}
	return nonblocking(uintptr(n), "interrupts")
}

func waiting(f *os.File) (*os.File, error) { return nonblocking(fd(f), f.Name()) }

func nonblocking(fd uintptr, name string) (*os.File, error) {
	if err := syscall.SetNonblock(int(fd), true); err != nil {
		return nil, os.NewSyscallError("fd_fdstat_set_flags", err)
	}
	return os.NewFile(fd, name), nil
}

// process is what a Cmd has become.
type process struct {
	handle *os.File // nil before it was started
	status *Status  // nil until it was waited for
}

func (p *process) start(c *Cmd) error {
	if p.handle != nil {
		return errors.New("proc: already started")
	}
	files := append([]*os.File{c.Stdin, c.Stdout, c.Stderr}, c.ExtraFiles...)
	var fds []fdmap
	for child, f := range files {
		if f != nil {
			fds = append(fds, fdmap{uint32(child), uint32(fd(f))})
		}
	}
	req := c.appendRequest(nil, !strings.Contains(c.Name, "/"), fds)
	var handle uint32
	errno := spawn(unsafe.SliceData(req), uint32(len(req)), &handle)
	runtime.KeepAlive(files)
	if errno != 0 {
		return &os.PathError{Op: "spawn", Path: c.Name, Err: errno}
	}
	syscall.SetNonblock(int(handle), true) // an error makes wait block all goroutines
	p.handle = os.NewFile(uintptr(handle), c.Name)
	return nil
}

// fd returns a file's descriptor and leaves it as it is, where File.Fd makes
// it a blocking one.
func fd(f *os.File) (fd uintptr) {
	raw, err := f.SyscallConn()
	if err != nil {
		return ^uintptr(0)
	}
	raw.Control(func(n uintptr) { fd = n })
	return fd
}

func (p *process) wait() (Status, error) {
	switch {
	case p.status != nil:
		return *p.status, nil
	case p.handle == nil:
		return Status{}, errors.New("proc: not started")
	}
	var b [16]byte
	if _, err := io.ReadFull(p.handle, b[:]); err != nil {
		return Status{}, err
	}
	p.handle.Close()
	le := binary.LittleEndian
	p.status = &Status{Kind(le.Uint32(b[:])), le.Uint32(b[4:]), le.Uint64(b[8:])}
	return *p.status, nil
}

func (p *process) kill() error {
	const now = 2
	if p.handle == nil || p.status != nil {
		return nil
	}
	if errno := killProcess(uint32(fd(p.handle)), now); errno != 0 {
		return os.NewSyscallError("kill", errno)
	}
	return nil
}
