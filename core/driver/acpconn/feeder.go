package acpconn

import (
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// maxFed is how many bytes may wait to be written when the peer is told more of what it has
// subscribed to, and about how many are added then: an answer waits behind no more of it.
const maxFed = 64 << 10

// A feeder has the Feed of a Server tell what terminals do, as fast as the peer reads. No terminal
// waits for that: what it writes meanwhile is kept, within bounds, or lost to the peer.
type feeder struct {
	server *Server
	feed   *acp.Feed     // server.mu guards it
	wake   chan struct{} // has an element if there may be something to tell
	stop   chan struct{}
	done   chan struct{}

	mu      sync.Mutex // guards what follows; comes after all others
	sources map[core.TerminalID]*source
	room    int                     // bytes that sources may keep besides what they do
	keepNew map[core.SessionID]bool // sessions of which FollowNew was told so
	touched []core.TerminalID       // those that have done something since it was looked at
}

var _ acp.Sights = (*feeder)(nil)

// NewFeed is for Config.Feed. The driver of s will be made of c.
func NewFeed(s *Server, c *driver.Config) Feed {
	f := &feeder{
		server: s, sources: make(map[core.TerminalID]*source), keepNew: make(map[core.SessionID]bool), room: maxAllKept,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	c.Core.Screens = true
	output, kept, closing := c.OnOutput, c.OnKept, c.OnClosing
	c.OnOutput = func(id core.TerminalID, stream uint8, p []byte) {
		f.handleOutput(id, p)
		if output != nil {
			output(id, stream, p)
		}
	}
	c.OnKept = func(id core.TerminalID) {
		f.handleKept(id)
		if kept != nil {
			kept(id)
		}
	}
	c.OnClosing = func(t *core.Terminal) {
		f.handleClosing(t)
		if closing != nil {
			closing(t)
		}
	}
	return f
}

func (f *feeder) begin() { f.feed = acp.NewFeed(f.server.conn, f) }

func (f *feeder) look() {
	if f.feed.Owes() {
		f.signal()
	}
}

func (f *feeder) run() {
	defer close(f.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-f.wake:
		case <-timer.C:
		case <-f.stop:
			return
		}
		f.server.out.wait(maxFed)
		var next time.Time
		var later bool
		f.server.handle(func() {
			for _, id := range f.takeTouched() {
				f.feed.HandleOutput(id)
			}
			f.feed.Take(time.Now(), maxFed)
			next, later = f.feed.Deadline()
		})
		if later {
			timer.Reset(time.Until(next))
		}
	}
}

func (f *feeder) close() {
	close(f.stop)
	<-f.done
}

// signal has run look.
func (f *feeder) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *feeder) takeTouched() []core.TerminalID {
	f.mu.Lock()
	defer f.mu.Unlock()
	touched := f.touched
	f.touched = nil
	for _, id := range touched {
		if s := f.sources[id]; s != nil {
			s.touched = false
		}
	}
	return touched
}

// touch says that there may be something to tell of s. f.mu is held.
func (f *feeder) touch(id core.TerminalID, s *source) {
	if s.touched {
		return
	}
	s.touched = true
	f.touched = append(f.touched, id)
	f.signal()
}

// handleOutput takes what a terminal writes, before the terminal has it.
func (f *feeder) handleOutput(id core.TerminalID, p []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sources[id]
	if s == nil {
		s = f.newSource(id)
	}
	f.room += s.write(p, f.room)
}

// newSource returns the source of a terminal that has none. f.mu is held, and let go meanwhile: the
// driver's lock comes before it.
func (f *feeder) newSource(id core.TerminalID) *source {
	f.mu.Unlock()
	status, known := f.server.driver.Terminal(id).Status()
	f.mu.Lock()
	s := f.sources[id]
	if s != nil {
		return s // it was followed meanwhile
	}
	s = new(source)
	if known && f.keepNew[status.Session] {
		s.topics = acp.TopicBytes
	}
	f.sources[id] = s
	return s
}

func (f *feeder) handleKept(id core.TerminalID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.sources[id]; s != nil && s.topics&^acp.TopicStatus != 0 {
		f.touch(id, s)
	}
}

// handleClosing keeps what the screen of t shows in the end. The lock of t is held.
func (f *feeder) handleClosing(t *core.Terminal) {
	f.mu.Lock()
	s := f.sources[t.ID()]
	shows := s != nil && s.topics&acp.TopicScreen != 0
	f.mu.Unlock()
	var last [][]byte
	if shows {
		last = s.takeLast(t.Screen())
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	s = f.sources[t.ID()]
	switch {
	case s == nil:
	case s.topics == 0:
		delete(f.sources, t.ID())
	default:
		s.closed = true
		if size := sizeOf(last); size <= f.room { // else it is told that there is no screen
			s.last = last
			f.room -= size
		}
		f.touch(t.ID(), s)
	}
}

func (f *feeder) Terminals() []core.TerminalID { return f.server.driver.Terminals() }

func (f *feeder) FollowNew(s core.SessionID, on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if on {
		f.keepNew[s] = true
	} else {
		delete(f.keepNew, s)
	}
}

func (f *feeder) Follow(id core.TerminalID, topics acp.Topics) (offset uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sources[id]
	if s == nil {
		if topics == 0 {
			return 0
		}
		s = new(source)
		f.sources[id] = s
	}
	f.room += s.follow(topics)
	if topics == 0 && (s.closed || s.written == 0) {
		delete(f.sources, id)
	}
	return s.base
}

func (f *feeder) Written(id core.TerminalID) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.sources[id]; s != nil {
		return s.written
	}
	return 0
}

func (f *feeder) TakeOutput(dst []byte, id core.TerminalID, most int) (out []byte, offset uint64, more bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sources[id]
	if s == nil {
		return dst, 0, false
	}
	before := s.kept.size
	dst, offset = s.take(dst, most)
	f.room += before - s.kept.size
	return dst, offset, s.kept.size > 0
}

func (f *feeder) HasScreen(id core.TerminalID) bool {
	return f.server.driver.Terminal(id).Screen(func(*vt.Screen) {})
}

func (f *feeder) ForgetScreen(id core.TerminalID) {
	if s := f.source(id); s != nil {
		f.server.driver.Terminal(id).Screen(func(*vt.Screen) { s.follower = vt.Follower{} })
	}
}

func (f *feeder) TakeScreen(dst []byte, id core.TerminalID, most int) (out []byte, more, ok bool) {
	s := f.source(id)
	if s == nil {
		return dst, false, false
	}
	ok = f.server.driver.Terminal(id).Screen(func(screen *vt.Screen) { dst, more = s.look(dst, screen, most) })
	if ok {
		return dst, more, true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(s.last) == 0 {
		return dst, false, false
	}
	dst = append(dst, s.last[0]...)
	f.room += len(s.last[0])
	s.last = s.last[1:]
	return dst, true, true // in the end that there is no screen any longer
}

func (f *feeder) source(id core.TerminalID) *source {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sources[id]
}
