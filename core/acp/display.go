package acp

import (
	"slices"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A Display is a terminal that an agent has itself and only shows. Nothing runs here.
type Display struct {
	Session, ID string
	// Command is what the agent says is run: a command line, or the title of a
	// tool call until it tells one. It is empty if it tells neither.
	Command string
	Cwd     string
	// Rows and Cols are its size in cells, of any size; 0 if it is not told.
	Rows, Cols int
	// Cancel says that the agent takes terminal/cancel for it.
	Cancel bool
	// Ended says that its command has, with Status.
	Ended  bool
	Status core.ExitStatus

	named   bool    // Command is no title
	written written // since the beginning of its output
}

// A DisplayKind says what has become of a Display.
type DisplayKind uint8

const (
	DisplayOpened    DisplayKind = iota + 1 // it is there, and has written nothing
	DisplayDescribed                        // its command, directory, size or Cancel is another one
	DisplayWritten                          // it has written Data, perhaps after its end
	DisplayReplaced                         // it has written Data, and nothing else
	DisplayEnded                            // its command has ended
	DisplayResumed                          // it has not ended, though that was told
	DisplayForgotten                        // nothing is known of it any more: there are too many
)

// A DisplayChange is news of a Display.
type DisplayChange struct {
	Kind DisplayKind
	// Display is how it is now, before what comes next. It is lent.
	*Display
	// Data is bytes as the program wrote them: they may begin or end inside of a
	// character or an escape sequence. It is lent.
	Data []byte
}

// Bounds of what is kept of a Display, in bytes.
const (
	maxDisplayID   = 1 << 10
	maxDisplayText = 8 << 10 // of a command, a title or a path; the rest is cut
)

// Displays are the terminals that agents tell of, of one connection. They can be
// told in two ways. In version 1 of ACP, members of a tool call's _meta tell of
// them; no specification has these, but editors and agents do:
//
//	terminal_info          {"terminal_id","cwd"}
//	terminal_output        {"terminal_id","data"}: it has written more
//	terminal_output_delta  the same, from other agents
//	terminal_exit          {"terminal_id","exit_code","signal"}
//
// In version 2, which is a draft, the session updates terminal_update and
// terminal_output_chunk do. Both are read as if they were one, whatever version
// the connection speaks.
//
// An agent is hostile: what is malformed is left out, and all that is kept is
// bounded. It is not safe for concurrent use.
type Displays struct {
	limit   int
	changed func(DisplayChange)
	known   map[displayKey]*Display
	order   []*Display // the one that was opened longest ago first
}

type displayKey struct{ session, id string }

// NewDisplays returns Displays that know limit terminals at a time. For another
// one, that which has ended goes that was opened longest ago; if none has ended,
// the oldest counts as lost. changed is called for each change, in order.
func NewDisplays(limit int, changed func(DisplayChange)) *Displays {
	return &Displays{limit: limit, changed: changed, known: make(map[displayKey]*Display)}
}

// Update takes the params of a session/update, of any kind. It reports whether
// they tell of a terminal.
func (d *Displays) Update(params jsonrpc.Value) bool {
	session := textOf(params, "sessionId")
	if session == "" || len(session) > maxDisplayID {
		return false
	}
	update, _ := params.Get("update")
	about := false
	for t := range readDisplays(update) {
		about = true
		d.take(session, &t)
	}
	if !about {
		d.title(session, update)
	}
	return about
}

// Running yields those that have not ended, the oldest first.
func (d *Displays) Running() []*Display {
	var running []*Display
	for _, t := range d.order {
		if !t.Ended {
			running = append(running, t)
		}
	}
	return running
}

// title reads a tool call that tells of no terminal: many agents name a terminal
// after its call, and tell the command only when they have it in full.
func (d *Displays) title(session string, update jsonrpc.Value) {
	t := d.known[displayKey{session, textOf(update, "toolCallId")}]
	if t == nil {
		return
	}
	news := told{command: commandIn(update), title: textIn(update, "title")}
	if t.describe(&news) {
		d.tell(DisplayDescribed, t, nil)
	}
}

// take takes what an update says of one terminal.
func (d *Displays) take(session string, news *told) {
	key := displayKey{session, news.id}
	t := d.known[key]
	if t != nil && t.Ended && news.begins { // a session that is loaded again tells all anew
		d.forget(t)
		t = nil
	}
	if t == nil {
		t = d.open(key)
		t.describe(news)
		d.tell(DisplayOpened, t, nil)
	} else if t.describe(news) {
		d.tell(DisplayDescribed, t, nil)
	}
	d.write(t, news)
	switch {
	case news.runs && t.Ended:
		t.Ended, t.Status = false, core.ExitStatus{}
		d.tell(DisplayResumed, t, nil)
	case news.exit != nil && (!t.Ended || t.Status != *news.exit):
		t.Ended, t.Status = true, *news.exit
		d.tell(DisplayEnded, t, nil)
	}
}

// write takes output. All of it told anew, with more behind, is only that more:
// some agents tell nothing else.
func (d *Displays) write(t *Display, news *told) {
	kind, more := DisplayWritten, news.output
	if news.replaces && !t.written.begins(more) {
		kind, t.written = DisplayReplaced, written{}
	} else if news.replaces {
		more = more[t.written.size:]
	}
	if len(more) == 0 && kind == DisplayWritten {
		return
	}
	t.written.add(more)
	d.tell(kind, t, more)
}

// open makes room for a terminal.
func (d *Displays) open(key displayKey) *Display {
	if len(d.order) >= d.limit {
		oldest := d.order[0]
		if i := slices.IndexFunc(d.order, func(t *Display) bool { return t.Ended }); i >= 0 {
			oldest = d.order[i]
		}
		if !oldest.Ended {
			oldest.Ended, oldest.Status = true, core.ExitStatus{Unknown: true}
			d.tell(DisplayEnded, oldest, nil)
		}
		d.forget(oldest)
	}
	t := &Display{Session: key.session, ID: key.id}
	d.known[key] = t
	d.order = append(d.order, t)
	return t
}

func (d *Displays) forget(t *Display) {
	delete(d.known, displayKey{t.Session, t.ID})
	d.order = slices.DeleteFunc(d.order, func(other *Display) bool { return other == t })
	d.tell(DisplayForgotten, t, nil)
}

func (d *Displays) tell(kind DisplayKind, t *Display, data []byte) {
	d.changed(DisplayChange{Kind: kind, Display: t, Data: data})
}

// describe takes what is told besides output, and reports whether it is news.
func (t *Display) describe(news *told) bool {
	was := *t
	if news.command != nil {
		t.Command, t.named = *news.command, *news.command != ""
	}
	if news.title != nil && !t.named && *news.title != "" {
		t.Command = *news.title
	}
	if news.cwd != nil {
		t.Cwd = *news.cwd
	}
	if news.size != nil {
		t.Rows, t.Cols = news.size.rows, news.size.cols
	}
	if news.cancel != nil {
		t.Cancel = *news.cancel
	}
	return t.Command != was.Command || t.Cwd != was.Cwd || t.Rows != was.Rows || t.Cols != was.Cols || t.Cancel != was.Cancel
}

// written tells the bytes that were written so far from others, and keeps none.
type written struct {
	size int
	sum  uint64
}

// add takes more of them: FNV-1a. Who makes two of them alike has their own
// output left out.
func (w *written) add(p []byte) {
	sum := w.sum ^ 14695981039346656037
	for _, c := range p {
		sum = (sum ^ uint64(c)) * 1099511628211
	}
	w.sum = sum ^ 14695981039346656037
	w.size += len(p)
}

// begins reports whether p begins with them.
func (w *written) begins(p []byte) bool {
	if len(p) < w.size {
		return false
	}
	var same written
	same.add(p[:w.size])
	return same == *w
}
