package wasi

import (
	"encoding/binary"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// Processes is the table that a process is in, of all those of one terminal. It
// is safe for concurrent use.
type Processes interface {
	// Self is the number of the process that asks.
	Self() uint32
	// Each calls yield with all of them as they are at one moment, in the order
	// of their numbers. They are lent until yield returns, which must not call
	// others of these methods.
	Each(yield func(Listed))
	// Reserve takes a number that no process gets but by Request.PID. EAGAIN
	// says that all are taken.
	Reserve() (uint32, error)
	// Signal is what kill(2) does: ESRCH where there is no such process, EINVAL
	// where there is no such signal. 0 only asks.
	Signal(pid, signal uint32) error
}

// A Listed is one process of a table.
type Listed struct {
	PID, Parent uint32 // Parent is 0 for the first
	State       ProcessState
	Start       uint64 // in milliseconds since 1970
	Fuel        uint64 // that it has used
	Memory      uint64 // linear memory, in bytes
	Args        []string
}

// A ProcessState is what a process does.
type ProcessState uint32

const (
	Running ProcessState = 0 // it executes
	Waiting ProcessState = 1 // it waits: for a stream, a child or time
	Ended   ProcessState = 2 // and its parent has not asked for its status
)

// A list's head, what comes before the arguments of each process in it, and how
// much of these is told.
const (
	listHead    = 16
	listedHead  = 48
	maxListArgs = 4096
)

// processes(*buf, len)
func procProcesses(p *Process, m memory, a []uint64) error {
	ptr, room := uint32(a[0]), uint32(a[1])
	if err := m.check(ptr, room); err != nil {
		return err
	}
	if p.processes == nil {
		return errno.NOSYS
	}
	if room < listHead {
		return errno.INVAL
	}
	list := make([]byte, listHead)
	n, size := uint32(0), listHead
	p.processes.Each(func(l Listed) {
		n++
		at := size
		size += l.size()
		if int64(size) <= int64(room) {
			list = append(list, make([]byte, l.size())...)
			l.put(list[at:])
		}
	})
	le := binary.LittleEndian
	le.PutUint32(list, uint32(size))
	le.PutUint32(list[4:], n)
	le.PutUint32(list[8:], p.processes.Self())
	b, err := m.room(ptr, uint32(len(list)))
	if err != nil {
		return err
	}
	copy(b, list)
	m.Store(ptr, b)
	if int64(size) > int64(room) {
		return errno.RANGE
	}
	return nil
}

// size is how many bytes put takes, a multiple of 8.
func (l *Listed) size() int { return (listedHead + min(l.argsSize(), maxListArgs) + 7) &^ 7 }

// argsSize is the length of all arguments, with a zero byte behind each.
func (l *Listed) argsSize() int {
	n := 0
	for _, arg := range l.Args {
		n += len(arg) + 1
	}
	return n
}

func (l *Listed) put(b []byte) {
	le := binary.LittleEndian
	le.PutUint32(b, uint32(len(b)))
	le.PutUint32(b[4:], l.PID)
	le.PutUint32(b[8:], l.Parent)
	le.PutUint32(b[12:], uint32(l.State))
	le.PutUint64(b[16:], l.Start)
	le.PutUint64(b[24:], l.Fuel)
	le.PutUint64(b[32:], l.Memory)
	n := l.argsSize()
	le.PutUint32(b[40:], uint32(min(n, maxListArgs)))
	le.PutUint32(b[44:], uint32(n))
	b = b[listedHead:]
	clear(b)
	b = b[:min(n, maxListArgs)]
	for _, arg := range l.Args {
		if len(b) == 0 {
			return
		}
		b = b[copy(b, arg):]
		b = b[min(1, len(b)):]
	}
}

// reserve(*pid)
func procReserve(p *Process, m memory, a []uint64) error {
	if err := m.check(uint32(a[0]), 4); err != nil {
		return err
	}
	if p.processes == nil {
		return errno.NOSYS
	}
	pid, err := p.processes.Reserve()
	if err != nil {
		return asErrno(err)
	}
	return m.put32(uint32(a[0]), pid)
}

// signal(pid, signal)
func procSignal(p *Process, _ memory, a []uint64) error {
	if p.processes == nil {
		return errno.NOSYS
	}
	if err := p.processes.Signal(uint32(a[0]), uint32(a[1])); err != nil {
		return asErrno(err)
	}
	return p.interrupted() // it may have been its own
}
