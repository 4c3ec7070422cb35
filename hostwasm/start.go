package hostwasm

import (
	"context"
	"fmt"
	"io"
	"path"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// Start starts the command that Resolve found. Where its module was not
// compiled yet, that comes first, while ctx lasts.
func (h *Host) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := within(ctx, func() (*process, error) { return h.start(ctx, e) }, func(p *process) { p.Close() })
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
	dir, err := h.dir(tree, e.Command)
	if err != nil {
		return nil, err
	}
	program, err := h.program(ctx, tree, e.Path)
	if err != nil {
		return nil, err
	}
	j := h.newJob(tree)
	p, c := newProcess(j, e.Command.Pty, e.Command.Interactive)
	c.Args, c.Env = e.Argv, environment(h.config.Env, e.Command, dir)
	p.root = &guest{
		job: j, program: program, account: j.account, output: j.output, files: tree, dir: dir,
		wall: h.config.Limits.Wall, stderr: p.trouble,
	}
	if err = j.start(p.root, c); err != nil {
		h.programs.release(program)
		return nil, err
	}
	return p, nil
}

// program returns the compiled module that file, a guest's path, names.
func (h *Host) program(ctx context.Context, tree *vfs.Tree, file string) (*program, error) {
	b, err := h.module(tree, file)
	if err != nil {
		return nil, err
	}
	return h.programs.get(ctx, path.Base(file), b)
}

// module returns the module that file, a guest's path, names.
func (h *Host) module(tree *vfs.Tree, file string) (*binary, error) {
	if m := h.named(file); m != nil {
		return m.load()
	}
	f, _, err := tree.Open(vfs.Path{Dir: "/", Name: file, Follow: true}, vfs.How{Read: true})
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
	wasm := make([]byte, stat.Size)
	for n := 0; n < len(wasm); {
		m, err := f.ReadAt(wasm[n:], int64(n))
		switch {
		case err != nil:
			return nil, err
		case m == 0:
			return nil, io.ErrUnexpectedEOF // it became shorter
		}
		n += m
	}
	return newBinary(wasm), nil
}
