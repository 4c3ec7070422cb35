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
// peers. The zero value tells standard error. Nothing of it waits for who reads that: the
// connection would wait, and signals to us.
type links struct {
	mu    sync.Mutex // guards what follows
	say   func(line string)
	redo  func()        // draws anew what the lines stand on; or nil
	cut   func(bool)    // is told whether there is no connection just now; or nil
	cuts  int           // how often there was none
	last  *acp.Link     // what was told last
	kept  []string      // lines that wait until nothing is drawn any longer
	queue []linkTold    // for standard error, from the one that is being printed on
	told  chan struct{} // closed when the queue is empty; nil if it always was
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
	line := linkLine(news)
	if s.Link == remote.Resumed && l.say == nil && l.redo != nil {
		l.enqueue(linkTold{line, l.redo})
		return
	}
	l.tellPerson(line)
}

// tellPerson tells a person a line at once. l.mu is held.
func (l *links) tellPerson(line string) {
	if l.say != nil {
		l.say(line)
		return
	}
	l.enqueue(linkTold{line: line})
}

// A linkTold is a line for standard error, and what is done when it is there, or nil.
type linkTold struct {
	line string
	then func()
}

// enqueue has a line printed after those that wait. l.mu is held.
func (l *links) enqueue(t linkTold) {
	if len(l.queue) >= maxQueuedLinks {
		return
	}
	l.queue = append(l.queue, t)
	if len(l.queue) == 1 {
		l.told = make(chan struct{})
		go l.print(t) // ends with the queue, or is left behind when we exit
	}
}

// print prints t and what comes after it.
func (l *links) print(t linkTold) {
	for {
		// A line of its own also where a command has the terminal, and made it raw.
		printLine(os.Stderr, "terrarium: "+t.line)
		if t.then != nil {
			t.then()
		}
		l.mu.Lock()
		l.queue = l.queue[1:]
		if len(l.queue) == 0 {
			l.queue = nil
			close(l.told)
			l.mu.Unlock()
			return
		}
		t = l.queue[0]
		l.mu.Unlock()
	}
}

// flush waits until what a person was told is printed.
func (l *links) flush() {
	l.mu.Lock()
	told := l.told
	l.mu.Unlock()
	if told != nil {
		<-told
	}
}

const (
	maxKeptLinks   = 20   // lines that wait until nothing is drawn
	maxQueuedLinks = 1000 // and those that wait for who reads them
)

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
		l.enqueue(linkTold{line: line})
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
