//go:build !reactor

package core

import (
	"github.com/terrarium-dev/terrarium/core/render"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// hasScreens reports whether this build has screens.
const hasScreens = true

// A display is the screen of a terminal that has one.
type display = render.Screen

// addScreen gives o a screen if c has one: that of RenderScreen, or one beside it.
func (o *output) addScreen(c *Command) {
	if !c.hasScreen() {
		return
	}
	scrollback := -1
	if c.OutputByteLimit > 0 {
		scrollback = int(c.OutputByteLimit)
	}
	conversation := c.Pty && c.Interactive
	options := vt.Options{
		Rows: c.Rows, Cols: c.Cols, ScrollbackBytes: scrollback,
		Newline: !conversation, // nothing turns LF into CR LF
		Replies: conversation,
	}
	if c.Rendering == RenderScreen {
		o.display = render.NewScreen(options)
		o.renderer = o.display
		return
	}
	o.display = render.NewView(options)
}

// isScreen reports whether the output is what the screen shows.
func (o *output) isScreen() bool { return o.display != nil && o.renderer == render.Renderer(o.display) }

// draw draws p on the screen beside the output, if there is one.
func (o *output) draw(p []byte) {
	if o.display != nil {
		o.display.Write(nil, p)
	}
}

// Screen returns the terminal's screen: what a person would see. It is nil
// unless the command has RenderScreen or asks for a Screen, and once its process is freed.
// It belongs to the terminal: who has it must not write to it, and must hold the lock, if there is
// one, for as long as it is looked at.
func (t *Terminal) Screen() *vt.Screen {
	if t.output.display == nil {
		return nil
	}
	return t.output.display.Screen()
}

// resize gives the screen a new size.
func (o *output) resize(rows, cols int) {
	if o.display != nil {
		o.display.Resize(rows, cols)
	}
}

// takeReplies appends to dst what the screen has to answer to the program's queries,
// and forgets it.
func (o *output) takeReplies(dst []byte) []byte {
	if o.display == nil {
		return dst
	}
	return o.display.TakeReplies(dst)
}

// reply hands p, which takeReplies returned, to the command's standard input, which
// keeps it. It is dropped where Write would refuse it.
func (r *Registry) reply(t *Terminal, p []byte) {
	if len(p) == 0 || len(p) > r.config.MaxInput-t.stdin.pending {
		return
	}
	if _, err := r.writable(t.id); err == nil {
		r.pushInput(t, p)
	}
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
