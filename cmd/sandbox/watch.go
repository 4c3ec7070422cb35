package main

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/vt"
)

const (
	// maxWatches bounds the watches at a time.
	maxWatches = 256
	// maxUntaken is how many bytes a watch keeps for a page that takes slowly.
	maxUntaken = 1 << 20
	// maxHistory is the most rows of history that a snapshot has, lastHistory
	// those of what is kept of a released terminal.
	maxHistory  = 100_000
	lastHistory = 1000
)

// A watch is a view of a terminal: it began with a snapshot, and goes on with
// what came after that. sandbox.mu guards it.
type watch struct {
	number   int32
	terminal *terminal
	from     uint64 // offset of the first byte of untaken
	untaken  []byte
	lost     bool // some of it had no room: a snapshot is next
	told     bool // that there is something
	ended    bool // that nothing more comes was told
}

// add appends what the terminal has written, from offset on.
func (w *watch) add(p page, offset uint64, data []byte) {
	end := w.from + uint64(len(w.untaken))
	switch {
	case w.lost || offset+uint64(len(data)) <= end:
		return // it is in the snapshot
	case offset > end || len(w.untaken)+len(data) > maxUntaken:
		w.lost, w.untaken = true, nil
	case offset < end:
		data = data[end-offset:]
		fallthrough
	default:
		w.untaken = append(w.untaken, data...)
	}
	w.tell(p)
}

// tell tells the page that there is something, once until it is taken.
func (w *watch) tell(p page) {
	if !w.told {
		w.told = true
		p.output(w.number)
	}
}

// tellEnd tells the page that nothing more comes, if that is so.
func (w *watch) tellEnd(p page) {
	if t := w.terminal; t.closed && !w.ended && (w.lost || w.from+uint64(len(w.untaken)) >= t.written) {
		w.ended = true
		p.ended(w.number)
	}
}

// begin has the watch go on from offset.
func (w *watch) begin(p page, offset uint64) {
	if skip := offset - w.from; !w.lost && offset >= w.from && skip <= uint64(len(w.untaken)) {
		w.untaken = w.untaken[skip:]
	} else {
		w.untaken = nil
	}
	w.from, w.lost, w.told = offset, false, false
	if len(w.untaken) > 0 {
		w.tell(p)
	}
}

// take appends what was not taken, at most n bytes of it, to dst after its offset.
func (w *watch) take(dst []byte, n int) (out []byte, status int32) {
	if w.lost {
		w.told = false
		return dst, lost
	}
	dst = binary.LittleEndian.AppendUint64(dst, w.from)
	n = min(n, len(w.untaken))
	if n < len(w.untaken) {
		for whole := n; whole > n-utf8.UTFMax && whole > 0; whole-- {
			if utf8.RuneStart(w.untaken[whole]) {
				n = whole
				break
			}
		}
	}
	dst = append(dst, w.untaken[:n]...)
	w.untaken = w.untaken[n:]
	w.from += uint64(n)
	if len(w.untaken) > 0 {
		return dst, more
	}
	w.untaken, w.told = nil, false
	return dst, ok
}

// A snapshot is what a view starts from.
type snapshot struct {
	rows, cols int
	offset     uint64
	data       []byte // nil if there is none
}

// look returns what a terminal shows now. ok is false if it has no screen.
func look(t *core.Terminal, history int) (s snapshot, ok bool) {
	screen := t.Screen()
	if screen == nil {
		return s, false
	}
	return draw(screen, history, t.Written()), true
}

func draw(screen *vt.Screen, history int, written uint64) (s snapshot) {
	s.rows, s.cols = screen.Size()
	s.data = screen.AppendEscapes([]byte{}, history)
	s.offset = written
	return s
}

// plain is a snapshot of text alone.
func plain(text []byte, rows, cols int, written uint64) snapshot {
	data := make([]byte, 0, len(text)+len(text)/32)
	for _, c := range text {
		if c == '\n' {
			data = append(data, '\r')
		}
		data = append(data, c)
	}
	return snapshot{rows: rows, cols: cols, offset: written, data: data}
}

// append appends s to dst, as ABI.md has it.
func (s *snapshot) append(dst []byte, ended bool) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, s.offset)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(s.rows))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(s.cols))
	var flags uint32
	if ended {
		flags = 1
	}
	dst = binary.LittleEndian.AppendUint32(dst, flags)
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	return append(dst, s.data...)
}
