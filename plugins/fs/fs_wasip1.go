package fs

import (
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

//go:wasmimport terrarium_fs_v0 features
func features() uint64

//go:wasmimport terrarium_fs_v0 mode_set
//go:noescape
func modeSet(fd int32, flags uint32, path *byte, size uint32, mode uint32) syscall.Errno

//go:wasmimport terrarium_fs_v0 creating
//go:noescape
func setCreating(files, dirs uint32, old *[2]uint32) syscall.Errno

//go:wasmimport wasi_snapshot_preview1 path_filestat_set_times
//go:noescape
func setTimes(fd int32, flags uint32, path *byte, size uint32, atim, mtim uint64, which uint32) syscall.Errno

// Bits of features.
const (
	hasModes    = 1
	hasCreating = 4
)

// The flags of mode_set.
const (
	flagFollow = 1
	flagItself = 2
)

// keep leaves a mode of creating as it is.
const keep = 1<<32 - 1

// Where a filestat has its mode: in the padding behind the type, which package
// syscall hands to the host with the rest. ABI.md, "filestat".
const (
	offMode   = 18
	modeKnown = 1 << 15
)

// These don't compile where syscall.Stat_t begins otherwise than a filestat.
var (
	_ [0]struct{} = [unsafe.Offsetof(syscall.Stat_t{}.Filetype) - 16]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(syscall.Stat_t{}.Nlink) - 24]struct{}{}
)

func modeOf(info fs.FileInfo) (uint32, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	mode := *(*uint16)(unsafe.Add(unsafe.Pointer(st), offMode))
	return uint32(mode &^ modeKnown), mode&modeKnown != 0
}

func chmod(name string, mode uint32) error {
	fail := func(errno syscall.Errno) error { return &os.PathError{Op: "chmod", Path: name, Err: errno} }
	switch {
	case name == "":
		return fail(syscall.ENOENT)
	case features()&hasModes == 0:
		return fail(syscall.ENOTSUP)
	}
	dir, rest := beginning(name)
	if errno := modeSet(dir, flagFollow, unsafe.StringData(rest), uint32(len(rest)), mode&0o7777); errno != 0 {
		return fail(errno)
	}
	return nil
}

func fchmod(f *os.File, mode uint32) (err error) {
	errno := syscall.ENOTSUP
	if features()&hasModes != 0 {
		raw, err := f.SyscallConn()
		if err != nil {
			return err
		}
		err = raw.Control(func(fd uintptr) { errno = modeSet(int32(fd), flagItself, nil, 0, mode&0o7777) })
		if err != nil {
			return err
		}
	}
	if errno != 0 {
		return &os.PathError{Op: "chmod", Path: f.Name(), Err: errno}
	}
	return nil
}

func lchtimes(name string, atime, mtime time.Time) error {
	errno := syscall.ENOENT
	if name != "" {
		const setAtim, setMtim = 1, 4
		var atim, mtim int64
		var which uint32
		if !atime.IsZero() {
			atim, which = atime.UnixNano(), setAtim
		}
		if !mtime.IsZero() {
			mtim, which = mtime.UnixNano(), which|setMtim
		}
		dir, rest := beginning(name)
		errno = setTimes(dir, 0, unsafe.StringData(rest), uint32(len(rest)), uint64(atim), uint64(mtim), which)
	}
	if errno != 0 {
		return &os.PathError{Op: "lchtimes", Path: name, Err: errno}
	}
	return nil
}

// readOnly sets no time, which is refused nonetheless in what is read-only.
func readOnly(name string) bool {
	dir, rest := beginning(name)
	return setTimes(dir, flagFollow, unsafe.StringData(rest), uint32(len(rest)), 0, 0, 0) == syscall.EROFS
}

func openFile(name string, flag int, mode uint32) (f *os.File, err error) {
	if flag&os.O_CREATE == 0 {
		return os.OpenFile(name, flag, 0)
	}
	err = creating(mode, mode, func() error {
		f, err = os.OpenFile(name, flag, 0)
		return err
	})
	return f, err
}

func mkdir(name string, mode uint32) error {
	return creating(mode, mode, func() error { return os.Mkdir(name, 0) })
}

// umask is what new directories do not get.
var umask = sync.OnceValue(func() uint32 {
	var old [2]uint32
	if features()&hasCreating == 0 || setCreating(keep, keep, &old) != 0 {
		return 0o022
	}
	return 0o777 &^ old[1]
})

// one is held by who creates: the modes are the process's.
var one sync.Mutex

func creating(files, dirs uint32, f func() error) error {
	if features()&hasCreating == 0 {
		return f()
	}
	umask()
	one.Lock()
	defer one.Unlock()
	var old [2]uint32
	if errno := setCreating(files&0o777, dirs&0o777, &old); errno != 0 {
		return os.NewSyscallError("creating", errno)
	}
	defer setCreating(old[0], old[1], new([2]uint32))
	return f()
}
