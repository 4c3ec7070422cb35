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
	redo  func()     // draws anew what the lines stand on; or nil
	cut   func(bool) // is told whether there is no connection just now; or nil
	cuts  int        // how often there was none
	last  *acp.Link  // what was told last
	kept  []string   // lines that wait until nothing is drawn any longer
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

// cutBy has cut told, at once and then at each change, whether there is no connection just now. It
// must not wait.
func (l *links) cutBy(cut func(is bool)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	cut(l.isCut())
}

// isCut reports whether there is no connection just now, but may be again. l.mu is held.
func (l *links) isCut() bool { return l.last != nil && l.last.State == remote.Reconnecting.String() }

// cutNow returns which of the times it is that there is no connection, from 1, or 0 if there is
// one, or will be none any more.
func (l *links) cutNow() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isCut() {
		return 0
	}
	return l.cuts
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
	was := l.isCut()
	l.last = news
	if l.isCut() && !was {
		l.cuts++
	}
	if l.cut != nil {
		l.cut(l.isCut())
	}
	for peer := range l.peers {
		peer.TellLink(news)
	}
	l.tellPerson(linkLine(news))
	if l.say == nil && l.redo != nil && s.Link == remote.Resumed {
		l.redo()
	}
}

// tellPerson tells a person a line at once. l.mu is held.
func (l *links) tellPerson(line string) {
	if l.say != nil {
		l.say(line)
		return
	}
	printLink(line)
}

// printLink prints a line of its own also where a command has the terminal, and made it raw.
func printLink(line string) { fmt.Fprint(os.Stderr, "terrarium: "+line+lineEnd(os.Stderr)) }

// maxKeptLinks is how many lines wait at the most.
const maxKeptLinks = 20

// warn tells a person at once a line that they may have to act on. It is fit to be shown.
func (l *links) warn(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tellPerson(line)
}

// show tells a person a line, such as one that the program of a place has said, which is fit to be
// shown. It does not spoil what is drawn: such a line comes at the end.
func (l *links) show(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.say != nil || l.redo == nil {
		l.tellPerson(line)
		return
	}
	l.kept = append(l.kept, line)
	l.kept = l.kept[max(0, len(l.kept)-maxKeptLinks):]
}

// drawn says that nothing is drawn any longer.
func (l *links) drawn() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.kept {
		printLink(line)
	}
	l.kept, l.redo = nil, nil
}

// isLost reports whether there will be no connection any more, as a person was told.
func (l *links) isLost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last != nil && l.last.State == remote.Lost.String()
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
