package wasi

import (
	"io"
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

const (
	// pipeSize is how much a guest's own pipe holds, in bytes.
	pipeSize = 64 << 10
	// pipeBuf is the most that is written to a pipe as a whole or not at all,
	// and how much room makes one writable: POSIX's PIPE_BUF.
	pipeBuf = 4 << 10
)

// NewPipe makes a pipe that holds at most size bytes, 64 KiB if size is 0.
// Its memory grows with what is in it. Both ends must be closed, by whoever
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
	size int // the most that it holds

	mu         sync.Mutex
	buf        []byte // a ring
	start, n   int    // what is in it begins at start and has n bytes
	readerGone bool
	writerGone bool
	waiting    watchers
}

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
	switch {
	case p.readerGone:
		return 0, errno.BADF
	case len(b) == 0:
		return 0, nil
	case p.n == 0 && p.writerGone:
		return 0, nil
	case p.n == 0:
		return 0, errno.AGAIN
	}
	n := 0
	for n < len(b) && p.n > 0 {
		k := copy(b[n:], p.head())
		p.drop(k)
		n += k
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
	b = b[:min(len(b), room)]
	p.grow(p.n + len(b))
	for rest := b; len(rest) > 0; {
		end := (p.start + p.n) % len(p.buf)
		k := copy(p.buf[end:min(len(p.buf), end+len(p.buf)-p.n)], rest)
		p.n += k
		rest = rest[k:]
	}
	p.waiting.wake()
	return len(b), nil
}

// head returns the first bytes in the pipe, up to where the ring turns over.
// They stay as they are until dropped, for only readers drop, and grow leaves
// the old ring alone.
func (p *pipe) head() []byte {
	return p.buf[p.start:min(len(p.buf), p.start+p.n)]
}

func (p *pipe) drop(n int) {
	p.n -= n
	if p.start += n; p.start >= len(p.buf) || p.n == 0 {
		p.start = 0
	}
}

// grow makes room for n bytes in all, which are at most p.size.
func (p *pipe) grow(n int) {
	if n <= len(p.buf) {
		return
	}
	bigger := make([]byte, min(p.size, max(n, 2*len(p.buf), pipeBuf)))
	k := copy(bigger, p.head())
	copy(bigger[k:], p.buf[:p.n-k])
	p.buf, p.start = bigger, 0
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
	return readiness{ready: p.n > 0 || p.writerGone, hangup: p.writerGone, n: uint64(p.n)}
}

// closeReader forgets what is in the pipe. closeWriter leaves it.
func (p *pipe) closeReader() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readerGone = true
	p.buf, p.start, p.n = nil, 0, 0
	p.waiting.wake()
}

func (p *pipe) closeWriter() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writerGone = true
	p.waiting.wake()
}

// A PipeReader is the end of a pipe that is read, by the host or a guest but
// not by both. Its methods are safe for concurrent use.
type PipeReader struct {
	*pipe
	turn sync.Mutex // held by the one who reads, or waits to
	wake waker      // for who has the turn
}

// Read waits until there is something to read. It returns [io.EOF] once the
// writer is closed and all is read, and [io.ErrClosedPipe] after Close.
func (r *PipeReader) Read(b []byte) (int, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	if len(b) == 0 {
		return 0, nil
	}
	if err := r.wait(); err != nil {
		return 0, err
	}
	n, err := r.pipe.read(b)
	if err != nil {
		return 0, io.ErrClosedPipe // closed since
	}
	return n, nil
}

// WriteTo hands all that comes to w, from the pipe's own memory, until the
// writer is closed. What it handed over leaves the pipe when w returns. It is
// how to read a pipe without a buffer while there is nothing to read.
func (r *PipeReader) WriteTo(w io.Writer) (int64, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	var total int64
	for {
		if err := r.wait(); err != nil {
			if err == io.EOF {
				err = nil
			}
			return total, err
		}
		n, err := r.lend(w)
		total += int64(n)
		if err != nil {
			return total, err
		}
	}
}

// lend writes the head of the pipe to w, without the lock, and drops what w
// took. Nobody else reads meanwhile, since the caller has the turn.
func (r *PipeReader) lend(w io.Writer) (int, error) {
	p := r.pipe
	p.mu.Lock()
	head := p.head()
	p.mu.Unlock()
	n, err := w.Write(head)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.readerGone {
		p.drop(n)
		p.waiting.wake()
	}
	return n, err
}

// wait returns nil when there is something to read.
func (r *PipeReader) wait() error {
	r.watch(r.wake)
	defer r.unwatch(r.wake)
	for {
		r.mu.Lock()
		n, eof, closed := r.n, r.writerGone, r.readerGone
		r.mu.Unlock()
		switch {
		case closed:
			return io.ErrClosedPipe
		case n > 0:
			return nil
		case eof:
			return io.EOF
		}
		<-r.wake
	}
}

// Close makes writes fail, and those reads that wait. It never fails.
func (r *PipeReader) Close() error {
	r.closeReader()
	return nil
}

// OpenFile is this end for [Config].Stdin, or for a child. Its last process to
// let go of it closes it.
func (r *PipeReader) OpenFile() *OpenFile {
	return &OpenFile{stream: readEnd{r.pipe}, rights: readerRights}
}

// Terminal is OpenFile for a terminal: isatty is true.
func (r *PipeReader) Terminal() *OpenFile {
	return &OpenFile{stream: readEnd{r.pipe}, rights: readerRights, typ: vfs.CharacterDevice}
}

// A PipeWriter is the end of a pipe that is written, by the host or a guest
// but not by both. Its methods are safe for concurrent use.
type PipeWriter struct {
	*pipe
	turn sync.Mutex
	wake waker
}

// Write waits until all of b is in the pipe. It returns [io.ErrClosedPipe]
// once either end is closed. b is not kept.
func (w *PipeWriter) Write(b []byte) (int, error) {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.watch(w.wake)
	defer w.unwatch(w.wake)
	n := 0
	for {
		k, err := w.pipe.write(b[n:])
		n += k
		switch {
		case err == errno.AGAIN:
			<-w.wake
		case err != nil:
			return n, io.ErrClosedPipe
		case n == len(b):
			return n, nil
		}
	}
}

// Close lets the reader read what is there, and then the end of the file. It
// never fails.
func (w *PipeWriter) Close() error {
	w.closeWriter()
	return nil
}

// OpenFile is this end for [Config].Stdout and Stderr, or for a child. What is
// written to it counts as output: [Limits].Output. Its last process to let go
// of it closes it.
func (w *PipeWriter) OpenFile() *OpenFile {
	return &OpenFile{stream: writeEnd{w.pipe}, rights: writerRights, output: true}
}

// Terminal is OpenFile for a terminal: isatty is true.
func (w *PipeWriter) Terminal() *OpenFile {
	return &OpenFile{stream: writeEnd{w.pipe}, rights: writerRights, output: true, typ: vfs.CharacterDevice}
}

// readEnd and writeEnd are a pipe's ends as a guest has them.
type readEnd struct{ *pipe }

func (readEnd) write([]byte) (int, error)    { return 0, errno.BADF }
func (e readEnd) readiness(w bool) readiness { return e.end(w, false) }
func (e readEnd) close()                     { e.closeReader() }

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
