package remote

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// batch is how many bytes are written at once, about.
const batch = 64 << 10

// deadAfter is after how many keep-alives that did not come a connection is given up.
const deadAfter = 3

// endLimit is how long the last words of a session may take.
const endLimit = time.Second

var errSilent = errors.New("nothing comes from the other side")

// carry passes the link's frames over a connection until that breaks, or another takes its place,
// and closes it. The error is never nil. A reader never writes: that is the writer's.
func (l *link) carry(turn uint64, conn io.ReadWriteCloser, r *frameReader, alive time.Duration) error {
	var heard atomic.Bool
	var closing sync.Once
	var why error // set before the connection is closed for a reason of ours
	shut := func(err error) {
		closing.Do(func() {
			why = err
			l.leave(turn)
			conn.Close()
		})
	}
	silent := 0
	var tick *time.Timer
	var ticking sync.Mutex // so that stop comes before or after a tick
	stopped := false
	ticking.Lock()
	tick = time.AfterFunc(alive, func() {
		ticking.Lock()
		defer ticking.Unlock()
		if silent++; heard.Swap(false) {
			silent = 0
		}
		switch {
		case stopped:
		case silent >= deadAfter:
			shut(fmt.Errorf("%w for %v", errSilent, alive*deadAfter))
		default:
			l.tell()
			tick.Reset(alive)
		}
	})
	ticking.Unlock()
	written := make(chan struct{})
	go func() { // ends with the turn
		defer close(written)
		if err := l.write(turn, conn); err != nil {
			shut(err)
		} else {
			shut(errDisplaced)
		}
	}()
	for {
		f, err := r.next()
		heard.Store(true)
		if err == nil {
			err = l.take(turn, f)
		}
		if errors.Is(err, errBroken) {
			send(l, kindEnd, &end{clip(err.Error())})
			l.flush(endLimit)
		}
		if err != nil {
			shut(err)
			break
		}
	}
	ticking.Lock()
	stopped = true
	tick.Stop()
	ticking.Unlock()
	<-written
	return why
}

// write writes what is queued until the turn or the connection ends. The error is nil if it is the
// turn.
func (l *link) write(turn uint64, conn io.Writer) error {
	l.attend(turn, conn)
	var own []byte // what small frames are put together in
	var back uint64
	for {
		p, lent, ok := l.collect(turn, back, own[:0], batch)
		if !ok {
			return nil
		}
		if _, err := conn.Write(p); err != nil {
			return err // and what is lent stays as it is
		}
		if back = lent; lent > 0 {
			continue
		}
		if own = p; cap(own) > smallBuffer && len(own) <= smallBuffer {
			own = nil // it was long, and may not be again
		}
	}
}
