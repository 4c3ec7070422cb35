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
	waits   map[core.TerminalID][]waiter
	byID    map[jsonrpc.ID]waiting // without Calls, and those of id null
	n       int
}

// waiter is who waits for an answer: a request of the peer, by its id, or a Call.
type waiter struct {
	id   jsonrpc.ID
	call *Call
}

// create is a terminal/create whose command has not started.
type create struct {
	waiter
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
		waits:   make(map[core.TerminalID][]waiter),
		byID:    make(map[jsonrpc.ID]waiting),
	}
}

func (p *pending) has(id jsonrpc.ID) bool {
	_, ok := p.byID[id]
	return ok
}

func (p *pending) addCreate(t core.TerminalID, c create) {
	p.creates[t] = c
	p.add(c.waiter, waiting{terminal: t, create: true})
}

func (p *pending) addWait(by waiter, t core.TerminalID) {
	p.waits[t] = append(p.waits[t], by)
	p.add(by, waiting{terminal: t})
}

func (p *pending) add(by waiter, w waiting) {
	p.n++
	switch {
	case by.call != nil:
		by.call.waiting = w
	case !by.id.IsNull():
		p.byID[by.id] = w
	}
}

// takeCreate removes the terminal/create that waits for t.
func (p *pending) takeCreate(t core.TerminalID) (waiter, bool) {
	c, ok := p.creates[t]
	if ok {
		delete(p.creates, t)
		p.remove(c.waiter)
	}
	return c.waiter, ok
}

// takeWaits removes those who wait for the exit of t, the first one first.
func (p *pending) takeWaits(t core.TerminalID) []waiter {
	all := p.waits[t]
	delete(p.waits, t)
	for _, by := range all {
		p.remove(by)
	}
	return all
}

// take removes a request that waits for w.
func (p *pending) take(by waiter, w waiting) {
	p.remove(by)
	if w.create {
		delete(p.creates, w.terminal)
		return
	}
	i := slices.Index(p.waits[w.terminal], by)
	p.waits[w.terminal] = slices.Delete(p.waits[w.terminal], i, i+1)
}

func (p *pending) remove(by waiter) {
	p.n--
	if by.call != nil {
		by.call.waiting = waiting{}
		return
	}
	delete(p.byID, by.id)
}
