package mcp

import (
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionHeader has the id of a session, in requests and in the answer to the first.
const sessionHeader = "Mcp-Session-Id"

// idleness is since when sessions over HTTP have no request under way. Nothing says that a client
// is gone: so a new one takes the place of who was idle for the longest time.
type idleness struct {
	room sync.Mutex // held by who makes room, so that all do it one by one

	mu    sync.Mutex           // guards the fields below
	since map[string]time.Time // by id, of those without a request
	busy  map[string]int       // how many requests others have
}

// begin notes that a request of a session is under way, and reports whether there is such a
// session.
func (i *idleness) begin(id string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if _, idle := i.since[id]; !idle && i.busy[id] == 0 {
		return false
	}
	delete(i.since, id)
	i.busy[id]++
	return true
}

// end notes that a request of a session is over, or the one that has opened it. An empty id is no
// session's.
func (i *idleness) end(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.busy[id] > 1 {
		i.busy[id]--
		return
	}
	delete(i.busy, id)
	if id != "" {
		i.since[id] = time.Now()
	}
}

// makeRoom ends the session that was idle for the longest time, if there are too many. It reports
// false if none is idle.
func (i *idleness) makeRoom(server *sdk.Server) bool {
	i.room.Lock()
	defer i.room.Unlock()
	n, oldest := i.look(server)
	switch {
	case n < maxSessions:
		return true
	case oldest == nil:
		return false
	}
	oldest.Close() // an error is that it has ended
	return true
}

// look counts the sessions, and returns the one that was idle for the longest time, if one is. It
// forgets those that are not there any more.
func (i *idleness) look(server *sdk.Server) (n int, oldest *sdk.ServerSession) {
	i.mu.Lock()
	defer i.mu.Unlock()
	there := make(map[string]bool)
	for s := range server.Sessions() {
		n++
		id := s.ID()
		there[id] = true
		if at, idle := i.since[id]; idle && (oldest == nil || at.Before(i.since[oldest.ID()])) {
			oldest = s
		}
	}
	for id := range i.since {
		if !there[id] {
			delete(i.since, id)
		}
	}
	return n, oldest
}
