package acp

import (
	"slices"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// pending is the requests that wait for news of a terminal. A request whose
// id is null waits like any other, but can't be named to cancel it.
type pending struct {
	creates map[core.TerminalID]create
	waits   map[core.TerminalID][]jsonrpc.ID
	byID    map[jsonrpc.ID]waiting // without those of id null
	n       int
}

// create is a terminal/create whose command has not started.
type create struct {
	id       jsonrpc.ID
	toolCall string // the id of its tool call, if the peer said it
}

// waiting says what a request waits for.
type waiting struct {
	terminal core.TerminalID
	create   bool
}

func newPending() pending {
	return pending{
		creates: make(map[core.TerminalID]create),
		waits:   make(map[core.TerminalID][]jsonrpc.ID),
		byID:    make(map[jsonrpc.ID]waiting),
	}
}

func (p *pending) has(id jsonrpc.ID) bool {
	_, ok := p.byID[id]
	return ok
}

func (p *pending) addCreate(t core.TerminalID, c create) {
	p.creates[t] = c
	p.add(c.id, waiting{terminal: t, create: true})
}

func (p *pending) addWait(id jsonrpc.ID, t core.TerminalID) {
	p.waits[t] = append(p.waits[t], id)
	p.add(id, waiting{terminal: t})
}

func (p *pending) add(id jsonrpc.ID, w waiting) {
	p.n++
	if !id.IsNull() {
		p.byID[id] = w
	}
}

// takeCreate removes the terminal/create that waits for t.
func (p *pending) takeCreate(t core.TerminalID) (jsonrpc.ID, bool) {
	c, ok := p.creates[t]
	if ok {
		delete(p.creates, t)
		p.remove(c.id)
	}
	return c.id, ok
}

// takeWaits removes those who wait for the exit of t, the first one first.
func (p *pending) takeWaits(t core.TerminalID) []jsonrpc.ID {
	ids := p.waits[t]
	delete(p.waits, t)
	for _, id := range ids {
		p.remove(id)
	}
	return ids
}

// take removes the request that id names.
func (p *pending) take(id jsonrpc.ID) (waiting, bool) {
	w, ok := p.byID[id]
	if !ok {
		return waiting{}, false
	}
	p.remove(id)
	if w.create {
		delete(p.creates, w.terminal)
		return w, true
	}
	i := slices.Index(p.waits[w.terminal], id)
	p.waits[w.terminal] = slices.Delete(p.waits[w.terminal], i, i+1)
	return w, true
}

func (p *pending) remove(id jsonrpc.ID) {
	p.n--
	delete(p.byID, id)
}
