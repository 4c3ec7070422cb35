package harness

import (
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// How long a shell must have been waiting for somebody to type, and nothing must
// have been printed, before a wait ends early.
const (
	// quiet is for a shell of which that is known. What may still come is
	// output on its way to us, and that of background jobs.
	quiet = 20 * time.Millisecond
	// silent is for one of which it is not known.
	silent = 250 * time.Millisecond
	// unseen is for one that has printed nothing since, not even the keystrokes. On a
	// busy machine the kernel may take longer to bring them to it: until then it waits
	// for somebody to type as before, and what it was told to do would be cut off.
	unseen = 2 * time.Second
)

// The shell is given time to start like a command that has no number.
const (
	startNumber = 0
	startLimit  = 3 * time.Second
)

// A settling watches for the end of what was typed last.
type settling struct {
	next    time.Time // when to look again; zero if nothing is watched
	number  int       // of the command
	late    time.Time // when to give up
	taken   bool      // the keystrokes are, by whatever reads them
	idle    time.Time // since when the shell was seen waiting; or zero
	slept   bool      // it was asleep at the last look
	outputs uint64    // how often there had been output before
	woken   uint64    // how often the shell had been, if that is known
	marks   uint64    // how many lines the shell must have read, by its own count
}

// begin watches keystrokes for at most limit. If that is zero, there is nothing
// to watch.
func (s *settling) begin(r *run, number int, keystrokes string, limit time.Duration) {
	if limit <= 0 {
		s.end()
		return
	}
	now := time.Now()
	*s = settling{
		next: now.Add(quiet / 4), number: number, late: now.Add(limit), taken: number == startNumber, outputs: r.outputs.Load(),
	}
	if number != startNumber { // a shell that starts ends no command
		s.marks = uint64(max(1, strings.Count(keystrokes, "\n")))
	}
	s.marks += linesRead(r.mark())
	s.woken, _ = r.host.woken()
}

func (s *settling) end() { s.next = time.Time{} }

// handleTyped says that the keystrokes of a command have been taken.
func (s *settling) handleTyped(r *run, number int) {
	if number == s.number {
		s.taken = true
	}
}

// look tells the machine if the command is done.
func (s *settling) look(r *run) {
	now := time.Now()
	if s.next.IsZero() || now.Before(s.next) {
		return
	}
	late := !now.Before(s.late)
	if !late && !s.settled(r, now) {
		s.next = now.Add(min(s.pause(r), s.late.Sub(now)))
		return
	}
	s.end()
	switch {
	case s.number == startNumber:
		r.machine.Start(now)
	case !late:
		r.machine.HandleReady(now, s.number)
	}
}

// pause returns the time until the next look: a short one where something goes
// on, or has just ended.
func (s *settling) pause(r *run) time.Duration {
	if s.idle.IsZero() && r.silence() > silent {
		return quiet
	}
	return quiet / 4
}

// settled reports whether there is nothing left to wait for. The shell must be
// seen waiting before the time of quiet begins: what it has printed until then
// may be still on its way.
func (s *settling) settled(r *run, now time.Time) bool {
	// First: it may be woken, and not yet do what it was told, between this and the next look.
	asleep := s.asleep(r)
	woke := s.slept && !asleep
	s.slept = asleep
	idle, sure := s.waits(r)
	// Who woke has done something since the last look, however soon it waits again: what it has
	// printed may be on its way, where we would take it for silent since long before.
	if !idle || !s.taken || woke {
		s.idle = time.Time{}
		return false
	}
	if s.idle.IsZero() {
		s.idle = now
	}
	need := silent
	printed := r.outputs.Load() != s.outputs
	switch {
	case asleep && !printed:
		return false
	case s.number != startNumber && (asleep || !printed):
		need = unseen
	case printed && sure:
		need = quiet
	}
	// On a busy machine the shell may be back at its prompt, and have printed more than we
	// have come to read.
	return now.Sub(s.idle) >= need && r.silence() >= need && !r.host.hasPending()
}

// asleep reports whether the shell is known to wait since before the keystrokes were typed. On a
// busy machine the kernel has not brought them to it yet, however long that takes:
//
//  1. The shell is at its prompt. We type a command.
//  2. For seconds nothing is printed, since the shell does not get to run.
//  3. Did silence end the wait, the agent would see the prompt, and take the command for done.
//
// What is printed meanwhile is the kernel's echo, or was on its way.
func (s *settling) asleep(r *run) bool {
	woken, known := r.host.woken()
	return known && woken == s.woken && s.number != startNumber
}

// waits reports whether the shell waits for somebody to type, and whether that
// is known or only likely. What it says itself is asked for where the host does
// not know: of a shell on another machine, say.
func (s *settling) waits(r *run) (idle, sure bool) {
	t := r.host.tty()
	foreground := t != nil && t.Foreground()
	if foreground {
		if reading, known := t.Reading(); known {
			return reading, true
		}
	}
	m := r.mark()
	prompt := m.Kind == 'A' || m.Kind == 'B'
	if prompt && linesRead(m) >= s.marks {
		return true, true
	}
	return foreground && (prompt || m.Kind == 0), false
}

// linesRead counts the lines that a shell has read and marked: for each there
// is the end of a command, or another prompt since there must be more of it.
// What a command reads itself it does not count.
func linesRead(m vt.PromptMark) uint64 { return m.Ended + m.Continued }

func (r *run) mark() (m vt.PromptMark) {
	r.term.Screen(func(screen *vt.Screen) { m = screen.PromptMark() })
	return m
}

// silence returns for how long nothing has been printed.
func (r *run) silence() time.Duration { return time.Since(r.began) - time.Duration(r.printed.Load()) }
