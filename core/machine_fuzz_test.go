//go:build !reactor

package core_test

import (
	"errors"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// FuzzMachine reads its input as calls in any order, a host that answers when
// it likes among them, and checks what the machine promises whatever is done
// to it: every Create is settled once, every Started has one Exited, nothing
// comes for a terminal after its Close was answered, and when all is closed
// and all questions are answered, nothing is left.
func FuzzMachine(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"))
	f.Add([]byte("\x00\x10\x20\x01\x05\x11\x25\x31\x09\x00\x01\x02\x09\x0a"))
	f.Add([]byte("\x00\x01\x03\x0b\x0b\x06\x0b\x07\x08\x00\x01\x03\x05\x0b\x0b\x0b"))
	f.Fuzz(func(t *testing.T, script []byte) {
		w := newWorld(t)
		for _, b := range script {
			w.step(b&0x0f, int(b>>4))
		}
		w.finish()
	})
}

// world is a registry, a host that owes it answers, and the promises so far.
type world struct {
	t      *testing.T
	now    time.Time
	r      *core.Registry
	shared [2]driver.Budget // Budget and KeptBudget
	ids    []core.TerminalID

	asked   map[core.TerminalID]core.EffectKind // the host's open question
	alive   map[core.TerminalID]bool            // processes that have not exited
	open    map[core.TerminalID]bool            // output that has not ended
	settled map[core.TerminalID]core.EffectKind
	exited  map[core.TerminalID]bool
	freed   map[core.TerminalID]bool
}

func newWorld(t *testing.T) *world {
	w := &world{
		t: t, now: epoch,
		shared:  [2]driver.Budget{{Terminals: 9, Bytes: 8 * (1<<20 + 1)}, {Terminals: 2, Bytes: 1500}},
		asked:   make(map[core.TerminalID]core.EffectKind),
		alive:   make(map[core.TerminalID]bool),
		open:    make(map[core.TerminalID]bool),
		settled: make(map[core.TerminalID]core.EffectKind),
		exited:  make(map[core.TerminalID]bool),
		freed:   make(map[core.TerminalID]bool),
	}
	w.r = core.NewRegistry(core.Config{
		Ask: true, MaxTerminals: 20, MaxSessionTerminals: 8, KeepTerminals: 2, KeepBytes: 2000,
		MaxKeptTerminals: 3, MaxInput: 100, LiveBytes: 10, MaxOutputBytes: 8 * (1<<20 + 1), Screens: true,
		Budget: &w.shared[0], KeptBudget: &w.shared[1],
	})
	return w
}

var sessions = []core.SessionID{"s", "t", ""}

func (w *world) step(call byte, which int) {
	session := sessions[which%len(sessions)]
	if call == 0 {
		c := core.Command{Command: "a", Interactive: which%2 == 0, Pty: which%3 == 0, Screen: which%5 == 0, Timeout: time.Duration(which) * time.Second}
		id, err := w.r.Create(w.now, session, c)
		var limit *core.LimitError
		if err != nil && !errors.As(err, &limit) {
			w.t.Fatalf("Create: %v", err)
		}
		if err == nil {
			w.ids = append(w.ids, id)
		}
		w.drain()
		return
	}
	id := core.TerminalID("nosuch")
	if len(w.ids) > 0 {
		id = w.ids[which*7919%len(w.ids)]
	}
	switch call {
	case 1:
		w.answer(id, true)
	case 2:
		w.answer(id, false)
	case 3:
		w.r.HandleOutput(w.now, id, uint8(which), []byte("x\r\x1b[6n\xe2\x82"))
	case 4:
		w.endOutput(id)
	case 5:
		w.exit(id)
	case 6:
		w.r.Kill(w.now, id)
		if which > 7 {
			w.r.KillNow(w.now, id)
		}
	case 7:
		w.r.Release(w.now, id)
	case 8:
		w.r.CloseSession(w.now, session)
	case 9:
		w.r.Write(w.now, id, make([]byte, which*10))
	case 10:
		w.r.HandleWritten(w.now, id, which*10-20)
	case 11:
		w.now = w.now.Add(time.Duration(which) * time.Second)
		w.r.HandleTimeout(w.now)
	case 12:
		w.r.Resize(w.now, id, which, which*100)
	case 13:
		w.r.CloseInput(w.now, id)
	case 14:
		w.r.HandleOutputPending(w.now, id, which)
		w.r.Status(id)
		w.r.Issued(session, id)
	case 15:
		if terminal, ok := w.r.Terminal(id); ok {
			terminal.AppendOutput(nil)
		}
	}
	w.drain()
}

// answer answers what the host is asked about id, if anything.
func (w *world) answer(id core.TerminalID, yes bool) {
	kind := w.asked[id]
	delete(w.asked, id)
	var err error
	if !yes {
		err = errors.New("no")
	}
	switch kind {
	case core.Resolve:
		w.r.HandleResolved(w.now, id, core.Exec{Path: "/bin/a", Argv: []string{"a"}}, err)
	case core.Ask:
		w.r.HandleDecision(w.now, id, core.Decision{Allow: yes})
	case core.Start:
		if yes {
			w.alive[id], w.open[id] = true, true
		}
		w.r.HandleStart(w.now, id, err)
	case core.Close:
		delete(w.alive, id)
		delete(w.open, id)
		w.freed[id] = true
		w.r.HandleClosed(w.now, id)
	}
}

func (w *world) exit(id core.TerminalID) {
	if w.alive[id] {
		delete(w.alive, id)
		w.r.HandleExit(w.now, id, core.Exit{})
	}
}

func (w *world) endOutput(id core.TerminalID) {
	if w.open[id] {
		delete(w.open, id)
		w.r.HandleOutputEnd(w.now, id)
	}
}

// drain takes the effects and holds the machine to its promises.
func (w *world) drain() {
	for e, ok := w.r.NextEffect(); ok; e, ok = w.r.NextEffect() {
		if w.freed[e.ID] && e.Kind != core.Evicted && e.Kind != core.OutputChanged {
			w.t.Fatalf("%v after its Close was answered", e)
		}
		switch e.Kind {
		case core.Resolve, core.Ask, core.Start, core.Close:
			if was, ok := w.asked[e.ID]; ok && e.Kind != core.Close {
				w.t.Fatalf("%v while %v is not answered", e, was)
			}
			w.asked[e.ID] = e.Kind
		case core.Started, core.StartFailed:
			if was, ok := w.settled[e.ID]; ok {
				w.t.Fatalf("%v after %v", e, was)
			}
			w.settled[e.ID] = e.Kind
		case core.Exited:
			if w.settled[e.ID] != core.Started || w.exited[e.ID] {
				w.t.Fatalf("%v, twice or without Started", e)
			}
			w.exited[e.ID] = true
		case core.WriteInput, core.CloseInput, core.Resize:
			if w.settled[e.ID] != core.Started {
				w.t.Fatalf("%v for what does not run", e)
			}
		}
	}
}

// finish closes everything, lets the host answer all it owes, and expects
// that nothing is left.
func (w *world) finish() {
	w.r.CloseAll(w.now)
	w.drain()
	for range 10 {
		for _, id := range w.ids {
			w.answer(id, true)
			w.drain()
			w.exit(id)
			w.drain()
		}
		w.now = w.now.Add(time.Minute)
		w.r.HandleTimeout(w.now)
		w.drain()
	}
	if len(w.asked) > 0 {
		w.t.Errorf("the host still owes %v", w.asked)
	}
	for _, id := range w.ids {
		if w.settled[id] == 0 || w.settled[id] == core.Started && !w.exited[id] {
			w.t.Errorf("%s was never told: settled %v, exited %v", id, w.settled[id], w.exited[id])
		}
		if s, ok := w.r.Status(id); ok {
			w.t.Errorf("%s is still there: %+v", id, s)
		}
	}
	if at, ok := w.r.Deadline(); ok {
		w.t.Errorf("a timer is left, for %v", at)
	}
	for i := range w.shared {
		if terminals, bytes := w.shared[i].Taken(); terminals != 0 || bytes != 0 {
			w.t.Errorf("of budget %d %d terminals and %d bytes were not given back", i, terminals, bytes)
		}
	}
	// All of the limits are free again, to the last byte.
	for range 8 {
		if _, err := w.r.Create(w.now, "s", core.Command{Command: "a"}); err != nil {
			w.t.Fatalf("Create after everything was closed: %v", err)
		}
	}
}
