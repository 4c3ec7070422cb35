package wasi

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// This file is the part of terrarium_proc_v0 that is about terminals.

// terminalSize is a terminal's state in a guest's memory: its rows and columns, 16
// bits each, and its modes.
const terminalSize = 8

// terminal(fd, *state)
func procTerminal(p *Process, m memory, a []uint64) error {
	b, err := m.room(uint32(a[1]), terminalSize)
	if err != nil {
		return err
	}
	t, err := p.terminalOf(uint32(a[0]))
	if err != nil {
		return err
	}
	size, modes := t.state()
	le := binary.LittleEndian
	le.PutUint16(b, size.Rows)
	le.PutUint16(b[2:], size.Cols)
	le.PutUint32(b[4:], uint32(modes))
	m.Store(uint32(a[1]), b)
	return nil
}

// set_terminal(fd, what, *state)
func procSetTerminal(p *Process, m memory, a []uint64) error {
	const setSize, setModes = 1, 2
	b, err := m.bytes(uint32(a[2]), terminalSize)
	if err != nil {
		return err
	}
	t, err := p.terminalOf(uint32(a[0]))
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	what, modes := uint32(a[1]), Modes(le.Uint32(b[4:]))
	if what&^(setSize|setModes) != 0 || what&setModes != 0 && modes&^allModes != 0 {
		return errno.INVAL
	}
	if what&setSize != 0 {
		t.Resize(Size{le.Uint16(b), le.Uint16(b[2:])})
	}
	if what&setModes != 0 {
		t.setModes(modes)
	}
	return nil
}

// resizes(fd, *newfd)
func procResizes(p *Process, m memory, a []uint64) error {
	if err := m.check(uint32(a[1]), 4); err != nil {
		return err
	}
	t, err := p.terminalOf(uint32(a[0]))
	if err != nil {
		return err
	}
	if p.fds.free() == 0 {
		return errno.MFILE
	}
	r := &resizes{Terminal: t}
	t.mu.Lock()
	r.seen.Store(t.sized)
	t.mu.Unlock()
	fd, err := p.fds.add(descriptor{file: &OpenFile{stream: r, rights: readerRights}, base: readerRights}, 0)
	if err != nil {
		return err
	}
	return m.put32(uint32(a[1]), fd)
}

// resizes is the stream of a terminal's changes of size. One byte stands for all
// since the last was read. It has no end.
type resizes struct {
	*Terminal
	seen atomic.Uint64 // of Terminal.sized
}

func (r *resizes) read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen.Swap(r.sized) == r.sized {
		return 0, errno.AGAIN
	}
	const winch = 28 // as Linux numbers SIGWINCH
	b[0] = winch
	return 1, nil
}

func (*resizes) write([]byte) (int, error) { return 0, errno.BADF }

func (r *resizes) readiness(write bool) readiness {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := uint64(0)
	if r.seen.Load() != r.sized {
		n = 1
	}
	return readiness{ready: write || n > 0, n: n}
}

func (r *resizes) watch(w waker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting.add(w)
}

func (r *resizes) unwatch(w waker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting.remove(w)
}

func (*resizes) close() {}
