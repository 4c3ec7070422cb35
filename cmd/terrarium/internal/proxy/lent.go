package proxy

import (
	"crypto/sha256"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// An agent calls our tools by MCP, and tells the editor of tool calls by ACP. Nothing that both
// have ties them: but a tool call says which tool it calls, and with which command. So a terminal
// of our tools is shown at the one tool call of its session that calls terminal_create for its
// command, as if the agent had embedded it there. Where that could be one of several, it is not
// shown.

// createTool is how the name ends that an agent has for our tool:
// "mcp__terrarium__terminal_create", say.
const createTool = "terminal_create"

const (
	maxCreating = 256      // tool calls that call it, which are known at a time
	maxLent     = 64       // terminals of our tools that can be shown
	maxKept     = 16 << 10 // bytes of a tool call's content and rawInput, sent again with it

	maxShownCommand = 8 << 10 // bytes of a command that is told
)

type digest [sha256.Size]byte

// creating is a tool call that calls our tool.
type creating struct {
	command digest // zero until it is told
	over    bool
	input   []byte // its rawInput, if that is no longer than maxKept
	content []byte // the items of its content
	large   bool   // they are more than maxKept
	shows   core.TerminalID
}

// lent is a terminal of our tools.
type lent struct {
	session string
	command digest
	started bool
	over    bool
	unclear bool    // it could be for several calls, or a call for several: it is shown at none
	call    callID  // that shows it; without an id, none does
	text    *theirs // without a dialect: what a tool call shows of it

	shown, cwd string // its command as a person reads it, and where that runs
	rows, cols int    // its size in cells, if the command can be expected to draw for that, or 0
}

// called takes what an update tells of a tool call. d.mu is held.
func (d *display) called(call callID, update jsonrpc.Value) {
	c := d.creating[call]
	if c == nil {
		if !call.canBeTold() || !callsCreate(update) || len(d.creating) >= maxCreating {
			return
		}
		c = new(creating)
		d.creating[call] = c
	}
	if command := commandOf(update); command != "" && c.shows == "" {
		c.command = sha256.Sum256([]byte(command))
	}
	if input, ok := update.Get("rawInput"); ok && len(input.Raw()) <= maxKept {
		c.input = append(c.input[:0], input.Raw()...)
	}
	c.over = c.over || isOver(textOf(update, "status"))
	if content, ok := update.Get("content"); ok {
		c.content, c.large = nil, false
		for item := range content.Items() {
			if len(c.content)+len(item.Raw()) > maxKept {
				c.content, c.large = nil, true
				break
			}
			c.content = append(jsonrpc.AppendComma(c.content), item.Raw()...)
		}
	}
	d.pair(call.session)
}

// callsCreate reports whether a tool call calls our tool. The name stands in "name" or "title", in
// rawInput, as codex-acp 2.6 has it, or in claude-agent-acp's _meta.
func callsCreate(update jsonrpc.Value) bool {
	input, _ := update.Get("rawInput")
	meta, _ := update.Get("_meta")
	claude, _ := meta.Get("claudeCode")
	for _, name := range []string{textOf(update, "name"), textOf(update, "title"), textOf(input, "tool"), textOf(claude, "toolName")} {
		if strings.HasSuffix(name, createTool) {
			return true
		}
	}
	return false
}

// commandOf returns the command that a tool call calls our tool with, or "".
func commandOf(update jsonrpc.Value) string {
	input, _ := update.Get("rawInput")
	if arguments, ok := input.Get("arguments"); ok {
		input = arguments
	}
	return textOf(input, "command")
}

// pair finds terminals and tool calls of a session that are for each other, and for no third. d.mu
// is held.
func (d *display) pair(session string) {
	for id, t := range d.lent {
		if !t.waits() || t.session != session {
			continue
		}
		for other, o := range d.lent {
			if other != id && o.waits() && o.session == session && o.command == t.command {
				t.unclear, o.unclear = true, true
			}
		}
		call, n := d.callFor(t)
		switch {
		case n > 1:
			t.unclear = true
		case n == 1 && !t.unclear:
			d.show(call, id)
		}
	}
}

// waits reports whether it waits for the tool call that shows it.
func (t *lent) waits() bool { return t.started && t.call.id == "" && !t.unclear }

// callFor returns the tool call that a terminal is for, and how many that could be: of those that
// are not over, if there are any. d.mu is held.
func (d *display) callFor(t *lent) (found callID, n int) {
	running := 0
	for call, c := range d.creating {
		if call.session != t.session || c.shows != "" || c.command != t.command {
			continue
		}
		if n++; !c.over {
			running++
		}
		if !c.over || running == 0 {
			found = call
		}
	}
	if running > 0 {
		return found, running
	}
	return found, n
}

// show has a tool call show a terminal from now on. d.mu is held.
func (d *display) show(call callID, id core.TerminalID) {
	c := d.creating[call]
	c.shows, d.lent[id].call = id, call
	if d.dialect != nil {
		d.terminal(id).call = call
		d.unsent = d.dialect.appendShow(d.unsent, call, c, id, d.lent[id])
	} else if !c.large && len(d.calls) < maxEmbeddings {
		e := &embedding{items: []item{{terminal: id, theirs: true}}}
		if len(c.content) > 0 {
			e.items = append(e.items, item{raw: string(c.content)})
		}
		d.calls[call] = e
	}
	d.wake()
}

// appendContent appends a tool call's content, with a terminal before it.
func (c *creating) appendContent(dst []byte, id core.TerminalID) []byte {
	dst = appendEmbedding(append(jsonrpc.AppendKey(dst, "content"), '['), id)
	if len(c.content) > 0 {
		dst = append(append(dst, ','), c.content...)
	}
	return append(dst, ']')
}

func appendEmbedding(dst []byte, id core.TerminalID) []byte {
	return append(jsonrpc.AppendString(append(dst, `{"type":"terminal","terminalId":`...), id), '}')
}

// shownAt returns the terminal of our tools that a tool call shows, or "". d.mu is held.
func (d *display) shownAt(call callID) core.TerminalID {
	if c := d.creating[call]; c != nil {
		return c.shows
	}
	return ""
}

// watchLent has a driver that runs commands for our tools tell the display what they do, besides
// those that it tells already. session returns the session that they are for, once one has started.
func (d *display) watchLent(c *driver.Config, session func() string) {
	output, news := c.OnOutput, c.OnNews
	c.OnOutput = func(id core.TerminalID, stream uint8, p []byte) {
		d.lentOutput(session(), id, p)
		if output != nil {
			output(id, stream, p)
		}
	}
	c.OnNews = func(e *core.Effect) {
		d.lentNews(session(), e)
		if news != nil {
			news(e)
		}
	}
}

// lentTerminal returns the terminal id of our tools, or nil if there are too many. d.mu is held.
func (d *display) lentTerminal(session string, id core.TerminalID) *lent {
	if t := d.lent[id]; t != nil {
		return t
	}
	for other, t := range d.lent {
		if len(d.lent) >= maxLent && t.over {
			d.dropLent(other)
		}
	}
	if len(d.lent) >= maxLent {
		return nil
	}
	t := &lent{session: session}
	d.lent[id] = t
	if d.dialect == nil {
		t.text = newTheirs()
	} else {
		s := d.terminal(id)
		s.session, s.lent = session, true
	}
	return t
}

// describe takes what it runs.
func (t *lent) describe(e *core.Exec) {
	c := e.Command
	t.started, t.command = true, sha256.Sum256([]byte(c.Command))
	if e.Via != core.ViaShell && len(e.Argv) > 0 {
		c.Args = e.Argv[1:]
	}
	t.shown, t.cwd = clip(acp.CommandLine(&c), maxShownCommand), c.Cwd
	// The output of any other has no carriage returns, which a terminal of that size would need.
	if c.Pty && c.Interactive {
		t.rows, t.cols = c.Rows, c.Cols
	}
}

// dropLent forgets a terminal of our tools. What was sent of it stays. d.mu is held.
func (d *display) dropLent(id core.TerminalID) {
	t := d.lent[id]
	delete(d.lent, id)
	delete(d.terminals, id)
	if t.call.id != "" {
		delete(d.creating, t.call)
		delete(d.calls, t.call)
	}
}

func (d *display) lentOutput(session string, id core.TerminalID, p []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.lentTerminal(session, id)
	if t == nil {
		return
	}
	if t.text != nil {
		t.text.write(p)
	} else {
		d.terminal(id).take(p)
	}
	if t.call.id != "" {
		d.wake()
	}
}

func (d *display) lentNews(session string, e *core.Effect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e.Kind {
	case core.Started:
		if t := d.lentTerminal(session, e.ID); t != nil {
			t.describe(e.Exec)
			d.pair(session)
		}
	case core.StartFailed:
		if d.lent[e.ID] != nil {
			d.dropLent(e.ID)
		}
	case core.Exited:
		t := d.lent[e.ID]
		if t == nil {
			return
		}
		t.over = true
		defer d.ending(e.ID)
		exit := e.Exit
		if t.text != nil {
			t.text.exit = &exit.Status
		} else {
			d.terminal(e.ID).exit = &exit
		}
		d.wake()
	}
}

// forgetCalls drops the tool calls of a session that show nothing, or nothing that runs, and has
// terminals wait no more for theirs: a turn of it begins.
func (d *display) forgetCalls(session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for call, c := range d.creating {
		if t := d.lent[c.shows]; call.session == session && (t == nil || t.over) {
			delete(d.creating, call)
		}
	}
	for _, t := range d.lent {
		if t.session == session && t.waits() {
			t.unclear = true
		}
	}
}
