package reactor_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/tests/reactor"
)

// The benchmarks do the same in this process and in each engine. What crosses
// into an engine and out of it is copied, as an embedder must. They run b.N
// times in one go, since a run in node is a message to another process.

// log is 1 MiB of what commands print: lines of text, some in colour.
var log = bytes.Repeat([]byte("2026-01-01 12:00:00 \x1b[32minfo\x1b[0m  compiled package number forty-two\r\n"), 1<<20/70+1)[:1<<20]

// BenchmarkCall is the price of a call that does next to nothing.
func BenchmarkCall(b *testing.B) {
	b.Run("deadline/native", func(b *testing.B) {
		native, _ := coretest.OpenNative(core.Config{Seed: anySeed}, false)
		for b.Loop() {
			native.Deadline()
		}
	})
	for _, engine := range reactor.Engines() {
		b.Run("deadline/"+engine.Name, func(b *testing.B) {
			e := newEmbedder(b, engine)
			e.bench(b, reactor.Call("deadline", e.open()))
		})
		b.Run("version/"+engine.Name, func(b *testing.B) {
			newEmbedder(b, engine).bench(b, reactor.Call("terrarium_abi_version"))
		})
	}
}

// BenchmarkFeed hands over output and has nobody look at it.
func BenchmarkFeed(b *testing.B) {
	for _, rendering := range []core.Rendering{core.RenderRaw, core.RenderText} {
		for _, size := range []int{16 << 10, 64 << 10} {
			chunk := log[:size]
			name := fmt.Sprintf("%v/%dKiB/", rendering, size>>10)
			b.Run(name+"native", func(b *testing.B) {
				native, id := benchNative(b, rendering, 0)
				b.SetBytes(int64(size))
				for b.Loop() {
					native.HandleOutput(epoch, id, 1, chunk)
				}
			})
			for _, engine := range reactor.Engines() {
				b.Run(name+engine.Name, func(b *testing.B) {
					e, registry, id := benchEmbedder(b, engine, rendering, 0)
					b.SetBytes(int64(size))
					e.bench(b, e.feed(registry, id, chunk)...)
				})
			}
		}
	}
}

// BenchmarkLive hands over output and takes the effect that carries it.
func BenchmarkLive(b *testing.B) {
	chunk := log[:64<<10]
	b.Run("64KiB/native", func(b *testing.B) {
		native, id := benchNative(b, core.RenderRaw, 2*len(chunk))
		var p []byte
		b.SetBytes(int64(len(chunk)))
		for b.Loop() {
			native.HandleOutput(epoch, id, 1, chunk)
			for effect, some := native.NextEffect(); some; effect, some = native.NextEffect() {
				p = append(p[:0], effect.Data...)
			}
		}
	})
	for _, engine := range reactor.Engines() {
		b.Run("64KiB/"+engine.Name, func(b *testing.B) {
			e, registry, id := benchEmbedder(b, engine, core.RenderRaw, 2*len(chunk))
			b.SetBytes(int64(len(chunk)))
			e.bench(b, append(e.feed(registry, id, chunk),
				reactor.Call("next_effect", registry), reactor.Take(),
				reactor.Call("effect_data"), reactor.Take(),
				reactor.Call("next_effect", registry),
			)...)
		})
	}
}

// BenchmarkOutput takes all of a terminal's output, 1 MiB.
func BenchmarkOutput(b *testing.B) {
	b.Run("1MiB/native", func(b *testing.B) {
		native, id := benchNative(b, core.RenderRaw, 0)
		native.HandleOutput(epoch, id, 1, log)
		b.SetBytes(int64(len(log)))
		for b.Loop() {
			native.Output(id)
		}
	})
	for _, engine := range reactor.Engines() {
		b.Run("1MiB/"+engine.Name, func(b *testing.B) {
			e, registry, id := benchEmbedder(b, engine, core.RenderRaw, 0)
			e.run(e.feed(registry, id, log)...)
			b.SetBytes(int64(len(log)))
			e.bench(b, reactor.Call("output", registry, uint64(len(id))), reactor.Call("result"), reactor.Take())
		})
	}
}

// BenchmarkACPOutput answers terminal/output with 1 MiB.
func BenchmarkACPOutput(b *testing.B) {
	request := func(id core.TerminalID) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"terminal/output","params":{"sessionId":"s","terminalId":%q}}`, id)
	}
	b.Run("1MiB/native", func(b *testing.B) {
		native, id := benchNative(b, core.RenderRaw, 0)
		native.HandleOutput(epoch, id, 1, log)
		line := request(id)
		b.SetBytes(int64(len(log)))
		var p []byte
		for b.Loop() {
			native.HandleMessage(epoch, line)
			answer, _ := native.NextLine()
			p = append(p[:0], answer...)
		}
	})
	for _, engine := range reactor.Engines() {
		b.Run("1MiB/"+engine.Name, func(b *testing.B) {
			e, registry, id := benchEmbedder(b, engine, core.RenderRaw, 0)
			e.run(e.feed(registry, id, log)...)
			line := request(id)
			b.SetBytes(int64(len(log)))
			e.bench(b, reactor.Write(e.inputAt, line), reactor.Call("acp_message", registry, now(), uint64(len(line))),
				reactor.Call("acp_next_line", registry), reactor.Take())
			if answer := e.span("result"); len(answer) > 0 {
				b.Fatalf("got %s, want no failure", answer)
			}
		})
	}
}

func now() uint64 { return uint64(epoch.UnixNano()) }

// bench carries out steps b.N times.
func (e *embedder) bench(b *testing.B, steps ...reactor.Step) {
	b.ResetTimer()
	if _, _, err := e.instance.Run(b.N, steps...); err != nil {
		b.Fatal(err)
	}
}

// feed copies a chunk of output into the instance and hands it over.
func (e *embedder) feed(registry uint64, id core.TerminalID, chunk []byte) []reactor.Step {
	n := uint64(len(id))
	e.inputAt = uint32(e.run(reactor.Call("input", n+uint64(len(chunk)))))
	e.run(reactor.Write(e.inputAt, []byte(id)))
	return []reactor.Step{
		reactor.Write(e.inputAt+uint32(n), chunk),
		reactor.Call("handle_output", registry, now(), n, uint64(len(chunk)), 1),
	}
}

func benchNative(b *testing.B, rendering core.Rendering, liveBytes int) (coretest.Backend, core.TerminalID) {
	native, _ := coretest.OpenNative(core.Config{Seed: anySeed, LiveBytes: liveBytes}, true)
	id, err := native.Create(epoch, "s", core.Command{Command: "x", Rendering: rendering, OutputByteLimit: int64(len(log))})
	if err != nil {
		b.Fatal(err)
	}
	native.HandleResolved(epoch, id, core.Exec{}, nil)
	native.HandleStart(epoch, id, nil)
	for _, some := native.NextEffect(); some; _, some = native.NextEffect() {
	}
	return native, id
}

func benchEmbedder(b *testing.B, engine reactor.Engine, rendering core.Rendering, liveBytes int) (e *embedder, registry uint64, id core.TerminalID) {
	e = newEmbedder(b, engine)
	config := string(reactor.ConfigJSON(core.Config{Seed: anySeed, LiveBytes: liveBytes}, true))
	registry = uint64(e.call(config, "new_registry", uint64(len(config))))
	command := fmt.Sprintf(`{"command":"x","rendering":%q,"outputByteLimit":%d}`, rendering, len(log))
	e.call("s"+command, "create", registry, now(), 1, uint64(len(command)))
	id = core.TerminalID(e.span("result"))
	e.call(string(id)+"{}", "handle_resolved", registry, now(), uint64(len(id)), 2)
	if status := e.call(string(id), "handle_start", registry, now(), uint64(len(id)), 0); status != reactor.StatusOK {
		b.Fatalf("got status %d: %s", status, e.details())
	}
	for len(e.span("next_effect", registry)) > 0 {
	}
	return e, registry, id
}
