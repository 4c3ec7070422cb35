package fleet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// window is how much of one direction may be on its way: sent, and not read by who it is for.
	window = 512 << 10
	// tellAfter is how much is read before the sender is told, if nothing else tells it.
	tellAfter = window / 4
	// heartbeat is how often each side says that it is there.
	heartbeat = 2 * time.Second
	// silentTicks is after how many halves of a heartbeat without a word a connection has ended:
	// less than two heartbeats.
	silentTicks = 3
)

var (
	errNobody = errors.New("nobody is at the other end")
	errSilent = errors.New("nothing comes from the other end")
	errLost   = errors.New("messages were lost on the way")
	errWindow = errors.New("the other end sends more than it may")
)

// A link is one connection of a session: a byte stream over a subject for each direction. NATS may
// drop messages. Each says what was sent before it, so that a gap, and what comes out of order,
// ends the link: package remote goes on over the next. Read and Write are for one goroutine each;
// the rest is safe for concurrent use.
type link struct {
	number uint64 // of the session's connections
	// publish sends a message to the other end. If asks, who has nobody there is told so.
	publish func(b []byte, asks bool) error
	beat    time.Duration

	sending sync.Mutex // held from when a message is numbered until it is sent; comes before mu
	buf     []byte     // of who holds sending

	mu     sync.Mutex // guards the fields below
	more   sync.Cond  // something has changed
	queue  [][]byte   // has come, and was not read
	left   uint64     // the cost of its first element
	came   uint64     // what has come, as cost counts
	read   uint64     // of it, what was read
	told   uint64     // of it, what the other end was told
	sent   uint64
	taken  uint64 // of it, what the other end has read
	heard  bool   // since the last tick
	silent int    // ticks
	ticks  int
	ticker *time.Timer
	err    error // why it has ended
}

// newLink returns a link, which tells that it is there from now on. What comes is for receive.
func newLink(number uint64, beat time.Duration, publish func(b []byte, asks bool) error) *link {
	l := &link{number: number, publish: publish, beat: beat}
	l.more.L = &l.mu
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ticker = time.AfterFunc(beat/2, l.tick)
	return l
}

// tick says that this end is there, and looks whether the other one is.
func (l *link) tick() {
	l.mu.Lock()
	l.ticks++
	if l.silent++; l.heard {
		l.heard, l.silent = false, 0
	}
	silent, due := l.silent >= silentTicks, l.ticks%2 == 0
	ended := l.err != nil
	l.mu.Unlock()
	switch {
	case ended:
		return
	case silent:
		l.end(fmt.Errorf("%w for %v", errSilent, silentTicks*l.beat/2))
		return
	case due:
		l.send(kindAlive, nil)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.ticker.Reset(l.beat / 2)
	}
}

// send sends one message. Where it can't, the link has ended.
func (l *link) send(k kind, body []byte) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	l.mu.Lock()
	if err := l.err; err != nil {
		l.mu.Unlock()
		return err
	}
	m := message{k, l.number, l.sent, l.read, body}
	if k == kindData {
		l.sent += cost(len(body))
	}
	l.told = l.read
	l.mu.Unlock()
	l.buf = m.append(l.buf[:0])
	err := l.publish(l.buf, k == kindAlive || k == kindOpen)
	if cap(l.buf) > 4<<10 {
		l.buf = nil // an idle link keeps no large buffer
	}
	if err != nil {
		l.end(err)
	}
	return err
}

// receive takes a message of this connection. It keeps the body.
func (l *link) receive(m *message) {
	if err := l.take(m); err != nil {
		l.end(err)
	}
}

func (l *link) take(m *message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return nil
	}
	if m.sent != l.came {
		return errLost
	}
	if m.took < l.taken || m.took > l.sent {
		return errMessage
	}
	l.heard = true
	l.taken = m.took
	switch m.kind {
	case kindData:
		n := cost(len(m.body))
		if l.came+n-l.read > window {
			return errWindow
		}
		l.came += n
		l.queue = append(l.queue, m.body)
	case kindClose:
		return io.EOF
	}
	l.more.Broadcast()
	return nil
}

// Read implements io.Reader. What has come before the link ended is read first.
func (l *link) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, tell, err := l.readQueue(p)
	if tell {
		l.send(kindAlive, nil)
	}
	return n, err
}

func (l *link) readQueue(p []byte) (n int, tell bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) == 0 && l.err == nil {
		l.more.Wait()
	}
	if len(l.queue) == 0 {
		return 0, false, l.err
	}
	for n < len(p) && len(l.queue) > 0 {
		first := l.queue[0]
		k := copy(p[n:], first)
		n += k
		if l.left == 0 {
			l.left = cost(len(first))
		}
		if l.queue[0] = first[k:]; k < len(first) {
			break
		}
		l.read += l.left
		l.left = 0
		l.queue[0] = nil
		if l.queue = l.queue[1:]; len(l.queue) == 0 {
			l.queue = nil
		}
	}
	return n, l.read-l.told >= tellAfter && l.err == nil, nil
}

// Write implements io.Writer. It waits while the other end has not read what is on its way.
func (l *link) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		part := p[:min(len(p), maxBody)]
		if err := l.room(cost(len(part))); err != nil {
			return n, err
		}
		if err := l.send(kindData, part); err != nil {
			return n, err
		}
		n += len(part)
		p = p[len(part):]
	}
	return n, nil
}

// room waits until so much more may be on its way.
func (l *link) room(n uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.err == nil && l.sent+n-l.taken > window {
		l.more.Wait()
	}
	return l.err
}

// Close implements io.Closer. It ends Read and Write, and tells the other end.
func (l *link) Close() error {
	l.send(kindClose, nil)
	l.end(os.ErrClosed)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = nil
	return nil
}

// end ends the link for that reason, if it has not ended.
func (l *link) end(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	l.err = why
	l.ticker.Stop()
	l.more.Broadcast()
}
