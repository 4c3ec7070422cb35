package reactor_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/tests/reactor"
)

// FuzzReactorCalls makes any calls in any order with any arguments. None may
// trap, and what they point to must be inside memory. An input is calls one
// after the other: a byte for the export, one for what is in the input buffer,
// one for each argument. Small bytes choose what makes sense; [calls] writes
// them.
func FuzzReactorCalls(f *testing.F) {
	all := exports(f)
	wazero := reactor.Engines()[0]

	const begin = "create/command next_effect handle_resolved/resolved handle_start "
	for _, seed := range []string{
		begin + "handle_output/output handle_output/output output output_since status next_effect effect_data",
		begin + "write/output resize kill handle_timeout handle_exit/exit handle_output_end release handle_closed next_effect",
		"handle_decision/decision acp_message/line acp_input/line next_effect handle_resolved/resolved handle_start/error acp_next_line acp_eof",
		"new_registry/config create/command free_registry close_all issued deadline result input create/command",
	} {
		f.Add(calls(all, seed))
	}
	for seed := range uint64(50) { // the fuzzer does not see into the module, so it needs a push
		r := rand.New(rand.NewPCG(seed, 0))
		data := calls(all, begin)
		for range 500 {
			data = append(data, byte(r.IntN(1+r.IntN(256))))
		}
		f.Add(data)
	}

	f.Fuzz(func(t *testing.T, data []byte) {
		b := newEmbedder(t, wazero)
		c := chooser{data: data, registry: b.open()}
		for n := 0; len(c.data) > 0 && n < 200; n++ {
			e := all[int(c.byte())%len(all)]
			input := c.input(e)
			if at := uint32(b.run(reactor.Call("input", uint64(len(input))))); at != 0 {
				b.run(reactor.Write(at, []byte(input)))
			}
			var args []uint64
			for _, p := range e.params {
				args = append(args, c.argument(p))
			}
			value := b.run(reactor.Call(e.name, args...))
			switch e.name {
			case "new_registry":
				if int32(value) > 0 {
					c.registry = value
				}
			case "create":
				if int32(value) == reactor.StatusOK {
					c.id = string(b.span("result"))
				}
			case "next_effect":
				if header := b.span("result"); value != 0 && !json.Valid(header) {
					t.Fatalf("%s: got %q, want JSON", e.name, header)
				}
			case "acp_next_line":
				b.span("acp_next_line", args...)
			}
			b.span("effect_data")
			b.span("result")
		}
		if got := b.run(reactor.Call("terrarium_abi_version")); got != 1 {
			t.Errorf("got version %d after all, want 1", got)
		}
	})
}

// span calls an export and returns the bytes that it points to.
func (b *embedder) span(export string, args ...uint64) []byte {
	b.tb.Helper()
	_, p, err := b.instance.Run(1, reactor.Call(export, args...), reactor.Take())
	if err != nil {
		b.tb.Fatal(err)
	}
	return slices.Clone(p)
}

// A chooser makes calls out of bytes.
type chooser struct {
	data     []byte
	registry uint64
	id       string // of the last terminal created
	lastLen  int    // of what is in the input buffer, without an id
}

func (c *chooser) byte() byte {
	if len(c.data) == 0 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return b
}

func (c *chooser) bytes(n int) []byte {
	n = min(n, len(c.data))
	p := c.data[:n]
	c.data = c.data[n:]
	return p
}

// inputs are what may be put into the buffer after an id, by their names in
// the language of [calls].
var inputs = []struct{ name, text string }{
	{"none", ""},
	{"config", string(reactor.ConfigJSON(core.Config{Seed: anySeed}, true))},
	{"command", `{"command":"ls","args":["-l"],"env":[{"name":"A","value":"1"}],"interactive":true,"rendering":"text","rows":24}`},
	{"resolved", `{"path":"/bin/ls","argv":["ls"],"via":"args"}`},
	{"error", `{"reason":"not_found","message":"gone"}`},
	{"decision", `{"allow":true}`},
	{"exit", `{"exitCode":null,"signal":"SIGHUP","usage":{"fuel":1e3}}`},
	{"output", "hello \xff\x1b[1mworld\r\nover\rwrite\xe2\x82"},
	{"line", `{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s","command":"ls"}}` + "\n"},
}

// input returns what a call finds in the buffer: an id if it takes one, then
// one of inputs, or bytes of the fuzzer's own.
func (c *chooser) input(e export) string {
	text := ""
	if n := int(c.byte()); n < 200 {
		text = inputs[n%len(inputs)].text
	} else {
		text = string(c.bytes(n - 200))
	}
	c.lastLen = len(text)
	for _, p := range e.params {
		if p.name == "id_len" || p.name == "session_len" {
			return c.id + text
		}
	}
	return text
}

// argument returns an argument for p, mostly a sensible one.
func (c *chooser) argument(p param) uint64 {
	const now = 1_800_000_000_000_000_000
	sensible := map[string]uint64{
		"registry": c.registry, "now": now, "id_len": uint64(len(c.id)), "session_len": uint64(len(c.id)),
		"n": uint64(c.lastLen), "count": 3, "stream": 1, "rows": 24, "cols": 80, "offset": 3,
	}
	hostile := []uint64{
		0, 1, 2, 30, c.registry, uint64(len(c.id)), uint64(c.lastLen), 64 << 20, now,
		math.MaxInt32, 1 << 31, math.MaxUint32, math.MaxInt64, 1 << 63, math.MaxUint64,
	}
	const common = 200
	v := sensible[p.name]
	switch n := int(c.byte()); {
	case n < common:
	case n < common+len(hostile):
		v = hostile[n-common]
	default:
		v = binary.LittleEndian.Uint64(append(slices.Clone(c.bytes(8)), make([]byte, 8)...))
	}
	if p.typ == "i32" {
		v = uint64(uint32(v))
	}
	return v
}

// calls writes calls as an input of FuzzReactorCalls, each an export, or an
// export and one of inputs. Their arguments are sensible.
func calls(all []export, script string) (data []byte) {
	for word := range strings.FieldsSeq(script) {
		name, input, _ := strings.Cut(word, "/")
		which := slices.IndexFunc(all, func(e export) bool { return e.name == name })
		what := slices.IndexFunc(inputs, func(i struct{ name, text string }) bool { return i.name == input })
		data = append(data, byte(which), byte(max(what, 0)))
		data = append(data, make([]byte, len(all[which].params))...)
	}
	return data
}
