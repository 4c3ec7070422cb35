package proc

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

//go:wasmimport terrarium_proc_v0 terminal
//go:noescape
func terminal(fd uint32, state *byte) syscall.Errno

//go:wasmimport terrarium_proc_v0 set_terminal
//go:noescape
func setTerminalState(fd, what uint32, state *byte) syscall.Errno

//go:wasmimport terrarium_proc_v0 resizes
//go:noescape
func openResizes(fd uint32, newfd *uint32) syscall.Errno

// terminalSize is a terminal's state in memory: ABI.md, "terminal".
const terminalSize = 8

func terminalOf(f *os.File) (Terminal, error) {
	if features()&hasTerminal == 0 {
		return Terminal{}, errors.ErrUnsupported
	}
	var b [terminalSize]byte
	errno := terminal(uint32(fd(f)), unsafe.SliceData(b[:]))
	runtime.KeepAlive(f)
	if errno != 0 {
		return Terminal{}, os.NewSyscallError("terminal", errno)
	}
	le := binary.LittleEndian
	return Terminal{int(le.Uint16(b[:])), int(le.Uint16(b[2:])), TerminalModes(le.Uint32(b[4:]))}, nil
}

func setTerminal(f *os.File, what uint32, t Terminal) error {
	if features()&hasTerminal == 0 {
		return errors.ErrUnsupported
	}
	var b [terminalSize]byte
	le := binary.LittleEndian
	le.PutUint16(b[:], uint16(min(max(t.Rows, 0), 1<<16-1)))
	le.PutUint16(b[2:], uint16(min(max(t.Cols, 0), 1<<16-1)))
	le.PutUint32(b[4:], uint32(t.Modes))
	errno := setTerminalState(uint32(fd(f)), what, unsafe.SliceData(b[:]))
	runtime.KeepAlive(f)
	if errno != 0 {
		return os.NewSyscallError("set_terminal", errno)
	}
	return nil
}

func resizes(f *os.File) (*os.File, error) {
	if features()&hasTerminal == 0 {
		return nil, errors.ErrUnsupported
	}
	var n uint32
	errno := openResizes(uint32(fd(f)), &n)
	runtime.KeepAlive(f)
	if errno != 0 {
		return nil, os.NewSyscallError("resizes", errno)
	}
	return nonblocking(uintptr(n), "resizes")
}
