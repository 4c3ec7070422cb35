package wasi

import (
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// This file is terrarium_proc_v0: see ABI.md.

// procFeatures is features() -> i64.
func procFeatures(guest any, _ *engine.Memory, stack []uint64) error {
	const pipe, spawn, wait, kill, dup, interrupts, processes, terminal = 1, 2, 4, 8, 16, 32, 64, 128
	p := guest.(*Process)
	if err := p.interrupted(); err != nil {
		return err.(end).error
	}
	stack[0] = pipe | dup | terminal
	if p.spawner != nil {
		stack[0] |= spawn | wait | kill
	}
	if p.terminal != nil {
		stack[0] |= interrupts
	}
	if p.processes != nil {
		stack[0] |= processes
	}
	return nil
}

// pipe(flags, *r, *w)
func procPipe(p *Process, m memory, a []uint64) error {
	const nonblock = 1
	flags := uint32(a[0])
	if flags > nonblock {
		return errno.INVAL
	}
	if err := m.check(uint32(a[1]), 4); err != nil {
		return err
	}
	if err := m.check(uint32(a[2]), 4); err != nil {
		return err
	}
	if p.fds.free() < 2 {
		return errno.MFILE
	}
	ends, err := p.newPipe()
	if err != nil {
		return err
	}
	r := &OpenFile{stream: readEnd{ends}, rights: readerRights}
	w := &OpenFile{stream: writeEnd{ends}, rights: writerRights}
	rfd, _ := p.fds.add(descriptor{file: r, base: r.rights, nonblock: flags == nonblock}, 0)
	wfd, _ := p.fds.add(descriptor{file: w, base: w.rights, nonblock: flags == nonblock}, 0)
	if err := m.put32(uint32(a[1]), rfd); err != nil {
		return err
	}
	return m.put32(uint32(a[2]), wfd)
}

// newPipe makes a pipe of the guest's own, which is charged for all that it may
// hold.
func (p *Process) newPipe() (*pipe, error) {
	if p.memory != nil && !p.memory.Take(pipeSize) {
		return nil, errno.NOMEM
	}
	return &pipe{size: pipeSize, memory: p.memory}, nil
}

// dup(fd, min, *newfd)
func procDup(p *Process, m memory, a []uint64) error {
	d, err := p.fds.get(uint32(a[0]))
	if err != nil {
		return err
	}
	if uint64(uint32(a[1])) >= uint64(p.fds.max) {
		return errno.INVAL
	}
	if err := m.check(uint32(a[2]), 4); err != nil {
		return err
	}
	again := *d
	again.preopened, again.name = false, ""
	fd, err := p.fds.add(again, uint32(a[1]))
	if err != nil {
		return err
	}
	return m.put32(uint32(a[2]), fd)
}

// spawn(req, len, *proc)
func procSpawn(p *Process, m memory, a []uint64) error {
	if err := m.check(uint32(a[0]), uint32(a[1])); err != nil {
		return err
	}
	if err := m.check(uint32(a[2]), 4); err != nil {
		return err
	}
	switch {
	case p.spawner == nil:
		return errno.NOSYS
	case uint32(a[1]) > maxRequest:
		return errno.TOOBIG
	case p.trying:
		return engine.ErrWait // for the program, which may have to be compiled
	}
	b, err := m.bytes(uint32(a[0]), uint32(a[1]))
	if err != nil {
		return err
	}
	r, fds, err := decodeRequest(b)
	if err != nil {
		return err
	}
	if r.Inherited, err = p.inherit(fds); err != nil {
		return err
	}
	if p.fds.free() == 0 {
		return errno.MFILE
	}
	r.Modes = p.modes
	fd, err := p.start(r)
	if err != nil {
		return err
	}
	for _, f := range fds {
		if f.move {
			p.fds.close(f.parent) // EBADF if it was moved twice
		}
	}
	return m.put32(uint32(a[2]), fd)
}

// inherit collects the descriptors that a child gets.
func (p *Process) inherit(fds []mapping) ([]Inherited, error) {
	var list []Inherited
	taken := make(map[uint32]bool, len(fds))
	for _, f := range fds {
		d, err := p.fds.get(f.parent)
		if err != nil {
			return nil, err
		}
		if !heritable(d.file.stream) || taken[f.child] || uint64(f.child) >= maxOpenFiles {
			return nil, errno.INVAL
		}
		taken[f.child] = true
		list = append(list, Inherited{f.child, d.file, true, d.base, d.inheriting})
	}
	return list, nil
}

// heritable reports whether a child may have a descriptor of s.
func heritable(s stream) bool {
	switch s.(type) {
	case *handle, interrupts, *resizes, *exchange:
		return false
	}
	return true
}

// start starts a child and returns the descriptor of its handle.
func (p *Process) start(r Request) (fd uint32, err error) {
	if p.children.Load() >= maxChildren {
		return 0, errno.AGAIN
	}
	p.children.Add(1)
	h := &handle{parent: p}
	c, err := p.spawner.Spawn(r, h.exited)
	if err != nil {
		p.children.Add(-1)
		return 0, asErrno(err)
	}
	h.started(c)
	return p.fds.add(descriptor{file: &OpenFile{stream: h, rights: readerRights}, base: readerRights}, 0)
}

// handle returns the handle that a descriptor stands for.
func (p *Process) handle(fd uint32) (*handle, error) {
	d, err := p.fds.get(fd)
	if err != nil {
		return nil, err
	}
	h, ok := d.file.stream.(*handle)
	if !ok {
		return nil, errno.INVAL
	}
	return h, nil
}

// wait(proc, timeout, *status)
func procWait(p *Process, m memory, a []uint64) error {
	h, err := p.handle(uint32(a[0]))
	if err != nil {
		return err
	}
	if err := m.check(uint32(a[2]), statusSize); err != nil {
		return err
	}
	timeout := time.Duration(a[1])
	if timeout < forever {
		return errno.INVAL
	}
	status, err := p.waitFor(h, timeout)
	if err != nil {
		return err
	}
	b, err := m.room(uint32(a[2]), statusSize)
	if err != nil {
		return err
	}
	copy(b, status[:])
	m.Store(uint32(a[2]), b)
	return nil
}

// waitFor waits for a child, without end or for so long.
func (p *Process) waitFor(h *handle, timeout time.Duration) ([statusSize]byte, error) {
	status, ended := h.result()
	if ended {
		h.reap()
		return status, nil
	}
	switch {
	case timeout == 0:
		return status, errno.AGAIN
	case p.trying:
		return status, engine.ErrWait
	}
	h.watch(p.wake)
	defer h.unwatch(p.wake)
	deadline := time.Now().Add(timeout)
	for {
		if err := p.interrupted(); err != nil {
			return status, err
		}
		if status, ended := h.result(); ended {
			h.reap()
			return status, nil
		}
		left := forever
		if timeout != forever {
			left = max(0, time.Until(deadline))
		}
		if p.park(left) {
			p.clock.Sleep(timeout)
			return status, errno.TIMEDOUT
		}
	}
}

// kill(proc, how)
func procKill(p *Process, _ memory, a []uint64) error {
	h, err := p.handle(uint32(a[0]))
	if err != nil {
		return err
	}
	how := Kill(uint32(a[1]))
	if how != Terminate && how != Now {
		return errno.INVAL
	}
	h.kill(how)
	return nil
}
