//go:build linux || darwin

package worker

import (
	"context"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// Start starts the command that Resolve found, in a worker of its session. Where
// its module was not compiled yet, that comes first, while ctx lasts.
func (h *Host) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	for tries := 1; ; tries++ {
		p, again, err := h.start(ctx, e)
		switch {
		case err == nil:
			h.ran(e.Path)
			return p, nil
		case !again || tries == maxStarts:
			return nil, err
		}
	}
}

// maxStarts is to how many workers a command comes that have no more commands.
const maxStarts = 10

// start is one attempt at Start. again says that it came to a worker that has no
// more commands: one that was idle and has ended just now, for example, or one that
// another command of the session had killed before this one was in it.
func (h *Host) start(ctx context.Context, e core.Exec) (p *process, again bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	if !h.memory.take(share) {
		return nil, false, h.memory.refusal(e.Command.Command)
	}
	tmp, leave, err := h.scratch.use(e.Command.Session)
	if err != nil {
		h.memory.give(share)
		return nil, false, err
	}
	s := h.serve(e.Command.Roots, tmp)
	left := func() {
		h.services.leave(s)
		go leave() // which counts what is there
	}
	undo := func() {
		h.memory.give(share)
		left()
	}
	select {
	case <-s.ready:
		err = s.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		undo()
		return nil, err == errGone, err
	}
	p, added, err := h.startIn(s.child, newCommand(hostwasm.WithCommand(ctx, &e.Command), share, left), e)
	if err == nil {
		return p, false, nil
	}
	if !added {
		undo()
	}
	if err == errGone || err == errRetired {
		h.services.giveUp(s)
	}
	if err == errRetired { // so that it has not begun, and can't be begun twice
		return nil, true, errGone
	}
	return nil, false, err
}

// serve returns the service for commands of a session with these directories.
func (h *Host) serve(roots []string, tmp *tmp) *service {
	handed := h.handOver(roots, tmp.dir)
	s, joined := h.services.join(post{tmp, handed.what}, func(ctx context.Context) (*child, error) {
		defer h.pool.fill()
		c, err := h.pool.take(ctx)
		if err != nil {
			handed.trees.close()
			return nil, err
		}
		ctx, cancel := context.WithTimeoutCause(ctx, readyLimit, errNotReady)
		defer cancel()
		if err := c.begin(ctx, &session{Roots: roots, Tmp: tmp.dir, Near: handed.nearby}, tmp, handed.trees); err != nil {
			c.close()
			return nil, err
		}
		return c, nil
	})
	if joined {
		handed.trees.close()
	}
	return s
}

// startIn starts a command in a worker. added says that this gives back what the
// command has, when it is gone.
func (h *Host) startIn(c *child, command *command, e core.Exec) (p *process, added bool, err error) {
	p, files, err := newProcess(command, e.Command.Pty, e.Command.Interactive)
	if err != nil {
		return nil, false, err
	}
	if !e.Command.Interactive {
		p.CloseInput()
	}
	defer closeAll(files)
	if !c.add(command) {
		p.closeStreams()
		return nil, false, errRetired
	}
	j := h.job(&e)
	command.fetches = j.Fetches
	if err := command.begin(j, files); err != nil {
		p.closeStreams()
		p.abandon(err)
		return nil, true, err
	}
	go p.watch(h.limits.Wall) // ends with the command
	return p, true, nil
}

// abandon ends a command that was not started, for the reason err.
func (c *command) abandon(err error) {
	switch {
	case c.ctx.Err() == nil || err == errGone || err == errRetired:
		c.end()
	case c.child.retireFor(c): // with what is compiled for it
		c.child.close()
	default:
		go c.end() // ends soon, or with the worker
	}
}

// job returns what a worker is told of a command.
func (h *Host) job(e *core.Exec) *job {
	c := e.Command
	j := &job{
		Path: e.Path, Cwd: c.Cwd, Argv: e.Argv,
		Pty: c.Pty, OneStream: c.OneStream, Interactive: c.Interactive, Size: size{c.Rows, c.Cols},
	}
	j.Fetches = h.config.HTTP != nil
	if h.config.Bounds != nil {
		_, fetches, err := h.config.Bounds(c.Bounds)
		j.Fetches = j.Fetches && fetches && err == nil
	}
	if h.config.Deterministic {
		c.Traceparent = "" // no two are the same
	}
	for _, v := range c.Environ() {
		j.Env = append(j.Env, v.Name+"="+v.Value)
	}
	return j
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
