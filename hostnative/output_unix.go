//go:build linux || darwin

package hostnative

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// A buffer is what output is read into. A pty gives 4 KiB at a time at the
// most, a pipe 64 KiB.
type buffer [64 << 10]byte

// buffers lends them while there is something to read: an idle terminal has none.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// Output calls sink with what the command writes. On pipes each stream keeps
// its order, but between the two there is none; sink is never called twice at
// once. While it runs nothing more is read, and a command that writes more
// than its pty or pipe holds waits.
func (p *process) Output(sink func(stream uint8, p []byte)) error {
	if p.outputCalled.Swap(true) {
		return errors.New("hostnative: output: called twice")
	}
	errs := make([]error, len(p.io.outs))
	var wg sync.WaitGroup
	for i, o := range p.io.outs {
		if i == len(p.io.outs)-1 {
			errs[i] = p.copyOutput(o, sink) // here rather than on a goroutine of its own
			break
		}
		wg.Go(func() { errs[i] = p.copyOutput(o, sink) }) // ends with its stream, or by Close
	}
	wg.Wait()
	p.ended.Store(true)
	p.tellWhy(sink)
	close(p.told)
	return errors.Join(errs...)
}

// tellWhy ends the output with what the command was refused, and with the limit that it was
// killed for.
func (p *process) tellWhy(sink func(stream uint8, p []byte)) {
	if p.refused == nil && p.limiter == nil || p.closed() {
		return
	}
	if len(p.io.outs) == 0 || p.limiter != nil || p.guarded != nil {
		exit, err := p.command.Wait() // the output may have ended before
		if err == nil {
			p.guarded.exited(p.command, p.closing)
		}
		p.limiter.explain(exit)
	}
	var text []byte
	if p.refused != nil {
		text = p.refused.text()
	}
	if p.limiter != nil {
		if why := p.limiter.why(); why != "" {
			text = append(text, "terrarium: "+why+"\n"...)
		}
	}
	if len(text) == 0 || p.closed() {
		return
	}
	if p.midLine {
		text = append([]byte("\n"), text...)
	}
	stream := uint8(1) // both are one, which the command has from Config.Stdout
	if n := len(p.io.outs); n > 0 {
		stream = p.io.outs[n-1].stream
	}
	if p.io.tty != nil {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	sink(stream, text)
}

// copyOutput reads o until its end.
func (p *process) copyOutput(o output, sink func(stream uint8, p []byte)) error {
	conn, err := o.file.SyscallConn()
	if err != nil {
		return nil // closed
	}
	var (
		buf *buffer
		n   int
	)
	// read is called whenever there may be something to read, and returns
	// false to wait for that. A buffer is taken for no longer.
	read := func(fd uintptr) bool {
		if o.file == p.io.tty {
			readingPty <- struct{}{}
			defer func() { <-readingPty }()
		}
		buf = buffers.Get().(*buffer)
		p.holding.Add(int64(len(buf))) // while nobody knows how much it is
		piece := buf[:p.limiter.piece(len(buf))]
		n, err = unix.Read(int(fd), piece)
		for err == unix.EINTR {
			n, err = unix.Read(int(fd), piece)
		}
		n = max(0, n) // -1 is an error
		p.holding.Add(int64(n - len(buf)))
		if err == unix.EAGAIN {
			buffers.Put(buf)
			return false
		}
		return true
	}
	hungUp := false
	for {
		if conn.Read(read) != nil {
			return nil // closed
		}
		if n > 0 {
			p.sink.Lock()
			if keep := p.limiter.take(n); keep > 0 {
				sink(o.stream, buf[:keep])
				p.midLine = buf[keep-1] != '\n'
			}
			p.sink.Unlock()
		}
		buffers.Put(buf)
		p.holding.Add(int64(-n))
		p.limiter.pace(n, p.closing)
		switch {
		case n > 0:
			hungUp = false
		case err == nil:
			return nil
		case err == unix.EIO && o.file == p.io.tty:
			// Linux says so when nobody has the pty open any longer. It looks
			// for output first and for that second, so what was written in
			// between is still there: the end is when it says so twice.
			if hungUp {
				return nil
			}
			hungUp = true
		default:
			return fmt.Errorf("hostnative: read output: %w", err)
		}
	}
}

// ptyQueue is more than what a pty holds that was written to it, in bytes: it
// tells that there is something, but not how much. Linux was seen to take up to
// 20,912 (from 8 KiB on the way it takes no more, and keeps 4 KiB to be read;
// in small writes the first limit is not exact).
const ptyQueue = 32 << 10

// OutputPending returns how many bytes the sink has not been given yet, at the
// most: on a busy machine that may be so long after they were written.
func (p *process) OutputPending() (n int) {
	for _, o := range p.io.outs {
		conn, err := o.file.SyscallConn()
		if err != nil {
			continue // closed
		}
		conn.Control(func(fd uintptr) { n += readable(int(fd), o.file == p.io.tty) })
	}
	// Asked last: what is no longer there to be read is held until sink has it.
	n += int(p.holding.Load())
	if p.ended.Load() && !p.isTold() && p.guarded != nil {
		n++ // what was put back is still to be told
	}
	return n
}

// readable returns how many bytes can be read from fd, at the most.
func readable(fd int, tty bool) int {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	unix.Poll(fds, 0) // an error leaves Revents as it is
	if fds[0].Revents&unix.POLLIN == 0 {
		return 0
	}
	if tty {
		return ptyQueue
	}
	n, err := unix.IoctlGetInt(fd, getReadable)
	if err != nil {
		return len(buffer{}) // as much as a pipe holds
	}
	return n
}
