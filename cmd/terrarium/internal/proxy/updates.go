package proxy

import (
	"bytes"
	"strconv"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// methodUpdate is how an agent tells the editor what it does.
const methodUpdate = "session/update"

func itoa(n int) string { return strconv.Itoa(n) }

// updated passes on a session/update. Where it embeds a terminal that the editor does not know, the
// splices are those that a display needs.
func (p *proxy) updated(m *message, line []byte) {
	session := textOf(m.params, "sessionId")
	update, _ := m.params.Get("update")
	call := callID{session, textOf(update, "toolCallId")}
	switch textOf(update, "sessionUpdate") {
	case "tool_call", "tool_call_update":
		if p.sessions.has(session) { // an agent may make up as many as it likes
			p.running.note(call, textOf(update, "status"))
		}
	case "tool_call_content_chunk": // of version 2: there is more now than we know of
		p.served.display.leave(call)
		p.pass(line)
		return
	case "terminal_update", "terminal_output_chunk": // of version 2
		if p.served.display.tells(textOf(update, "terminalId")) {
			p.told.forged(p)
			return
		}
		p.pass(line)
		return
	default:
		p.pass(line)
		return
	}
	d := p.served.display
	if rest := d.unforged(line, session, update); rest != nil {
		p.told.forged(p)
		if m, doubt := look(bytes.TrimSuffix(rest, []byte{'\n'})); doubt == "" {
			p.updated(&m, rest)
		}
		return
	}
	if p.draft.Load() == nil { // an editor of version 2 knows the agent's own
		d.toldOf(m.params)
	}
	if p.config.Tools != nil {
		d.calledTool(call, update)
	}
	content, ok := update.Get("content")
	ok = ok && content.Kind() == jsonrpc.Array
	over := isOver(textOf(update, "status"))
	if over && d.owes(call, ok) { // what it shows is there in full when it ends
		p.flush()
		d.send(call)
	}
	if over || ok { // a call whose end was found is forgotten, though its line may not be written
		d.settle()
	}
	if !ok {
		p.pass(line)
		return
	}
	// What was sent of it before must not come later, nor what comes later before.
	if d.shows(call) {
		d.sending.Lock()
		defer d.sending.Unlock()
		p.toEditor.settle()
		defer p.flush()
	}
	splices, after := d.embedded(line, call, update, content)
	if len(splices) > 0 {
		line = apply(line, splices)
	}
	p.pass(line)
	if after != nil {
		p.flush()
		after()
	}
}

const (
	// maxShown is how many terminals of a tool call are shown as text, each of up to maxText bytes:
	// an agent that names one a thousand times in a line does not get a thousand texts.
	maxShown = 16
	// maxCallID is how long the id of a tool call may be, in bytes, that is told what its terminals
	// do.
	maxCallID = 1 << 10
)

// notShown stands in the place of a terminal beyond maxShown.
const notShown = `{"type":"content","content":{"type":"text","text":"(one terminal more than is shown here)"}}`

// toldOf takes what an update tells of the agent's own terminals.
func (d *display) toldOf(params jsonrpc.Value) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dialect == nil {
		d.displays.Update(params)
	}
}

// tells reports whether a terminal is one of our tools, of which we tell the editor ourselves, and
// the agent does not.
func (d *display) tells(id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lent[core.TerminalID(id)] != nil
}

// calledTool takes what an update tells of a tool call that may be of our tools.
func (d *display) calledTool(call callID, update jsonrpc.Value) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.called(call, update)
}

// leave has nothing more be sent of a tool call's content. What was sent stays.
func (d *display) leave(call callID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.calls, call)
	if c := d.creating[call]; c != nil {
		c.content, c.large = nil, true
	}
}

// shows reports whether we have told the editor of a tool call's content.
func (d *display) shows(call callID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[call] != nil || d.shownAt(call) != ""
}

// embedded returns what comes into a line because of the terminals in content, and what is to be
// done when that line is written.
func (d *display) embedded(line []byte, call callID, update, content jsonrpc.Value) (splices []splice, after func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var items []item
	size, shown := 0, 0
	var found []core.TerminalID
	for v := range content.Items() {
		i := item{raw: string(v.Raw())}
		if kind, _ := v.Get("type"); kind.Is("terminal") {
			id := core.TerminalID(textOf(v, "terminalId"))
			if d.driver.Issued(core.SessionID(call.session), id) {
				i = item{terminal: id}
				found = append(found, id)
			} else if d.own(call.session, id) != nil {
				i = item{terminal: id, theirs: true}
			}
			if i.terminal != "" {
				if shown++; shown > maxShown {
					i = item{raw: notShown, replaces: true}
				}
			}
		}
		size += len(i.raw)
		items = append(items, i)
	}
	ours := d.shownAt(call)
	if shown == 0 && ours == "" {
		delete(d.calls, call) // its content is another one now
		return nil, nil
	}
	for _, id := range found {
		d.terminal(id).session = call.session
	}
	if d.dialect != nil {
		splices, after = d.announced(line, call, update, found)
		if ours != "" {
			splices = append(splices, before(line, content, appendEmbedding(nil, ours)))
		}
		return splices, after
	}
	n, at := 0, 0
	for v := range content.Items() {
		i := &items[n]
		n++
		if i.terminal == "" && !i.replaces {
			continue
		}
		text := []byte(i.raw)
		if i.terminal != "" {
			i.seen, _ = d.state(call, i)
			text = d.appendText(nil, call, i)
		}
		s := replaceAfter(line, at, v, text)
		splices, at = append(splices, s), s.end
	}
	if ours != "" {
		i := item{terminal: ours, theirs: true}
		i.seen, _ = d.state(call, &i)
		splices = append(splices, before(line, content, d.appendText(nil, call, &i)))
		items = append([]item{i}, items...)
	}
	return splices, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		known := d.calls[call] != nil || len(d.calls) < maxEmbeddings
		if known && size <= maxItems && call.canBeTold() {
			d.calls[call] = &embedding{items} // whose terminals may have changed meanwhile
			d.wake()
		}
	}
}

// canBeTold reports whether a tool call can be told anything.
func (c callID) canBeTold() bool { return c.id != "" && len(c.id) <= maxCallID }

// announced has an editor that knows terminals in _meta learn of those that it has not heard of.
// d.mu is held.
func (d *display) announced(line []byte, call callID, update jsonrpc.Value, found []core.TerminalID) (splices []splice, after func()) {
	var fresh []core.TerminalID
	for _, id := range found {
		if d.terminals[id].call.id == "" && call.canBeTold() {
			fresh = append(fresh, id)
		}
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	// There is room for one in a message. An agent embeds one.
	info := append(jsonrpc.AppendString([]byte(`{"terminal_id":`), fresh[0]), '}')
	meta, ok := update.Get("_meta")
	if ok && meta.Kind() == jsonrpc.Object {
		splices = []splice{set(line, meta, "terminal_info", info)}
	} else {
		splices = []splice{set(line, update, "_meta", append(append([]byte(`{"terminal_info":`), info...), '}'))}
	}
	return splices, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.terminal(fresh[0]).call = call
		d.wake()
	}
}
