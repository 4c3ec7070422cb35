package challenge

import (
	"math"
	"time"
)

// Config is a task and its limits.
type Config struct {
	// Instruction is the task, in words.
	Instruction string
	// Guide stands before everything else in the first prompt. It says how to
	// answer: see Guide. An agent that knows needs none.
	Guide string
	// Parser reads the answers. If it is Strict the whole machine does what
	// terminus-2 does.
	Parser Parser
	// MaxTurns is how often the agent is asked. If zero, there is no limit.
	MaxTurns int
	// MaxWrong is how many answers in a row may be wrong, so that nothing can be
	// made of them, before the agent is not asked any more: one that answers at
	// once would be asked a million times a minute. If zero, there is no limit, as
	// there is none in terminus-2.
	MaxWrong int
	// MaxIdle is how many turns in a row may come at once and do nothing: an answer
	// within idleAnswer that types nothing and waits for nothing. Then the agent is
	// not asked any more, for the same reason. If zero, there is no limit, as there is
	// none in terminus-2. Who has to wait says so with a duration.
	MaxIdle int
	// AnswerTimeout is how long an answer may take. If zero, there is no limit.
	AnswerTimeout time.Duration
	// Timeout is how long the task may take. If zero, there is no limit.
	Timeout time.Duration
}

// Bounds of the time that is waited after keystrokes, in seconds. terminus-2
// has no minimum.
const (
	minDuration = 0.1
	maxDuration = 60.0
)

// idleAnswer is how long an answer that does nothing takes, if it is not to count
// for MaxIdle: an agent that only looks, each second, may do so for hours.
const idleAnswer = time.Second

// A Machine asks an agent what to type and types it, turn by turn, until the
// task is done. See the package comment for the life of a turn.
//
// It is not safe for concurrent use.
type Machine struct {
	config  Config
	state   state
	effects []Effect

	turn    int
	wrong   int       // answers, of the last ones
	idle    int       // answers, of the last ones that were not wrong
	asked   time.Time // when the agent was asked last
	typed   int       // commands
	queue   []Command // what the answer has left to type
	until   time.Time // waiting: for the command that was typed last
	early   bool      // waiting: HandleReady may end it
	answer  time.Time // asking: when it is too late for one; or zero
	end     time.Time // when the task is out of time; or zero
	last    Result
	outcome Outcome

	// pending: the agent has said once that the task is complete.
	pending bool
	watcher watcher
	screen  string // as last shown
}

type state uint8

const (
	idle    state = iota // before Start
	looking              // at the terminal, before it is shown to the agent
	asking               // the agent
	waiting              // for a command
	done
)

// New returns a Machine that has not been started.
func New(c Config) *Machine {
	return &Machine{config: c, watcher: watcher{strict: c.Parser.Strict}}
}

// Turn returns how often the agent has been asked.
func (m *Machine) Turn() int { return m.turn }

// Result returns what was made of the last answer.
func (m *Machine) Result() Result { return m.last }

// Outcome returns how it went, or Running.
func (m *Machine) Outcome() Outcome { return m.outcome }

// NextEffect returns the next thing to do, or false. Drain it after each call
// of another method.
func (m *Machine) NextEffect() (Effect, bool) {
	if len(m.effects) == 0 {
		return Effect{}, false
	}
	e := m.effects[0]
	m.effects[0] = Effect{}
	m.effects = m.effects[1:]
	return e, true
}

// Deadline returns when HandleTimeout wants to be called. It returns false if
// the machine does not wait for the clock.
func (m *Machine) Deadline() (time.Time, bool) {
	first := m.end
	for _, t := range [...]time.Time{m.until, m.answer} {
		if first.IsZero() || !t.IsZero() && t.Before(first) {
			first = t
		}
	}
	return first, !first.IsZero()
}

// Start begins the task. The terminal must be running.
func (m *Machine) Start(now time.Time) {
	if m.state != idle {
		return
	}
	if m.config.Timeout > 0 {
		m.end = now.Add(m.config.Timeout)
	}
	m.look()
}

// HandleView answers a Look effect.
func (m *Machine) HandleView(now time.Time, v View) {
	if m.state != looking {
		return
	}
	m.screen = limit(m.watcher.describe(v))
	m.ask(now, m.screenPrompt())
}

// HandleAnswer answers an Ask effect.
func (m *Machine) HandleAnswer(now time.Time, response string) {
	if m.state != asking {
		return
	}
	m.last = m.config.Parser.Parse(response)
	if m.last.Error != "" {
		m.askAgain(now, m.errorPrompt())
		return
	}
	m.wrong = 0
	if m.idle++; !m.isIdle(now) {
		m.idle = 0
	}
	m.queue = m.last.Commands
	m.proceed(now)
}

// HandleTruncated answers an Ask effect with the beginning of an answer, whose
// rest was never made because it grew too long.
func (m *Machine) HandleTruncated(now time.Time, partial string) {
	if m.state != asking {
		return
	}
	if response, _, ok := m.config.Parser.Salvage(partial); ok {
		m.HandleAnswer(now, response)
		return
	}
	m.last = m.config.Parser.Parse(partial)
	m.last.Commands, m.last.Complete = nil, false
	m.askAgain(now, m.truncatedPrompt())
}

// askAgain asks after a wrong answer, unless there were too many.
func (m *Machine) askAgain(now time.Time, prompt string) {
	if m.wrong++; m.config.MaxWrong > 0 && m.wrong >= m.config.MaxWrong {
		m.finish(WrongAnswers, nil)
		return
	}
	m.ask(now, prompt)
}

// HandleAgentEnd reports that the agent can't be asked any more, and why.
func (m *Machine) HandleAgentEnd(now time.Time, err error) { m.finish(AgentEnded, err) }

// HandleTerminalEnd reports that nothing can be typed any more. What has been
// typed may have been the end of the task.
func (m *Machine) HandleTerminalEnd(now time.Time) {
	if m.state == waiting && m.last.Complete && m.pending {
		m.finish(Completed, nil)
		return
	}
	m.finish(TerminalEnded, nil)
}

// HandleReady reports that the command with that number, whose Type effect was
// Early, is done: there is nothing left to wait for.
func (m *Machine) HandleReady(now time.Time, number int) {
	if m.state == waiting && m.early && number == m.typed {
		m.proceed(now)
	}
}

// HandleTimeout does what is due.
func (m *Machine) HandleTimeout(now time.Time) {
	due := func(t time.Time) bool { return !t.IsZero() && !t.After(now) }
	switch {
	case due(m.end):
		m.finish(TimeOver, nil)
	case due(m.answer):
		m.finish(AnswerOver, nil)
	case due(m.until):
		m.proceed(now)
	}
}

// proceed types the next command, or ends the turn.
func (m *Machine) proceed(now time.Time) {
	m.until, m.answer = time.Time{}, time.Time{}
	for len(m.queue) > 0 {
		c := m.queue[0]
		m.queue = m.queue[1:]
		m.typed++
		wait := m.wait(c.Duration)
		m.early = c.Keystrokes != "" && !m.config.Parser.Strict
		m.push(Effect{Kind: Type, Keystrokes: c.Keystrokes, Number: m.typed, Wait: wait, Early: m.early})
		if wait > 0 {
			m.state, m.until = waiting, now.Add(wait)
			return
		}
	}
	switch {
	case m.last.Complete && m.pending:
		m.finish(Completed, nil)
	case m.isLast():
		m.finish(TurnsOver, nil)
	case m.config.MaxIdle > 0 && m.idle >= m.config.MaxIdle:
		m.finish(IdleAnswers, nil)
	default:
		m.look()
	}
}

// isIdle reports whether the last answer has come at once and does nothing.
func (m *Machine) isIdle(now time.Time) bool {
	if now.Sub(m.asked) >= idleAnswer {
		return false
	}
	for _, c := range m.last.Commands {
		if c.Keystrokes != "" || m.wait(c.Duration) > 0 {
			return false
		}
	}
	return true
}

func (m *Machine) isLast() bool { return m.config.MaxTurns > 0 && m.turn >= m.config.MaxTurns }

// wait returns how long to wait, for a duration that an agent has asked for.
func (m *Machine) wait(seconds float64) time.Duration {
	switch {
	case m.config.Parser.Strict && !(seconds > 0):
		return 0
	case math.IsNaN(seconds):
		seconds = defaultDuration
	case !m.config.Parser.Strict:
		seconds = max(seconds, minDuration)
	}
	return time.Duration(min(seconds, maxDuration) * float64(time.Second))
}

func (m *Machine) look() {
	m.state = looking
	m.push(Effect{Kind: Look, From: m.watcher.from()})
}

func (m *Machine) ask(now time.Time, prompt string) {
	m.answer = time.Time{}
	if m.isLast() {
		m.finish(TurnsOver, nil)
		return
	}
	m.state = asking
	m.turn++
	m.asked = now
	if m.config.AnswerTimeout > 0 {
		m.answer = now.Add(m.config.AnswerTimeout)
	}
	m.push(Effect{Kind: Ask, Turn: m.turn, Prompt: prompt, Screen: m.screen})
}

func (m *Machine) finish(o Outcome, err error) {
	if m.state == done {
		return
	}
	m.state, m.outcome = done, o
	m.until, m.answer, m.end = time.Time{}, time.Time{}, time.Time{}
	m.queue = nil
	m.push(Effect{Kind: Done, Outcome: o, Err: err})
}

func (m *Machine) push(e Effect) { m.effects = append(m.effects, e) }
