package wasi

import (
	"io"
	"sync"
)

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

// Len returns how many bytes are in the pipe, those among them that WriteTo is
// just handing over.
func (r *PipeReader) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n
}

// WaitRead waits until what is in the pipe now was read, or Close.
func (r *PipeReader) WaitRead() {
	wake := newWaker()
	r.watch(wake)
	defer r.unwatch(wake)
	r.mu.Lock()
	end := r.taken + uint64(r.n)
	r.mu.Unlock()
	for {
		r.mu.Lock()
		read := r.taken >= end || r.readerGone
		r.mu.Unlock()
		if read {
			return
		}
		<-wake
	}
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
