package hostwasm

import (
	"context"
	"fmt"
	"io"
	"path"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/internal/turn"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// StillCompiled is what a host says of a command whose time was over before it ran.
const StillCompiled = "its module was still being compiled, which is done once: give it more time"

// Start starts the command that Resolve found. Where its module was not
// compiled yet, that comes first, while ctx lasts.
func (h *Host) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := within(ctx, h.left, func() (*process, error) { return h.start(ctx, e) }, func(p *process) { p.Close() })
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (h *Host) start(ctx context.Context, e core.Exec) (_ *process, err error) {
	tree, err := h.tree(e.Command)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			tree.Close()
			err = refuse(opExec, e.Argv[0], err)
		}
	}()
	dir, err := h.dir(ctx, tree, e.Command)
	if err != nil {
		return nil, err
	}
	j := h.newJob(tree)
	fetches, err := h.fetches(e.Command)
	if err != nil {
		return nil, err
	}
	if fetches {
		j.exchanges.fetcher, j.exchanges.ctx = h.config.HTTP, WithCommand(context.WithoutCancel(ctx), &e.Command)
	}
	if h.config.Deterministic {
		e.Command.Traceparent = "" // no two are the same
	}
	env := environment(h.config.Env, e.Command, dir)
	program, err := h.program(ctx, j.account, tree, e.Path, h.direct(ctx, tree, e, env, dir))
	if err != nil {
		return nil, err
	}
	p, c := newProcess(j, e.Command)
	c.Args, c.Env = e.Argv, env
	p.root = &guest{
		job: j, program: program, account: j.account, output: j.output, files: tree, dir: dir,
		wall: h.config.Limits.Wall, stderr: p.trouble,
	}
	if err = j.start(ctx, p.root, c, 0); err != nil {
		h.programs.release(program)
		return nil, err
	}
	return p, nil
}

// program returns the compiled module m, or if that is nil the one in file, a
// guest's path. What is read of a file for it is booked on a meanwhile.
func (h *Host) program(ctx context.Context, a *account, tree *vfs.Tree, file string, m *Module) (*program, error) {
	if m == nil {
		wasm, err := h.read(ctx, a, tree, file)
		if err != nil {
			return nil, err
		}
		defer a.giveMemory(int64(len(wasm)))
		m = NewModule(path.Base(file), wasm)
	}
	defer driver.Doing(ctx, StillCompiled)()
	return h.programs.get(ctx, m)
}

// read returns the module in a file, booked on a.
func (h *Host) read(ctx context.Context, a *account, tree *vfs.Tree, file string) ([]byte, error) {
	f, _, err := tree.Open(vfs.Path{Dir: "/", Name: file, Follow: true, Wait: until(ctx)}, vfs.How{Read: true})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkModule(f); err != nil {
		return nil, err
	}
	stat, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if limit := h.config.Limits.Module; int64(stat.Size) > limit {
		return nil, fmt.Errorf("a module of %d bytes: at most %d are allowed", stat.Size, limit)
	}
	if !a.takeMemory(int64(stat.Size)) {
		return nil, errno.NOMEM
	}
	wasm := make([]byte, stat.Size)
	if err := readAll(f, wasm); err != nil {
		a.giveMemory(int64(stat.Size))
		return nil, err
	}
	return wasm, nil
}

// readAll reads as much of f as p is long.
func readAll(f vfs.File, p []byte) error {
	for n := 0; n < len(p); {
		turn.Give()
		m, err := f.ReadAt(p[n:min(n+atOnce, len(p))], int64(n))
		switch {
		case err != nil:
			return err
		case m == 0:
			return io.ErrUnexpectedEOF // it became shorter
		}
		n += m
	}
	return nil
}
