package hostwasm

import (
	"errors"
	"math"
	"path"
	"slices"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// maxDepth is how many generations there may be below a command.
const maxDepth = 8

// A spawner starts the children of a guest.
type spawner struct{ parent *guest }

// Spawn implements wasi.Spawner. It compiles what was not compiled yet.
func (s spawner) Spawn(r wasi.Request, exited func(wasi.Status)) (wasi.Child, error) {
	parent, j := s.parent, s.parent.job
	if parent.depth >= maxDepth {
		return nil, errno.AGAIN
	}
	file, err := j.find(parent, r)
	if err != nil {
		return nil, err
	}
	files, err := parent.view(r.Dirs)
	if err != nil {
		return nil, err
	}
	ready := j.compiling.Begin()
	program, err := j.host.program(parent.ctx, parent.account, parent.files, file, j.host.named(file))
	ready()
	if err != nil {
		return nil, startError(err)
	}
	dir := r.Cwd
	if dir == "" {
		dir = parent.dir
	}
	output := parent.output
	if r.Limits.Output > 0 {
		output = wasi.NewQuota(clamp(r.Limits.Output), output)
	}
	child := &guest{
		job: j, depth: parent.depth + 1, exited: exited,
		program: program, account: parent.account.narrow(r.Limits), output: output,
		files: files, dir: dir, wall: r.Limits.Wall, parent: parent.entry.pid,
	}
	err = j.start(parent.ctx, child, wasi.Config{Args: r.Args, Env: r.Env, Inherited: r.Inherited, Modes: r.Modes}, r.PID)
	if err != nil {
		j.host.programs.release(program)
		return nil, startError(err)
	}
	return child, nil
}

// find returns the path of what r asks for.
func (j *job) find(parent *guest, r wasi.Request) (string, error) {
	if !r.Named {
		return join(parent.dir, r.Program), nil
	}
	if j.host.config.Commands[r.Program] == nil {
		return "", errno.NOENT
	}
	return binDir + r.Program, nil
}

// view returns the files that a child sees: those below dirs, at their own
// paths, or all of g's.
func (g *guest) view(dirs []wasi.Dir) (*vfs.Tree, error) {
	if len(dirs) == 0 {
		return g.files, nil
	}
	// The quotas of g itself hold.
	tree := vfs.New(vfs.Config{MaxBytes: math.MaxInt64, MaxFiles: math.MaxInt64})
	for _, d := range dirs {
		dir := path.Clean(d.Path)
		opened, resolved, err := g.files.Open(vfs.Path{Dir: "/", Name: dir, Follow: true, Wait: until(g.ctx)}, vfs.How{Directory: true})
		if err != nil {
			return nil, err
		}
		opened.Close()
		part := vfs.Sub(g.files, resolved)
		if d.ReadOnly {
			part = vfs.ReadOnly(part)
		}
		if err := tree.Mount(dir, part); err != nil {
			return nil, errno.INVAL // twice the same
		}
	}
	return tree, nil
}

// narrow returns the account of a child with limits of its own.
func (a *account) narrow(l wasi.RequestLimits) *account {
	if l.Fuel == 0 && l.Memory == 0 {
		return a
	}
	return newAccount(a, limit(l.Fuel), limit(l.Memory), -1)
}

// limit is a limit of an account; 0 is none besides the parent's.
func limit(n uint64) int64 {
	if n == 0 {
		return -1
	}
	return clamp(n)
}

func clamp(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// Kill implements wasi.Child. No guest can catch a signal, so that both ways
// end it at once.
func (g *guest) Kill(how wasi.Kill) {
	if how == wasi.Terminate {
		g.kill(&killError{"SIGTERM"})
		return
	}
	g.kill(&killError{"SIGKILL"})
}

// Reap implements wasi.Child.
func (g *guest) Reap() { g.job.processes.remove(g.entry) }

// startError is what a guest learns of a program that could not be started.
func startError(err error) error {
	var (
		number errno.Errno
		limit  *wasi.Limit
	)
	switch {
	case errors.As(err, &number):
		return number
	case errors.As(err, &limit), errors.Is(err, engine.ErrTooMany):
		return errno.AGAIN // too many processes
	}
	return errno.NOEXEC
}

// limitCodes are the limits by their codes in ABI.md, from 1.
var limitCodes = []core.Reason{
	core.ReasonFuel, core.ReasonMemory, core.ReasonTimeout, core.ReasonOutput,
	core.ReasonOpenFiles, core.ReasonDisk, core.ReasonProcesses,
}

// childStatus is how the guest ended, for its parent.
func (g *guest) childStatus() wasi.Status {
	s := wasi.Status{Fuel: g.exit.Usage.Fuel}
	var trap *engine.Trap
	switch code := slices.Index(limitCodes, g.exit.Reason); {
	case code >= 0:
		s.Kind, s.Code = wasi.Exceeded, uint32(code+1)
	case errors.As(g.err, &trap):
		s.Kind = wasi.Trapped
	case g.exit.Status.Signal != "":
		s.Kind, s.Code = wasi.Killed, signalNumber(g.exit.Status.Signal)
	default:
		s.Code = g.exit.Status.ExitCode
	}
	return s
}
