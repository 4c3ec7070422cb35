package client

import (
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

const (
	maxCalls   = 256 // tool calls that are known at a time
	maxContent = 64  // parts of a tool call
	maxSteps   = 200 // entries of a plan
	maxTitle   = 2 << 10
)

// updated shows what the agent tells. What it tells of other sessions is none of ours.
func (k *client) updated(params jsonrpc.Value) {
	if !k.isOurs(params) && !k.isEarly() {
		return
	}
	update, _ := params.Get("update")
	u := Updated{Kind: textOf(update, "sessionUpdate"), Raw: update.Raw()}
	switch u.Kind {
	case "":
		return
	case "agent_message_chunk", "agent_thought_chunk":
		content, _ := update.Get("content")
		u.Text, u.Message = contentText(content), clip(textOf(update, "messageId"), maxID)
		k.messages.chunk(u.Kind, u.Message, u.Text)
	case "agent_message", "agent_thought":
		content, _ := update.Get("content")
		u.Kind += "_chunk"
		u.Message = clip(textOf(update, "messageId"), maxID)
		u.Text = k.messages.whole(u.Kind, u.Message, contentTexts(content))
	case "plan":
		u.Plan = stepsOf(update)
	case "plan_update":
		plan, _ := update.Get("plan")
		u.Kind, u.Plan = "plan", stepsOf(plan)
	case "tool_call", "tool_call_update":
		u.Call = k.toolCalls.note(update, true)
	case "tool_call_content_chunk":
		u.Kind, u.Call = "tool_call_update", k.toolCalls.note(update, true)
		content, _ := update.Get("content")
		u.Call.Content = appendContent(u.Call.Content, content)
	case "state_update":
		k.turns.note(update)
	case "notice":
		u.Text = noticeText(update)
	}
	if u.Call != nil && u.Call.isOver() { // what it shows is there in full when it ends
		k.endAll()
	}
	k.view.Show(u)
	k.told.update(params, u.Call)
}

// stepsOf returns the entries of a plan.
func stepsOf(plan jsonrpc.Value) (steps []Step) {
	entries, _ := plan.Get("entries")
	for v := range entries.Items() {
		if len(steps) < maxSteps {
			steps = append(steps, Step{clip(textOf(v, "content"), maxTitle), textOf(v, "status")})
		}
	}
	return steps
}

// noticeText is what the agent has the person know.
func noticeText(update jsonrpc.Value) string {
	text := clip(textOf(update, "title"), maxTitle)
	if more := textOf(update, "description"); more != "" {
		text += ": " + clip(more, maxTitle)
	}
	if severity := textOf(update, "severity"); severity != "" && severity != "info" {
		text = clip(severity, maxNameShow) + ": " + text
	}
	return text
}

// isEarly reports whether session/new has no answer yet: some agents tell of commands and modes
// before.
func (k *client) isEarly() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.session == ""
}

// contentText returns a block of content as text.
func contentText(v jsonrpc.Value) string {
	switch kind := textOf(v, "type"); kind {
	case "text":
		return textOf(v, "text")
	case "resource_link":
		return "[" + clip(textOf(v, "uri"), maxTitle) + "]"
	case "":
		return ""
	default:
		return "[" + clip(kind, maxNameShow) + "]"
	}
}

// toolCalls are what is known of tool calls. An update of one has only what has changed.
type toolCalls struct {
	mu    sync.Mutex
	known map[string]Call // without content
	order []string        // their ids, the oldest first
}

// note takes what the agent says of a tool call and returns all that is known of it. told is
// whether the View hears of it.
func (t *toolCalls) note(v jsonrpc.Value, told bool) *Call {
	id := clip(textOf(v, "toolCallId"), maxID)
	t.mu.Lock()
	defer t.mu.Unlock()
	c, ok := t.known[id]
	c.ID, c.New = id, !ok
	for _, f := range []struct {
		key   string
		value *string
	}{{"title", &c.Title}, {"kind", &c.Kind}, {"status", &c.Status}} {
		if s := clip(textOf(v, f.key), maxTitle); s != "" && s != *f.value {
			*f.value = s
			c.Changed = c.Changed || f.key != "kind"
		}
	}
	if input, ok := v.Get("rawInput"); ok {
		c.command = commandOf(input)
	}
	if !ok {
		if t.known == nil {
			t.known = make(map[string]Call)
		}
		if len(t.order) == maxCalls {
			delete(t.known, t.order[0])
			t.order = t.order[1:]
		}
		t.order = append(t.order, id)
	}
	kept := c
	if told {
		kept.Changed = false
	}
	kept.New = false
	t.known[id] = kept
	c.Content = contentOf(v)
	if locations, ok := v.Get("locations"); ok {
		for l := range locations.Items() {
			if path := textOf(l, "path"); path != "" && len(c.Places) < maxContent {
				c.Places = append(c.Places, clip(path, maxTitle))
			}
		}
	}
	return &c
}

// contentOf returns what a tool call shows.
func contentOf(v jsonrpc.Value) (list []Content) {
	content, _ := v.Get("content")
	for item := range content.Items() {
		if len(list) == maxContent {
			break
		}
		list = appendContent(list, item)
	}
	return list
}

// appendContent appends an item of a tool call's content.
func appendContent(list []Content, item jsonrpc.Value) []Content {
	switch textOf(item, "type") {
	case "content":
		inner, _ := item.Get("content")
		return append(list, Content{Text: clip(contentText(inner), maxText)})
	case "diff":
		if changes, ok := item.Get("changes"); ok {
			return append(list, Content{Text: changesText(changes, item)})
		}
		old, _ := item.Get("oldText")
		return append(list, Content{Diff: &Diff{
			Path: clip(textOf(item, "path"), maxTitle), Old: textOf(item, "oldText"), New: textOf(item, "newText"),
			Fresh: old.Kind() != jsonrpc.String,
		}})
	case "terminal":
		return append(list, Content{Terminal: clip(textOf(item, "terminalId"), maxID)})
	}
	return list
}

// changesText is a diff of version 2, which lists what has changed, and may have a patch.
func changesText(changes, diff jsonrpc.Value) string {
	var b strings.Builder
	n := 0
	for v := range changes.Items() {
		if n++; n > maxContent {
			break
		}
		b.WriteString(clip(textOf(v, "operation"), maxNameShow) + " ")
		if old := textOf(v, "oldPath"); old != "" {
			b.WriteString(clip(old, maxTitle) + " to ")
		}
		b.WriteString(clip(textOf(v, "path"), maxTitle) + "\n")
	}
	patch, _ := diff.Get("patch")
	b.WriteString(textOf(patch, "text"))
	return clip(b.String(), maxText)
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
