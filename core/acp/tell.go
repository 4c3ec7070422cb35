package acp

import (
	"slices"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

const (
	// outputPiece is how many bytes of output a notification has at the most, and screenPiece how
	// many bytes of JSON one has of a screen, about: what is more comes in others.
	outputPiece = 48 << 10
	screenPiece = 128 << 10
	// screenPause is how long screens are left alone after one was looked at: a person sees no more
	// than that, and the command waits meanwhile.
	screenPause = 30 * time.Millisecond
	// maxLooks is how often a screen is looked at for all that it showed when its command ended.
	maxLooks = 60
)

// HandleOutput says that a terminal has written something, or may look different.
func (f *Feed) HandleOutput(id core.TerminalID) { f.owe(id, TopicBytes|TopicScreen) }

// Owes reports whether Take has something to do, now. What it has to do later, Deadline says.
func (f *Feed) Owes() bool { return len(f.owed) > 0 }

// Deadline returns when Take is to be called, whatever has happened until then. ok is false if
// there is no need.
func (f *Feed) Deadline() (at time.Time, ok bool) {
	return f.screenAt, len(f.skipped) > 0 || len(f.later) > 0
}

// Take adds notifications to the lines of the connection, until they are about so many bytes. It
// leaves what is more to the next call, see Owes.
func (f *Feed) Take(now time.Time, most int) {
	screens := !now.Before(f.screenAt)
	if screens {
		f.owed = slices.Concat(f.skipped, f.owed, f.later)
		f.skipped, f.later = nil, nil
	}
	for n := 0; len(f.owed) > 0 && n < most; {
		id := f.owed[0]
		f.owed = f.owed[1:]
		t := f.followed[id]
		if t == nil {
			continue // nobody has subscribed to it any more
		}
		t.waits = false
		before := len(f.conn.out)
		f.tell(now, id, t, screens)
		for _, line := range f.conn.out[before:] {
			n += len(line)
		}
	}
	if len(f.owed) == 0 {
		f.owed = nil
	}
}

// tell tells a part of what is owed of a terminal, and has the rest wait. A status comes after the
// output that led to it, and what the screen showed then: after all of it, were it not for children
// that a command has left behind, which may write for ever.
func (f *Feed) tell(now time.Time, id core.TerminalID, t *followed, screens bool) {
	if t.owes&TopicStatus != 0 && !t.ended {
		s, known := f.conn.terminals.Status(id)
		if known && s.State == core.StateExited { // the news of that are on their way
			f.end(id, t)
		}
	}
	if t.owes&TopicBytes != 0 && !f.tellOutput(id, t) {
		t.owes &^= TopicBytes
	}
	if t.owes&TopicScreen != 0 && screens {
		t.looks++
		if !f.tellScreen(now, id, t) {
			t.owes &^= TopicScreen
		}
	}
	told := (t.topics&TopicBytes == 0 || t.offset >= t.end) && (t.owes&TopicScreen == 0 || t.looks > maxLooks)
	if t.owes&TopicStatus != 0 && told {
		t.owes &^= TopicStatus
		f.tellStatus(id, t)
	}
	switch {
	case t.owes == 0 && t.gone:
		delete(f.topics, subscription{t.session, id})
		f.drop(id)
	case t.owes == TopicScreen, t.owes == TopicScreen|TopicStatus:
		t.waits = true
		if screens {
			f.later = append(f.later, id)
		} else {
			f.skipped = append(f.skipped, id)
		}
	default:
		f.owe(id, 0) // after the others
	}
}

// tellOutput tells a piece of output, and returns whether there is more.
func (f *Feed) tellOutput(id core.TerminalID, t *followed) (more bool) {
	data, offset, more := f.sights.TakeOutput(f.conn.scratch[:0], id, outputPiece)
	f.conn.scratch = data[:0]
	if lost := offset - t.offset; len(data) > 0 || lost > 0 {
		line := appendNews(f.conn.spare(), MethodNewOutput, t.session, id)
		line = appendNewOutput(line, offset, lost, data)
		f.conn.out = append(f.conn.out, jsonrpc.AppendTail(line))
	}
	t.offset = offset + uint64(len(data))
	return more
}

// tellScreen tells what has changed on a screen, and returns whether there is more.
func (f *Feed) tellScreen(now time.Time, id core.TerminalID, t *followed) (more bool) {
	line := jsonrpc.AppendKey(appendNews(f.conn.spare(), MethodScreen, t.session, id), "screen")
	start := len(line)
	line, more, ok := f.sights.TakeScreen(line, id, screenPiece)
	f.screenAt = now.Add(screenPause)
	switch {
	case !ok && !t.screenless:
		line = append(line, "null"...)
	case len(line) == start:
		f.conn.lent = line
		return more
	}
	t.screenless = !ok
	f.conn.out = append(f.conn.out, jsonrpc.AppendTail(append(line, '}')))
	return more
}

// tellStatus tells what a terminal is now.
func (f *Feed) tellStatus(id core.TerminalID, t *followed) {
	s, known := f.conn.terminals.Status(id)
	line := appendNews(f.conn.spare(), MethodStatus, t.session, id)
	line = appendState(line, &s, known, !t.introduced)
	t.introduced = true
	f.conn.out = append(f.conn.out, jsonrpc.AppendTail(line))
}
