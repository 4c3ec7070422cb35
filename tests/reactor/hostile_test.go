package reactor_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/tests/reactor"
)

// An embedder is one that does not keep to the ABI.
type embedder struct {
	tb       testing.TB
	instance reactor.Instance
	inputAt  uint32
}

func newEmbedder(tb testing.TB, e reactor.Engine) *embedder {
	b := &embedder{tb: tb, instance: e.Open(tb)}
	b.inputAt = uint32(b.run(reactor.Call("input", 64<<10)))
	return b
}

// run fails the test if a step traps.
func (b *embedder) run(steps ...reactor.Step) uint64 {
	b.tb.Helper()
	v, _, err := b.instance.Run(1, steps...)
	if err != nil {
		b.tb.Fatal(err)
	}
	return v
}

// call puts input into the buffer and returns an export's status.
func (b *embedder) call(input, export string, args ...uint64) int32 {
	b.tb.Helper()
	return int32(b.run(reactor.Write(b.inputAt, []byte(input)), reactor.Call(export, args...)))
}

// open returns the handle of a registry with an ACP connection.
func (b *embedder) open() uint64 {
	b.tb.Helper()
	config := string(reactor.ConfigJSON(core.Config{Seed: anySeed}, true))
	handle := b.call(config, "new_registry", uint64(len(config)))
	if handle <= 0 {
		b.tb.Fatalf("got handle %d, want a positive one", handle)
	}
	return uint64(handle)
}

// details returns the reason of a failure.
func (b *embedder) details() (reason string) {
	b.tb.Helper()
	_, p, err := b.instance.Run(1, reactor.Call("result"), reactor.Take())
	if err != nil {
		b.tb.Fatal(err)
	}
	var e reactor.StatusError
	if err := json.Unmarshal(p, &e); err != nil || e.Reason == "" || e.Message == "" {
		b.tb.Fatalf("got details %q (%v), want a reason and a message", p, err)
	}
	return e.Reason
}

func u32(n int32) uint64 { return uint64(uint32(n)) }

// TestHostile calls exports with what no embedder should.
func TestHostile(t *testing.T) {
	const now = 1_800_000_000_000_000_000
	command := `{"command":"ls"}`
	deep := strings.Repeat(`[`, 1000)
	for _, engine := range reactor.Engines() {
		t.Run(engine.Name, func(t *testing.T) {
			b := newEmbedder(t, engine)
			r := b.open()
			for _, c := range []struct {
				input  string
				export string
				args   []uint64
				status int32
				reason string
			}{
				{"", "kill", []uint64{0, now, 0}, reactor.StatusBadHandle, "bad_handle"},
				{"", "kill", []uint64{u32(-1), now, 0}, reactor.StatusBadHandle, "bad_handle"},
				{"", "kill", []uint64{r + 64, now, 0}, reactor.StatusBadHandle, "bad_handle"},
				{"", "kill", []uint64{u32(math.MinInt32), now, 0}, reactor.StatusBadHandle, "bad_handle"},
				{"", "free_registry", []uint64{u32(math.MaxInt32)}, reactor.StatusBadHandle, "bad_handle"},

				{"", "kill", []uint64{r, now, u32(-1)}, reactor.StatusBadArgument, "length"},
				{"", "kill", []uint64{r, now, 64<<10 + 1}, reactor.StatusBadArgument, "length"},
				{"", "write", []uint64{r, now, u32(math.MaxInt32), u32(math.MaxInt32)}, reactor.StatusBadArgument, "length"},
				{"", "write", []uint64{r, now, 0, u32(math.MinInt32)}, reactor.StatusBadArgument, "length"},
				{"", "write", []uint64{r, now, 1, 64 << 10}, reactor.StatusBadArgument, "length"},
				{"", "new_registry", []uint64{u32(-1)}, reactor.StatusBadArgument, "length"},
				{"", "kill", []uint64{r, 1 << 63, 0}, reactor.StatusBadArgument, "range"},
				{"", "handle_timeout", []uint64{r, math.MaxUint64}, reactor.StatusBadArgument, "range"},
				{"", "handle_timeout", []uint64{r, math.MaxInt64}, reactor.StatusOK, ""},
				{"t", "handle_output", []uint64{r, now, 1, 0, 0}, reactor.StatusBadArgument, "range"},
				{"t", "handle_output", []uint64{r, now, 1, 0, 3}, reactor.StatusBadArgument, "range"},
				{"t", "handle_output", []uint64{r, now, 1, 0, u32(-1)}, reactor.StatusBadArgument, "range"},

				{"", "new_registry", []uint64{0}, reactor.StatusBadJSON, "invalid_json"},
				{"{}", "new_registry", []uint64{2}, reactor.StatusBadJSON, "missing"},
				{deep, "new_registry", []uint64{1000}, reactor.StatusBadJSON, "too_deep"},
				{"s\xff", "create", []uint64{r, now, 1, 1}, reactor.StatusBadJSON, "invalid_utf8"},
				{"s[]", "create", []uint64{r, now, 1, 2}, reactor.StatusBadJSON, "type"},
				{"s{}", "create", []uint64{r, now, 1, 2}, reactor.StatusInvalid, "empty"},
				{"s" + command, "create", []uint64{r, now, 1, uint64(len(command))}, reactor.StatusOK, ""},

				{"t", "kill", []uint64{r, now, 1}, reactor.StatusUnknownTerminal, "unknown_terminal"},
				{"t", "output", []uint64{r, 1}, reactor.StatusUnknownTerminal, "unknown_terminal"},
				{"t", "output_since", []uint64{r, 1, math.MaxUint64}, reactor.StatusUnknownTerminal, "unknown_terminal"},
				{"t", "status", []uint64{r, 1}, reactor.StatusUnknownTerminal, "unknown_terminal"},
				{"t", "resize", []uint64{r, now, 1, u32(-1), u32(math.MaxInt32)}, reactor.StatusUnknownTerminal, "unknown_terminal"},
				{"t", "issued", []uint64{r, 0, 1}, reactor.StatusOK, ""},
				{"t", "handle_closed", []uint64{r, now, 1}, reactor.StatusOK, ""},
				{"t", "handle_start", []uint64{r, now, 1, 0}, reactor.StatusOK, ""},
				{"t", "handle_written", []uint64{r, now, 1, u32(math.MinInt32)}, reactor.StatusOK, ""},
				{"\xff\n{", "acp_input", []uint64{r, now, 3}, 2, ""}, // bytes taken
				{"\x00", "acp_message", []uint64{r, now, 1}, reactor.StatusOK, ""},
			} {
				if got := b.call(c.input, c.export, c.args...); got != c.status {
					t.Errorf("%s(%d) with %.20q: got status %d, want %d", c.export, c.args, c.input, got, c.status)
					continue
				}
				if c.status >= 0 {
					continue
				}
				if got := b.details(); got != c.reason {
					t.Errorf("%s(%d) with %.20q: got reason %q, want %q", c.export, c.args, c.input, got, c.reason)
				}
			}
		})
	}
}

// TestHostileInput asks for buffers that there are not.
func TestHostileInput(t *testing.T) {
	for _, engine := range reactor.Engines() {
		t.Run(engine.Name, func(t *testing.T) {
			b := newEmbedder(t, engine)
			for _, n := range []int32{-1, math.MinInt32, math.MaxInt32, 64<<20 + 1} {
				if at := uint32(b.run(reactor.Call("input", u32(n)))); at != 0 {
					t.Errorf("input(%d): got %#x, want 0", n, at)
				}
			}
			for _, n := range []int32{0, 1, 64 << 20, 10} {
				at := uint32(b.run(reactor.Call("input", u32(n))))
				if at == 0 {
					t.Errorf("input(%d): got 0, want an address", n)
				}
				b.run(reactor.Write(at, make([]byte, n)))
			}
			if got := b.call("", "new_registry", 11); got != reactor.StatusBadArgument {
				t.Errorf("got status %d for more than was asked for, want %d", got, reactor.StatusBadArgument)
			}
		})
	}
}

// TestRegistries opens as many as there can be, and shows that they know
// nothing of each other and that a handle is never used again.
func TestRegistries(t *testing.T) {
	b := newEmbedder(t, reactor.Engines()[0])
	handles := map[uint64]bool{}
	for range 64 {
		handles[b.open()] = true
	}
	config := string(reactor.ConfigJSON(core.Config{Seed: anySeed}, false))
	if got := b.call(config, "new_registry", uint64(len(config))); got != reactor.StatusLimit {
		t.Errorf("got status %d for one too many, want %d", got, reactor.StatusLimit)
	}
	for h := range handles {
		if got := b.call("", "free_registry", h); got != reactor.StatusOK {
			t.Errorf("free_registry(%d): got status %d, want 0", h, got)
		}
		if got := b.call("", "free_registry", h); got != reactor.StatusBadHandle {
			t.Errorf("free_registry(%d) again: got status %d, want %d", h, got, reactor.StatusBadHandle)
		}
		another := b.open()
		if handles[another] {
			t.Errorf("got handle %d a second time", another)
		}
		b.call("", "free_registry", another)
	}

	create := `{"command":"ls"}`
	one, other := b.open(), b.open()
	b.call("s"+create, "create", one, 0, 1, uint64(len(create)))
	if b.run(reactor.Call("next_effect", other)) != 0 || b.run(reactor.Call("next_effect", one)) == 0 {
		t.Error("got the effect of one registry from another")
	}
	if got := b.call("", "acp_eof", one, 0); got != reactor.StatusOK {
		t.Errorf("acp_eof: got status %d, want 0", got)
	}
	plain := b.call(config, "new_registry", uint64(len(config)))
	if got := b.call("", "acp_eof", u32(plain), 0); got != reactor.StatusNoACP {
		t.Errorf("acp_eof without acp: got status %d, want %d", got, reactor.StatusNoACP)
	}
}

// TestLateResult shows that what a call returned is gone after the next one,
// also where a careless embedder would find something that looks right.
func TestLateResult(t *testing.T) {
	b := newEmbedder(t, reactor.Engines()[0])
	r := b.open()
	b.call("", "kill", r, 0, 0)
	b.details()
	b.call("", "handle_timeout", r, 0)
	for _, export := range []string{"result", "effect_data"} {
		if got := b.run(reactor.Call(export)); got != 0 {
			t.Errorf("%s: got %#x, want 0", export, got)
		}
	}
}

// TestEffectDataIsLent keeps the address of an effect's data, and looks again
// after the next effect.
func TestEffectDataIsLent(t *testing.T) {
	for _, engine := range reactor.Engines() {
		t.Run(engine.Name, func(t *testing.T) {
			instance := engine.Open(t)
			c, err := reactor.NewClient(t, instance, reactor.ConfigJSON(core.Config{Seed: anySeed, LiveBytes: 100}, false))
			if err != nil {
				t.Fatal(err)
			}
			id := startInteractive(t, c)
			c.HandleOutput(epoch, id, 1, []byte("secret"))
			if e, _ := c.NextEffect(); string(e.Data) != "secret" {
				t.Fatalf("got data %q, want %q", e.Data, "secret")
			}
			span, lent, err := instance.Run(1, reactor.Call("effect_data"), reactor.Take())
			if err != nil || string(lent) != "secret" {
				t.Fatalf("got %q (%v), want what was written", lent, err)
			}
			c.NextEffect()
			_, kept, err := instance.Run(1, reactor.Read(uint32(span>>32), uint32(span)))
			if err != nil || string(kept) != "!ecret" {
				t.Errorf("got %q (%v), want it poisoned", kept, err)
			}
		})
	}
}

// startInteractive returns a terminal that runs and whose effects are drained.
func startInteractive(t *testing.T, b coretest.Backend) core.TerminalID {
	t.Helper()
	id, err := b.Create(epoch, "s", core.Command{Command: "cat", Interactive: true})
	if err != nil {
		t.Fatal(err)
	}
	b.HandleResolved(epoch, id, core.Exec{Path: "/bin/cat", Argv: []string{"cat"}, Via: core.ViaFile}, nil)
	b.HandleStart(epoch, id, nil)
	for _, some := b.NextEffect(); some; _, some = b.NextEffect() {
	}
	return id
}
