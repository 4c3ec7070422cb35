package core

import (
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/render"
	"github.com/terrarium-dev/terrarium/core/ring"
	"github.com/terrarium-dev/terrarium/core/text"
)

// A Terminal is one command and its output.
//
// It has two halves. The exported methods are its output half: they only look, and
// touch nothing of the Registry, so a driver with goroutines may call them under a
// lock of the terminal's own while the registry's lock guards the rest. What changes
// that half is the Registry's, until [Registry.Split] hands it out.
type Terminal struct {
	id      TerminalID
	session *session

	// The output half.
	output output

	// The registry's half.
	number     uint64      // the first terminal is 1
	exec       *Exec       // not changed once effects have it: another takes its place
	held       int64       // bytes of exec that are reserved
	rows, cols int         // as last resized, in cells
	half       *OutputHalf // the output half is the driver's; nil if it is not, see Split
	life       lifetime
	timeLimit  timeLimit
	killing    killing
	drain      drain
	stdin      stdin
	closing    closeStage
	marked     bool // an OutputChanged is in Registry.effects
	timer      timer
}

// ID returns the terminal's id.
func (t *Terminal) ID() TerminalID { return t.id }

// output is what a terminal keeps of its command's output.
type output struct {
	repair   [2]text.Repairer // a stream's split characters must not mix with the other's
	renderer render.Renderer
	ring     ring.Ring // rendered bytes, valid UTF-8
	limit    int       // in bytes
	cut      bool      // an answer had to leave out bytes that were still there
	ended    bool      // no more output comes
	closed   bool      // the process is freed

	display *display // nil if the terminal has no screen; perhaps it is the renderer

	written uint64 // bytes appended, ever
	changed bool
	liveMax int
	live    []byte // repaired bytes not yet taken by an OutputChanged
	lent    []byte // those of the last OutputChanged, reused for the next but one
	lost    uint64
}

func newOutput(c *Command, liveMax int) output {
	limit := int(c.OutputByteLimit)
	o := output{renderer: render.Raw{}, ring: ring.New(limit), limit: limit, liveMax: liveMax}
	if c.Rendering == RenderText {
		o.renderer = new(text.Folder)
	}
	if hasScreens {
		o.addScreen(c)
	}
	return o
}

// write takes what the command wrote. p is not kept. It does not allocate once the
// buffers have grown to their limits.
func (o *output) write(stream uint8, p []byte) {
	repair := &o.repair[0]
	if stream == 2 {
		repair = &o.repair[1]
	}
	for len(p) > 0 {
		var valid []byte
		valid, p = repair.Next(p)
		o.append(valid)
	}
}

// end says that no more output comes: what was held back, in the hope of the rest
// of a character, is kept as it is.
func (o *output) end() {
	if o.ended {
		return
	}
	o.ended = true
	for i := range o.repair {
		o.append(o.repair[i].Flush())
	}
	if !hasScreens || !o.isScreen() { // a screen may still change, with its size
		o.renderer.Flush(&o.ring)
	}
}

// close says that the process is freed, and what is left is for display: what a
// screen of RenderScreen shows becomes output like the rest, and there is no Screen
// any longer.
func (o *output) close() {
	if o.closed {
		return
	}
	o.closed = true
	o.end()
	if hasScreens && o.isScreen() {
		o.renderer.Flush(&o.ring)
	}
	o.renderer, o.display = render.Raw{}, nil
}

// append takes valid UTF-8.
func (o *output) append(p []byte) {
	if len(p) == 0 {
		return
	}
	o.changed = true
	o.written += uint64(len(p))
	o.renderer.Write(&o.ring, p)
	if hasScreens && !o.isScreen() {
		o.draw(p)
	}
	if o.liveMax > 0 {
		o.appendLive(p)
	}
}

// appendLive keeps the newest liveMax bytes for the next OutputChanged.
func (o *output) appendLive(p []byte) {
	if drop := len(o.live) + len(p) - o.liveMax; drop > 0 {
		o.lost += uint64(drop)
		fromLive := min(drop, len(o.live))
		o.live = o.live[:copy(o.live, o.live[fromLive:])]
		p = p[drop-fromLive:]
	}
	o.live = append(o.live, p...)
}

// AppendOutput appends the output to dst: the newest bytes that fit the
// terminal's limit, starting at a character. truncated says whether output
// was ever left out, and once true stays so.
func (t *Terminal) AppendOutput(dst []byte) (out []byte, truncated bool) {
	o := &t.output
	open := o.renderer.AppendOpen(nil)
	if o.ring.Dropped() || o.ring.Len()+len(open) > o.limit {
		o.cut = true
	}
	if len(open) == 0 {
		return o.ring.AppendTo(dst), o.cut
	}
	start := len(dst)
	dst = o.ring.AppendTail(dst, max(0, o.limit-len(open)))
	dst = append(dst, open...)
	if over := len(dst) - start - o.limit; over > 0 {
		dst = dst[:start+copy(dst[start:], fromRuneStart(dst[start+over:]))]
	}
	return dst, o.cut
}

// Written returns how many bytes of output there were, repaired: those of all
// OutputChanged so far, lost ones too, and those of the next. So who has looked
// at the Screen knows which output it shows.
func (t *Terminal) Written() uint64 { return t.output.written }

// Kept returns how many bytes AppendOutput would append, or a few more, and
// whether it would say that the output is truncated.
func (t *Terminal) Kept() (bytes int, truncated bool) {
	o := &t.output
	bytes = o.ring.Len() + o.renderer.OpenLen()
	return min(bytes, o.limit), o.cut || o.ring.Dropped() || bytes > o.limit
}

// fromRuneStart returns p without the rest of a character that was cut.
func fromRuneStart(p []byte) []byte {
	for len(p) > 0 && !utf8.RuneStart(p[0]) {
		p = p[1:]
	}
	return p
}

// AppendSince appends the committed output from byte offset off of the whole
// stream on, for readers that follow it: they pass next the next time. lost
// counts bytes that came after off but are no longer there. The open line of
// RenderText is not committed, nor is what RenderScreen still shows.
func (t *Terminal) AppendSince(dst []byte, off uint64) (out []byte, next, lost uint64) {
	return t.output.ring.AppendSince(dst, off)
}

// nextChange returns an OutputChanged if there is output since the last one.
// Its Data is valid until the next call.
func (t *Terminal) nextChange() (Effect, bool) {
	o := &t.output
	poison(o.lent)
	if !o.changed {
		return Effect{}, false
	}
	o.changed = false
	e := Effect{Kind: OutputChanged, ID: t.id, Session: t.session.id, Data: o.live, Lost: o.lost}
	o.lent, o.live, o.lost = o.live, o.lent[:0], 0
	return e, true
}

// poison makes data that was lent and is lent no longer wrong, to catch those
// who keep it, as crypto/tls does.
func poison(p []byte) {
	if len(p) > 0 {
		p[0] = '!'
	}
}
