package wasi

import (
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// This file is terrarium_http_v0: see ABI.md. What its frames mean only those who
// make and read them know, a guest and who answers an Exchange.

// An Exchange is a request by HTTP and its response, as the host has it: what the
// guest writes is read from it, and the other way round. Read and Write wait, at
// most until the guest lets go. It is for one reader and one writer.
type Exchange struct {
	*PipeReader
	writer *PipeWriter
	gone   chan struct{}
}

// Write is that of PipeWriter.
func (e *Exchange) Write(b []byte) (int, error) { return e.writer.Write(b) }

// Gone is closed when the guest has let go of the exchange.
func (e *Exchange) Gone() <-chan struct{} { return e.gone }

// Close ends the exchange: the guest reads what was written, and then the end of
// the file. It never fails.
func (e *Exchange) Close() error {
	e.writer.Close()
	return e.PipeReader.Close()
}

// exchange is the stream of an exchange as the guest has it.
type exchange struct {
	in, out *pipe // in is read, out is written
	let     sync.Once
	gone    chan struct{}
}

func (e *exchange) read(b []byte) (int, error)  { return e.in.read(b) }
func (e *exchange) write(b []byte) (int, error) { return e.out.write(b) }

func (e *exchange) readiness(write bool) readiness {
	if write {
		return e.out.readiness(true)
	}
	return e.in.readiness(false)
}

func (e *exchange) watch(w waker) {
	e.in.watch(w)
	e.out.watch(w)
}

func (e *exchange) unwatch(w waker) {
	e.in.unwatch(w)
	e.out.unwatch(w)
}

func (e *exchange) close() {
	e.in.closeReader()
	e.out.closeWriter()
	e.let.Do(func() { close(e.gone) })
}

// newExchange makes an exchange, whose pipes are charged as the guest's own are.
func (p *Process) newExchange() (*exchange, *Exchange, error) {
	in, err := p.newPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := p.newPipe()
	if err != nil {
		in.closeReader()
		return nil, nil, err
	}
	e := &exchange{in: in, out: out, gone: make(chan struct{})}
	host := &Exchange{
		PipeReader: &PipeReader{pipe: out, wake: newWaker()},
		writer:     &PipeWriter{pipe: in, wake: newWaker()},
		gone:       e.gone,
	}
	return e, host, nil
}

// httpFeatures is features() -> i64.
func httpFeatures(guest any, _ *engine.Memory, stack []uint64) error {
	const open = 1
	p := guest.(*Process)
	if err := p.interrupted(); err != nil {
		return err.(end).error
	}
	stack[0] = 0
	if p.http != nil {
		stack[0] = open
	}
	return nil
}

// open(flags, *fd)
func httpOpen(p *Process, m memory, a []uint64) error {
	const nonblock = 1
	flags := uint32(a[0])
	if err := m.check(uint32(a[1]), 4); err != nil {
		return err
	}
	switch {
	case p.http == nil:
		return errno.NOSYS
	case flags > nonblock:
		return errno.INVAL
	case p.fds.free() == 0:
		return errno.MFILE
	}
	f, err := p.openExchange()
	if err != nil {
		return err
	}
	fd, _ := p.fds.add(descriptor{file: f, base: f.rights, nonblock: flags == nonblock}, 0)
	return m.put32(uint32(a[1]), fd)
}

// openHTTP opens /dev/http: an exchange, for who can't import open. Each request is
// written and its response read, so one of both alone is of no use.
func (p *Process) openHTTP(o opening) (descriptor, error) {
	const both = rightFDRead | rightFDWrite
	switch {
	case p.http == nil:
		return descriptor{}, errno.NOENT
	case o.base&both != both:
		return descriptor{}, errno.ACCES
	}
	f, err := p.openExchange()
	if err != nil {
		return descriptor{}, err
	}
	return descriptor{file: f, base: o.base & f.rights, nonblock: o.flags&flagNonblock != 0}, nil
}

// openExchange returns a new exchange, which somebody answers.
func (p *Process) openExchange() (*OpenFile, error) {
	e, host, err := p.newExchange()
	if err != nil {
		return nil, err
	}
	if err := p.http(host); err != nil {
		host.Close()
		e.close()
		return nil, asErrno(err)
	}
	return &OpenFile{stream: e, rights: readerRights | writerRights}, nil
}
