package coretest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A Backend is the machine as a single-threaded driver uses it. *Native is
// the one in this process; others sit behind the reactor's exports.
// Its methods are those of core.Registry and acp.Conn.
type Backend interface {
	Create(now time.Time, s core.SessionID, c core.Command) (core.TerminalID, error)
	Write(now time.Time, id core.TerminalID, p []byte) error
	CloseInput(now time.Time, id core.TerminalID) error
	Resize(now time.Time, id core.TerminalID, rows, cols int) error
	Kill(now time.Time, id core.TerminalID) error
	Release(now time.Time, id core.TerminalID) error
	CloseSession(now time.Time, s core.SessionID) error

	HandleResolved(now time.Time, id core.TerminalID, e core.Exec, err error)
	HandleDecision(now time.Time, id core.TerminalID, d core.Decision)
	HandleStart(now time.Time, id core.TerminalID, err error)
	HandleWritten(now time.Time, id core.TerminalID, n int)
	HandleOutput(now time.Time, id core.TerminalID, stream uint8, p []byte)
	HandleOutputEnd(now time.Time, id core.TerminalID)
	HandleExit(now time.Time, id core.TerminalID, e core.Exit)
	HandleClosed(now time.Time, id core.TerminalID)
	HandleTimeout(now time.Time)

	NextEffect() (core.Effect, bool)
	Deadline() (time.Time, bool)
	Status(id core.TerminalID) (core.Status, bool)
	Output(id core.TerminalID) (output []byte, truncated bool)

	// HandleMessage, HandleEOF and NextLine belong to the ACP connection.
	HandleMessage(now time.Time, line []byte)
	HandleEOF(now time.Time)
	NextLine() ([]byte, bool)
}

// A nativeBackend is a Backend with what reactors have no exports for.
type nativeBackend interface {
	KillNow(now time.Time, id core.TerminalID) error
	HandleOutputPending(now time.Time, id core.TerminalID, n int)
	Asker() *acp.Asker // nil where nobody is asked
}

// epoch is when scripts begin.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Machine is a Target over a Backend, in virtual time.
type Machine struct {
	open    func(c core.Config, acp bool) (Backend, error)
	backend Backend
	acp     bool
	now     time.Time
	ids     []core.TerminalID     // the n-th is tN+1
	asked   map[jsonrpc.ID]string // the names of terminals that are asked about
}

// NewMachine returns a target that opens its backend with what the script's
// config line says. Without such a line the config has only a seed.
func NewMachine(open func(c core.Config, acp bool) (Backend, error)) *Machine {
	return &Machine{open: open, now: epoch, asked: make(map[jsonrpc.ID]string)}
}

// Do implements Target.
func (m *Machine) Do(in Line) ([]string, error) {
	if m.backend == nil {
		if err := m.configure(in); err != nil || in.Verb == "config" {
			return nil, err
		}
	}
	var out []string
	cmdErr, err := m.input(in, &out)
	if err != nil {
		return nil, err
	}
	if cmdErr != nil {
		out = append(out, "< error "+strconv.Quote(cmdErr.Error()))
	}
	return m.drain(out), nil
}

func (m *Machine) configure(in Line) (err error) {
	if in.Verb != "config" {
		in = Line{}
	}
	c, err := in.Config()
	if err != nil {
		return err
	}
	m.acp = in.Has("acp")
	m.backend, err = m.open(c, m.acp)
	return err
}

// drain appends everything that the backend has to say.
func (m *Machine) drain(out []string) []string {
	for again := true; again; {
		again = false
		for e, ok := m.backend.NextEffect(); ok; e, ok = m.backend.NextEffect() {
			again = true
			m.learn(e.ID, e.Kind)
			if !m.acp || !e.Kind.News() {
				out = append(out, "< "+e.String())
			}
		}
		for line, ok := m.backend.NextLine(); ok; line, ok = m.backend.NextLine() {
			again = true
			out = append(out, "<-- "+m.hideIDs(strings.TrimSuffix(string(line), "\n")))
		}
		out = m.drainAnswers(out)
	}
	return out
}

// learn keeps the ids in the order in which they appear.
func (m *Machine) learn(id core.TerminalID, k core.EffectKind) {
	if k == core.Resolve {
		m.ids = append(m.ids, id)
	}
}

// id returns the id that a script calls t1, or the name itself when there is
// no such terminal: an unknown id.
func (m *Machine) id(name string) core.TerminalID {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "t"))
	if err != nil || n < 1 || n > len(m.ids) {
		return core.TerminalID(name)
	}
	return m.ids[n-1]
}

func (m *Machine) hideIDs(s string) string {
	for i, id := range m.ids {
		s = strings.ReplaceAll(s, string(id), "$t"+strconv.Itoa(i+1))
	}
	return s
}

// showIDs goes from the last to the first, since $t1 begins $t10.
func (m *Machine) showIDs(s string) string {
	for i := len(m.ids) - 1; i >= 0; i-- {
		s = strings.ReplaceAll(s, "$t"+strconv.Itoa(i+1), string(m.ids[i]))
	}
	return s
}

// input carries out one line. cmdErr is what the machine answered, err is a
// mistake in the script.
func (m *Machine) input(in Line, out *[]string) (cmdErr, err error) {
	b, id := m.backend, m.id(in.Word(0))
	switch in.Verb {
	case "create":
		c, err := in.Command()
		if err != nil {
			return nil, err
		}
		_, cmdErr = b.Create(m.now, core.SessionID(in.Word(0)), c)
	case "resolved":
		b.HandleResolved(m.now, id, in.Exec(), in.Err())
	case "decision":
		b.HandleDecision(m.now, id, in.Decision())
	case "start":
		b.HandleStart(m.now, id, in.Err())
	case "output":
		stream, err := strconv.ParseUint(in.Word(1), 10, 8)
		if err != nil {
			return nil, err
		}
		b.HandleOutput(m.now, id, uint8(stream), []byte(in.Word(2)))
	case "output_end":
		b.HandleOutputEnd(m.now, id)
	case "pending":
		n, err := strconv.Atoi(in.Word(1))
		if err != nil {
			return nil, err
		}
		native, ok := b.(nativeBackend)
		if !ok {
			return nil, ErrNotHere
		}
		native.HandleOutputPending(m.now, id, n)
	case "exit":
		e, err := in.Exit()
		if err != nil {
			return nil, err
		}
		b.HandleExit(m.now, id, e)
	case "closed":
		b.HandleClosed(m.now, id)
	case "write":
		cmdErr = b.Write(m.now, id, []byte(in.Word(1)))
	case "written":
		n, err := strconv.Atoi(in.Word(1))
		if err != nil {
			return nil, err
		}
		b.HandleWritten(m.now, id, n)
	case "close_input":
		cmdErr = b.CloseInput(m.now, id)
	case "resize":
		rows, err1 := strconv.Atoi(in.Word(1))
		cols, err2 := strconv.Atoi(in.Word(2))
		if err := firstError(err1, err2); err != nil {
			return nil, err
		}
		cmdErr = b.Resize(m.now, id, rows, cols)
	case "kill":
		cmdErr = b.Kill(m.now, id)
	case "kill_now":
		native, ok := b.(nativeBackend)
		if !ok {
			return nil, ErrNotHere
		}
		cmdErr = native.KillNow(m.now, id)
	case "release":
		cmdErr = b.Release(m.now, id)
	case "close_session":
		cmdErr = b.CloseSession(m.now, core.SessionID(in.Word(0)))
	case "advance", "clock":
		d, err := time.ParseDuration(in.Word(0))
		if err != nil {
			return nil, err
		}
		m.pass(d, in.Verb == "advance", out)
	case "timeout":
		b.HandleTimeout(m.now)
	case "show":
		*out = append(*out, Show(b, in.Word(0), id))
	case "-->":
		b.HandleMessage(m.now, []byte(m.showIDs(in.Raw)))
	case "eof":
		b.HandleEOF(m.now)
	case "question", "cancel_question":
		native, ok := b.(nativeBackend)
		if !ok || native.Asker() == nil {
			return nil, ErrNotHere
		}
		m.question(in, native.Asker(), id, out)
	default:
		return nil, fmt.Errorf("no such input: %s", in.Verb)
	}
	return cmdErr, nil
}

// pass lets d pass and, if fire, calls HandleTimeout exactly when it is due.
func (m *Machine) pass(d time.Duration, fire bool, out *[]string) {
	end := m.now.Add(d)
	for fire {
		at, ok := m.backend.Deadline()
		if !ok || at.After(end) {
			break
		}
		m.now = at
		m.backend.HandleTimeout(at)
		*out = m.drain(*out)
	}
	m.now = end
}

// A Shower has the getters that Show needs.
type Shower interface {
	Status(id core.TerminalID) (core.Status, bool)
	Output(id core.TerminalID) (output []byte, truncated bool)
}

// Show returns the observation of a show line.
func Show(b Shower, name string, id core.TerminalID) string {
	s, ok := b.Status(id)
	if !ok {
		return "< " + name + " unknown"
	}
	line := "< " + name + " " + s.State.String()
	if s.State == core.StateExited {
		line += " " + s.Exit.Status.String()
		if s.Exit.Reason != core.ReasonNone {
			line += " reason=" + string(s.Exit.Reason)
		}
	}
	if s.Released {
		line += " released"
	}
	output, truncated := b.Output(id)
	line += " " + strconv.Quote(string(output))
	if truncated {
		line += " truncated"
	}
	return line
}
