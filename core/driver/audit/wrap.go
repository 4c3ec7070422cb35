package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A terminal is what the record has to know of one, from Create to Release.
type terminal struct {
	about    Event // what is in all of its events
	keeps    bool  // output, at all
	starting bool  // the host is asked to start it, or it runs
	failed   error // told before its Create could be
	began    time.Time
	late     bool // its time is over, and that was told

	bytes     uint64
	truncated bool
}

// Wrap returns c with everything recorded that its driver does. Of several drivers each has a
// Config of its own, and all may have the same Recorder.
func (r *Recorder) Wrap(c driver.Config) driver.Config {
	if r == nil {
		return c
	}
	inner := c
	c.Host = host{inner.Host, r}
	if inner.Decide != nil {
		c.Decide = func(ctx context.Context, e core.Exec) core.Decision { return r.decide(ctx, e, inner.Decide) }
	}
	c.OnNews = func(e *core.Effect) {
		r.news(e)
		if inner.OnNews != nil {
			inner.OnNews(e)
		}
	}
	c.OnWork = func(e *core.Effect) {
		r.work(e)
		if inner.OnWork != nil {
			inner.OnWork(e)
		}
	}
	c.OnRepaired = func(id core.TerminalID, list []driver.Repair) {
		r.repaired(id, list)
		if inner.OnRepaired != nil {
			inner.OnRepaired(id, list)
		}
	}
	c.OnClosing = func(t *core.Terminal) {
		r.closing(t)
		if inner.OnClosing != nil {
			inner.OnClosing(t)
		}
	}
	c.OnRefused = func(s core.SessionID, command *core.Command, err error) {
		r.refused(s, command, err)
		if inner.OnRefused != nil {
			inner.OnRefused(s, command, err)
		}
	}
	return c
}

// with changes what is known of a terminal, and returns its next event. ok is false if there is no
// such terminal.
func (r *Recorder) with(id core.TerminalID, change func(t *terminal, e *Event)) (e Event, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.terminals[id]
	if t == nil {
		return e, false
	}
	e = t.about
	change(t, &e)
	return e, true
}

func (r *Recorder) forget(id core.TerminalID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.terminals, id)
}

// A host records what is asked of another.
type host struct {
	driver.Host
	recorder *Recorder
}

// asked is the Create of a command.
func asked(c *core.Command) Event {
	e := Event{
		Event: Create, Session: c.Session, Argv: append([]string{c.Command}, c.Args...), Cwd: c.Cwd,
		Limits: Limits{Timeout: c.Timeout, OutputBytes: c.OutputByteLimit}, Traceparent: c.Traceparent, TraceID: c.Traceparent.TraceID(),
	}
	for _, v := range c.Env {
		e.EnvNames = append(e.EnvNames, v.Name)
	}
	if b := c.Bounds; b != nil {
		if b.Sandbox != "" {
			e.More = append(e.More, "sandbox "+b.Sandbox)
		}
		for _, host := range b.Net {
			e.More = append(e.More, "net "+host)
		}
	}
	return e
}

func (h host) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	id, ok := driver.TerminalOf(ctx)
	if !ok {
		return h.Host.Resolve(ctx, c)
	}
	e := asked(&c)
	e.Terminal = id
	if h.recorder.config.Agent != nil {
		e.Agent = h.recorder.config.Agent(ctx)
	}
	if err := h.recorder.create(e, c.OutputByteLimit > 0); err != nil {
		return core.Exec{}, err
	}
	return h.Host.Resolve(ctx, c)
}

// create records that somebody asks for a command.
func (r *Recorder) create(e Event, keeps bool) error {
	r.mu.Lock()
	t := r.terminals[e.Terminal]
	if t == nil {
		t = &terminal{keeps: keeps}
		r.terminals[e.Terminal] = t
	}
	t.about = Event{Session: e.Session, Terminal: e.Terminal, Agent: e.Agent, TraceID: e.TraceID}
	failed := t.failed
	err := r.write(&e) // before anybody can tell more of it
	r.mu.Unlock()
	if failed != nil { // it was given up before we heard of it
		r.fail(e.Terminal, failed)
		return failed
	}
	return r.required(err)
}

func (h host) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	id, ok := driver.TerminalOf(ctx)
	if !ok {
		return h.Host.Start(ctx, e)
	}
	r := h.recorder
	start, ok := r.with(id, func(t *terminal, _ *Event) { t.starting = true })
	if !ok {
		return nil, core.ErrReleased // and StartFailed is on record
	}
	p, err := h.Host.Start(context.WithValue(ctx, fetchedKey{}, func(f Fetched) { r.fetched(id, f) }), e)
	if err == nil {
		start.Event = Start
		start.describe(&e)
		start.More = terms(&e)
		if placer, ok := p.(driver.Placer); ok {
			start.Pid, start.Cgroup = placer.Place()
		}
		if err = r.required(r.record(&start)); err != nil {
			p.Close() // an error means that something of it is left, and the record can't be told
			p = nil
		}
	}
	gone := false
	r.with(id, func(t *terminal, _ *Event) {
		t.starting = err == nil
		t.began = time.Now()
		gone = err != nil && t.failed != nil
	})
	if gone {
		r.forget(id)
	}
	return p, err
}

// describe says what would be executed.
func (e *Event) describe(x *core.Exec) {
	e.Argv, e.Exec, e.Cwd, e.Sandbox = x.Argv, x.Via, x.Command.Cwd, x.Sandbox
}

// terms are those of x as events have them.
func terms(x *core.Exec) []string {
	if x.Terms == "" {
		return nil
	}
	return []string{x.Terms}
}

// decide records what theirs decides, and what it tells by Judged.
func (r *Recorder) decide(ctx context.Context, x core.Exec, theirs func(context.Context, core.Exec) core.Decision) core.Decision {
	id, _ := driver.TerminalOf(ctx)
	event := func(j Judgement, kind Kind) *Event {
		e, _ := r.with(id, func(*terminal, *Event) {})
		e.Event, e.Terminal = kind, id
		e.describe(&x)
		if kind != Deny {
			e.More = terms(&x)
		}
		e.Decision, e.RuleID, e.By, e.Reason, e.Commands = string(kind), j.RuleID, j.By, j.Reason, j.Commands
		return &e
	}
	var last Judgement
	judged := func(j Judgement) {
		if j.Commands == nil {
			j.Commands = last.Commands
		}
		if j.RuleID == "" {
			j.RuleID = last.RuleID // that has asked
		}
		last = j
		if j.Decision == string(Ask) {
			r.record(event(j, Ask)) // Allow is the one that must be there
		}
	}
	d := theirs(context.WithValue(ctx, judgedKey{}, judged), x)
	if !d.Allow {
		if last.Reason == "" {
			last.Reason = d.Reason
		}
		r.record(event(last, Deny))
		return d
	}
	if x.Terms != "" && !d.More { // the machine denies it
		r.record(event(last, Deny))
		return d
	}
	if err := r.required(r.record(event(last, Allow))); err != nil {
		return core.Decision{Reason: err.Error()}
	}
	return d
}

// news records how commands end, and why those did not start that failed to.
func (r *Recorder) news(e *core.Effect) {
	switch e.Kind {
	case core.StartFailed:
		r.failed(e)
	case core.Exited:
		exit, ok := r.with(e.ID, func(t *terminal, exit *Event) { exit.Duration = time.Since(t.began) })
		if !ok {
			return
		}
		exit.Reason = string(e.Exit.Reason)
		if slices.Contains(limits, e.Exit.Reason) {
			limit := exit
			limit.Event, limit.Duration = Limit, 0
			r.record(&limit)
		}
		exit.Event, exit.Status, exit.Usage = Exit, &e.Exit.Status, e.Exit.Usage
		r.record(&exit)
	}
}

// repaired records which files were put back.
func (r *Recorder) repaired(id core.TerminalID, list []driver.Repair) {
	for _, repair := range list {
		e, ok := r.with(id, func(*terminal, *Event) {})
		if !ok {
			return
		}
		e.Event, e.Path, e.Change, e.Outcome = Repair, repair.Path, repair.Change, string(repair.Outcome)
		e.Kept, e.Reason = repair.Kept, repair.Why
		r.record(&e)
	}
}

// limits are the reasons that hosts give for an end. Of a timeout the signal tells.
var limits = []core.Reason{
	core.ReasonMemory, core.ReasonStack, core.ReasonFuel, core.ReasonOutput, core.ReasonOpenFiles,
	core.ReasonDisk, core.ReasonProcesses, core.ReasonCPU, core.ReasonIdle,
}

// failed takes a StartFailed. It may come while the host is still starting the command, and before
// it was asked what it is.
func (r *Recorder) failed(e *core.Effect) {
	r.mu.Lock()
	t := r.terminals[e.ID]
	if t == nil {
		r.terminals[e.ID] = &terminal{failed: e.Err}
		r.mu.Unlock()
		return
	}
	t.failed = e.Err
	starting := t.starting
	r.mu.Unlock()
	if starting {
		r.tellFailed(e.ID, e.Err)
		return // until its Close
	}
	r.fail(e.ID, e.Err)
}

// fail records that there is no command and never will be.
func (r *Recorder) fail(id core.TerminalID, err error) {
	r.tellFailed(id, err)
	r.forget(id)
}

func (r *Recorder) tellFailed(id core.TerminalID, err error) {
	e, _ := r.with(id, func(*terminal, *Event) {})
	if _, denied := errors.AsType[*core.DeniedError](err); denied {
		return // that is on record
	}
	e.Event, e.Reason = Fail, err.Error()
	r.record(&e)
}

// work records signals, and the end of a terminal.
func (r *Recorder) work(e *core.Effect) {
	first := false
	event, ok := r.with(e.ID, func(t *terminal, event *Event) {
		switch {
		case e.Kind == core.Close:
			event.Duration = time.Since(t.began)
			event.BytesOut, event.Truncated = int64(t.bytes), t.truncated
		case e.Reason == core.ReasonTimeout:
			first = !t.late
			t.late = true
		}
	})
	switch {
	case !ok:
	case e.Kind == core.Close:
		event.Event = Release
		r.record(&event)
		r.forget(e.ID)
	case e.Signal == "SIGCONT": // it only has the other signal arrive
	default:
		event.Reason = string(e.Reason)
		if first {
			limit := event
			limit.Event = Limit
			r.record(&limit)
		}
		event.Event, event.Signal = Kill, e.Signal
		r.record(&event)
	}
}

// closing notes down what a command has written in all.
func (r *Recorder) closing(t *core.Terminal) {
	_, truncated := t.Kept()
	r.with(t.ID(), func(known *terminal, _ *Event) {
		known.bytes, known.truncated = t.Written(), truncated && known.keeps
	})
}

// refused records what got no terminal.
func (r *Recorder) refused(s core.SessionID, c *core.Command, err error) {
	e := asked(c)
	e.Session = s
	r.record(&e)
	e = Event{Event: Fail, Session: s, Reason: err.Error()}
	if limit, ok := errors.AsType[*core.LimitError](err); ok {
		e.Event, e.Reason = Limit, fmt.Sprintf("%s: %d", limit.Limit, limit.Max)
	}
	r.record(&e)
}
