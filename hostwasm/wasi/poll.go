package wasi

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#subscription
const (
	eventClock = 0
	eventRead  = 1
	eventWrite = 2

	eventSize = 32
	// maxSubscriptions bounds the work of one look at all of them.
	maxSubscriptions = 1 << 16

	clockAbsolute = 1
	hangup        = 1
)

// A subscription is one thing that poll_oneoff waits for.
type subscription struct {
	userdata uint64
	kind     uint8
	// Of a clock:
	clock    uint32
	timeout  uint64
	absolute bool
	// Of a descriptor:
	fd uint32
}

// A form is how a subscription lies in memory: preview1's or wasi_unstable's.
type form struct {
	size  uint32
	clock int // where a clock's id is
}

var preview1Form = form{size: 48, clock: 16}

func (f form) read(b []byte) subscription {
	le := binary.LittleEndian
	return subscription{
		userdata: le.Uint64(b),
		kind:     b[8],
		clock:    le.Uint32(b[f.clock:]),
		timeout:  le.Uint64(b[f.clock+8:]),
		absolute: le.Uint16(b[f.clock+24:])&clockAbsolute != 0,
		fd:       le.Uint32(b[16:]),
	}
}

// poll_oneoff(*in, *out, n, *nevents)
func pollOneoff(p *Process, m memory, a []uint64) error {
	return p.pollOneoff(m, a, preview1Form)
}

func (p *Process) pollOneoff(m memory, a []uint64, f form) error {
	n := uint32(a[2])
	if n == 0 {
		return errno.INVAL
	}
	if err := m.checkArray(uint32(a[0]), n, f.size); err != nil {
		return err
	}
	if err := m.checkArray(uint32(a[1]), n, eventSize); err != nil {
		return err
	}
	if err := m.check(uint32(a[3]), 4); err != nil {
		return err
	}
	if n > maxSubscriptions {
		return errno.INVAL
	}
	in, err := m.bytes(uint32(a[0]), n*f.size)
	if err != nil {
		return err
	}
	out, err := m.room(uint32(a[1]), n*eventSize)
	if err != nil {
		return err
	}
	l := poll{p: p, form: f, in: in, out: out, began: p.clock.Monotonic()}
	events, err := l.wait()
	if err != nil {
		return err
	}
	m.Store(uint32(a[1]), out[:eventSize*events])
	return m.put32(uint32(a[3]), events)
}

// A poll is one poll_oneoff under way.
type poll struct {
	p       *Process
	form    form
	in, out []byte
	began   time.Duration // monotonic
	// What the last look found:
	events  uint32        // stored in out
	soonest time.Duration // how long until a clock rings, or forever
	streams bool          // whether there is anything but clocks
}

// wait returns how many events there are, at least one.
func (l *poll) wait() (uint32, error) {
	p := l.p
	watching := false
	defer l.unwatch()
	for {
		if err := p.interrupted(); err != nil {
			return 0, err
		}
		if err := l.look(); err != nil || l.events > 0 {
			return l.events, err
		}
		switch {
		case !l.streams && p.clock.Sleep(l.soonest):
			// It was a sleep, and it is over.
		case p.trying:
			return 0, engine.ErrWait
		case !watching:
			// Then look again: what changed before has woken nobody.
			l.watch()
			watching = true
		default:
			l.sleep()
		}
	}
}

// sleep waits until something has changed, or a clock rings. A terminal's leader
// that would read what is typed waits for that whatever else it looks after: a
// shell with jobs in the background.
func (l *poll) sleep() {
	p := l.p
	switch keys, leads := p.keys(); {
	case leads:
		keys.sleep()
		defer keys.rouse()
	case l.soonest == forever && len(p.watched) == 1:
		sleepOn(p.watched[0])
	}
	if p.park(l.soonest) {
		p.clock.Sleep(l.soonest) // which a virtual clock has not noticed
	}
}

// keys returns the terminal, if p leads it, takes its interrupts and watches it.
func (p *Process) keys() (keys readEnd, leads bool) {
	if p.terminal == nil {
		return readEnd{}, false
	}
	keys = readEnd{p.terminal.in}
	reads := func(s stream) bool {
		r, ok := keyboard(s)
		return ok && r == keys
	}
	return keys, slices.ContainsFunc(p.watched, reads) && slices.Contains(p.watched, stream(interrupts(keys)))
}

// look stores an event for each subscription that has one now.
func (l *poll) look() error {
	l.events, l.soonest, l.streams = 0, forever, false
	realtime, monotonic := l.p.clock.Realtime(), l.p.clock.Monotonic()
	for i := 0; i < len(l.in); i += int(l.form.size) {
		s := l.form.read(l.in[i:])
		switch s.kind {
		case eventClock:
			d, err := l.remaining(s, realtime, monotonic)
			if d <= 0 || err != nil {
				l.event(s, readiness{}, err)
			} else if l.soonest == forever || d < l.soonest {
				l.soonest = d
			}
		case eventRead, eventWrite:
			l.streams = true
			r, err := l.p.readiness(s)
			if err == engine.ErrWait {
				return err
			}
			if r.ready || err != nil {
				l.event(s, r, err)
			}
		default:
			return errno.INVAL
		}
	}
	return nil
}

// remaining returns how long it is until a clock rings.
func (l *poll) remaining(s subscription, realtime, monotonic time.Duration) (time.Duration, error) {
	switch {
	case s.clock > clockThread:
		return 0, errno.INVAL
	case s.clock > clockMonotonic:
		return 0, errno.NOTSUP
	case !s.absolute:
		return addTime(l.began, toTime(s.timeout)) - monotonic, nil
	case s.clock == clockRealtime:
		return toTime(s.timeout) - realtime, nil
	}
	return toTime(s.timeout) - monotonic, nil
}

// readiness says whether a descriptor can be read or written without waiting.
func (p *Process) readiness(s subscription) (readiness, error) {
	write, needed := s.kind == eventWrite, rightPoll|rightFDRead
	if write {
		needed = rightPoll | rightFDWrite
	}
	d, err := p.fds.use(s.fd, needed)
	if err != nil {
		return readiness{}, err
	}
	f := d.file
	switch {
	case f.stream != nil:
		return f.stream.readiness(write), nil
	case write || f.typ != vfs.RegularFile:
		return readiness{ready: true}, nil
	}
	if err := p.lock(f); err != nil {
		return readiness{}, err
	}
	defer f.mu.Unlock()
	st, err := f.file.Stat()
	if err != nil {
		return readiness{}, asErrno(err)
	}
	left := int64(min(st.Size, math.MaxInt64)) - f.offset
	return readiness{ready: true, n: uint64(max(left, 0))}, nil
}

// event stores an event. The guest may have its events where its subscriptions
// are; that spoils those which have not been looked at, and no more.
func (l *poll) event(s subscription, r readiness, err error) {
	b := l.out[eventSize*l.events:][:eventSize]
	clear(b)
	le := binary.LittleEndian
	le.PutUint64(b, s.userdata)
	if e, ok := err.(errno.Errno); ok {
		le.PutUint16(b[8:], uint16(e))
	}
	b[10] = s.kind
	le.PutUint64(b[16:], r.n)
	if r.hangup {
		le.PutUint16(b[24:], hangup)
	}
	l.events++
}

// watch has all streams wake the process. unwatch goes by what was watched,
// not by the subscriptions.
func (l *poll) watch() {
	p := l.p
	for i := 0; i < len(l.in); i += int(l.form.size) {
		s := l.form.read(l.in[i:])
		if s.kind == eventClock {
			continue
		}
		if d, err := p.fds.get(s.fd); err == nil && d.file.stream != nil {
			d.file.stream.watch(p.wake)
			p.watched = append(p.watched, d.file.stream)
		}
	}
}

func (l *poll) unwatch() {
	for _, s := range l.p.watched {
		s.unwatch(l.p.wake)
	}
	clear(l.p.watched)
	l.p.watched = l.p.watched[:0]
}
