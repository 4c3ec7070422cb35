//go:build !reactor

package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// kinds drains r and returns the kinds of its effects, such as "started exited".
func kinds(r *core.Registry) string {
	var names []string
	for e, ok := r.NextEffect(); ok; e, ok = r.NextEffect() {
		names = append(names, e.Kind.String())
	}
	return strings.Join(names, " ")
}

// TestWrongOrder: calls that a driver with two locks can make at the wrong time or of the wrong
// half panic, and say what to do.
func TestWrongOrder(t *testing.T) {
	const whole = "call its OutputHalf, and HandleSeen with what that returns"
	ask := []byte("\x1b[c") // which the screen answers
	for _, c := range []struct {
		name string
		call func(r *core.Registry, id core.TerminalID)
		want string
	}{
		{"split before there is a process", func(r *core.Registry, _ core.TerminalID) {
			id, err := r.Create(epoch, "s", core.Command{Command: "a"})
			if err != nil {
				t.Fatal(err)
			}
			r.Split(id)
		}, "call HandleStart first"},
		{"split of nothing", func(r *core.Registry, _ core.TerminalID) { r.Split("nosuch") }, "call HandleStart first"},
		{"split twice", func(r *core.Registry, id core.TerminalID) {
			r.Split(id)
			r.Split(id)
		}, "keep what the first Split has returned"},
		{"output", func(r *core.Registry, id core.TerminalID) {
			r.Split(id)
			r.HandleOutput(epoch, id, 1, []byte("x"))
		}, whole},
		{"output end", func(r *core.Registry, id core.TerminalID) {
			r.Split(id)
			r.HandleOutputEnd(epoch, id)
		}, whole},
		{"exit", func(r *core.Registry, id core.TerminalID) {
			r.Split(id)
			r.HandleExit(epoch, id, core.Exit{})
		}, whole},
		{"closed", func(r *core.Registry, id core.TerminalID) {
			half := r.Split(id)
			r.HandleSeen(epoch, half.HandleExit(core.Exit{}))
			r.HandleSeen(epoch, half.HandleOutputEnd())
			if err := r.Release(epoch, id); err != nil {
				t.Fatal(err)
			}
			r.HandleClosed(epoch, id)
		}, whole},
		{"a reply that nobody hands on", func(r *core.Registry, id core.TerminalID) {
			half := r.Split(id)
			half.HandleOutput(1, ask)
			r.HandleSeen(epoch, half.HandleOutputEnd())
		}, "1 Seen of HandleOutput were not handed to HandleSeen"},
		{"output after the exit that nobody hands on", func(r *core.Registry, id core.TerminalID) {
			half := r.Split(id)
			r.HandleSeen(epoch, half.HandleOutput(1, ask))
			r.HandleSeen(epoch, half.HandleExit(core.Exit{}))
			half.HandleOutput(1, []byte("the rest"))
			half.HandleOutput(1, []byte("of it"))
			r.HandleSeen(epoch, half.HandleClosed())
		}, "2 Seen of HandleOutput were not handed to HandleSeen"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, terminal := running(t, core.Config{Screens: true},
				core.Command{Pty: true, Interactive: true, Screen: true})
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, c.want) {
					t.Errorf("got the panic %q, want %q in it", got, c.want)
				}
			}()
			c.call(r, terminal.ID())
		})
	}
}

// TestSplit: the Registry learns of the output of a split terminal what it needs, and of most of it
// nothing.
func TestSplit(t *testing.T) {
	r, terminal := running(t, core.Config{Screens: true},
		core.Command{Pty: true, Interactive: true, Screen: true})
	half := r.Split(terminal.ID())
	if half.HandleOutput(1, []byte("ordinary output")).Due() {
		t.Error("ordinary output takes the registry's lock")
	}
	if e, ok := half.NextEffect(); !ok || e.Kind != core.OutputChanged {
		t.Errorf("got %v, %v, want output_changed", e, ok)
	}
	r.HandleSeen(epoch, half.HandleOutput(1, []byte("\x1b[c"))) // DA1
	if e, ok := r.NextEffect(); !ok || e.Kind != core.WriteInput || string(e.Data) != "\x1b[?1;2c" {
		t.Errorf("got %v, %v, want the answer to a query", e, ok)
	}

	r.HandleSeen(epoch, half.HandleExit(core.Exit{}).WithPending(4))
	r.HandleTimeout(epoch.Add(time.Hour)) // what is pending is waited for, however long it takes
	if got := kinds(r); got != "" {
		t.Errorf("with output pending got %q, want nothing", got)
	}
	seen := half.HandleOutput(1, []byte("rest"))
	if !seen.Due() {
		t.Error("output after the exit is not due")
	}
	r.HandleSeen(epoch.Add(time.Hour), seen)
	r.HandleTimeout(epoch.Add(2 * time.Hour))
	if got := kinds(r); got != "exited" {
		t.Errorf("when all is read got %q, want %q", got, "exited")
	}
	r.HandleSeen(epoch, half.HandleOutputEnd())
	if err := r.Release(epoch, terminal.ID()); err != nil {
		t.Fatal(err)
	}
	if got := kinds(r); got != "close" {
		t.Errorf("got %q, want %q", got, "close")
	}
	r.HandleSeen(epoch, half.HandleClosed())
	half.HandleOutput(1, []byte("too late"))
	if out, _ := terminal.AppendOutput(nil); string(out) != "ordinary outputrest" {
		t.Errorf("kept %q", out)
	}
	if err := r.CloseSession(epoch, "s"); err != nil {
		t.Fatal(err)
	}
	r.HandleSeen(epoch, half.HandleOutputEnd()) // forgotten by now: nothing happens
	if got := kinds(r); got != "" {
		t.Errorf("of a forgotten terminal got %q, want nothing", got)
	}
}

// TestLateDrain: an owner who does not drain after each call hears all of it later, in the same
// order: no output before Started, and none after Exited.
func TestLateDrain(t *testing.T) {
	r := core.NewRegistry(core.Config{LiveBytes: 100})
	id, err := r.Create(epoch, "s", core.Command{Command: "a"})
	if err != nil {
		t.Fatal(err)
	}
	r.HandleResolved(epoch, id, core.Exec{Path: "/bin/a"}, nil)
	r.HandleStart(epoch, id, nil)
	r.HandleOutput(epoch, id, 1, []byte("some"))
	r.HandleOutput(epoch, id, 1, []byte(" output"))
	r.HandleOutputEnd(epoch, id)
	r.HandleExit(epoch, id, core.Exit{})
	if got, want := kinds(r), "resolve start started output_changed exited"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

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

// What a driver with two locks calls does not allocate either.
func TestHalfDoesNotAllocate(t *testing.T) {
	for _, rendering := range []core.Rendering{core.RenderText, core.RenderRaw, core.RenderScreen} {
		for _, o := range outputs {
			config := core.Config{LiveBytes: 4096, Screens: true}
			c := core.Command{Rendering: rendering, OutputByteLimit: 64 << 10}
			r, terminal := running(t, config, c)
			half := r.Split(terminal.ID())
			handle := func() {
				r.HandleSeen(epoch, half.HandleOutput(1, o.chunk))
				half.NextEffect()
				drain(r)
			}
			for range 100 {
				handle() // until every buffer has grown to its limit
			}
			if n := testing.AllocsPerRun(100, handle); n != 0 {
				t.Errorf("%v %s: got %v allocations per call, want 0", rendering, o.name, n)
			}
		}
	}
}

// A host that hands in output after its end, which it must not, harms no other terminal.
func TestSeenAfterTheEnd(t *testing.T) {
	r, terminal := running(t, core.Config{}, core.Command{})
	half := r.Split(terminal.ID())
	r.HandleSeen(epoch, half.HandleExit(core.Exit{}))
	end := half.HandleOutputEnd()
	late := half.HandleOutput(1, []byte("late"))
	if !late.Due() {
		t.Fatal("output after the exit is not due")
	}
	r.HandleSeen(epoch, late)
	r.HandleSeen(epoch, end)
}
