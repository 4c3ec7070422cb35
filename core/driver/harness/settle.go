package harness

import (
	"time"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// How long nothing must have been printed before a wait ends early.
const (
	// quiet is for a shell that is known to wait for somebody to type. What
	// may still come is output on its way to us, and that of background jobs.
	quiet = 20 * time.Millisecond
	// silent is for one of which that is not known, or that has not even
	// echoed the keystrokes: it may not have seen them yet.
	silent = 250 * time.Millisecond
)

// The shell is given time to start like a command that has no number.
const (
	startNumber = 0
	startLimit  = 3 * time.Second
)

// A settling watches for the end of what was typed last.
type settling struct {
	next   time.Time // when to look again; zero if nothing is watched
	number int       // of the command
	late   time.Time // when to give up
	since  time.Time // of being typed, and then of having been taken
	taken  bool
	marks  uint64 // how many commands had ended before, by the shell's own count
}

// begin watches a command for at most limit. If that is zero, there is nothing
// to watch.
func (s *settling) begin(r *run, number int, limit time.Duration) {
	if limit <= 0 {
		s.end()
		return
	}
	now := time.Now()
	*s = settling{next: now.Add(quiet), number: number, late: now.Add(limit), since: now, taken: number == startNumber}
	r.driver.Screen(r.id, func(screen *vt.Screen) { s.marks = screen.PromptMark().Ended })
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
		s.next = now.Add(max(quiet-r.silence(), quiet/4))
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

// settled reports whether there is nothing left to wait for.
func (s *settling) settled(r *run, now time.Time) bool {
	silence := r.silence()
	if !s.taken || silence < quiet {
		return false
	}
	if s.marked(r) {
		return true
	}
	t := r.host.tty()
	if t == nil || !t.Foreground() {
		return false
	}
	reading, known := t.Reading()
	if known && !reading {
		return false
	}
	printed := now.Sub(s.since) > silence
	return known && printed || min(silence, now.Sub(s.since)) >= silent
}

// marked reports whether the shell itself has said that a command has ended
// since, and that its prompt stands.
func (s *settling) marked(r *run) (marked bool) {
	r.driver.Screen(r.id, func(screen *vt.Screen) {
		m := screen.PromptMark()
		marked = m.Ended > s.marks && (m.Kind == 'A' || m.Kind == 'B')
	})
	return marked
}

// silence returns for how long nothing has been printed.
func (r *run) silence() time.Duration { return time.Since(r.began) - time.Duration(r.printed.Load()) }
