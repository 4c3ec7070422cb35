package core

import "github.com/terrarium-dev/terrarium/core/vt"

// A Screen is a [vt.Screen], as far as a Terminal uses it. The linker leaves
// that out of a program that sets no Config.NewScreen, such as the reactor, for
// which it would be too much to download.
type Screen interface {
	Write(p []byte)
	Resize(rows, cols int)
	AppendLines(dst []byte) []byte
	TakeReplies(dst []byte) []byte
}

// NewScreen is a Config.NewScreen.
func NewScreen(o vt.Options) Screen { return vt.NewScreen(o) }

// display is the screen of a terminal that has one.
type display struct {
	make    func(vt.Options) Screen
	options vt.Options
	screen  Screen // nil until somebody needs it
	renders bool   // the output is what it shows
}

// newDisplay returns the display of a terminal for c, nil if it has none.
func newDisplay(c *Command, make func(vt.Options) Screen) *display {
	if !c.hasScreen() {
		return nil
	}
	scrollback := -1
	if c.OutputByteLimit > 0 {
		scrollback = int(c.OutputByteLimit)
	}
	conversation := c.Pty && c.Interactive
	return &display{
		make: make,
		options: vt.Options{
			Rows: c.Rows, Cols: c.Cols, ScrollbackBytes: scrollback,
			Newline: !conversation, // nothing turns LF into CR LF
			Replies: conversation,
		},
		renders: c.Rendering == RenderScreen,
	}
}

// of returns the screen, which gives what scrolls out to o if o is what it shows.
func (d *display) of(o *output) Screen {
	if d.screen == nil {
		if d.renders {
			d.options.Scrolled = &o.ring
		}
		d.screen = d.make(d.options)
	}
	return d.screen
}

// Screen returns the terminal's screen: what a person would see. It is nil
// unless the command has RenderScreen or asks for a Screen, and Config.NewScreen
// made a *vt.Screen. It belongs to the terminal: who has it must not write to it,
// and must hold the lock, if there is one, for as long as it is looked at.
func (t *Terminal) Screen() *vt.Screen {
	d := t.output.display
	if d == nil {
		return nil
	}
	s, _ := d.of(&t.output).(*vt.Screen)
	return s
}

// HandleResize gives the screen a new size. It is called for every Resize
// effect, before the process hears of it.
func (t *Terminal) HandleResize(rows, cols int) {
	d := t.output.display
	if d == nil {
		return
	}
	d.options.Rows, d.options.Cols = rows, cols
	if d.screen != nil {
		d.screen.Resize(rows, cols)
	}
}

// TakeReplies appends to dst what the screen has to answer to the program's
// queries, and forgets it. It is for Registry.HandleReplies.
func (t *Terminal) TakeReplies(dst []byte) []byte {
	d := t.output.display
	if d == nil || d.screen == nil {
		return dst
	}
	return d.screen.TakeReplies(dst)
}

// screenBytes is what the screen of a command may hold in memory, in bytes,
// besides its scrollback: two screens, a frame that is held back, styles and
// clusters.
func (c *Command) screenBytes(rows, cols int) int64 {
	if !c.hasScreen() {
		return 0
	}
	n := 4<<10 + 64*int64(rows)*int64(cols)
	if c.Rendering != RenderScreen {
		n += c.OutputByteLimit // the scrollback
	}
	return n
}

func (c *Command) hasScreen() bool { return c.Screen || c.Rendering == RenderScreen }
