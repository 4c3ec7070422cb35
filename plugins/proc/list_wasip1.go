package proc

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

//go:wasmimport terrarium_proc_v0 processes
//go:noescape
func processes(buf *byte, size uint32) syscall.Errno

//go:wasmimport terrarium_proc_v0 reserve
//go:noescape
func reservePID(pid *uint32) syscall.Errno

//go:wasmimport terrarium_proc_v0 signal
func signalProcess(pid, signal uint32) syscall.Errno

// A list's head, and what comes before the arguments of each process in it:
// ABI.md, "processes".
const (
	listHead   = 16
	listedHead = 48
)

func self() (int, error) {
	var head [listHead]byte
	if err := fill(head[:]); err != nil && !errors.Is(err, syscall.ERANGE) {
		return 0, err
	}
	return int(binary.LittleEndian.Uint32(head[8:])), nil
}

// fill has the host store the list in b, or its head and ERANGE.
func fill(b []byte) error {
	if features()&hasProcesses == 0 {
		return errors.ErrUnsupported
	}
	if errno := processes(unsafe.SliceData(b), uint32(len(b))); errno != 0 {
		return os.NewSyscallError("processes", errno)
	}
	return nil
}

func list() ([]Process, error) {
	b := make([]byte, 16<<10)
	for {
		err := fill(b)
		size := int(binary.LittleEndian.Uint32(b))
		switch {
		case errors.Is(err, syscall.ERANGE):
			b = make([]byte, size+size/4) // there may be more by then
		case err != nil:
			return nil, err
		default:
			return decode(b[listHead:size]), nil
		}
	}
}

func decode(b []byte) (all []Process) {
	le := binary.LittleEndian
	for len(b) >= listedHead {
		size, args := int(le.Uint32(b)), int(le.Uint32(b[40:]))
		p := Process{
			PID: int(le.Uint32(b[4:])), Parent: int(le.Uint32(b[8:])), State: State(le.Uint32(b[12:])),
			Start: time.UnixMilli(int64(le.Uint64(b[16:]))), Fuel: le.Uint64(b[24:]), Memory: le.Uint64(b[32:]),
		}
		if args > 0 {
			p.Args = strings.Split(strings.TrimSuffix(string(b[listedHead:listedHead+args]), "\x00"), "\x00")
		}
		all = append(all, p)
		b = b[size:]
	}
	return all
}

func reserve() (int, error) {
	if features()&hasProcesses == 0 {
		return 0, errors.ErrUnsupported
	}
	var pid uint32
	if errno := reservePID(&pid); errno != 0 {
		return 0, os.NewSyscallError("reserve", errno)
	}
	return int(pid), nil
}

func sendSignal(pid, signal int) error {
	if features()&hasProcesses == 0 {
		return errors.ErrUnsupported
	}
	if errno := signalProcess(uint32(pid), uint32(signal)); errno != 0 {
		return os.NewSyscallError("kill", errno)
	}
	return nil
}
