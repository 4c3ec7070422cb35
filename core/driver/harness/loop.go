package harness

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/challenge"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/keys"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// maxTyped is how much may wait to be read by what runs at the terminal, in
// bytes: as much as an answer can have.
const maxTyped = 64 << 20

// A run is one call of Run. What is not atomic belongs to the goroutine of loop.
type run struct {
	config  Config
	host    *keeper
	driver  *driver.Driver
	term    *driver.Terminal
	machine *challenge.Machine

	began   time.Time
	printed atomic.Int64  // when there was output last, since began
	outputs atomic.Uint64 // how often there was

	answers chan answer
	typed   chan int // the number of a command whose keystrokes have been taken
	work    sync.WaitGroup

	turn     Turn // that is being asked
	commands int
	pending  settling
	err      error
	ended    core.Reason // why the shell has, if not of its own accord
}

// An answer is what came of an Ask.
type answer struct {
	text string
	err  error
}

func (r *run) handleOutput(_ core.TerminalID, _ uint8, p []byte) {
	if r.config.OnOutput != nil {
		r.config.OnOutput(p)
	}
	r.printed.Store(int64(time.Since(r.began)))
	r.outputs.Add(1)
}

// loop runs the machine until it is done, or ctx is.
func (r *run) loop(ctx context.Context) error {
	r.answers, r.typed = make(chan answer, 1), make(chan int, 1)
	exited := make(chan core.Exit, 1)
	r.work.Go(func() { // ends with the shell or ctx
		if exit, err := r.term.Wait(ctx); err == nil {
			exited <- exit
		}
	})
	timer := time.NewTimer(0)
	defer timer.Stop()
	r.pending.begin(r, startNumber, "", startLimit)
	for {
		if done := r.carryOut(ctx); done {
			return nil
		}
		timer.Reset(time.Until(r.deadline()))
		select {
		case a := <-r.answers:
			r.handleAnswer(a)
		case n := <-r.typed:
			r.pending.handleTyped(r, n)
		case <-timer.C:
			r.pending.look(r)
			r.machine.HandleTimeout(time.Now())
		case exit := <-exited:
			r.ended = exit.Reason
			r.pending.end()
			r.machine.Start(time.Now()) // if it has not been: there is nothing to wait for
			r.machine.HandleTerminalEnd(time.Now())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// deadline returns when to look at the clock again.
func (r *run) deadline() time.Time {
	at, ok := r.machine.Deadline()
	if next := r.pending.next; !next.IsZero() && (!ok || next.Before(at)) {
		return next
	}
	if !ok {
		return time.Now().Add(time.Hour)
	}
	return at
}

// carryOut does what the machine wants, and reports whether that was all.
func (r *run) carryOut(ctx context.Context) (done bool) {
	for e, ok := r.machine.NextEffect(); ok; e, ok = r.machine.NextEffect() {
		switch e.Kind {
		case challenge.Look:
			r.machine.HandleView(time.Now(), r.view(e.From))
		case challenge.Ask:
			r.turn = Turn{
				Request: Request{Instruction: r.config.Challenge.Instruction, Screen: e.Screen, Step: e.Turn, Prompt: e.Prompt},
				Asked:   time.Now(),
			}
			request := r.turn.Request
			r.work.Go(func() { // ends with ctx at the latest
				text, err := r.config.Agent.Ask(ctx, request)
				r.answers <- answer{text, err}
			})
		case challenge.Type:
			r.typeKeys(ctx, &e)
		case challenge.Done:
			r.err = e.Err
			done = true
		}
	}
	return done
}

func (r *run) handleAnswer(a answer) {
	now := time.Now()
	truncated := errors.Is(a.err, ErrTruncated)
	switch {
	case truncated:
		r.machine.HandleTruncated(now, a.text)
	case a.err != nil:
		r.machine.HandleAgentEnd(now, a.err)
		return
	default:
		r.machine.HandleAnswer(now, a.text)
	}
	if r.config.OnTurn != nil {
		r.turn.Answer, r.turn.Truncated, r.turn.Answered, r.turn.Result = a.text, truncated, now, r.machine.Result()
		r.config.OnTurn(r.turn)
	}
}

// typeKeys types what e says, as the modes of the terminal want it now.
func (r *run) typeKeys(ctx context.Context, e *challenge.Effect) {
	r.commands++
	var limit time.Duration
	if e.Early {
		limit = e.Wait
	}
	r.pending.begin(r, e.Number, e.Keystrokes, limit)
	if e.Keystrokes == "" {
		return
	}
	// The error of a shell that has ended is told by its exit. A program that
	// has not read the last 64 MiB will not miss these.
	_, _ = r.term.Write(keys.Type(nil, e.Keystrokes, r.modes()))
	if !e.Early {
		return
	}
	number := e.Number
	r.work.Go(func() { // ends with ctx at the latest
		if r.term.Flush(ctx) != nil {
			return
		}
		select {
		case r.typed <- number:
		case <-ctx.Done():
		}
	})
}

// modes returns what decides on the bytes of keys. A program that reads keys in
// raw mode gets a carriage return for a newline, as from a person's Enter. A
// shell's line editor takes both alike, and what it does not read itself must
// reach the command that does as lines: it gets newlines.
func (r *run) modes() keys.Modes {
	m := r.term.KeyModes()
	if t := r.host.tty(); t != nil && !r.config.Challenge.Parser.Strict {
		m.Raw = t.Raw() && !t.Foreground()
	}
	return m
}

// view returns what the terminal shows, and the rows that have scrolled out of
// it from that number on.
func (r *run) view(from uint64) (v challenge.View) {
	r.term.Screen(func(s *vt.Screen) {
		if s.Synchronized() && r.silence() >= driver.FrameLimit {
			s.EndSynchronized()
		}
		v.Rows, _ = s.Size()
		v.Screen = string(s.AppendText(nil))
		first, end := s.History()
		v.History = string(s.AppendHistory(nil, max(first, from), end, false))
		v.Top, v.Alternate = end, s.Alt()
	})
	return v
}

func (r *run) result() Result {
	return Result{
		Reason:  r.ended,
		Outcome: r.machine.Outcome(), Err: r.err, Turns: r.machine.Turn(), Commands: r.commands, Screen: r.view(0).Screen,
	}
}
