package core_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

func BenchmarkHandleOutput(b *testing.B) {
	for _, rendering := range []core.Rendering{core.RenderRaw, core.RenderText, core.RenderScreen} {
		for _, o := range outputs {
			b.Run(rendering.String()+"/"+o.name, func(b *testing.B) {
				r, terminal := running(b, core.Config{Screens: true}, core.Command{Rendering: rendering})
				half := r.Split(terminal.ID())
				b.SetBytes(int64(len(o.chunk)))
				b.ReportAllocs()
				for b.Loop() {
					half.HandleOutput(1, o.chunk)
				}
			})
		}
	}
}

func BenchmarkAppendOutput(b *testing.B) {
	r, terminal := running(b, core.Config{}, core.Command{Rendering: core.RenderText})
	for range 1000 {
		r.HandleOutput(epoch, terminal.ID(), 1, outputs[0].chunk)
	}
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out, _ = terminal.AppendOutput(out[:0])
		b.SetBytes(int64(len(out)))
	}
}

// BenchmarkLife is a terminal from Create to its last effect.
func BenchmarkLife(b *testing.B) {
	r := core.NewRegistry(core.Config{})
	b.ReportAllocs()
	for b.Loop() {
		id, err := r.Create(epoch, "s", core.Command{Command: "true", Pty: true})
		if err != nil {
			b.Fatal(err)
		}
		r.HandleResolved(epoch, id, core.Exec{Path: "/bin/true", Argv: []string{"true"}}, nil)
		r.HandleStart(epoch, id, nil)
		r.HandleExit(epoch, id, core.Exit{})
		r.HandleOutputEnd(epoch, id)
		r.Release(epoch, id)
		drain(r)
		r.HandleClosed(epoch, id)
		drain(r)
	}
}
