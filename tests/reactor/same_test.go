package reactor_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/tests/reactor"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// TestSameAsNative takes random walks with the native machine and the reactor
// side by side, and compares everything that comes out of them.
func TestSameAsNative(t *testing.T) {
	for _, engine := range reactor.Engines() {
		t.Run(engine.Name, func(t *testing.T) {
			for seed := range uint64(6) {
				w := &walk{
					TB: t, rand: rand.New(rand.NewPCG(seed, 0)), now: epoch, ids: []core.TerminalID{"none"},
				}
				c := core.Config{Seed: [16]byte{byte(seed) + 1}, Ask: seed%2 == 1, LiveBytes: 40, MaxSessionTerminals: 5, KeepTerminals: 3}
				w.native, _ = coretest.OpenNative(c, true)
				var err error
				if w.reactor, err = engine.OpenBackend(t)(c, true); err != nil {
					t.Fatal(err)
				}
				for range 300 {
					w.step()
				}
			}
		})
	}
}

type walk struct {
	testing.TB
	rand            *rand.Rand
	native, reactor coretest.Backend
	now             time.Time
	ids             []core.TerminalID
	due             []action // what a host would do next
}

// An action is something that can be done to a machine. It returns what the
// machine answers.
type action struct {
	what string
	do   func(b coretest.Backend) any
}

// step does one thing to both machines, and drains them.
func (w *walk) step() {
	w.now = w.now.Add(time.Duration(w.rand.Int64N(int64(time.Second))))
	a := w.choose()
	if len(w.due) > 0 && w.rand.IntN(3) > 0 {
		a, w.due = w.due[0], w.due[1:]
	}
	w.same(a.what, a.do)
	for w.same("effect after "+a.what, w.nextEffect)[0] == true {
	}
	for w.same("line after "+a.what, nextLine)[0] == true {
	}
	w.same("deadline after "+a.what, func(b coretest.Backend) any {
		at, some := b.Deadline()
		return []any{at, some}
	})
	id := w.id()
	w.same("getters after "+a.what, func(b coretest.Backend) any {
		s, known := b.Status(id)
		output, truncated := b.Output(id)
		return []any{s, known, string(output), truncated}
	})
}

func (w *walk) nextEffect(b coretest.Backend) any {
	e, some := b.NextEffect()
	e.Data = append([]byte(nil), e.Data...)
	if some && b == w.native {
		w.answer(e)
	}
	return []any{some, e}
}

func nextLine(b coretest.Backend) any {
	line, some := b.NextLine()
	return []any{some, string(line)}
}

// same does something to both machines, compares what comes out, and returns it.
func (w *walk) same(what string, do func(b coretest.Backend) any) []any {
	w.Helper()
	want := do(w.native)
	got := do(w.reactor)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.Comparer(sameText)); diff != "" {
		w.Fatalf("%s (-native +reactor):\n%s", what, diff)
	}
	list, _ := want.([]any)
	return list
}

// sameText compares errors of which one has come over a wire.
func sameText(a, b error) bool { return text(a) == text(b) }

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// answer notes what the host that e is work for would do.
func (w *walk) answer(e core.Effect) {
	id := e.ID
	switch e.Kind {
	case core.Resolve:
		w.ids = append(w.ids, id)
		exec := core.Exec{Path: "/bin/x", Argv: []string{"x", "ü\x00\"\n"}, Via: core.ViaFile}
		err := w.failure()
		w.later("resolved", func(b coretest.Backend, now time.Time) { b.HandleResolved(now, id, exec, err) })
	case core.Ask:
		d := core.Decision{Allow: w.rand.IntN(5) > 0, Reason: "because"}
		w.later("decision", func(b coretest.Backend, now time.Time) { b.HandleDecision(now, id, d) })
	case core.Start:
		err := w.failure()
		w.later("start", func(b coretest.Backend, now time.Time) { b.HandleStart(now, id, err) })
	case core.WriteInput:
		w.later("written", func(b coretest.Backend, now time.Time) { b.HandleWritten(now, id, len(e.Data)) })
	case core.Close:
		w.later("closed", func(b coretest.Backend, now time.Time) { b.HandleClosed(now, id) })
	}
}

func (w *walk) later(what string, do func(b coretest.Backend, now time.Time)) {
	w.due = append(w.due, w.action(what, do))
}

func (w *walk) action(what string, do func(b coretest.Backend, now time.Time)) action {
	return action{what, func(b coretest.Backend) any { do(b, w.now); return nil }}
}

// failure is why a host can't do something, mostly nil.
func (w *walk) failure() error {
	return pick(w, nil, nil, nil, nil, nil, nil,
		errors.New("no \"such\" file\n"), error(&core.HostError{Reason: "not_found", Message: "x: not found"}))
}

// id is one of the newer terminals, or none.
func (w *walk) id() core.TerminalID {
	newer := w.ids[max(0, len(w.ids)-8):]
	return pick(w, append([]core.TerminalID{"", "term_1_00"}, newer...)...)
}

func pick[T any](w *walk, choices ...T) T { return choices[w.rand.IntN(len(choices))] }

// choose returns anything at all.
func (w *walk) choose() action {
	id, n := w.id(), w.rand.IntN(1000)
	session := core.SessionID(pick(w, "", "s", "\"\u2028"))
	exit := core.Exit{
		Status: pick(w, core.ExitStatus{}, core.ExitStatus{ExitCode: 1 << 31}, core.ExitStatus{Signal: "SIGHUP"}, core.ExitStatus{Unknown: true}),
		Reason: pick(w, core.ReasonNone, core.ReasonMemory),
		Usage:  core.Usage{UserTime: time.Second, MaxRSS: 1 << 40, Fuel: 1 << 60},
	}
	output := []byte(pick(w, "hello\n", "\x1b[31mred\r\n", "half \xc3", "\xa9 more\rless", strings.Repeat("long ", 100)))
	method := pick(w, "create", "output", "wait_for_exit", "kill", "release", "nonsense")
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"terminal/%s","params":{"sessionId":"s","terminalId":%q,"command":"ls"}}`,
		n%5, method, id)
	command := w.command()

	return pick(w,
		action{"create", func(b coretest.Backend) any {
			id, err := b.Create(w.now, session, command)
			return []any{id, text(err)}
		}},
		action{"write", func(b coretest.Backend) any { return text(b.Write(w.now, id, output)) }},
		action{"resize", func(b coretest.Backend) any { return text(b.Resize(w.now, id, n/10, n*2)) }},
		action{"kill", func(b coretest.Backend) any { return text(b.Kill(w.now, id)) }},
		action{"release", func(b coretest.Backend) any { return text(b.Release(w.now, id)) }},
		action{"close input", func(b coretest.Backend) any { return text(b.CloseInput(w.now, id)) }},
		w.action("output", func(b coretest.Backend, now time.Time) { b.HandleOutput(now, id, uint8(1+n%2), output) }),
		w.action("output end", func(b coretest.Backend, now time.Time) { b.HandleOutputEnd(now, id) }),
		w.action("exit", func(b coretest.Backend, now time.Time) { b.HandleExit(now, id, exit) }),
		w.action("start", func(b coretest.Backend, now time.Time) { b.HandleStart(now, id, nil) }),
		w.action("closed", func(b coretest.Backend, now time.Time) { b.HandleClosed(now, id) }),
		w.action("timeout", func(b coretest.Backend, now time.Time) { b.HandleTimeout(now) }),
		w.action(line, func(b coretest.Backend, now time.Time) { b.HandleMessage(now, []byte(line)) }),
	)
}

func (w *walk) command() core.Command {
	return core.Command{
		Command: pick(w, "ls -l", "x", "x", ""), Args: pick(w, nil, []string{"a", ""}), Cwd: pick(w, "", "/w", "/w", "w"),
		Env: pick(w, nil, []core.EnvVariable{{Name: "A", Value: "b\n"}}), Roots: pick(w, nil, []string{"/w"}),
		Pty: pick(w, true, false), Interactive: pick(w, true, true, false), Rows: pick(w, 0, 0, 1, 1001),
		OutputByteLimit: pick[int64](w, 0, -1, 10, 1000), Timeout: pick(w, 0, time.Second),
		Rendering: pick(w, core.RenderDefault, core.RenderText, core.RenderRaw, core.RenderScreen),
	}
}
