package wasi

import (
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// interrupts is the stream of what is typed at a terminal to interrupt, beside
// what is typed to be read. One byte stands for all that came since the last was
// read. It shares the terminal's pipe, whose lock keeps one from being taken for
// the other.
type interrupts struct{ *pipe }

func (i interrupts) read(b []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case len(b) == 0:
		return 0, nil
	case i.interrupted.IsZero() && i.writerGone:
		return 0, nil
	case i.interrupted.IsZero():
		return 0, errno.AGAIN
	}
	b[0], i.interrupted = charINTR, time.Time{}
	i.waiting.wake() // who reads the terminal may say again that it waits
	return 1, nil
}

// charINTR is what interrupts on most terminals: ^C.
const charINTR = 'C' - '@'

func (interrupts) write([]byte) (int, error) { return 0, errno.BADF }

func (i interrupts) readiness(write bool) readiness {
	i.mu.Lock()
	defer i.mu.Unlock()
	n := uint64(0)
	if !i.interrupted.IsZero() {
		n = 1
	}
	return readiness{ready: write || n > 0 || i.writerGone, hangup: i.writerGone, n: n}
}

func (i interrupts) open() stream {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.interruptible++
	return i
}

func (i interrupts) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.interruptible--
	i.interrupted = time.Time{}
	i.waiting.wake()
}

// interrupt tells of an interrupt, and drops what is in the pipe: see
// PipeWriter.Interrupt.
func (p *pipe) interrupt(patience time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case p.interruptible == 0:
		return false
	case p.interrupted.IsZero():
		p.interrupted = now
	case now.Sub(p.interrupted) >= patience:
		return false
	}
	p.drop(p.n)
	p.ends = nil
	p.dropped++
	p.changed()
	return true
}

// interrupts(*fd)
func procInterrupts(p *Process, m memory, a []uint64) error {
	if err := m.check(uint32(a[0]), 4); err != nil {
		return err
	}
	if p.terminal == nil {
		return errno.NOSYS
	}
	if p.fds.free() == 0 {
		return errno.MFILE
	}
	f := &OpenFile{stream: interrupts{p.terminal.in}.open(), rights: readerRights}
	fd, err := p.fds.add(descriptor{file: f, base: f.rights}, 0)
	if err != nil {
		return err
	}
	return m.put32(uint32(a[0]), fd)
}
