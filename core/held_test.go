//go:build !reactor

package core

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// heap returns how many bytes are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// runThrough carries out effects for commands that start, print and end at once.
func runThrough(r *Registry, now time.Time, output string) {
	for e, ok := r.NextEffect(); ok; e, ok = r.NextEffect() {
		switch e.Kind {
		case Resolve:
			argv := append([]string{e.Command.Command}, e.Command.Args...)
			r.HandleResolved(now, e.ID, Exec{Path: "/bin/true", Argv: argv, Via: ViaArgs}, nil)
		case Start:
			r.HandleStart(now, e.ID, nil)
			r.HandleOutput(now, e.ID, 1, []byte(output))
			r.HandleOutputEnd(now, e.ID)
			r.HandleExit(now, e.ID, Exit{})
		case Close:
			r.HandleClosed(now, e.ID)
		}
	}
}

// large are commands that hold a lot, each in another part.
var large = map[string]func() Command{
	"arguments": func() Command {
		return Command{Command: "true", Args: strings.Split(strings.Repeat("x ", 200_000), " ")}
	},
	"variables": func() Command {
		c := Command{Command: "true", Env: make([]EnvVariable, 200_000)}
		for i := range c.Env {
			c.Env[i].Name = "A"
		}
		return c
	},
	"value": func() Command {
		return Command{Command: "true", Env: []EnvVariable{{"A", strings.Repeat("x", 7<<20)}}}
	},
	"line": func() Command { return Command{Command: strings.Repeat("x", 7<<20)} },
	"cwd":  func() Command { return Command{Command: "true", Cwd: "/" + strings.Repeat("x", 7<<20)} },
	"root": func() Command { return Command{Command: "true", Roots: []string{"/" + strings.Repeat("x", 7<<20)}} },
}

// TestHeldWhileStarting: what commands hold before they start counts.
func TestHeldWhileStarting(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and the memory of one goroutine")
	}
	for name, command := range large {
		r := NewRegistry(Config{})
		before := heap()
		for range 8 {
			c := command()
			c.OutputByteLimit = -1
			if _, err := r.Create(time.Unix(0, 0), "s", c); err != nil {
				t.Fatal(name, err)
			}
		}
		if held := heap() - before; held > r.reserved+1<<20 {
			t.Errorf("%s: got %d KiB held, and %d KiB counted", name, held>>10, r.reserved>>10)
		}
		runtime.KeepAlive(r)
	}
}

// TestHeldWhenStarted: what only the start needed is dropped then, and what is
// left counts, also for a terminal that is kept for display.
func TestHeldWhenStarted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and the memory of one goroutine")
	}
	now := time.Unix(0, 0)
	for name, command := range large {
		r := NewRegistry(Config{})
		before := heap()
		var ids []TerminalID
		for range 8 {
			c := command()
			c.OutputByteLimit = -1
			id, err := r.Create(now, "s", c)
			if err != nil {
				t.Fatal(name, err)
			}
			ids = append(ids, id)
			runThrough(r, now, "")
		}
		if held := heap() - before; held > r.reserved+1<<20 {
			t.Errorf("%s: got %d KiB held by commands that run, and %d KiB counted", name, held>>10, r.reserved>>10)
		}
		for _, id := range ids {
			r.Release(now, id)
			runThrough(r, now, "")
		}
		if held := heap() - before; held > r.keptBytes+1<<20 || r.kept != 8 {
			t.Errorf("%s: got %d KiB held by %d kept terminals, and %d KiB counted", name, held>>10, r.kept, r.keptBytes>>10)
		}
		if r.reserved != 0 || r.live != 0 {
			t.Errorf("%s: got %d bytes reserved for %d terminals, want none", name, r.reserved, r.live)
		}
		runtime.KeepAlive(r)
	}
}

// TestKeptScreens: a kept terminal needs no screen, so that as many are kept with
// rendering screen as with any other.
func TestKeptScreens(t *testing.T) {
	now := time.Unix(0, 0)
	r := NewRegistry(Config{Screens: true})
	for range 256 {
		id, err := r.Create(now, "s", Command{Command: "vi", Pty: true, Rendering: RenderScreen, OutputByteLimit: 64 << 10})
		if err != nil {
			t.Fatal(err)
		}
		runThrough(r, now, "one\r\ntwo\r\n\x1b[31mthree")
		shown, _ := r.terminals[id].AppendOutput(nil)
		r.Release(now, id)
		runThrough(r, now, "")
		kept, truncated := r.terminals[id].AppendOutput(nil)
		if string(kept) != string(shown) || string(kept) != "one\ntwo\nthree\n" || truncated {
			t.Fatalf("got %q before the release and %q after, truncated %v", shown, kept, truncated)
		}
	}
	if r.kept != 256 {
		t.Errorf("%d of 256 terminals are kept", r.kept)
	}
}

// TestLargeCommandsAreRefused: entries count, not only their text.
func TestLargeCommandsAreRefused(t *testing.T) {
	r := NewRegistry(Config{})
	c := Command{Command: "true", Env: make([]EnvVariable, 1<<20)}
	for i := range c.Env {
		c.Env[i].Name = "A"
	}
	_, err := r.Create(time.Unix(0, 0), "s", c)
	if invalid, ok := err.(*InvalidError); !ok || invalid.Reason != "too_long" {
		t.Errorf("a million variables: got %v, want too_long", err)
	}
}
