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
		{"drawn", func(d *driver.Driver, id core.TerminalID) { d.Write(id, []byte("\x1b[2;3Hwan\x1b[2;6Hted")) }, nil, second},
		{"in two parts", func(d *driver.Driver, id core.TerminalID) {
			d.Write(id, []byte("wan"))
			time.Sleep(second)
			d.Write(id, []byte("ted"))
		}, nil, 2 * second},
		{"a frame", func(d *driver.Driver, id core.TerminalID) {
			d.Write(id, []byte("\x1b[?2026hwanted"))
			time.Sleep(second / 2)
			d.Write(id, []byte("\x1b[?2026l"))
		}, nil, 3 * second / 2},
		{"a frame without end", func(d *driver.Driver, id core.TerminalID) {
			d.Write(id, []byte("\x1b[?2026hwanted"))
			for range 10 {
				time.Sleep(second / 3)
				d.Write(id, []byte("."))
			}
		}, nil, 2 * second},
		{"a size", func(d *driver.Driver, id core.TerminalID) {
			d.Write(id, []byte("0123456789012345678wanted\r\n")) // in two rows of 20 columns
			time.Sleep(second)
			d.Resize(id, 5, 40)
		}, nil, 2 * second},
		{"an end", func(d *driver.Driver, id core.TerminalID) { d.CloseInput(id) }, driver.ErrNotShown, second},
		{"drawn at the end", func(d *driver.Driver, id core.TerminalID) {
			d.Write(id, []byte("\x1b[?2026hwanted"))
			d.CloseInput(id)
		}, nil, second},
		{"a release", func(d *driver.Driver, id core.TerminalID) { d.Release(id) }, driver.ErrNotShown, second},
		{"no end", func(d *driver.Driver, id core.TerminalID) {}, context.DeadlineExceeded, time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, withScreens, func(t *testing.T, d *driver.Driver) {
				id, err := d.Create(t.Context(), "s", echo)
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				go func() { // ends within the test's minute
					time.Sleep(second)
					test.later(d, id)
				}()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if err := d.WaitForScreen(ctx, id, showing("wanted")); !errors.Is(err, test.err) {
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
		id, err := d.Create(t.Context(), "s", echo)
		if err != nil {
			t.Fatal(err)
		}
		d.Write(id, []byte("shown"))
		synctest.Wait()
		if err := d.WaitForScreen(t.Context(), id, showing("shown")); err != nil {
			t.Error(err)
		}
		d.CloseInput(id)
		d.WaitForExit(t.Context(), id)
		if err := d.WaitForScreen(t.Context(), id, showing("shown")); err != nil {
			t.Errorf("after the end: %v", err)
		}
		plain := echo
		plain.Screen = false
		if id, err = d.Create(t.Context(), "s", plain); err != nil {
			t.Fatal(err)
		}
		if err := d.WaitForScreen(t.Context(), id, showing("")); err != driver.ErrNoScreen {
			t.Errorf("got %v, want %v", err, driver.ErrNoScreen)
		}
		if err := d.WaitForScreen(t.Context(), "none", showing("")); err != core.ErrUnknownTerminal {
			t.Errorf("got %v, want %v", err, core.ErrUnknownTerminal)
		}
	})
}

// TestWaitForQuiet: what comes in between has it wait anew.
func TestWaitForQuiet(t *testing.T) {
	bubble(t, withScreens, func(t *testing.T, d *driver.Driver) {
		id, err := d.Create(t.Context(), "s", echo)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		go func() { // ends with the last write
			for range 3 {
				time.Sleep(700 * time.Millisecond)
				d.Write(id, []byte("x"))
			}
		}()
		if err := d.WaitForQuiet(t.Context(), id, time.Second); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 3100*time.Millisecond {
			t.Errorf("it took %v, want 3.1s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := d.WaitForQuiet(ctx, id, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		began = time.Now()
		d.CloseInput(id)
		if err := d.WaitForQuiet(t.Context(), id, time.Hour); err != nil || time.Since(began) > time.Minute {
			t.Errorf("at the end: got %v after %v", err, time.Since(began))
		}
	})
}
