package core_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// running returns a registry with one running terminal, its effects drained.
func running(t testing.TB, config core.Config, c core.Command) (*core.Registry, *core.Terminal) {
	t.Helper()
	r := core.NewRegistry(config)
	c.Command = "a"
	id, err := r.Create(epoch, "s", c)
	if err != nil {
		t.Fatal(err)
	}
	r.HandleResolved(epoch, id, core.Exec{Path: "/bin/a", Argv: []string{"a"}, Via: core.ViaFile}, nil)
	r.HandleStart(epoch, id, nil)
	drain(r)
	terminal, _ := r.Terminal(id)
	return r, terminal
}

func drain(r *core.Registry) {
	for _, ok := r.NextEffect(); ok; _, ok = r.NextEffect() {
	}
}

var outputs = []struct {
	name  string
	chunk []byte
}{
	{"log", []byte(strings.Repeat("2026-01-01T00:00:00Z info: compiled package number 12345 in 67 ms\r\n", 100))},
	{"colour", []byte(strings.Repeat("\x1b[32mok\x1b[0m  \x1b[1mcore/ring\x1b[0m \x1b[38;5;242m0.012s\x1b[0m\r\n", 100))},
	{"progress", []byte(strings.Repeat("\r\x1b[K[======>      ] 54% 12.3 MB/s", 100))},
	{"invalid", bytes.Repeat([]byte("ab\xff\xe2\x82"), 500)},
}

func TestHandleOutputDoesNotAllocate(t *testing.T) {
	for _, rendering := range []core.Rendering{core.RenderText, core.RenderRaw, core.RenderScreen} {
		for _, o := range outputs {
			config := core.Config{LiveBytes: 4096, Screens: true}
			c := core.Command{Rendering: rendering, OutputByteLimit: 64 << 10}
			r, terminal := running(t, config, c)
			handle := func() {
				r.HandleOutput(epoch, terminal.ID(), 2, o.chunk)
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

func TestIdleTerminalIsSmall(t *testing.T) {
	for name, c := range map[string]core.Command{
		"text":            {},
		"screen":          {Rendering: core.RenderScreen},
		"text and screen": {Interactive: true, Screen: true},
	} {
		const n = 1000
		r := core.NewRegistry(core.Config{MaxSessionTerminals: n, MaxOutputBytes: 1 << 40, Screens: true})
		line := []byte("Listening on http://localhost:8080/\r\n")
		c.Command, c.Pty = "serve", true
		before := heap()
		for range n {
			id, err := r.Create(epoch, "s", c)
			if err != nil {
				t.Fatal(err)
			}
			r.HandleResolved(epoch, id, core.Exec{Path: "/bin/serve", Argv: []string{"serve"}}, nil)
			r.HandleStart(epoch, id, nil)
			r.HandleOutput(epoch, id, 1, line)
			drain(r)
		}
		each := (heap() - before) / n
		t.Logf("%s: %d bytes for each idle terminal with one line", name, each)
		if each > 4096 {
			t.Errorf("%s: got %d bytes for each idle terminal, want at most 4096", name, each)
		}
		runtime.KeepAlive(r)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestLentDataIsPoisoned keeps effect data for too long, which must show. Input
// is not lent but given away, so that a driver need not copy it.
func TestLentDataIsPoisoned(t *testing.T) {
	r, terminal := running(t, core.Config{LiveBytes: 100}, core.Command{Interactive: true})
	if err := r.Write(epoch, terminal.ID(), []byte("input")); err != nil {
		t.Fatal(err)
	}
	input, _ := r.NextEffect()
	if got := string(input.Data); got != "input" {
		t.Fatalf("got %q, want %q", got, "input")
	}
	r.HandleOutput(epoch, terminal.ID(), 1, []byte("output"))
	output, _ := r.NextEffect()
	if got := string(input.Data); got != "input" {
		t.Errorf("data of WriteInput has become %q", got)
	}
	if got := string(output.Data); got != "output" {
		t.Fatalf("got %q, want %q", got, "output")
	}
	r.NextEffect()
	if got := string(output.Data); got == "output" {
		t.Error("data of OutputChanged is still good after the next NextEffect")
	}
}

// FuzzOutput splits output anywhere: what a terminal keeps must not depend on
// it, must fit the limit and must be UTF-8.
func FuzzOutput(f *testing.F) {
	for _, o := range outputs {
		f.Add(o.chunk, uint16(100), uint16(7), uint8(core.RenderText))
		f.Add(o.chunk, uint16(33), uint16(1000), uint8(core.RenderRaw))
		f.Add(o.chunk, uint16(50), uint16(77), uint8(core.RenderScreen))
	}
	f.Add([]byte("€€€\xe2\x82"), uint16(4), uint16(1), uint8(core.RenderRaw))
	f.Add([]byte("\x1b[?1049h世界\x1b[3J\x1bc\x1b[2;3r\n\n\n\n"), uint16(4), uint16(1), uint8(core.RenderScreen))
	f.Fuzz(func(t *testing.T, p []byte, limit, split uint16, rendering uint8) {
		bytesLimit := int64(limit)
		if limit == 0 {
			bytesLimit = -1
		}
		render := func(chunk int) (string, bool) {
			r, terminal := running(t, core.Config{Screens: true}, core.Command{
				Rendering: core.Rendering(rendering % 4), OutputByteLimit: bytesLimit, Rows: 4, Cols: 9,
			})
			for rest := p; len(rest) > 0; {
				n := min(chunk, len(rest))
				r.HandleOutput(epoch, terminal.ID(), 1, rest[:n])
				rest = rest[n:]
			}
			r.HandleOutputEnd(epoch, terminal.ID())
			out, truncated := terminal.AppendOutput(nil)
			return string(out), truncated
		}
		whole, truncated := render(max(1, len(p)))
		pieces, truncatedToo := render(int(split)%97 + 1)
		if whole != pieces || truncated != truncatedToo {
			t.Errorf("got %q %v in pieces, want %q %v", pieces, truncatedToo, whole, truncated)
		}
		if len(whole) > int(limit) {
			t.Errorf("got %d bytes, want at most %d", len(whole), limit)
		}
		if !utf8.ValidString(whole) {
			t.Errorf("got invalid UTF-8: %q", whole)
		}
	})
}

func TestNoScreens(t *testing.T) {
	r := core.NewRegistry(core.Config{})
	for _, c := range []core.Command{{Rendering: core.RenderScreen}, {Screen: true}} {
		c.Command = "a"
		if _, err := r.Create(epoch, "s", c); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("got %v, want %v", err, errors.ErrUnsupported)
		} else if !strings.Contains(err.Error(), "set Config.Screens") {
			t.Errorf("got %q, which does not say what to do", err)
		}
	}
}
