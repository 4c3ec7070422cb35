//go:build linux || darwin

package worker

import (
	"context"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// Start starts the command that Resolve found, in a worker. Where its module
// was not compiled yet, that comes first, while ctx lasts.
func (h *Host) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !h.memory.take(share) {
		return nil, h.memory.refusal(e.Command.Command)
	}
	tmp, leave, err := h.scratch.use(e.Command.Session)
	if err != nil {
		h.memory.give(share)
		return nil, err
	}
	c, err := h.pool.take(ctx)
	if err != nil {
		leave()
		h.memory.give(share)
		return nil, err
	}
	defer h.pool.fill()
	trees, near := h.trees(e.Command.Roots, tmp.dir)
	c.adopt(ctx, share, tmp, trees)
	go func() { // ends with the worker
		<-c.ended
		leave()
	}()
	p, err := h.startIn(ctx, c, e, tmp.dir, near)
	if err != nil {
		c.close()
		return nil, err
	}
	h.ran(e.Path)
	return p, nil
}

func (h *Host) startIn(ctx context.Context, c *child, e core.Exec, tmp string, near []near) (*process, error) {
	p, files, err := newProcess(c, e.Command.Pty, e.Command.Interactive)
	if err != nil {
		return nil, err
	}
	if !e.Command.Interactive {
		p.CloseInput()
	}
	defer closeAll(files)
	j := &job{
		Path: e.Path, Cwd: e.Command.Cwd, Argv: e.Argv, Roots: e.Command.Roots, Tmp: tmp, Near: near,
		Pty: e.Command.Pty, OneStream: e.Command.OneStream, Interactive: e.Command.Interactive, Size: size{e.Command.Rows, e.Command.Cols},
	}
	if h.config.Deterministic {
		e.Command.Traceparent = "" // no two are the same
	}
	for _, v := range e.Command.Environ() {
		j.Env = append(j.Env, v.Name+"="+v.Value)
	}
	if err := c.begin(ctx, j, files...); err != nil {
		p.closeStreams()
		return nil, err
	}
	go p.watch(h.limits.Wall) // ends with the worker
	return p, nil
}

// ran notes which command was run last: workers that start from now on load it
// while they wait.
func (h *Host) ran(file string) {
	name, ok := strings.CutPrefix(file, "/bin/")
	if !ok {
		return
	}
	if index, ok := slices.BinarySearch(h.names, name); ok {
		h.warmUp(index)
	}
}

// warmUp has workers that start from now on load a command's module.
func (h *Host) warmUp(command int) {
	sum, err := h.modules.sum(command)
	if err != nil {
		return // whoever runs it learns of that
	}
	h.mu.Lock()
	h.warm, h.warmSum = command, sum[:]
	h.mu.Unlock()
}
