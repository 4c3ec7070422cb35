package acpconn

import (
	"time"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/vt"
)

const (
	// maxKept is how many bytes of a terminal's output are kept for a peer that has not taken them,
	// maxAllKept how many of all terminals of a connection, with the last of their screens.
	maxKept    = 256 << 10
	maxAllKept = 4 << 20
	// maxLast is about how much is kept of how a screen looked in the end, in bytes, and lastPiece
	// of how many of them are told at a time.
	maxLast   = 1 << 20
	lastPiece = 128 << 10
)

// A source is what a feeder knows of a terminal. feeder.mu guards it, but for what the lock of the
// terminal does.
type source struct {
	topics  acp.Topics // what of it is followed
	written uint64     // bytes of output, ever
	base    uint64     // those that there were when output was followed
	kept    tail       // the last of them, which nobody has taken
	touched bool       // it is in feeder.touched
	closed  bool       // its process is freed
	last    [][]byte   // what is to be told of its screen, which is gone

	// Guarded by the terminal's lock.
	follower vt.Follower
	frame    uint64    // that the program is in the midst of
	since    time.Time // when that was seen first
}

// write takes output and keeps the newest of it. room is for how many bytes more; it returns how
// many of them are left, less room: how many bytes are kept less.
func (s *source) write(p []byte, room int) (freed int) {
	s.written += uint64(len(p))
	if s.topics&acp.TopicBytes == 0 {
		return 0
	}
	before := s.kept.size
	limit := min(maxKept, before+room)
	p = p[max(0, len(p)-limit):]
	s.kept.drop(max(0, before+len(p)-limit))
	s.kept.add(p)
	return before - s.kept.size
}

// take appends the oldest bytes that are kept to dst, at most so many, and returns the offset of
// the first.
func (s *source) take(dst []byte, most int) (out []byte, offset uint64) {
	offset = s.written - uint64(s.kept.size)
	n := min(most, s.kept.size)
	dst = append(dst, make([]byte, n)...)
	s.kept.copyTo(dst[len(dst)-n:])
	s.kept.drop(n)
	return dst, offset
}

// follow says what is followed from now on, and returns how many bytes are kept less.
func (s *source) follow(topics acp.Topics) (freed int) {
	if s.topics&acp.TopicBytes == 0 {
		s.base = s.written
	}
	s.topics = topics
	if topics&acp.TopicBytes == 0 {
		freed += s.kept.size
		s.kept = tail{}
	}
	if topics&acp.TopicScreen == 0 {
		freed += sizeOf(s.last)
		s.last = nil
	}
	return freed
}

// look appends what has changed on the screen, about most bytes of it. more says that there is
// more, or may be in a moment. The lock of the terminal is held.
func (s *source) look(dst []byte, screen *vt.Screen, most int) (out []byte, more bool) {
	frame := screen.Frame()
	if frame != s.frame {
		s.frame, s.since = frame, time.Now()
	}
	if frame != 0 && time.Since(s.since) >= driver.FrameLimit {
		screen.EndSynchronized() // no output depends on it
		frame = 0
	}
	dst, more = s.follower.AppendJSON(dst, screen, most)
	return dst, more || frame != 0
}

// takeLast returns what is to be told of a screen that goes now, in pieces; none if there is no
// screen. Of one with more than maxLast bytes of news it is the beginning. The lock of the terminal
// is held.
func (s *source) takeLast(screen *vt.Screen) (pieces [][]byte) {
	if screen == nil {
		return nil
	}
	screen.EndSynchronized()
	for more, size := true, 0; more && size < maxLast; {
		var piece []byte
		if piece, more = s.follower.AppendJSON(nil, screen, lastPiece); len(piece) > 0 {
			pieces = append(pieces, piece)
			size += len(piece)
		}
	}
	return pieces
}

func sizeOf(pieces [][]byte) (size int) {
	for _, p := range pieces {
		size += len(p)
	}
	return size
}
