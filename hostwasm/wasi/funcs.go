package wasi

import (
	"runtime"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// The modules that guests import from.
const (
	Preview1 = "wasi_snapshot_preview1"
	Unstable = "wasi_unstable"
	Proc     = "terrarium_proc_v0"
	FS       = "terrarium_fs_v0"
)

// A call is one function: a has its parameters. It returns nil, an
// errno.Errno for the guest, or an end.
type call func(p *Process, m memory, a []uint64) error

// A function is a call and the types of its parameters: see engine.Func.
type function struct {
	name, params string
	call         call
}

// preview1 has all functions of WASI preview 1.
//
// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/witx/wasi_snapshot_preview1.witx
var preview1 = []function{
	{"args_get", "ii", argsGet},
	{"args_sizes_get", "ii", argsSizesGet},
	{"environ_get", "ii", environGet},
	{"environ_sizes_get", "ii", environSizesGet},
	{"clock_res_get", "ii", clockResGet},
	{"clock_time_get", "iIi", clockTimeGet},
	{"fd_advise", "iIIi", fdAdvise},
	{"fd_allocate", "iII", fdAllocate},
	{"fd_close", "i", fdClose},
	{"fd_datasync", "i", fdDatasync},
	{"fd_fdstat_get", "ii", fdFdstatGet},
	{"fd_fdstat_set_flags", "ii", fdFdstatSetFlags},
	{"fd_fdstat_set_rights", "iII", fdFdstatSetRights},
	{"fd_filestat_get", "ii", fdFilestatGet},
	{"fd_filestat_set_size", "iI", fdFilestatSetSize},
	{"fd_filestat_set_times", "iIIi", fdFilestatSetTimes},
	{"fd_pread", "iiiIi", fdPread},
	{"fd_prestat_get", "ii", fdPrestatGet},
	{"fd_prestat_dir_name", "iii", fdPrestatDirName},
	{"fd_pwrite", "iiiIi", fdPwrite},
	{"fd_read", "iiii", fdRead},
	{"fd_readdir", "iiiIi", fdReaddir},
	{"fd_renumber", "ii", fdRenumber},
	{"fd_seek", "iIii", fdSeek},
	{"fd_sync", "i", fdSync},
	{"fd_tell", "ii", fdTell},
	{"fd_write", "iiii", fdWrite},
	{"path_create_directory", "iii", pathCreateDirectory},
	{"path_filestat_get", "iiiii", pathFilestatGet},
	{"path_filestat_set_times", "iiiiIIi", pathFilestatSetTimes},
	{"path_link", "iiiiiii", pathLink},
	{"path_open", "iiiiiIIii", pathOpen},
	{"path_readlink", "iiiiii", pathReadlink},
	{"path_remove_directory", "iii", pathRemoveDirectory},
	{"path_rename", "iiiiii", pathRename},
	{"path_symlink", "iiiii", pathSymlink},
	{"path_unlink_file", "iii", pathUnlinkFile},
	{"poll_oneoff", "iiii", pollOneoff},
	{"proc_exit", "i", procExit},
	{"proc_raise", "i", procRaise},
	{"sched_yield", "", schedYield},
	{"random_get", "ii", randomGet},
	{"sock_accept", "iii", notSocket},
	{"sock_recv", "iiiiii", notSocket},
	{"sock_send", "iiiii", notSocket},
	{"sock_shutdown", "ii", notSocket},
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
	{"pipe", "iii", procPipe},
	{"spawn", "iii", procSpawn},
	{"wait", "iIi", procWait},
	{"kill", "ii", procKill},
	{"dup", "iii", procDup},
	{"interrupts", "i", procInterrupts},
	{"processes", "ii", procProcesses},
	{"reserve", "i", procReserve},
	{"signal", "ii", procSignal},
	{"terminal", "ii", procTerminal},
	{"set_terminal", "iii", procSetTerminal},
	{"resizes", "ii", procResizes},
}

// fs has all functions of terrarium_fs_v0 but features.
var fs = []function{
	{"mode_get", "iiiii", fsModeGet},
	{"mode_set", "iiiii", fsModeSet},
	{"creating", "iii", fsCreating},
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
			funcs = append(funcs, function{f.name, f.params, old}.in(Unstable))
		}
	}
	for _, f := range proc {
		funcs = append(funcs, f.in(Proc))
	}
	for _, f := range fs {
		funcs = append(funcs, f.in(FS))
	}
	return append(funcs,
		engine.Func{Module: Proc, Name: "features", Results: "I", Call: procFeatures},
		engine.Func{Module: FS, Name: "features", Results: "I", Call: fsFeatures})
}

func (f function) in(module string) engine.Func {
	ef := engine.Func{Module: module, Name: f.name, Params: f.params, Results: "i", Call: f.call.run}
	if f.waits() {
		ef.Try = f.call.try
	}
	if f.name == "proc_exit" {
		ef.Results = ""
	}
	return ef
}

// waits reports whether a function may have to wait: for a stream, a child, others'
// turns or a file system. All but these may.
func (f function) waits() bool {
	switch f.name {
	case "args_get", "args_sizes_get", "environ_get", "environ_sizes_get",
		"clock_res_get", "clock_time_get", "random_get", "proc_exit", "proc_raise",
		"fd_prestat_get", "fd_prestat_dir_name", "fd_fdstat_set_rights",
		"sock_accept", "sock_recv", "sock_send", "sock_shutdown",
		"pipe", "kill", "dup", "interrupts", "processes", "reserve", "signal",
		"terminal", "set_terminal", "resizes", "creating":
		return false
	}
	return true
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
