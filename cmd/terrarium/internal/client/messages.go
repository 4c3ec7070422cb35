package client

import (
	"strings"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// maxMessages is how many messages of the agent are known at a time.
const maxMessages = 8

// messages are those of the agent that were shown of late. Version 2 names them, and may tell one
// in chunks, whole, or both: what was shown is not shown again. Who reads the agent's lines uses
// it, and nobody else.
type messages struct {
	known []*message // the newest last
}

// A message is what was shown of one.
type message struct {
	kind, id string
	head     []byte // the beginning of its text, at most maxText of it
	size     int    // of all of it, in bytes
}

// chunk notes that more of a message is shown.
func (m *messages) chunk(kind, id, text string) {
	if id != "" { // version 1 names none
		m.take(kind, id).add(text)
	}
}

// whole returns what is to be shown of a message that is told from its beginning.
func (m *messages) whole(kind, id, text string) string {
	now := m.take(kind, id)
	if len(text) >= now.size && strings.HasPrefix(text, string(now.head)) {
		rest := text[now.size:]
		now.add(rest)
		return rest
	}
	now.head, now.size = nil, 0
	now.add(text)
	return "\n" + text // it stands behind what it was before
}

// take returns a message, which becomes the newest.
func (m *messages) take(kind, id string) *message {
	now := &message{kind: kind, id: id}
	for i, k := range m.known {
		if k.kind == kind && k.id == id {
			now = k
			m.known = append(m.known[:i], m.known[i+1:]...)
			break
		}
	}
	if len(m.known) == maxMessages {
		m.known = m.known[1:]
	}
	m.known = append(m.known, now)
	return now
}

func (m *message) add(text string) {
	m.head = append(m.head, text[:min(len(text), maxText-len(m.head))]...)
	m.size += len(text)
}

// contentTexts returns blocks of content as text.
func contentTexts(blocks jsonrpc.Value) string {
	var b strings.Builder
	for v := range blocks.Items() {
		b.WriteString(contentText(v))
	}
	return b.String()
}
