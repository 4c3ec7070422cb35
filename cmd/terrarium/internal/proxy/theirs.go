package proxy

import (
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/render"
	"github.com/terrarium-dev/terrarium/core/ring"
	"github.com/terrarium-dev/terrarium/core/text"
)

// theirs is a terminal that the agent has itself and tells of in _meta, for an editor that does not
// know these: a tool call that embeds it shows it as text, as it does those that are served here.
type theirs struct {
	render *render.Stream
	ring   ring.Ring // its text, without the line that is open
	// bytes that were told, ever, and more for each that took the place of all before
	told uint64
	exit *core.ExitStatus
}

// maxTheirs is how many of an agent's own terminals are known at a time: each takes maxText bytes,
// and an open line.
const maxTheirs = 64

func newTheirs() *theirs {
	return &theirs{render: render.NewStream(new(text.Folder)), ring: ring.New(maxText)}
}

// told takes news of a terminal of the agent's own. d.mu is held.
func (d *display) told(c acp.DisplayChange) {
	key := callID{c.Session, c.ID}
	t := d.theirs[key]
	switch c.Kind {
	case acp.DisplayOpened:
		d.theirs[key] = newTheirs()
	case acp.DisplayForgotten:
		delete(d.theirs, key)
	case acp.DisplayReplaced:
		t.render, t.ring = render.NewStream(new(text.Folder)), ring.New(maxText)
		t.told++
		t.write(c.Data)
	case acp.DisplayWritten:
		t.write(c.Data)
	case acp.DisplayEnded:
		status := c.Status
		t.exit = &status
		d.ending(core.TerminalID(c.ID))
	case acp.DisplayResumed:
		t.exit = nil
	default:
		return
	}
	d.wake()
}

func (t *theirs) write(p []byte) {
	t.told += uint64(len(p))
	t.render.Write(&t.ring, 1, p)
}

// output returns what it shows. truncated says that there was more before.
func (t *theirs) output() (p []byte, truncated bool) {
	return t.render.AppendOpen(t.ring.AppendTo(nil)), t.ring.Dropped()
}
