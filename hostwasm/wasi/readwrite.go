package wasi

import (
	"math"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// fd_read(fd, *iovs, n, *nread)
func fdRead(p *Process, m memory, a []uint64) error {
	d, err := p.fds.get(uint32(a[0]))
	if err != nil {
		return err
	}
	if err := d.mayTransfer(rightFDRead); err != nil {
		return err
	}
	v, _, err := m.vector(uint32(a[1]), uint32(a[2]))
	if err != nil {
		return err
	}
	if err := m.check(uint32(a[3]), 4); err != nil {
		return err
	}
	var n uint32
	if s := d.file.stream; s != nil {
		n, err = p.readv(s, v, d.nonblock)
	} else {
		n, err = p.readFile(d.file, v)
	}
	if err != nil {
		return err
	}
	return m.put32(uint32(a[3]), n)
}

// readv waits for the first bytes only, and reads one line of a terminal.
func (p *Process) readv(s stream, v vector, nonblock bool) (uint32, error) {
	terminal, _ := s.(terminalEnd)
	ended := false
	return p.each(v, filled, func(b []byte) (int, error) {
		if ended {
			return 0, errno.AGAIN
		}
		n, err := p.readStream(s, b, nonblock)
		nonblock = true
		ended = n > 0 && b[n-1] == '\n' && terminal.Terminal != nil && terminal.Modes()&Canonical != 0
		return n, err
	})
}

// readFile reads at the file's position, and moves it.
func (p *Process) readFile(f *OpenFile, v vector) (uint32, error) {
	if err := p.lock(f); err != nil {
		return 0, err
	}
	defer f.mu.Unlock()
	return p.each(v, filled, func(b []byte) (int, error) {
		n, err := f.file.ReadAt(b, f.offset)
		f.offset = addOffset(f.offset, n)
		return n, asErrno(err)
	})
}

// fd_pread(fd, *iovs, n, offset, *nread)
func fdPread(p *Process, m memory, a []uint64) error {
	d, v, offset, err := p.positioned(m, a, rightFDRead)
	if err != nil {
		return err
	}
	f := d.file
	if err := p.lock(f); err != nil {
		return err
	}
	defer f.mu.Unlock()
	n, err := p.each(v, filled, func(b []byte) (int, error) {
		n, err := f.file.ReadAt(b, offset)
		offset = addOffset(offset, n)
		return n, asErrno(err)
	})
	if err != nil {
		return err
	}
	return m.put32(uint32(a[4]), n)
}

// fd_write(fd, *iovs, n, *nwritten)
func fdWrite(p *Process, m memory, a []uint64) error {
	d, err := p.fds.get(uint32(a[0]))
	if err != nil {
		return err
	}
	if err := d.mayTransfer(rightFDWrite); err != nil {
		return err
	}
	v, total, err := m.vector(uint32(a[1]), uint32(a[2]))
	if err != nil {
		return err
	}
	if err := m.check(uint32(a[3]), 4); err != nil {
		return err
	}
	var n uint32
	if s := d.file.stream; s != nil {
		if p.trying && !d.nonblock && writeWaits(s, total) {
			return engine.ErrWait // before a part is written
		}
		n, err = p.writev(d, v, total)
	} else {
		n, err = p.writeFile(d.file, v)
	}
	if err != nil {
		return err
	}
	return m.put32(uint32(a[3]), n)
}

// writev writes all, unless the descriptor is non-blocking. What is small goes
// in one piece, so that no other writer's bytes come between.
func (p *Process) writev(d *descriptor, v vector, total uint32) (uint32, error) {
	if v.len() > 1 && total <= pipeBuf {
		n := 0
		for i := range v.len() {
			b, err := v.m.bytes(v.get(i))
			if err != nil {
				return 0, err
			}
			n += copy(p.gather[n:], b)
		}
		if err := p.work(n * fuelPerByte); err != nil {
			return 0, err
		}
		k, err := p.put(d, p.gather[:n])
		if _, ended := err.(end); err != nil && (ended || k == 0) {
			return 0, err
		}
		return uint32(k), nil
	}
	return p.each(v, taken, func(b []byte) (int, error) { return p.put(d, b) })
}

// put writes to a stream what the process may still write.
func (p *Process) put(d *descriptor, b []byte) (int, error) {
	if !d.file.output || p.output == nil {
		return p.writeStream(d.file.stream, b, d.nonblock)
	}
	may := int(p.output.Take(int64(len(b))))
	if may == 0 && len(b) > 0 {
		return 0, end{&Limit{core.ReasonOutput}}
	}
	n, err := p.writeStream(d.file.stream, b[:may], d.nonblock)
	p.output.Return(int64(may - n))
	if err == nil && n == may && may < len(b) {
		err = end{&Limit{core.ReasonOutput}}
	}
	return n, err
}

// writeFile writes at the file's position, or its end with flagAppend, and
// moves the position behind what it wrote.
func (p *Process) writeFile(f *OpenFile, v vector) (uint32, error) {
	if err := p.lock(f); err != nil {
		return 0, err
	}
	defer f.mu.Unlock()
	n, err := p.each(v, taken, func(b []byte) (int, error) {
		n, err := f.file.WriteAt(b, f.offset)
		f.offset = addOffset(f.offset, n)
		return n, asErrno(err)
	})
	if err != nil || n == 0 {
		return n, err
	}
	if f.flags&flagAppend != 0 {
		if s, err := f.file.Stat(); err == nil {
			f.offset = int64(min(s.Size, math.MaxInt64))
		}
	}
	return n, f.written()
}

// written flushes what was written to a file that is to be synchronous.
func (f *OpenFile) written() error {
	if f.flags&(flagSync|flagDsync) == 0 {
		return nil
	}
	return asErrno(f.file.Sync(f.flags&flagSync == 0))
}

// fd_pwrite(fd, *iovs, n, offset, *nwritten)
func fdPwrite(p *Process, m memory, a []uint64) error {
	d, v, offset, err := p.positioned(m, a, rightFDWrite)
	if err != nil {
		return err
	}
	f := d.file
	if err := p.lock(f); err != nil {
		return err
	}
	defer f.mu.Unlock()
	n, err := p.each(v, taken, func(b []byte) (int, error) {
		n, err := f.file.WriteAt(b, offset)
		offset = addOffset(offset, n)
		return n, asErrno(err)
	})
	if err != nil {
		return err
	}
	if n > 0 {
		if err := f.written(); err != nil {
			return err
		}
	}
	return m.put32(uint32(a[4]), n)
}

// positioned checks the arguments of fd_pread and fd_pwrite.
func (p *Process) positioned(m memory, a []uint64, r rights) (d *descriptor, v vector, offset int64, err error) {
	if d, err = p.fds.get(uint32(a[0])); err != nil {
		return nil, v, 0, err
	}
	if d.file.stream != nil {
		return nil, v, 0, errno.SPIPE
	}
	if err = d.mayTransfer(r); err != nil {
		return nil, v, 0, err
	}
	if err = d.may(rightFDSeek); err != nil {
		return nil, v, 0, err
	}
	if a[3] > math.MaxInt64 {
		return nil, v, 0, errno.INVAL
	}
	if v, _, err = m.vector(uint32(a[1]), uint32(a[2])); err != nil {
		return nil, v, 0, err
	}
	return d, v, int64(a[3]), m.check(uint32(a[4]), 4)
}

// mayTransfer is may for reading and writing, of which no directory is capable.
func (d *descriptor) mayTransfer(r rights) error {
	if d.file.typ == vfs.Directory {
		return errno.ISDIR
	}
	return d.may(r)
}

// addOffset moves a position, which stays at the end of what can be counted.
func addOffset(offset int64, n int) int64 {
	if offset > math.MaxInt64-int64(n) {
		return math.MaxInt64
	}
	return offset + int64(n)
}
