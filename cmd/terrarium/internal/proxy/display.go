package proxy

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
	"github.com/terrarium-dev/terrarium/core/text"
)

// A display has the editor show the terminals that tool calls embed and that the editor does not
// know: those that are served here, and those that the agent has itself.
//
// An editor that knows terminals in _meta (clientCapabilities._meta.terminal_output, or
// terminal_output_delta), or speaks version 2, is told of one that is served here when a tool call
// first embeds it, then what it writes, and its exit. The embedding stays as it is, after release
// too. What the agent tells of its own passes. For all others the embedding becomes text with the
// end of the output, which is sent anew as it grows.
type display struct {
	proxy  *proxy
	driver *driver.Driver
	some   chan struct{} // holds a value if there is something to send
	ended  chan struct{} // holds a value if there is something in endings
	closed chan struct{}
	done   chan struct{} // closed when nothing is sent any more

	sending sync.Mutex // held from a look until what it has found is on its way; taken before mu

	mu        sync.Mutex // guards the fields below
	dialect   dialect    // nil if the editor knows no terminals
	terminals map[core.TerminalID]*shown
	displays  *acp.Displays // what the agent tells of its own, without a dialect
	theirs    map[callID]*theirs
	lent      map[core.TerminalID]*lent
	creating  map[callID]*creating
	calls     map[callID]*embedding
	endings   map[callID]bool // those that show a terminal whose end was not sent
	unsent    [][]byte        // lines that come before what has changed
}

// callID names a tool call, or a terminal of the agent's own: many have the id of their call.
type callID struct{ session, id string }

// shown is a terminal.
type shown struct {
	session string
	lent    bool   // it is one of our tools
	call    callID // in the dialect: the first that has embedded it; without an id, none has
	repair  text.Repairer
	unsent  []byte // in the dialect: what it has written that was not sent
	lost    int    // bytes before unsent that were left out
	fresh   bool   // it has written something, which may not be among its output yet
	exit    *core.Exit
	over    bool // in the dialect: its exit was sent
}

// An embedding is a tool call that shows terminals as text.
type embedding struct {
	items []item
}

// An item is one of a tool call's content: a terminal, or JSON.
type item struct {
	terminal core.TerminalID
	theirs   bool  // it does not run here for the editor: see display.own
	seen     state // of the terminal, when it was sent as text
	raw      string
	replaces bool // raw is not the agent's own
}

// A state tells whether a terminal's text is another one than before.
type state struct {
	written uint64
	ended   bool
}

const (
	displayPause  = 100 * time.Millisecond // between output and a look at it
	maxUnsent     = 64 << 10               // bytes of a terminal that wait to be sent
	maxText       = 16 << 10               // bytes of output in a text
	maxItems      = 256 << 10              // bytes of other content that is sent anew with a text
	maxEmbeddings = 256                    // tool calls whose text grows
)

func (p *proxy) newDisplay() *display {
	d := &display{
		proxy: p, some: make(chan struct{}, 1), ended: make(chan struct{}, 1),
		closed: make(chan struct{}), done: make(chan struct{}), endings: make(map[callID]bool),
		terminals: make(map[core.TerminalID]*shown), theirs: make(map[callID]*theirs),
		lent: make(map[core.TerminalID]*lent), creating: make(map[callID]*creating), calls: make(map[callID]*embedding),
	}
	d.displays = acp.NewDisplays(maxTheirs, d.told)
	return d
}

// initialized takes how the editor is told of terminals.
func (d *display) initialized(how dialect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dialect = how
}

// watch has a driver tell the display what terminals do, besides those that it tells already.
func (d *display) watch(c *driver.Config) {
	output, news := c.OnOutput, c.OnNews
	c.OnOutput = func(id core.TerminalID, stream uint8, p []byte) {
		d.output(id, p)
		if output != nil {
			output(id, stream, p)
		}
	}
	c.OnNews = func(e *core.Effect) {
		d.news(e)
		if news != nil {
			news(e)
		}
	}
}

// terminal returns the terminal id. d.mu is held.
func (d *display) terminal(id core.TerminalID) *shown {
	t := d.terminals[id]
	if t == nil {
		t = new(shown)
		d.terminals[id] = t
	}
	return t
}

func (d *display) output(id core.TerminalID, p []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.terminal(id)
	t.fresh = true
	if d.dialect != nil {
		t.take(p)
	}
	d.wake()
}

// take takes what it has written.
func (t *shown) take(p []byte) {
	for len(p) > 0 {
		var valid []byte
		valid, p = t.repair.Next(p)
		t.keep(valid)
	}
}

// keep adds to what is to be sent, of which the beginning goes if it is too much.
func (t *shown) keep(p []byte) {
	t.unsent = append(t.unsent, p...)
	cut := len(t.unsent) - maxUnsent
	if cut <= 0 {
		return
	}
	for cut < len(t.unsent) && t.unsent[cut]&0xC0 == 0x80 { // not within a character
		cut++
	}
	t.unsent = append(t.unsent[:0], t.unsent[cut:]...)
	t.lost += cut
}

func (d *display) news(e *core.Effect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e.Kind {
	case core.Exited:
		if t := d.terminal(e.ID); !t.over {
			exit := e.Exit
			t.exit = &exit
		}
		d.ending(e.ID)
	case core.StartFailed, core.Evicted:
		delete(d.terminals, e.ID)
	}
	d.wake()
}

// forget drops the terminals of a session and what shows them, and those that the driver has
// forgotten: of what no tool call embeds nobody says when its session has ended.
func (d *display) forget(session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for call := range d.calls {
		if call.session == session {
			delete(d.calls, call)
		}
	}
	for call := range d.creating {
		if call.session == session {
			delete(d.creating, call)
		}
	}
	for id, t := range d.lent {
		if t.session == session {
			d.dropLent(id)
		}
	}
	for id, t := range d.terminals {
		if t.session == session || !t.lent && !d.driver.Terminal(id).Look(func(*core.Terminal) {}) {
			delete(d.terminals, id)
		}
	}
}

// wake has run look. d.mu is held.
func (d *display) wake() {
	select {
	case d.some <- struct{}{}:
	default:
	}
}

// ending has what shows a terminal that has ended be sent at once. d.mu is held.
func (d *display) ending(id core.TerminalID) {
	if t := d.terminals[id]; t != nil && t.call.id != "" {
		d.endings[t.call] = true
	}
	for call, e := range d.calls {
		if slices.ContainsFunc(e.items, func(i item) bool { return i.terminal == id }) {
			d.endings[call] = true
		}
	}
	select {
	case d.ended <- struct{}{}:
	default:
	}
}

// takeEndings returns the tool calls that show a terminal whose end was not sent.
func (d *display) takeEndings() []callID {
	d.mu.Lock()
	defer d.mu.Unlock()
	calls := slices.Collect(maps.Keys(d.endings))
	clear(d.endings)
	return calls
}

// run sends what has changed until close. At output it looks a moment later: much comes together,
// and a driver tells of output before it keeps it. What has ended has kept it all.
func (d *display) run() {
	defer close(d.done)
	var pause <-chan time.Time
	for {
		select {
		case <-d.some:
			if pause == nil {
				pause = time.After(displayPause)
			}
		case <-pause:
			pause = nil
			d.send()
		case <-d.ended:
			if calls := d.takeEndings(); len(calls) > 0 {
				d.send(calls...)
			}
		case <-d.closed:
			return
		}
	}
}

// send sends what has changed at these tool calls, or at all if there are none.
func (d *display) send(calls ...callID) {
	d.sending.Lock()
	defer d.sending.Unlock()
	for _, line := range d.changes(calls...) {
		d.proxy.toEditor.room()
		d.proxy.toEditor.enqueue(line)
	}
}

// settle waits until all that was found by now is written.
func (d *display) settle() {
	d.sending.Lock()
	defer d.sending.Unlock()
	d.proxy.toEditor.settle()
}

func (d *display) close() {
	close(d.closed)
	<-d.done
}

// changes returns lines that tell of what has changed at these tool calls, or at all if there are
// none. Where that is much, the rest is for the next time.
func (d *display) changes(calls ...callID) (lines [][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	size := 0
	full := func() bool {
		if size > maxWaiting {
			d.wake()
		}
		return size > maxWaiting
	}
	due := func(call callID) bool { return len(calls) == 0 || slices.Contains(calls, call) }
	lines, d.unsent = d.unsent, nil
	if d.dialect != nil {
		for id, t := range d.terminals {
			if t.call.id == "" || !due(t.call) {
				continue
			}
			if full() {
				break
			}
			d.learn(id, t)
			size += len(t.unsent)
			lines = t.appendNews(lines, d.dialect, id)
		}
		return lines
	}
	for call, e := range d.calls {
		if !due(call) {
			continue
		}
		if full() {
			break
		}
		changed, over := d.stateOf(call, e)
		if changed {
			line := d.update(call, e)
			size += len(line)
			lines = append(lines, line)
		}
		if over {
			delete(d.calls, call) // what was sent stays
		}
	}
	return lines
}

// owes reports whether there may be something to send of a tool call before it tells its end. anew
// says that it brings all of its content with that.
func (d *display) owes(call callID, anew bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dialect == nil {
		return !anew && d.calls[call] != nil
	}
	for _, t := range d.terminals {
		if t.call == call {
			return true
		}
	}
	return false
}

// learn has t know of its end as soon as the driver does: an agent that asks for that may hear of
// it before there are news. d.mu is held.
func (d *display) learn(id core.TerminalID, t *shown) {
	if t.lent || t.over || t.exit != nil {
		return
	}
	if s, known := d.driver.Terminal(id).Status(); known && s.State == core.StateExited {
		t.exit = &s.Exit
	}
}

// stateOf reports whether a terminal of e has changed, and whether all have ended. It counts them
// as seen. d.mu is held.
func (d *display) stateOf(call callID, e *embedding) (changed, over bool) {
	over = true
	for n := range e.items {
		i := &e.items[n]
		now, known := d.state(call, i)
		if !known {
			continue
		}
		if t := d.terminals[i.terminal]; !i.theirs && t.fresh {
			t.fresh = false
			d.wake() // to be sure that it is kept
		}
		changed = changed || now != i.seen
		over = over && now.ended
		i.seen = now
	}
	return changed, over
}

// state returns what is known of the terminal of i before its text is made. It reports false if it
// is none, or one that is known no longer. d.mu is held.
func (d *display) state(call callID, i *item) (s state, known bool) {
	if i.theirs {
		t := d.own(call.session, i.terminal)
		if t == nil {
			return s, false
		}
		return state{t.told, t.exit != nil}, true
	}
	t := d.terminals[i.terminal]
	if t == nil {
		return s, false
	}
	d.learn(i.terminal, t) // first: one that has ended has written all
	d.driver.Terminal(i.terminal).Look(func(t *core.Terminal) { s.written = t.Written() })
	s.ended = t.exit != nil
	return s, true
}

// own returns a terminal that does not run here for the editor: one of our tools, whatever the
// agent tells of it, or one of the agent's own. It returns nil if it knows none. d.mu is held.
func (d *display) own(session string, id core.TerminalID) *theirs {
	if t := d.lent[id]; t != nil && t.session == session {
		return t.text
	}
	return d.theirs[callID{session, string(id)}]
}

// appendNews appends lines with what t has written, and its exit.
func (t *shown) appendNews(lines [][]byte, how dialect, id core.TerminalID) [][]byte {
	if len(t.unsent) > 0 {
		data := t.unsent
		if t.lost > 0 {
			data = append([]byte("[… "+itoa(t.lost)+" bytes were left out …]\r\n"), data...)
		}
		lines = append(lines, how.output(t.call, id, data))
		t.unsent, t.lost = t.unsent[:0], 0
	}
	if t.exit == nil {
		return lines
	}
	status := t.exit.Status
	t.exit, t.over, t.unsent = nil, true, nil
	return append(lines, how.exit(t.call, id, status))
}

// update returns a notification with the content of a tool call as it is now. d.mu is held.
func (d *display) update(call callID, e *embedding) []byte {
	return call.update(func(dst []byte) []byte {
		dst = append(jsonrpc.AppendKey(dst, "content"), '[')
		for n := range e.items {
			i := &e.items[n]
			dst = jsonrpc.AppendComma(dst)
			if i.terminal == "" {
				dst = append(dst, i.raw...)
				continue
			}
			dst = d.appendText(dst, call, i)
		}
		return append(dst, ']')
	})
}

// appendText appends the content that shows the terminal of i as text. d.mu is held.
func (d *display) appendText(dst []byte, call callID, i *item) []byte {
	output, truncated, exit := d.look(call, i)
	if cut := len(output) - maxText; cut > 0 {
		output, truncated = output[cut:], true
	}
	shown := strings.ToValidUTF8(string(output), "")
	if truncated {
		shown = "[…]" + shown
	}
	shown = acp.CodeBlock(shown)
	if exit != nil {
		shown += "\nIt has ended: " + exit.String() + "."
	}
	dst = append(dst, `{"type":"content","content":{"type":"text","text":`...)
	return append(jsonrpc.AppendString(dst, shown), "}}"...)
}

// look returns what the terminal of i has written, of which the beginning may be truncated, and how
// it has ended, or nil if it has not, or if it is known no longer. d.mu is held.
func (d *display) look(call callID, i *item) (output []byte, truncated bool, exit *core.ExitStatus) {
	if !i.theirs {
		output, truncated = d.driver.Terminal(i.terminal).AppendOutput(nil)
		if t := d.terminals[i.terminal]; t != nil && t.exit != nil {
			exit = &t.exit.Status
		}
		return output, truncated, exit
	}
	if t := d.own(call.session, i.terminal); t != nil {
		output, truncated = t.output()
		exit = t.exit
	}
	return output, truncated, exit
}
