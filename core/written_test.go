//go:build !reactor

package core_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

// TestWritten: it counts what OutputChanged tells, lost bytes too, and what the
// next one will tell.
func TestWritten(t *testing.T) {
	r, terminal := running(t, core.Config{LiveBytes: 10}, core.Command{})
	half := r.Split(terminal.ID())
	var told uint64
	take := func() {
		for e, ok := half.NextEffect(); ok; e, ok = half.NextEffect() {
			told += uint64(len(e.Data)) + e.Lost
		}
	}
	for _, p := range []string{"abc", "\xff", "more than ten bytes", "\xe2\x82"} {
		before := told
		half.HandleOutput(1, []byte(p))
		written := terminal.Written()
		take()
		if told != written {
			t.Errorf("after %q: told %d, written %d", p, told, written)
		}
		if want := before != told; want != (p != "\xe2\x82") { // of which the rest may come
			t.Errorf("after %q: told %d, before %d", p, told, before)
		}
	}
	half.HandleOutputEnd()
	if take(); told != terminal.Written() || told != 3+3+19+3 {
		t.Errorf("at the end: told %d, written %d, want 28", told, terminal.Written())
	}
}

func TestKept(t *testing.T) {
	for _, rendering := range []core.Rendering{core.RenderText, core.RenderRaw, core.RenderScreen} {
		r, terminal := running(t, core.Config{Screens: true}, core.Command{Rendering: rendering, OutputByteLimit: 8})
		check := func(output string) {
			t.Helper()
			r.HandleOutput(epoch, terminal.ID(), 1, []byte(output))
			kept, truncated := terminal.Kept()
			out, want := terminal.AppendOutput(nil)
			if kept != len(out) || truncated != want {
				t.Errorf("%v after %q: got %d, %v, want %d, %v", rendering, output, kept, truncated, len(out), want)
			}
		}
		check("")
		check("1\r\n")
		check("open")
		check("\r\nmore than eight\r\n")
		check("x")
	}
}
