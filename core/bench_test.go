package core_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

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
