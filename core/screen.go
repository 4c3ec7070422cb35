//go:build !reactor

package core

import (
	"slices"
	"time"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// hasScreens reports whether this build has screens.
const hasScreens = true

// A display is the screen of a terminal that has one. The methods of nil do
// nothing.
type display struct {
	options *vt.Options // nil once there is a screen
	screen  *vt.Screen  // nil until somebody needs it
	renders bool        // the output is what it shows
}

// newDisplay returns the display of a terminal for c, nil if it has none.
func newDisplay(c *Command) *display {
	if !c.hasScreen() {
		return nil
	}
	scrollback := -1
	if c.OutputByteLimit > 0 {
		scrollback = int(c.OutputByteLimit)
	}
	conversation := c.Pty && c.Interactive
	return &display{
		options: &vt.Options{
			Rows: c.Rows, Cols: c.Cols, ScrollbackBytes: scrollback,
			Newline: !conversation, // nothing turns LF into CR LF
			Replies: conversation,
		},
		renders: c.Rendering == RenderScreen,
	}
}

// use returns the screen. It hands what scrolls out to o if o is what it shows.
func (d *display) use(o *output) *vt.Screen {
	if d == nil {
		return nil
	}
	if d.screen == nil {
		if d.renders {
			d.options.Scrolled = &o.ring
		}
		d.screen = vt.NewScreen(*d.options)
		d.options = nil
	}
	return d.screen
}

// write draws p, and reports whether that is all there is to do with it.
func (d *display) write(o *output, p []byte) bool {
	if d == nil {
		return false
	}
	d.use(o).Write(p)
	return d.renders
}

// lines returns what the screen shows, if that is the output.
func (d *display) lines() []byte {
	if d == nil || d.screen == nil || !d.renders {
		return nil
	}
	return d.screen.AppendLines(nil)
}

// Screen returns the terminal's screen: what a person would see. It is nil
// unless the command has RenderScreen or asks for a Screen, and after HandleClosed.
// It belongs to the
// terminal: who has it must not write to it, and must hold the lock, if there is
// one, for as long as it is looked at.
func (t *Terminal) Screen() *vt.Screen { return t.output.display.use(&t.output) }

// HandleResize gives the screen a new size. It is called for every Resize
// effect, before the process hears of it.
func (t *Terminal) HandleResize(rows, cols int) {
	switch d := t.output.display; {
	case d == nil:
	case d.screen == nil:
		d.options.Rows, d.options.Cols = rows, cols
	default:
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

// HandleReplies hands p, which Terminal.TakeReplies returned, to the command's
// standard input. p is not kept. It is dropped where Write would refuse it.
func (r *Registry) HandleReplies(_ time.Time, id TerminalID, p []byte) {
	if len(p) == 0 {
		return
	}
	t, err := r.writable(id)
	if err != nil || len(p) > r.config.MaxInput-t.stdin.pending {
		return
	}
	r.pushInput(t, slices.Clone(p))
}

// reply is TakeReplies and HandleReplies.
func (r *Registry) reply(now time.Time, t *Terminal) {
	r.HandleReplies(now, t.id, t.TakeReplies(nil))
}

// reserveScreen counts what a screen of a new size may hold in place of what it
// was.
func (r *Registry) reserveScreen(t *Terminal, rows, cols int) error {
	c := &t.exec.Command
	more := c.screenBytes(rows, cols) - c.screenBytes(t.rows, t.cols)
	if more < 0 {
		r.letGo(0, -more)
		return nil
	}
	return r.hold(0, more)
}

// screenBytes is what the screen of c may hold in memory at a size, in bytes: two
// screens, a frame that is held back, styles and clusters, and the scrollback. It
// is what the worst of programs can do; others take a tenth of it.
func (c *Command) screenBytes(rows, cols int) int64 {
	if !c.hasScreen() {
		return 0
	}
	n := 1<<20 + 256*int64(rows)*int64(cols)
	if c.Rendering != RenderScreen {
		n += c.OutputByteLimit
	}
	return n
}
