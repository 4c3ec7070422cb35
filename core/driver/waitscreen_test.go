package driver_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/keys"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// showing returns a function for WaitForScreen.
func showing(text string) func(*vt.Screen) bool {
	return func(s *vt.Screen) bool { return strings.Contains(string(s.AppendText(nil)), text) }
}

// TestWaitForScreen: who waits is told when the screen shows it, and why it never will.
func TestWaitForScreen(t *testing.T) {
	const second = time.Second
	for _, test := range []struct {
		name  string
		later func(d *driver.Driver, id core.TerminalID) // after a second
		err   error
		after time.Duration
	}{
		{"drawn", func(d *driver.Driver, id core.TerminalID) { d.Terminal(id).Write([]byte("\x1b[2;3Hwan\x1b[2;6Hted")) }, nil, second},
		{"in two parts", func(d *driver.Driver, id core.TerminalID) {
			d.Terminal(id).Write([]byte("wan"))
			time.Sleep(second)
			d.Terminal(id).Write([]byte("ted"))
		}, nil, 2 * second},
		{"a frame", func(d *driver.Driver, id core.TerminalID) {
			d.Terminal(id).Write([]byte("\x1b[?2026hwanted"))
			time.Sleep(second / 2)
			d.Terminal(id).Write([]byte("\x1b[?2026l"))
		}, nil, 3 * second / 2},
		{"a frame without end", func(d *driver.Driver, id core.TerminalID) {
			d.Terminal(id).Write([]byte("\x1b[?2026hwanted"))
			for range 10 {
				time.Sleep(second / 3)
				d.Terminal(id).Write([]byte("."))
			}
		}, nil, 2 * second},
		{"a size", func(d *driver.Driver, id core.TerminalID) {
			// The screen shows it in two rows of 20 columns.
			d.Terminal(id).Write([]byte("0123456789012345678wanted\r\n"))
			time.Sleep(second)
			d.Terminal(id).Resize(5, 40)
		}, nil, 2 * second},
		{"an end", func(d *driver.Driver, id core.TerminalID) { d.Terminal(id).CloseInput() }, driver.ErrNotShown, second},
		{"drawn at the end", func(d *driver.Driver, id core.TerminalID) {
			d.Terminal(id).Write([]byte("\x1b[?2026hwanted"))
			d.Terminal(id).CloseInput()
		}, nil, second},
		{"a release", func(d *driver.Driver, id core.TerminalID) { d.Terminal(id).Release() }, driver.ErrNotShown, second},
		{"no end", func(d *driver.Driver, id core.TerminalID) {}, context.DeadlineExceeded, time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, withScreens, func(t *testing.T, d *driver.Driver) {
				term, err := d.Create(t.Context(), "s", echo)
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				go func() { // ends within the test's minute
					time.Sleep(second)
					test.later(d, term.ID())
				}()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if err := term.WaitForScreen(ctx, showing("wanted")); !errors.Is(err, test.err) {
					t.Errorf("got %v, want %v", err, test.err)
				}
				if took := time.Since(began); took < test.after || took > test.after+second/4 {
					t.Errorf("it took %v, want %v", took, test.after)
				}
				time.Sleep(10 * second) // for the other goroutine
			})
		})
	}
}

// TestWaitForScreenAtOnce: what is shown already is not waited for, nor what can't be.
func TestWaitForScreenAtOnce(t *testing.T) {
	bubble(t, withScreens, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", echo)
		if err != nil {
			t.Fatal(err)
		}
		term.Write([]byte("shown"))
		synctest.Wait()
		if err := term.WaitForScreen(t.Context(), showing("shown")); err != nil {
			t.Error(err)
		}
		term.CloseInput()
		term.Wait(t.Context())
		if err := term.WaitForScreen(t.Context(), showing("shown")); err != nil {
			t.Errorf("after the end: %v", err)
		}
		plain := echo
		plain.Screen = false
		if term, err = d.Create(t.Context(), "s", plain); err != nil {
			t.Fatal(err)
		}
		if err := term.WaitForScreen(t.Context(), showing("")); err != driver.ErrNoScreen {
			t.Errorf("got %v, want %v", err, driver.ErrNoScreen)
		}
		if err := d.Terminal("none").WaitForScreen(t.Context(), showing("")); err != core.ErrUnknownTerminal {
			t.Errorf("got %v, want %v", err, core.ErrUnknownTerminal)
		}
	})
}

// TestWaitForQuiet: what comes in between has it wait anew.
func TestWaitForQuiet(t *testing.T) {
	bubble(t, withScreens, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", echo)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		go func() { // ends with the last write
			for range 3 {
				time.Sleep(700 * time.Millisecond)
				term.Write([]byte("x"))
			}
		}()
		if err := term.WaitForQuiet(t.Context(), time.Second); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 3100*time.Millisecond {
			t.Errorf("it took %v, want 3.1s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := term.WaitForQuiet(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		began = time.Now()
		term.CloseInput()
		if err := term.WaitForQuiet(t.Context(), time.Hour); err != nil || time.Since(began) > time.Minute {
			t.Errorf("at the end: got %v after %v", err, time.Since(began))
		}
	})
}

func TestWaitForOutput(t *testing.T) {
	bubble(t, withScreens, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", echo)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		go func() { // ends with the second write
			for range 2 {
				time.Sleep(time.Minute)
				term.Write([]byte("x"))
			}
		}()
		for n, want := range []time.Duration{time.Minute, 2 * time.Minute} {
			if err := term.WaitForOutput(t.Context(), uint64(n)); err != nil || time.Since(began) != want {
				t.Errorf("more than %d bytes: got %v after %v, want them after %v", n, err, time.Since(began), want)
			}
		}
		if err := term.WaitForOutput(t.Context(), 1); err != nil || time.Since(began) != 2*time.Minute {
			t.Errorf("of what is there: got %v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := term.WaitForOutput(ctx, 1000); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		term.CloseInput()
		if err := term.WaitForOutput(t.Context(), 1000); err != nil {
			t.Errorf("at the end: got %v", err)
		}
	})
}

func TestKeyModes(t *testing.T) {
	bubble(t, withScreens, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", echo)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			typed string
			want  keys.Modes
		}{
			{"", keys.Modes{}},
			{"\x1b[?1h", keys.Modes{AppCursor: true}},
			{"\x1b=", keys.Modes{AppCursor: true, AppKeypad: true}},
			{"\x1b[?1l", keys.Modes{AppKeypad: true}},
		} {
			term.Write([]byte(c.typed))
			synctest.Wait()
			if got := term.KeyModes(); got != c.want {
				t.Errorf("after %q: got %+v, want %+v", c.typed, got, c.want)
			}
		}
	})
}
