package wasi

import (
	"bytes"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

const (
	// pipeSize is how much a guest's own pipe holds, in bytes.
	pipeSize = 64 << 10
	// pipeBuf is the most that is written to a pipe as a whole or not at all,
	// and how much room makes one writable: POSIX's PIPE_BUF.
	pipeBuf = 4 << 10
)

// NewPipe makes a pipe that holds at most size bytes, 64 KiB if size is 0.
// It takes 4 KiB of memory while it is empty. Both ends must be closed, by whoever
// holds them: the host itself, or the processes that got [PipeReader.OpenFile]
// or [PipeWriter.OpenFile].
func NewPipe(size int) (*PipeReader, *PipeWriter) {
	if size <= 0 {
		size = pipeSize
	}
	p := &pipe{size: size}
	return &PipeReader{pipe: p, wake: newWaker()}, &PipeWriter{pipe: p, wake: newWaker()}
}

// A pipe is a bounded queue of bytes.
type pipe struct {
	size   int    // the most that it holds
	memory Memory // that size was taken from, or nil

	mu         sync.Mutex
	buf        []byte // a ring: small, large's, or one of its own
	start, n   int    // what is in it begins at start and has n bytes
	taken      uint64 // bytes that were in it before
	small      []byte // of pipeBuf bytes at most
	large      *[pipeSize]byte
	ends       []int // where the file ends for once: how many bytes are read before that
	asleep     bool  // its reader waits for it, and for nothing else
	dropped    int   // how often all that was in it was
	readerGone bool
	writerGone bool
	waiting    watchers

	// Of a terminal's:
	newlines      bool      // a carriage return is to come before each line feed
	interruptible int       // how many descriptors there are to learn of interrupts
	interrupted   time.Time // since when there has been one that was not read, or zero
}

// maxEnds is how many ends there may be in a pipe, one after the other.
const maxEnds = 1 << 10

func (p *pipe) watch(w waker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting.add(w)
}

func (p *pipe) unwatch(w waker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting.remove(w)
}

func (p *pipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(b, false)
}

// readLine reads no further than the end of a line.
func (p *pipe) readLine(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(b, true)
}

func (p *pipe) take(b []byte, line bool) (int, error) {
	switch {
	case p.readerGone:
		return 0, errno.BADF
	case len(b) == 0:
		return 0, nil
	case !p.interrupted.IsZero():
		return 0, errno.AGAIN // what was typed behind it is for whoever runs then
	case len(p.ends) > 0 && p.ends[0] == 0:
		p.ends = p.ends[1:]
		return 0, nil
	case p.n == 0 && p.writerGone:
		return 0, nil
	case p.n == 0:
		return 0, errno.AGAIN
	}
	if len(p.ends) > 0 {
		b = b[:min(len(b), p.ends[0])]
	}
	n := 0
	for n < len(b) && p.n > 0 {
		k := copy(b[n:], p.head())
		if i := bytes.IndexByte(b[n:n+k], '\n'); line && i >= 0 {
			k = i + 1
			b = b[:n+k]
		}
		p.drop(k)
		n += k
	}
	for i := range p.ends {
		p.ends[i] -= n
	}
	p.waiting.wake()
	return n, nil
}

func (p *pipe) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	room := p.size - p.n
	switch {
	case p.writerGone:
		return 0, errno.BADF
	case len(b) == 0:
		return 0, nil
	case p.readerGone:
		return 0, errno.PIPE
	case room == 0, room < len(b) && len(b) <= min(pipeBuf, p.size):
		return 0, errno.AGAIN
	}
	if p.newlines {
		if b = b[:p.putLines(b)]; len(b) == 0 {
			return 0, errno.AGAIN
		}
	} else {
		b = b[:min(len(b), room)]
		p.put(b)
	}
	p.changed()
	return len(b), nil
}

// put takes b, which there is room for.
func (p *pipe) put(b []byte) {
	p.grow(p.n + len(b))
	for len(b) > 0 {
		end := (p.start + p.n) % len(p.buf)
		k := copy(p.buf[end:min(len(p.buf), end+len(p.buf)-p.n)], b)
		p.n += k
		b = b[k:]
	}
}

// putLines takes what there is room for, with a carriage return before each line
// feed, and returns how much of b that was.
func (p *pipe) putLines(b []byte) (n int) {
	var piece [pipeBuf / 8]byte
	for n < len(b) {
		k, room := 0, min(len(piece), p.size-p.n)
		for n < len(b) && k < room {
			if b[n] == '\n' {
				if k+1 == room {
					break
				}
				piece[k] = '\r'
				k++
			}
			piece[k] = b[n]
			k++
			n++
		}
		if k == 0 {
			break
		}
		p.put(piece[:k])
	}
	return n
}

// setNewlines says whether a carriage return is to come before each line feed that
// is written from now on.
func (p *pipe) setNewlines(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.newlines = on
}

// endFile has the reader find the end of the file for once, after what is there.
func (p *pipe) endFile() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.ends) < maxEnds {
		p.ends = append(p.ends, p.n)
	}
	p.changed()
}

// drops returns how often all that was in the pipe was dropped.
func (p *pipe) drops() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dropped
}

// changed says that there is something to read.
func (p *pipe) changed() {
	p.asleep = false
	p.waiting.wake()
}

// head returns the first bytes in the pipe, up to where the ring turns over.
// They stay as they are until dropped, for only readers drop, and grow leaves
// the old ring alone.
func (p *pipe) head() []byte {
	return p.buf[p.start:min(len(p.buf), p.start+p.n)]
}

func (p *pipe) drop(n int) {
	p.n -= n
	p.taken += uint64(n)
	if p.start += n; p.start >= len(p.buf) || p.n == 0 {
		p.start = 0
	}
	if p.n == 0 && p.large != nil {
		largeRings.Put(p.large)
		p.large, p.buf = nil, p.small
	}
}

// largeRings are for pipes that are nearly full, which few are at a time.
var largeRings = sync.Pool{New: func() any { return new([pipeSize]byte) }}

// grow makes room for n bytes in all, which are at most p.size.
func (p *pipe) grow(n int) {
	if n <= len(p.buf) {
		return
	}
	bigger := p.ring(n)
	k := copy(bigger, p.head())
	copy(bigger[k:], p.buf[:p.n-k])
	p.buf, p.start = bigger, 0
}

// ring returns a ring for n bytes that is larger than p.buf.
func (p *pipe) ring(n int) []byte {
	switch {
	case n <= pipeBuf:
		p.small = make([]byte, min(p.size, pipeBuf))
		return p.small
	case p.size == pipeSize:
		p.large = largeRings.Get().(*[pipeSize]byte)
		return p.large[:]
	}
	return make([]byte, min(p.size, max(n, 2*len(p.buf))))
}

// lacks reports whether there is no room for n bytes in all.
func (p *pipe) lacks(n uint32) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	need := uint64(n)
	if p.newlines {
		need *= 2 // they may all be line feeds
	}
	return !p.readerGone && !p.writerGone && need > uint64(p.size-p.n)
}

func (p *pipe) readiness(write bool) readiness {
	p.mu.Lock()
	defer p.mu.Unlock()
	if write {
		room := p.size - p.n
		return readiness{
			ready:  p.readerGone || room >= min(pipeBuf, p.size),
			hangup: p.readerGone,
			n:      uint64(room),
		}
	}
	if !p.interrupted.IsZero() {
		return readiness{}
	}
	return readiness{ready: p.n > 0 || len(p.ends) > 0 || p.writerGone, hangup: p.writerGone, n: uint64(p.n)}
}

// closeReader forgets what is in the pipe. closeWriter leaves it.
func (p *pipe) closeReader() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.memory != nil && !p.readerGone {
		p.memory.Give(int64(p.size))
	}
	p.readerGone = true
	p.buf, p.small, p.large, p.start, p.n = nil, nil, nil, 0, 0 // but it may be lent
	p.waiting.wake()
}

func (p *pipe) closeWriter() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writerGone = true
	p.changed()
}

// readEnd and writeEnd are a pipe's ends as a guest has them.
type readEnd struct{ *pipe }

func (readEnd) write([]byte) (int, error)    { return 0, errno.BADF }
func (e readEnd) readiness(w bool) readiness { return e.end(w, false) }
func (e readEnd) close()                     { e.closeReader() }

// sleep notes that its reader waits for nothing else, as long as it takes. What
// comes ends that, and the reader says it again before it waits again.
func (e readEnd) sleep() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asleep = e.n == 0 && len(e.ends) == 0 && !e.writerGone && e.interrupted.IsZero()
}

// rouse notes that its reader does not wait any longer, though nothing came.
func (e readEnd) rouse() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asleep = false
}

type writeEnd struct{ *pipe }

func (writeEnd) read([]byte) (int, error)     { return 0, errno.BADF }
func (e writeEnd) readiness(w bool) readiness { return e.end(w, true) }
func (e writeEnd) close()                     { e.closeWriter() }

// end is the readiness of the end that is written or not. Doing to an end what
// it is not for fails at once.
func (p *pipe) end(write, writer bool) readiness {
	if write != writer {
		return readiness{ready: true}
	}
	return p.readiness(write)
}
