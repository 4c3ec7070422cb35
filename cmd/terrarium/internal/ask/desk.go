package ask

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

const (
	// defaultWait is how long a command waits for an answer.
	defaultWait = 10 * time.Minute
	// maxWaiting is how many commands wait at a time.
	maxWaiting = 32
	// maxGrants is how many commands are granted for a session. The oldest go first, and are asked
	// about again.
	maxGrants = 1 << 10
	// maxHeld is how many sessions have rules by answers, and maxHeldRules how many each has.
	// Beyond, an answer is for its command only.
	maxHeld      = 256
	maxHeldRules = 256
	// maxMessage is how much of an answer's words an agent gets, in bytes.
	maxMessage = 2 << 10
)

// Config says who is asked. Each Way may be nil; they are tried in the order in which they stand
// here, until one does not return ErrNobody.
type Config struct {
	Command Way // a program
	ACP     Way // the client that has sent the command
	MCP     Way // the user of the client that has called a tool
	Person  Way // at our terminal

	// Add, if set, makes rules the person's own, for Always. file says where they are now.
	Add func(rules []*policy.Rule) (file string, err error)
	// Warn, if set, hears why Add has failed. The command starts all the same.
	Warn func(error)
	// Wait is how long a command waits for an answer, until it is a no. If zero, it is 10 minutes.
	Wait time.Duration
}

// An Outcome is what became of a question.
type Outcome struct {
	Allow bool
	// By is who has decided, as records have it: "person", "ask-command", "acp", "mcp", "grant", or
	// "none" if nobody has.
	By string
	// Reason says why not, in words for the agent. They are safe to show.
	Reason string
}

// A Desk takes questions. Its methods are safe for concurrent use. It needs no closing: a question
// ends with the contexts of all who wait for its answer.
type Desk struct {
	config Config

	mu      sync.Mutex // guards what follows
	waiting int
	open    map[key]*inquiry
	granted map[key]bool
	grants  []key // of granted, the oldest first
	held    map[core.SessionID]*policy.File
}

// An inquiry is a question that is put to somebody, for all who wait with an equal one.
type inquiry struct {
	cancel  context.CancelFunc
	waiters int           // guarded by Desk.mu, as is used
	used    bool          // somebody has taken the answer Once
	done    chan struct{} // closed when what follows is set
	choice  Choice
	outcome Outcome
}

// New returns a desk where nothing waits.
func New(c Config) *Desk {
	if c.Wait == 0 {
		c.Wait = defaultWait
	}
	return &Desk{config: c, open: map[key]*inquiry{}, granted: map[key]bool{}, held: map[core.SessionID]*policy.File{}}
}

// Ask returns what somebody decides about q, or has decided for the session. Equal questions at a
// time are put once. A no is one for all who wait with it, as is Session and Always; Once is for
// one of them, and the others ask again. q is not to be changed any more.
func (d *Desk) Ask(ctx context.Context, q *Question) Outcome {
	k := keyOf(q)
	d.mu.Lock()
	if d.granted[k] {
		d.mu.Unlock()
		return Outcome{Allow: true, By: "grant"}
	}
	if d.waiting == maxWaiting {
		d.mu.Unlock()
		return Outcome{By: "none", Reason: fmt.Sprintf("%d other commands wait for an answer: wait until they have theirs", maxWaiting)}
	}
	d.waiting++
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.waiting--
		d.mu.Unlock()
	}()
	q.CanAlways = d.config.Add != nil && len(q.Verdict.Always) > 0 && q.CanSession()
	waiting, cancel := context.WithTimeout(ctx, d.config.Wait)
	defer cancel()
	for {
		i := d.join(ctx, k, q)
		select {
		case <-i.done:
		case <-waiting.Done():
		}
		if waiting.Err() != nil {
			d.leave(k, i)
			return Outcome{By: "none", Reason: fmt.Sprintf("nobody has answered within %v", d.config.Wait)}
		}
		if d.take(i) {
			return i.outcome
		}
	}
}

// join has q put to somebody, unless one equal to it is.
func (d *Desk) join(ctx context.Context, k key, q *Question) *inquiry {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := d.open[k]; i != nil {
		i.waiters++
		return i
	}
	i := &inquiry{waiters: 1, done: make(chan struct{})}
	ctx, i.cancel = context.WithCancel(context.WithoutCancel(ctx)) // it is not only this one's
	d.open[k] = i
	go func() { // ends soon after i.cancel, which the last of the waiters calls
		defer i.cancel()
		choice, outcome := d.put(ctx, q)
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.open[k] == i {
			delete(d.open, k)
		}
		if choice == Session {
			d.grant(k)
		}
		i.choice, i.outcome = choice, outcome
		close(i.done)
	}()
	return i
}

// leave waits until nothing of i is left, if nobody else waits for its answer.
func (d *Desk) leave(k key, i *inquiry) {
	d.mu.Lock()
	i.waiters--
	last := i.waiters == 0
	if last && d.open[k] == i {
		delete(d.open, k) // who comes now asks anew
	}
	d.mu.Unlock()
	if last {
		i.cancel()
		<-i.done
	}
}

// take reports whether the answer is for the caller, who has waited for it.
func (d *Desk) take(i *inquiry) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i.waiters--
	if i.choice != Once {
		return true
	}
	first := !i.used
	i.used = true
	return first
}

// grant keeps k for its session. d.mu is held.
func (d *Desk) grant(k key) {
	if d.granted[k] {
		return
	}
	if len(d.grants) == maxGrants {
		delete(d.granted, d.grants[0])
		d.grants = d.grants[1:]
	}
	d.granted[k] = true
	d.grants = append(d.grants, k)
}

// put asks the ways, one after the other.
func (d *Desk) put(ctx context.Context, q *Question) (Choice, Outcome) {
	for _, w := range []struct {
		way     Way
		by, who string
	}{
		{d.config.Command, "ask-command", "the program that was asked"},
		{d.config.ACP, "acp", "the client's user"},
		{d.config.MCP, "mcp", "the client's user"},
		{d.config.Person, "person", "the person who was asked"},
	} {
		if w.way == nil {
			continue
		}
		a, err := w.way.Ask(ctx, q)
		switch {
		case errors.Is(err, ErrNobody):
			continue
		case err != nil:
			return No, Outcome{By: w.by, Reason: "asking has failed, which is a no: " + printable.Text(err.Error())}
		case a.Choice == No && a.Message != "":
			return No, Outcome{By: w.by, Reason: w.who + " said no: " + shorten(a.Message, maxMessage)}
		case a.Choice == No:
			return No, Outcome{By: w.by, Reason: w.who + " said no"}
		case a.Choice == Always && (w.way == d.config.ACP || w.way == d.config.MCP):
			return d.hold(q), Outcome{Allow: true, By: w.by}
		case a.Choice == Always:
			return d.always(q), Outcome{Allow: true, By: w.by}
		case a.Choice == Session && !q.CanSession():
			return Once, Outcome{Allow: true, By: w.by}
		}
		return a.Choice, Outcome{Allow: true, By: w.by}
	}
	return No, Outcome{By: "none", Reason: q.missing() + ". Nobody can be asked, so asking again is useless."}
}

// always writes the rules. Where there are none, the answer is for this command only.
func (d *Desk) always(q *Question) Choice {
	if !q.CanAlways {
		return Once
	}
	if _, err := d.config.Add(q.Verdict.Always); err != nil {
		if d.config.Warn != nil {
			d.config.Warn(fmt.Errorf("the answer \"always\" could not be written down: %w", err))
		}
		return Once
	}
	return Always
}

// Held are the rules that hold for a session by answers to its questions, as one file or none.
func (d *Desk) Held(s core.SessionID) []*policy.File {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.held[s]; f != nil {
		return []*policy.File{f}
	}
	return nil
}

// hold keeps the rules for the session that q is of. The peer of a connection may be the agent
// itself, so its answers change no file of a person, and nothing for other peers.
func (d *Desk) hold(q *Question) Choice {
	if !q.CanAlways {
		return Once
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	session := q.Exec.Command.Session
	f := &policy.File{Name: "answers for the session", Layer: policy.User}
	if before := d.held[session]; before != nil {
		f.Rules = append(f.Rules, before.Rules...)
	} else if len(d.held) == maxHeld {
		return Once
	}
	if f.Rules = append(f.Rules, q.Verdict.Always...); len(f.Rules) > maxHeldRules {
		return Once
	}
	d.held[session] = f
	return Always
}
