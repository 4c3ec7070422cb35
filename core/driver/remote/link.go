package remote

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver/wire"
)

// errBroken is what ends a session whose other side does not keep to the protocol: to connect
// again would not help.
var errBroken = errors.New("the other side does not keep to the protocol")

// broken returns an error that says how.
func broken(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errBroken, fmt.Sprintf(format, args...))
}

// A link is one end of a session: frames go in and come out in order, each once, however often the
// connection below is another. It is safe for concurrent use.
type link struct {
	// handle is called with each frame that has come, one at a time. The body is lent. It must
	// not wait for anything. Its error ends the link.
	handle func(f *received) error

	taking sync.Mutex // held while a frame is handled; comes before mu

	mu   sync.Mutex
	more sync.Cond // there may be something to write, or all was acknowledged, or the end

	queue   []queued // those from acked+1 to sent
	start   []queued // where queue begins, empty, to use it again
	acked   uint64   // the highest number that the other side has taken
	sent    uint64   // the number of the newest frame
	next    uint64   // the number of the next to be written on this connection
	written uint64   // the highest number that was ever written
	held    int64    // what queue costs, in bytes
	peak    int64    // the most that held has been

	taken    uint64 // the highest number that we have taken
	told     uint64 // as much of it as the other side was told on this connection
	untold   int64  // bytes taken since
	tellNow  bool   // it is to be told, with whatever is sent next or alone
	turn     uint64 // which connection is the link's: it counts them
	err      error  // why the link has ended
	occupied bool   // this turn's connection reads and writes
	idle     bool   // all that was queued is written on it, but for what is late

	try    TryWriter   // of the connection, if it is one
	trying []byte      // where small frames are put together for it
	rest   []byte      // what it has left of them
	late   bool        // frames may be there that wait for the next one
	timer  *time.Timer // writes what is late; nil until something was
}

// A TryWriter writes as much of p as it can without waiting. A connection that is one is asked for
// that first, which saves a goroutine its turn. An error stays for Write to tell.
type TryWriter interface {
	TryWrite(p []byte) (n int)
}

const (
	// tryBytes is how much of small frames is tried to be written by whoever has queued it, about.
	tryBytes = 4 << 10
	// lateTime is how long a frame waits for another one at the most.
	lateTime = time.Millisecond
)

const (
	tellBytes  = 192 << 10 // are taken before the other side is told
	tellFrames = 64
)

func newLink(handle func(f *received) error) *link {
	l := &link{handle: handle, next: 1}
	l.more.L = &l.mu
	return l
}

// send queues a frame. It does not wait: credit bounds what is queued.
func send[T any, M wire.Message[T]](l *link, k kind, m M) {
	f := newQueued(k, headRoom)
	f.buf = wire.Append(f.buf, m)
	l.push(f)
}

// sendLate queues a frame that is written with the next one, or after lateTime. The answer to a
// keystroke goes with its echo so, and does not wake all who pass it on once more.
func sendLate[T any, M wire.Message[T]](l *link, k kind, m M) {
	f := newQueued(k, headRoom)
	f.buf = wire.Append(f.buf, m)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.append(f) == 0 || l.late {
		return
	}
	l.late = true
	if l.timer == nil {
		l.timer = time.AfterFunc(lateTime, l.writeLate)
	} else {
		l.timer.Reset(lateTime)
	}
}

func (l *link) writeLate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late = false
	if l.next <= l.sent {
		l.wake()
	}
}

// push queues a frame, which it keeps, and returns its number, or 0 after the end.
func (l *link) push(f queued) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	number := l.append(f)
	if number > 0 {
		l.wake()
	}
	return number
}

// append is push without writing it. l.mu is held.
func (l *link) append(f queued) uint64 {
	if l.err != nil {
		return 0
	}
	if l.queue = append(l.queue, f); len(l.queue) == 1 {
		l.start = l.queue[:0]
	}
	l.sent++
	l.hold(f.cost())
	return l.sent
}

// wake has written what there is to write. l.mu is held.
func (l *link) wake() {
	if l.idle && l.try != nil && l.tryNow() {
		return
	}
	l.idle = false
	l.more.Broadcast()
}

// tryNow writes what there is to write, if it is small frames or a single one, while the writer
// waits for something. It reports whether all was written. l.mu is held.
func (l *link) tryNow() bool {
	size := 0
	for n := l.next; n <= l.sent; n++ {
		size += len(l.queue[n-l.acked-1].buf)
		if size > tryBytes && (n > l.next || size < lendSize) {
			return false
		}
	}
	p, lent := l.gather(l.trying[:0], tryBytes)
	n := l.try.TryWrite(p)
	l.rest = append(l.rest, p[n:]...)
	switch {
	case lent > 0:
		l.queue[lent-l.acked-1].lent = false
	case cap(p) <= 2*tryBytes:
		l.trying = p[:0]
	}
	return len(l.rest) == 0
}

func (l *link) hold(n int64) {
	l.held += n
	l.peak = max(l.peak, l.held)
}

// extend appends data to the frame of that number, if that was not written yet and has room, and
// reports whether it did. So what comes in small pieces, or while there is no connection, costs no
// frame for each of them.
func (l *link) extend(number uint64, data []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if number <= l.written || number <= l.acked || number > l.sent {
		return false
	}
	f := &l.queue[number-l.acked-1]
	if len(f.buf)+len(data) > maxData {
		return false
	}
	f.buf = appendBuffer(f.buf, data)
	l.hold(int64(len(data)))
	return true
}

// acknowledge forgets what the other side has taken. l.mu is held.
func (l *link) acknowledge(taken uint64) error {
	if taken < l.acked || taken > l.sent {
		return broken("it has taken frame %d, where %d to %d were sent", taken, l.acked, l.sent)
	}
	n := int(taken - l.acked)
	for i := range n {
		f := &l.queue[i]
		l.held -= f.cost()
		f.free()
	}
	if l.queue = l.queue[n:]; len(l.queue) == 0 {
		if l.queue = l.start; cap(l.queue) > maxSpare {
			l.queue, l.start = nil, nil
		}
	}
	l.acked = taken
	l.next = max(l.next, taken+1)
	return nil
}

// begin makes a new connection the link's, so that all before are none any longer. It returns which
// it is, and the highest number taken.
func (l *link) begin() (turn, taken uint64) {
	l.taking.Lock() // a frame that is being handled counts as taken
	defer l.taking.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn++
	l.vacate()
	return l.turn, l.taken
}

// vacate leaves the link without a connection. What was written of a frame is written anew on the
// next. l.mu is held.
func (l *link) vacate() {
	l.occupied, l.idle = false, false
	l.try, l.rest = nil, nil
	l.more.Broadcast()
}

// resume has a connection, whose other side has taken that frame, go on behind it.
func (l *link) resume(turn, taken uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return l.err
	case turn != l.turn:
		return errDisplaced
	}
	if err := l.acknowledge(taken); err != nil {
		return err
	}
	l.next = l.acked + 1
	l.told, l.untold = l.taken, 0
	l.occupied = true
	l.more.Broadcast()
	return nil
}

var errDisplaced = errors.New("another connection has taken its place")

// take handles a frame that has come on a connection.
func (l *link) take(turn uint64, f received) error {
	l.taking.Lock()
	defer l.taking.Unlock()
	fresh, err := l.examine(turn, f)
	if !fresh || err != nil {
		return err
	}
	err = l.handle(&f)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.untold += f.cost()
	if l.untold >= tellBytes || l.taken-l.told >= tellFrames {
		l.tellNow = true
		l.wake()
	}
	if err == nil && l.held > maxHeld+maxFrame {
		err = broken("it acknowledges too little of what it is sent")
	}
	return err
}

// examine reports whether a frame is one that was not taken before.
func (l *link) examine(turn uint64, f received) (fresh bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if turn != l.turn {
		return false, errDisplaced
	}
	if l.err != nil {
		return false, l.err
	}
	if err := l.acknowledge(f.taken); err != nil {
		return false, err
	}
	switch {
	case f.number == 0 && f.kind == kindAlive && len(f.body) == 0:
		return false, nil
	case f.number == 0 || f.kind == kindAlive:
		return false, broken("a frame of kind %d and number %d", f.kind, f.number)
	case f.number <= l.taken: // sent again
		return false, nil
	case f.number > l.taken+1:
		return false, fmt.Errorf("frame %d came after %d", f.number, l.taken)
	}
	l.taken = f.number // before it is handled, since credit that comes of that is to acknowledge it
	return true, nil
}

// lendSize is how large a frame is that is written alone, without copying it.
const lendSize = 16 << 10

// collect waits until there is something to write on a connection. It returns frames that it has
// appended to dst, up to about most bytes, or one that is lent: then its number is not 0, and it is
// given back with the next call. ok is false when the connection is the link's no longer.
func (l *link) collect(turn, back uint64, dst []byte, most int) (p []byte, lent uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if back > l.acked {
		l.queue[back-l.acked-1].lent = false
	}
	for turn == l.turn && l.occupied && l.next > l.sent && !l.tellNow && len(l.rest) == 0 {
		if !l.idle {
			l.idle = true
			l.more.Broadcast()
		}
		l.more.Wait()
	}
	if turn != l.turn || !l.occupied {
		return nil, 0, false
	}
	l.idle = false
	dst = append(dst, l.rest...)
	if l.rest = l.rest[:0]; cap(l.rest) > smallBuffer {
		l.rest = nil
	}
	p, lent = l.gather(dst, most)
	return p, lent, true
}

// gather is collect for what is there. l.mu is held.
func (l *link) gather(dst []byte, most int) (p []byte, lent uint64) {
	if l.next > l.sent && l.tellNow {
		dst = (&frame{kind: kindAlive}).appendTo(dst, 0, l.taken)
	}
	for l.next <= l.sent && len(dst) < most {
		f := &l.queue[l.next-l.acked-1]
		if len(f.buf) >= lendSize && !f.lent {
			if len(dst) == 0 {
				dst, lent = f.lend(l.next, l.taken), l.next
				l.next++
			}
			break
		}
		dst = f.appendTo(dst, l.next, l.taken)
		l.next++
	}
	l.written = max(l.written, l.next-1)
	l.told, l.untold, l.tellNow = l.taken, 0, false
	return dst, lent
}

// attend has what is little be tried to be written on a connection that has the turn.
func (l *link) attend(turn uint64, conn io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if turn == l.turn && l.occupied {
		l.try, _ = conn.(TryWriter)
	}
}

// tell has the other side told what we have taken, if only to show that we are there.
func (l *link) tell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tellNow = true
	l.wake()
}

// leave ends the turn of a connection that has broken.
func (l *link) leave(turn uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if turn == l.turn {
		l.vacate()
	}
}

// flush waits until all that was queued is written, the connection has broken, or that much time is
// over.
func (l *link) flush(within time.Duration) {
	late := false
	timer := time.AfterFunc(within, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		late = true
		l.more.Broadcast()
	})
	defer timer.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.occupied && !l.idle && !late {
		l.more.Wait()
	}
}

// end ends the link. It reports whether it had not ended before.
func (l *link) end(err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return false
	}
	l.err = err
	for i := range l.queue {
		l.queue[i].free()
	}
	l.queue, l.acked, l.next, l.held = nil, l.sent, l.sent+1, 0
	l.turn++
	l.vacate()
	if l.timer != nil {
		l.timer.Stop()
	}
	return true
}

// progress returns how far both directions have come: it changes when a connection is of use.
func (l *link) progress() [2]uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return [2]uint64{l.acked, l.taken}
}

func (l *link) heldBytes() (now, peak int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held, l.peak
}

// settle waits for the frame that is being handled, after which there is none any more if the link
// has ended.
func (l *link) settle() {
	l.taking.Lock()
	defer l.taking.Unlock()
}

// busy reports whether there is a connection.
func (l *link) busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.occupied
}
