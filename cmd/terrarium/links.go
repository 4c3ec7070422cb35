package main

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// links tell what becomes of the connection to a place: a person, on standard error or by say, and
// peers. The zero value tells standard error.
type links struct {
	mu    sync.Mutex // guards what follows, and is held while somebody is told
	say   func(line string)
	redo  func()    // draws anew what the lines stand on; or nil
	last  *acp.Link // what was told last
	peers map[*acpconn.Server]bool
}

// sayBy has a person told by say. It must not wait.
func (l *links) sayBy(say func(line string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.say = say
}

// redrawBy has a screen drawn anew when the connection is there again: what was told before stands
// on it. redraw must not wait.
func (l *links) redrawBy(redraw func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.redo = redraw
}

// tell is the OnState of a remote.Host.
func (l *links) tell(place string, s remote.State) {
	news := &acp.Link{Place: place, State: s.Link.String()}
	if s.Err != nil {
		// The reasons of the place name it, too.
		news.Reason = printable.Text(strings.ReplaceAll(message(s.Err), place+": ", ""))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = news
	for peer := range l.peers {
		peer.TellLink(news)
	}
	if l.say == nil {
		// In a line of its own also where a command has the terminal, and made it raw.
		end := "\n"
		if isTerminal(os.Stderr) {
			end = "\r\n"
		}
		fmt.Fprint(os.Stderr, "terrarium: "+linkLine(news)+end)
		if l.redo != nil && s.Link == remote.Resumed {
			l.redo()
		}
		return
	}
	l.say(linkLine(news))
}

// linkLine tells a person what has become of the connection.
func linkLine(n *acp.Link) string {
	switch n.State {
	case remote.Reconnecting.String():
		return fmt.Sprintf("%s: reconnecting: %s", printable.Text(n.Place), n.Reason)
	case remote.Lost.String():
		return fmt.Sprintf("%s: lost: %s", printable.Text(n.Place), n.Reason)
	}
	return fmt.Sprintf("%s: resumed: nothing is lost", printable.Text(n.Place))
}

// join has a peer told, until leave. It is told at once if there is no connection.
func (l *links) join(peer *acpconn.Server) (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.peers == nil {
		l.peers = make(map[*acpconn.Server]bool)
	}
	l.peers[peer] = true
	if l.last != nil && l.last.State != remote.Resumed.String() {
		peer.TellLink(l.last)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.peers, peer)
	}
}
