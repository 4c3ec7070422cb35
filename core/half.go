//go:build !reactor

package core

import (
	"strconv"
	"time"
)

// An OutputHalf is the half of a Terminal that keeps its output, in the hands of a
// driver that has a lock for each terminal: see [Registry.Split]. Its methods touch
// nothing of the Registry, and are called under the terminal's lock.
//
// What they return, the driver hands to [Registry.HandleSeen] under the registry's
// lock, once it has let go of the terminal's. The Registry hears of the output of a
// split terminal in no other way, so the order can't be wrong:
//
//	t.mu.Lock()
//	seen := half.HandleOutput(stream, p)
//	t.mu.Unlock()
//	if seen.Due() {
//		mu.Lock()
//		registry.HandleSeen(time.Now(), seen)
//		… // NextEffect, Deadline
//		mu.Unlock()
//	}
type OutputHalf struct {
	terminal *Terminal
	traced   bool   // the Registry writes down all output
	exited   bool   // it drains, and waits for output
	due      uint64 // how many Seen of output were due

	seen uint64 // how many of those HandleSeen was given; the registry's lock guards it
}

// Split hands the output half of a terminal to its driver. It is called once, right
// after HandleStart has said that the terminal's process runs, and panics elsewhere:
// from then on the driver reports output, its end, the exit and the end of the
// process to the half. The Registry's own methods for these (HandleOutput,
// HandleOutputEnd, HandleExit, HandleClosed) would change the half under the wrong
// lock, so they panic for this terminal.
func (r *Registry) Split(id TerminalID) *OutputHalf {
	t := r.terminals[id]
	if t == nil || t.life.state < StateRunning {
		panic("core: Split of a terminal that has no process: call HandleStart first")
	}
	if t.half != nil {
		panic("core: Split of a terminal that is split: keep what the first Split has returned")
	}
	t.half = &OutputHalf{terminal: t, traced: r.config.Trace != nil}
	return t.half
}

// mustBeWhole is called by who is about to change the output half.
func (t *Terminal) mustBeWhole() {
	if t.half != nil {
		panic("core: the terminal is split: call its OutputHalf, and HandleSeen with what that returns")
	}
}

// HandleOutput takes what the command wrote: stream is 1 for standard output and 2
// for standard error. p is not kept, but the Seen has it: it is to be handed on
// before p is used again. It does not allocate once the buffers have grown to their
// limits, unless the screen answers a query. It does nothing after HandleClosed.
func (h *OutputHalf) HandleOutput(stream uint8, p []byte) Seen {
	o := &h.terminal.output
	if o.closed {
		return Seen{}
	}
	o.write(stream, p)
	replies := o.takeReplies(nil)
	if !h.exited && !h.traced && len(replies) == 0 {
		return Seen{}
	}
	h.due++
	return Seen{half: h, what: seenOutput, stream: stream, output: p, replies: replies}
}

// HandleOutputEnd says that no more output comes: what was held back, in the hope of
// the rest of a character, is kept as it is. It is called when no HandleOutput runs
// any more, and every Seen of one was handed on.
func (h *OutputHalf) HandleOutputEnd() Seen {
	h.terminal.output.end()
	return Seen{half: h, what: seenEnd, n: h.due}
}

// HandleExit says that the command itself has ended, as e says. It is independent of
// HandleOutputEnd. Who can tell what is still to be read asks for it after this call,
// and says so with [Seen.WithPending]. Asked before, it would count what is handled
// meanwhile, and the exit would wait for that a second time.
func (h *OutputHalf) HandleExit(e Exit) Seen {
	h.exited = true
	return Seen{half: h, what: seenExit, exit: &e}
}

// HandleResize gives the screen a new size. It is called for every Resize effect,
// before the process hears of it.
func (h *OutputHalf) HandleResize(rows, cols int) { h.terminal.output.resize(rows, cols) }

// HandleClosed answers Close: the process is freed, and what is left is for display.
// What a screen of RenderScreen shows becomes output like the rest, and there is no
// Screen any longer. It is called when the output has ended.
func (h *OutputHalf) HandleClosed() Seen {
	h.terminal.output.close()
	return Seen{half: h, what: seenClosed, n: h.due}
}

// NextEffect returns an OutputChanged if there is output since the last one.
// Its Data is valid until the next call. Registry.NextEffect has none for this
// terminal.
func (h *OutputHalf) NextEffect() (Effect, bool) { return h.terminal.nextChange() }

// A Seen is what an OutputHalf was told and its Registry has to hear of. The zero
// value is nothing.
type Seen struct {
	half    *OutputHalf
	exit    *Exit // seenExit
	what    what
	stream  uint8
	n       uint64 // seenEnd, seenClosed: how many of seenOutput were due; seenExit: bytes pending
	output  []byte // lent
	replies []byte // for the command's input
}

type what uint8

const (
	_ what = iota
	seenOutput
	seenEnd
	seenExit
	seenClosed
)

// Due reports whether the Registry has to hear of it. HandleSeen may be called all
// the same, but most output of a command is not due, and needs no more than the
// terminal's lock.
func (s Seen) Due() bool { return s.half != nil }

// WithPending adds to what HandleExit returned that up to n bytes were written by
// then, and HandleOutput has not been given them yet: see
// [Registry.HandleOutputPending].
func (s Seen) WithPending(n int) Seen {
	s.n = uint64(max(0, n))
	return s
}

// HandleSeen hears of what an OutputHalf was told. It panics if output was seen that
// was due and was not handed in before its end: the exit would not have waited for
// it, and a program that asked its terminal something would wait for ever.
func (r *Registry) HandleSeen(now time.Time, s Seen) {
	if s.half == nil {
		return
	}
	t := s.half.terminal
	if r.terminals[t.id] != t {
		return // it is forgotten
	}
	switch s.what {
	case seenOutput:
		s.half.seen++
		r.outputSeen(now, t, s.stream, s.output)
		r.reply(t, s.replies)
	case seenEnd:
		s.mustBeLast()
		r.trace.input(now, "output_end", t.id)
		r.outputEnded(t)
	case seenExit:
		r.HandleOutputPending(now, t.id, int(s.n))
		r.trace.exit(now, t.id, *s.exit)
		r.exited(now, t, *s.exit)
	case seenClosed:
		s.mustBeLast()
		r.trace.input(now, "closed", t.id)
		r.closed(t)
	}
}

// mustBeLast panics unless all output that was due has come before s.
func (s *Seen) mustBeLast() {
	if s.half.seen < s.n {
		panic("core: " + strconv.FormatUint(s.n-s.half.seen, 10) + " Seen of HandleOutput were not handed to HandleSeen")
	}
}
