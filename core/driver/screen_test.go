package driver_test

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/vt"
)

var withScreens = driver.Config{Host: host{}, Core: core.Config{Screens: true}}

// echo is a command that draws what it is sent.
var echo = core.Command{Command: "echo", Pty: true, Interactive: true, Screen: true, Rendering: core.RenderRaw, Rows: 5, Cols: 20}

func TestScreen(t *testing.T) {
	bubble(t, withScreens, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", echo)
		if err != nil {
			t.Fatal(err)
		}
		look := func() (text, title string, bells uint64, rows, cols int) {
			synctest.Wait()
			shown := term.Screen(func(s *vt.Screen) {
				text, title, bells = string(s.AppendText(nil)), s.Title(), s.Bells()
				rows, cols = s.Size()
			})
			if !shown {
				t.Error("there is no screen")
			}
			return text, title, bells, rows, cols
		}
		if text, _, _, rows, cols := look(); text != "" || rows != 5 || cols != 20 {
			t.Errorf("before any output: got %q, %dx%d, want a blank 5x20", text, rows, cols)
		}
		term.Write([]byte("\x1b]2;editor\a\a\x1b[2;3Hdrawn"))
		if text, title, bells, _, _ := look(); text != "\n  drawn\n" || title != "editor" || bells != 1 {
			t.Errorf("got %q, title %q, %d bells, want text in the second line, title editor, 1 bell", text, title, bells)
		}
		term.Resize(10, 30)
		if _, _, _, rows, cols := look(); rows != 10 || cols != 30 {
			t.Errorf("got %dx%d, want 10x30", rows, cols)
		}
		// The answer goes to the command, which draws it: CSI 2 ; 8 R draws nothing.
		term.Write([]byte("\x1b[6n"))
		look()
		const want = "\x1b]2;editor\a\a\x1b[2;3Hdrawn\x1b[6n\x1b[2;8R"
		if out, _ := term.AppendOutput(nil); string(out) != want {
			t.Errorf("got output %q, want %q", out, want)
		}
		d.CloseSession("s")
		synctest.Wait()
		if term.Screen(func(*vt.Screen) { t.Error("it was looked at") }) {
			t.Error("there is a screen after the session")
		}
	})
}

func TestNoScreen(t *testing.T) {
	bubble(t, withScreens, func(t *testing.T, d *driver.Driver) {
		c := echo
		c.Screen = false
		term, err := d.Create(t.Context(), "s", c)
		if err != nil {
			t.Fatal(err)
		}
		term.Write([]byte("\x1b[6n"))
		synctest.Wait()
		if term.Screen(func(*vt.Screen) {}) {
			t.Error("there is a screen that nobody asked for")
		}
		if out, _ := term.AppendOutput(nil); string(out) != "\x1b[6n" {
			t.Errorf("got output %q, want the query only", out)
		}
	})
}

// TestScreenRace is for the race detector.
func TestScreenRace(t *testing.T) {
	bubble(t, withScreens, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", echo)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() { term.Write([]byte("\x1b[6nsome text\r\n")) })
			all.Go(func() { term.Resize(1+i, 100-i) })
			all.Go(func() { term.Screen(func(s *vt.Screen) { s.AppendText(nil) }) })
		}
		all.Wait()
	})
}
