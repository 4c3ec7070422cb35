package wasi

import (
	"runtime"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// The modules that guests import from.
const (
	Preview1 = "wasi_snapshot_preview1" // what compilers for WASI preview 1 import
	Unstable = "wasi_unstable"          // preview 0, which older compilers import
	Proc     = "terrarium_proc_v0"      // ours: processes and terminals, see ABI.md
	FS       = "terrarium_fs_v0"        // ours: the permissions of files
	HTTP     = "terrarium_http_v0"      // ours: requests by HTTP
)

// A call is one function: a has its parameters. It returns nil, an
// errno.Errno for the guest, or an end.
type call func(p *Process, m memory, a []uint64) error

// A function is a call and the types of its parameters: see engine.Func.
type function struct {
	name, params string
	call         call
	waits        bool
}

// Whether a function may have to wait: for a stream, a child, others' turns or a
// file system. Only such ones are tried.
const (
	atOnce  = false
	mayWait = true
)

// preview1 has all functions of WASI preview 1.
//
// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/witx/wasi_snapshot_preview1.witx
var preview1 = []function{
	{"args_get", "ii", argsGet, atOnce},
	{"args_sizes_get", "ii", argsSizesGet, atOnce},
	{"environ_get", "ii", environGet, atOnce},
	{"environ_sizes_get", "ii", environSizesGet, atOnce},
	{"clock_res_get", "ii", clockResGet, atOnce},
	{"clock_time_get", "iIi", clockTimeGet, atOnce},
	{"fd_advise", "iIIi", fdAdvise, mayWait},
	{"fd_allocate", "iII", fdAllocate, mayWait},
	{"fd_close", "i", fdClose, mayWait},
	{"fd_datasync", "i", fdDatasync, mayWait},
	{"fd_fdstat_get", "ii", fdFdstatGet, mayWait},
	{"fd_fdstat_set_flags", "ii", fdFdstatSetFlags, mayWait},
	{"fd_fdstat_set_rights", "iII", fdFdstatSetRights, atOnce},
	{"fd_filestat_get", "ii", fdFilestatGet, mayWait},
	{"fd_filestat_set_size", "iI", fdFilestatSetSize, mayWait},
	{"fd_filestat_set_times", "iIIi", fdFilestatSetTimes, mayWait},
	{"fd_pread", "iiiIi", fdPread, mayWait},
	{"fd_prestat_get", "ii", fdPrestatGet, atOnce},
	{"fd_prestat_dir_name", "iii", fdPrestatDirName, atOnce},
	{"fd_pwrite", "iiiIi", fdPwrite, mayWait},
	{"fd_read", "iiii", fdRead, mayWait},
	{"fd_readdir", "iiiIi", fdReaddir, mayWait},
	{"fd_renumber", "ii", fdRenumber, mayWait},
	{"fd_seek", "iIii", fdSeek, mayWait},
	{"fd_sync", "i", fdSync, mayWait},
	{"fd_tell", "ii", fdTell, mayWait},
	{"fd_write", "iiii", fdWrite, mayWait},
	{"path_create_directory", "iii", pathCreateDirectory, mayWait},
	{"path_filestat_get", "iiiii", pathFilestatGet, mayWait},
	{"path_filestat_set_times", "iiiiIIi", pathFilestatSetTimes, mayWait},
	{"path_link", "iiiiiii", pathLink, mayWait},
	{"path_open", "iiiiiIIii", pathOpen, mayWait},
	{"path_readlink", "iiiiii", pathReadlink, mayWait},
	{"path_remove_directory", "iii", pathRemoveDirectory, mayWait},
	{"path_rename", "iiiiii", pathRename, mayWait},
	{"path_symlink", "iiiii", pathSymlink, mayWait},
	{"path_unlink_file", "iii", pathUnlinkFile, mayWait},
	{"poll_oneoff", "iiii", pollOneoff, mayWait},
	{"proc_exit", "i", procExit, atOnce},
	{"proc_raise", "i", procRaise, atOnce},
	{"sched_yield", "", schedYield, mayWait},
	{"random_get", "ii", randomGet, atOnce},
	{"sock_accept", "iii", notSocket, atOnce},
	{"sock_recv", "iiiiii", notSocket, atOnce},
	{"sock_send", "iiiii", notSocket, atOnce},
	{"sock_shutdown", "ii", notSocket, atOnce},
}

// unstable are the functions of wasi_unstable that differ from preview1's,
// which has sock_accept besides.
//
// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview0/witx/wasi_unstable.witx
var unstable = map[string]call{
	"fd_filestat_get":   unstableFdFilestatGet,
	"fd_seek":           unstableFdSeek,
	"path_filestat_get": unstablePathFilestatGet,
	"poll_oneoff":       unstablePollOneoff,
	"sock_accept":       nil,
}

// proc has all functions of terrarium_proc_v0 but features, the one that does
// not return an errno.
var proc = []function{
	{"pipe", "iii", procPipe, atOnce},
	{"spawn", "iii", procSpawn, mayWait},
	{"wait", "iIi", procWait, mayWait},
	{"kill", "ii", procKill, atOnce},
	{"dup", "iii", procDup, atOnce},
	{"interrupts", "i", procInterrupts, atOnce},
	{"processes", "ii", procProcesses, atOnce},
	{"reserve", "i", procReserve, atOnce},
	{"signal", "ii", procSignal, atOnce},
	{"terminal", "ii", procTerminal, atOnce},
	{"set_terminal", "iii", procSetTerminal, atOnce},
	{"resizes", "ii", procResizes, atOnce},
}

// fs has all functions of terrarium_fs_v0 but features.
var fs = []function{
	{"mode_get", "iiiii", fsModeGet, mayWait},
	{"mode_set", "iiiii", fsModeSet, mayWait},
	{"creating", "iii", fsCreating, atOnce},
}

// http has all functions of terrarium_http_v0 but features.
var http = []function{
	{"open", "ii", httpOpen, atOnce},
}

// Funcs returns all functions that guests may import. They take a *Process as
// guest.
func Funcs() []engine.Func {
	var funcs []engine.Func
	for _, f := range preview1 {
		funcs = append(funcs, f.in(Preview1))
		old, differs := unstable[f.name]
		if !differs {
			funcs = append(funcs, f.in(Unstable))
		} else if old != nil {
			funcs = append(funcs, function{f.name, f.params, old, f.waits}.in(Unstable))
		}
	}
	for _, f := range proc {
		funcs = append(funcs, f.in(Proc))
	}
	for _, f := range fs {
		funcs = append(funcs, f.in(FS))
	}
	for _, f := range http {
		funcs = append(funcs, f.in(HTTP))
	}
	return append(funcs,
		engine.Func{Module: Proc, Name: "features", Results: "I", Call: procFeatures},
		engine.Func{Module: FS, Name: "features", Results: "I", Call: fsFeatures},
		engine.Func{Module: HTTP, Name: "features", Results: "I", Call: httpFeatures})
}

func (f function) in(module string) engine.Func {
	ef := engine.Func{Module: module, Name: f.name, Params: f.params, Results: "i", Call: f.call.run}
	if f.waits {
		ef.Try = f.call.try
	}
	if f.name == "proc_exit" {
		ef.Results = ""
	}
	return ef
}

// try is an engine.Func's Try.
func (f call) try(guest any, mem *engine.Memory, stack []uint64) error {
	p := guest.(*Process)
	clock, _ := p.clock.(*virtualClock)
	var passed time.Duration
	if clock != nil {
		passed = clock.passed
	}
	p.trying = true
	err := f.run(guest, mem, stack)
	p.trying = false
	if err == engine.ErrWait && clock != nil {
		clock.passed = passed
	}
	return err
}

// run is an engine.Func's Call.
func (f call) run(guest any, mem *engine.Memory, stack []uint64) error {
	p := guest.(*Process)
	if err := p.interrupted(); err != nil {
		return err.(end).error
	}
	err := f(p, memory{mem}, stack)
	if err == engine.ErrWait {
		p.steps = 0 // they are counted when the call is made again
		return err
	}
	if empty := p.walked(); empty != nil {
		err = empty
	}
	switch err := err.(type) {
	case nil:
		stack[0] = uint64(errno.SUCCESS)
	case errno.Errno:
		stack[0] = uint64(err)
	case end:
		return err.error
	default:
		stack[0] = uint64(errno.IO)
	}
	return nil
}

// sched_yield()
func schedYield(p *Process, _ memory, _ []uint64) error {
	if p.trying {
		return engine.ErrWait
	}
	runtime.Gosched()
	return nil
}

// notSocket is all that sockets do: there are none.
func notSocket(p *Process, _ memory, a []uint64) error {
	if _, err := p.fds.get(uint32(a[0])); err != nil {
		return err
	}
	return errno.NOTSOCK
}
