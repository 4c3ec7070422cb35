package hostwasm

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A backlog keeps what a pipe has no room for, so that who writes never waits.
// It is safe for concurrent use.
type backlog struct {
	pipe *wasi.PipeWriter
	max  int // how much is kept, in bytes

	mu      sync.Mutex
	rest    []byte
	ends    []int // where the file ends for once: how much of rest is before that
	ended   bool  // the pipe is closed behind rest
	passing bool  // pass runs
}

// errFull says that too much is kept already.
var errFull = errors.New("no room")

// write passes p on, now or as soon as there is room, behind what was written
// before; or it fails with errFull, and with io.ErrClosedPipe when nobody will
// ever read it.
func (b *backlog) write(p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.ended:
		return io.ErrClosedPipe
	case len(b.rest)+len(p) > b.max:
		return errFull
	}
	if !b.passing {
		n, err := b.pipe.TryWrite(p)
		if err != nil {
			return err
		}
		p = p[n:]
	}
	b.rest = append(b.rest, p...)
	b.begin()
	return nil
}

// endFile has the reader find the end of the file for once, behind what was
// written.
func (b *backlog) endFile() {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !b.passing:
		b.pipe.EndFile()
	case len(b.ends) < maxEnds:
		b.ends = append(b.ends, len(b.rest))
	}
}

// maxEnds is how many ends are kept.
const maxEnds = 1 << 10

// interrupt tells the reader to end what it does, and drops what it has not
// read; or it returns false: see wasi.PipeWriter.
func (b *backlog) interrupt(patience time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.pipe.Interrupt(patience) {
		return false
	}
	b.rest, b.ends = nil, nil
	return true
}

// awaited reports whether a guest waits for what is written next.
func (b *backlog) awaited() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.passing && b.pipe.Awaited()
}

// end closes the pipe behind what was written.
func (b *backlog) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.begin()
}

// begin has the rest passed on. b.mu is held.
func (b *backlog) begin() {
	switch {
	case b.passing:
	case len(b.rest) > 0:
		b.passing = true
		go b.pass() // ends when all is passed on, or the pipe is closed
	case b.ended:
		b.pipe.Close()
	}
}

// pass passes the rest on, which is waited for.
func (b *backlog) pass() {
	var piece [4 << 10]byte
	for {
		b.mu.Lock()
		for len(b.ends) > 0 && b.ends[0] == 0 {
			b.ends = b.ends[1:]
			b.pipe.EndFile()
		}
		n := copy(piece[:], b.rest)
		if len(b.ends) > 0 {
			n = min(n, b.ends[0])
		}
		if n == 0 {
			b.rest, b.passing = nil, false
			b.begin()
			b.mu.Unlock()
			return
		}
		b.rest = b.rest[n:]
		for i := range b.ends {
			b.ends[i] -= n
		}
		b.mu.Unlock()
		b.pipe.Write(piece[:n]) // an error means that nobody will ever read it
	}
}
