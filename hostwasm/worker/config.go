package worker

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// A Config says how a Host runs commands. With the zero value it runs modules that
// lie in a session's directories.
type Config struct {
	// Commands, Mounts, Env, Dir, Limits and Deterministic are as in
	// hostwasm.Config. What that has besides is in this program and out of
	// reach for workers: Funcs, and a Mount's FS, which New refuses.
	Commands      map[string]*hostwasm.Module
	Mounts        []hostwasm.Mount
	Env           []string
	Dir           string
	Limits        hostwasm.Limits
	Deterministic bool

	// HTTP is as in hostwasm.Config. It runs in this program, and workers reach
	// nothing but what it hands them.
	HTTP hostwasm.Fetcher
	// Bounds is as in hostwasm.Config.
	Bounds func(b *core.Bounds) (terms string, fetches bool, err error)

	// Memory is how many bytes of linear memory all commands may have
	// together: default 4 GiB. Each takes 32 MiB of it when it starts, and
	// more as it grows, up to its Limits.Memory.
	Memory int64

	// Engine is what runs modules: by default "wazero".
	Engine string

	// CacheDir keeps compiled modules, as hostwasm.CacheIn says. If it is empty,
	// or can't be written to, they are kept until Close.
	CacheDir string

	// Hidden is as in hostwasm.Config. CacheDir and ScratchDir(TmpDir) are
	// hidden always.
	Hidden []string

	// Helper is a program whose main begins with Main, of this version of this
	// module: an absolute path. If empty, it is this program, if its main
	// begins so. A small one starts sooner.
	Helper string

	// Pool is how many workers are kept warm, for sessions that begin. If zero, 2;
	// if negative, none. Besides, up to 16 sessions that run nothing keep theirs for
	// a minute. Each has some 80 MB of memory where the module is our shell.
	Pool int

	// TmpDir is where sessions have their /tmp: a directory of this program's
	// own in ScratchDir, which is removed by Close or else by the next Host. If
	// empty, it is os.TempDir. Each session may fill Limits.Scratch, and all
	// together Scratch, in bytes of blocks of 4 KiB, of which each directory and
	// symbolic link has one: default 1 GiB. Sessions that run no command
	// lose theirs to others, those first that were used longest ago.
	TmpDir  string
	Scratch int64

	// Required has commands not run, nor modules be compiled, where less holds
	// a worker than what Report can tell of. The error is an
	// *UnconfinedError. Where it is not set,
	// Unconfined, if not nil, is told what is missing, once, when the first
	// worker has started, on any goroutine. It must not block, and must not
	// call the Host.
	Required   bool
	Unconfined func(missing []Measure)

	// Undumpable makes this program undumpable (PR_SET_DUMPABLE, Linux): other
	// programs of its user, such as a worker that was taken over where there is
	// no Landlock, can't read or change its memory. Nor can a debugger, there
	// is no core dump, and files in /proc/self belong to root.
	Undumpable bool

	// Refused, if not nil, is told of a system call that a worker has made and
	// that is not on the list of those that it needs, once for each name. It
	// was refused. Either a guest has broken out, or this program meets a
	// system, or was built by a Go, that its list was not made for. It is
	// called on any goroutine, must not block, and must not call the Host.
	// Host.RefusedCalls counts.
	Refused func(call string)

	// Logger, if set, is told of what was compiled, and of what Unconfined and Refused are
	// told, whether they are set or not. A *slog.Logger is one.
	Logger driver.Logger

	// Compiling is as in hostwasm.Config.
	Compiling func(name string, size int) (done func())
}

// defaultPool is how many workers are kept warm.
const defaultPool = 2

// ScratchDir returns the directory below tmpDir, a Config.TmpDir, where all Hosts
// of this user have what sessions have in /tmp. No command gets it in Mounts or
// Roots. It is there while a Host is open.
func ScratchDir(tmpDir string) string {
	if tmpDir == "" {
		tmpDir = os.TempDir()
	}
	return filepath.Join(tmpDir, "terrarium-"+strconv.Itoa(os.Geteuid()))
}
