package core

import "time"

// A Registry holds the terminals of one owner: a connection, or a program
// that embeds us. It is not safe for concurrent use.
type Registry struct {
	config    Config
	trace     *tracer // nil: off
	terminals map[TerminalID]*Terminal
	sessions  map[SessionID]*session
	order     []*session // the same, the oldest first
	created   uint64     // terminals ever
	live      int        // terminals not freed
	reserved  int64      // what they may hold, in bytes
	kept      int        // terminals freed, whose output is kept for display
	keptBytes int64

	timers  timers
	effects queue
	lent    []byte // Data of the last effect
}

// NewRegistry returns a machine without terminals.
func NewRegistry(c Config) *Registry {
	c = c.withDefaults()
	return &Registry{
		config:    c,
		trace:     newTracer(c),
		terminals: make(map[TerminalID]*Terminal),
		sessions:  make(map[SessionID]*session),
	}
}

// Create accepts a command and returns its terminal's id at once. Started or
// StartFailed tells what became of it. The error is an *InvalidError, a
// *LimitError, or is errors.ErrUnsupported for a screen where there is none.
func (r *Registry) Create(now time.Time, s SessionID, c Command) (id TerminalID, err error) {
	if err := s.validate(); err != nil {
		return "", err
	}
	r.trace.create(now, s, &c)
	defer func() { r.trace.failed(err) }()
	if err := c.Validate(); err != nil {
		return "", err
	}
	if c.hasScreen() && !(hasScreens && r.config.Screens) {
		return "", noScreenError{}
	}
	asked := c.Timeout
	c = r.withDefaults(c)
	c.Session = s
	if err := r.admit(s, &c); err != nil {
		return "", err
	}
	r.created++
	t := &Terminal{
		id:      newID(r.config.Seed, s, r.created),
		session: r.session(s),
		output:  newOutput(&c, r.config.LiveBytes),
		number:  r.created,
		exec:    &Exec{Command: c},
		held:    c.size(),
		rows:    c.Rows,
		cols:    c.Cols,
		timer:   timer{index: -1},
	}
	r.terminals[t.id] = t
	t.session.terminals = append(t.session.terminals, t)
	t.timeLimit.set(now, asked)
	r.timers.schedule(t)
	r.push(t, Effect{Kind: Resolve, Command: &t.exec.Command})
	return t.id, nil
}

// withDefaults replaces the zero values of c by what they stand for.
func (r *Registry) withDefaults(c Command) Command {
	setDefault(&c.Rows, r.config.Rows)
	setDefault(&c.Cols, r.config.Cols)
	setDefault(&c.OutputByteLimit, r.config.OutputByteLimit)
	c.OutputByteLimit = min(max(0, c.OutputByteLimit), r.config.MaxOutputByteLimit)
	setDefault(&c.Timeout, r.config.Timeout)
	c.Timeout = max(0, c.Timeout)
	if c.Rendering == RenderDefault {
		c.Rendering = RenderRaw
		if c.Pty {
			c.Rendering = RenderText
		}
	}
	return c
}

// admit counts a new terminal, or refuses one that would exceed a limit.
func (r *Registry) admit(s SessionID, c *Command) error {
	if r.live >= r.config.MaxTerminals {
		return &LimitError{Limit: "terminals", Max: int64(r.config.MaxTerminals)}
	}
	if in := r.sessions[s]; in != nil && in.live >= r.config.MaxSessionTerminals {
		return &LimitError{Limit: "session_terminals", Max: int64(r.config.MaxSessionTerminals)}
	}
	return r.hold(1, c.size()+c.outputBytes(c.Rows, c.Cols))
}

// Terminal returns the terminal that id names, also when it was released and
// only its output is left.
func (r *Registry) Terminal(id TerminalID) (*Terminal, bool) {
	t, ok := r.terminals[id]
	return t, ok
}

// Issued reports whether id was once returned by Create for session s, even
// if it is forgotten by now.
func (r *Registry) Issued(s SessionID, id TerminalID) bool {
	n := id.number()
	return n > 0 && n <= r.created && id == newID(r.config.Seed, s, n)
}

// HandleOutput takes what the command wrote: stream is 1 for standard output and 2
// for standard error. p is not kept. It does not allocate once the buffers have
// grown to their limits.
func (r *Registry) HandleOutput(now time.Time, id TerminalID, stream uint8, p []byte) {
	t := r.terminals[id]
	if t == nil || t.closing != closeNone {
		return
	}
	t.mustBeWhole()
	t.output.write(stream, p)
	r.markChanged(t)
	r.outputSeen(now, t, stream, p)
	if hasScreens {
		r.reply(t, t.output.takeReplies(nil))
	}
}

// NextEffect returns the next thing to do or to tell. The Data of an
// OutputChanged is valid until the next call. ok is false when there is nothing
// more for now.
func (r *Registry) NextEffect() (e Effect, ok bool) {
	poison(r.lent)
	r.lent = nil
	for {
		if e, ok = r.effects.pop(); !ok {
			return Effect{}, false
		}
		if r.complete(&e) {
			break
		}
	}
	if e.Kind != WriteInput {
		r.lent = e.Data
	}
	r.trace.effect(&e)
	return e, true
}

// markChanged queues an OutputChanged, which complete fills in: output that comes
// until then is told with it. So output that was handled before an exit is told
// before it, and no output before Started, however late the owner drains.
func (r *Registry) markChanged(t *Terminal) {
	if t.marked || t.life.state < StateRunning {
		return // see HandleStart
	}
	t.marked = true
	r.push(t, Effect{Kind: OutputChanged})
}

// complete does what is left to do about an effect when it is handed out. ok is
// false if there is nothing to tell.
func (r *Registry) complete(e *Effect) (ok bool) {
	if e.Kind != OutputChanged && e.Kind != Resize {
		return true
	}
	switch t := r.terminals[e.ID]; {
	case t == nil || t.half != nil:
		return e.Kind != OutputChanged
	case e.Kind == OutputChanged:
		t.marked = false
		*e, ok = t.nextChange()
		return ok
	case hasScreens:
		t.output.resize(e.Rows, e.Cols)
	}
	return true
}

// push queues an effect about t.
func (r *Registry) push(t *Terminal, e Effect) {
	e.ID, e.Session = t.id, t.session.id
	r.effects.push(e)
}

// Deadline returns when to call HandleTimeout; ok is false if never.
func (r *Registry) Deadline() (at time.Time, ok bool) {
	if len(r.timers) == 0 {
		return time.Time{}, false
	}
	return r.timers[0].timer.at, true
}

// HandleTimeout does what is due by now. Calling it early does nothing.
func (r *Registry) HandleTimeout(now time.Time) {
	r.trace.timeout(now)
	for len(r.timers) > 0 && !r.timers[0].timer.at.After(now) {
		r.expire(now, r.timers[0])
	}
}

// queue is a first-in first-out queue of effects.
type queue struct {
	effects []Effect
	head    int
}

func (q *queue) push(e Effect) { q.effects = append(q.effects, e) }

func (q *queue) pop() (Effect, bool) {
	if q.head == len(q.effects) {
		q.effects, q.head = q.effects[:0], 0
		return Effect{}, false
	}
	e := q.effects[q.head]
	q.effects[q.head] = Effect{}
	q.head++
	return e, true
}
