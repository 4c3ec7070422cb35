package driver_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// TestOnClosing: what a released terminal showed can be kept.
func TestOnClosing(t *testing.T) {
	config := withScreens
	shown := make(map[core.TerminalID]string)
	config.OnClosing = func(t *core.Terminal) { shown[t.ID()] = string(t.Screen().AppendText(nil)) }
	bubble(t, config, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", echo)
		if err != nil {
			t.Fatal(err)
		}
		term.Write([]byte("\x1b[2;3Hdrawn"))
		synctest.Wait()
		if len(shown) != 0 {
			t.Error("it was told of a terminal that runs")
		}
		term.Release()
		synctest.Wait()
		if got, want := shown[term.ID()], "\n  drawn\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		looked := term.Look(func(terminal *core.Terminal) {
			if terminal.Screen() != nil || terminal.Written() != 11 {
				t.Errorf("after the release: got screen %v, %d bytes, want none and 11", terminal.Screen(), terminal.Written())
			}
		})
		if !looked {
			t.Error("the released terminal can't be looked at")
		}
	})
}

// telling is a host that tells which terminal it is asked for.
type telling struct {
	host
	told func(at string, ctx context.Context)
}

func (h telling) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	h.told("resolve", ctx)
	return h.host.Resolve(ctx, c)
}

func (h telling) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	h.told("start", ctx)
	return h.host.Start(ctx, e)
}

func TestTerminalOf(t *testing.T) {
	got := make(map[string]core.TerminalID)
	told := func(at string, ctx context.Context) { got[at], _ = driver.TerminalOf(ctx) }
	config := driver.Config{
		Host: telling{told: told},
		Decide: func(ctx context.Context, _ core.Exec) core.Decision {
			told("decide", ctx)
			return core.Decision{Allow: true}
		},
	}
	bubble(t, config, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", core.Command{Command: "echo"})
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{"resolve", "decide", "start"} {
			if got[at] != term.ID() {
				t.Errorf("%s: got %q, want %q", at, got[at], term.ID())
			}
		}
		if _, ok := driver.TerminalOf(t.Context()); ok {
			t.Error("any context has a terminal")
		}
	})
}

// TestOnKept: who is told that a terminal looks different finds it so.
func TestOnKept(t *testing.T) {
	config := withScreens
	var d *driver.Driver
	var told []string
	config.OnKept = func(id core.TerminalID) {
		d.Terminal(id).Screen(func(s *vt.Screen) {
			rows, cols := s.Size()
			told = append(told, fmt.Sprintf("%dx%d %s", rows, cols, s.AppendText(nil)))
		})
	}
	synctest.Test(t, func(t *testing.T) {
		d = driver.New(config)
		defer d.Close()
		term, err := d.Create(t.Context(), "s", echo)
		if err != nil {
			t.Fatal(err)
		}
		term.Write([]byte("drawn"))
		synctest.Wait()
		term.Resize(6, 30)
		synctest.Wait()
		if want := []string{"5x20 drawn\n", "6x30 drawn\n"}; !slices.Equal(told, want) {
			t.Errorf("got %q, want %q", told, want)
		}
	})
}
