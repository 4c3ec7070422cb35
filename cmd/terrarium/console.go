package main

import (
	"bytes"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/terrarium-dev/terrarium/core"
)

// A console is the terminal that a person sits at, while it is raw: every key
// is the command's, also ^C once it has started. Its methods do nothing on one
// that is not raw.
type console struct {
	mu     sync.Mutex
	state  *term.State // before it was raw; nil if it is not
	away   bool        // we are stopped, and it is to be raw again when we go on
	over   bool        // it is never to be raw again
	handed bool        // keys that send signals are the command's, too
	ours   bool        // but not just now
}

// makeRaw hands the keys of the person at stdin over, but for those that send signals: until
// handOver they are for us, so that a person can give up what does not start. While somebody else
// has stopped us, as by "kill -TSTP", the terminal is as it was.
func (c *console) makeRaw() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	state, err := c.takeKeys()
	if err == nil {
		c.state = state
		c.followStops()
	}
	return err
}

// takeKeys makes the terminal raw, and returns how it was. It is called with mu held.
func (c *console) takeKeys() (*term.State, error) {
	defer betweenLines()()
	state, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err == nil && (!c.handed || c.ours) {
		setSignalKeys(os.Stdin, true)
	}
	return state, err
}

// handOver hands over the keys that send signals: the command has started. In the background it
// leaves that to comeBack.
func (c *console) handOver() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.handed && !c.ours && c.state != nil && inForeground(os.Stdin) {
		setSignalKeys(os.Stdin, false)
	}
	c.handed = true
}

// takeBack has the keys that send signals be for us, or the command's again, once it has started:
// while they can't reach it, a person has nothing else to leave it with. In the background it
// leaves that to comeBack.
func (c *console) takeBack(ours bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handed && c.ours != ours && c.state != nil && inForeground(os.Stdin) {
		setSignalKeys(os.Stdin, ours)
	}
	c.ours = ours
}

// restore puts the terminal back as it was. A second time it does nothing.
func (c *console) restore() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.putBack()
	c.over = true
}

// putBack reports whether the terminal was raw. It is called with mu held.
func (c *console) putBack() bool {
	if c.state == nil {
		return false
	}
	defer betweenLines()()
	term.Restore(int(os.Stdin.Fd()), c.state)
	c.state = nil
	return true
}

// leave puts the terminal back before we are stopped.
func (c *console) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away = c.putBack() || c.away
}

// comeBack makes the terminal raw again if it was when we were stopped, or if a shell has changed
// it meanwhile. In the background it does nothing: we would be stopped for it.
func (c *console) comeBack() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || !c.away && c.state == nil || !inForeground(os.Stdin) {
		return
	}
	state, err := c.takeKeys()
	if err == nil && c.away { // else state may be raw itself
		c.state, c.away = state, false
	}
}

// isRaw reports whether the terminal is raw.
func (c *console) isRaw() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state != nil
}

// consoleText writes lines to w, which shows them on a console: while that is
// raw, nobody else goes to the first column for them.
type consoleText struct {
	console *console
	w       io.Writer
}

func (t consoleText) Write(p []byte) (int, error) {
	out := p
	if t.console.isRaw() {
		out = bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))
	}
	_, err := t.w.Write(out)
	return len(p), err
}

// guard is deferred in goroutines that may panic, so that a person can read
// what it says.
func (c *console) guard() {
	if v := recover(); v != nil {
		c.restore()
		panic(v)
	}
}

// lineEnd is what ends a line that is written to f, also where that is a terminal that is raw.
func lineEnd(f *os.File) string {
	if keepsColumn(f) {
		return "\r\n"
	}
	return "\n"
}

// printing is full while printLine prints: the end of a line would be wrong if the terminal became
// raw, or was put back, after it was chosen.
var printing = make(chan struct{}, 1)

// printLine prints a line on f from a goroutine that knows nothing of when a terminal is raw.
func printLine(f *os.File, line string) {
	printing <- struct{}{}
	defer func() { <-printing }()
	io.WriteString(f, line+lineEnd(f))
}

// betweenLines keeps printLine from printing until done. It waits for a line that is being printed,
// but not for long: maybe nobody reads it.
func betweenLines() (done func()) {
	select {
	case printing <- struct{}{}:
		return func() { <-printing }
	case <-time.After(lastMoment):
		return func() {}
	}
}

// isTerminal reports whether a person is at the other end of f.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// isPerson reports whether keys come from f, and are ours to read: a job in
// the background would be stopped for it.
func isPerson(f *os.File) bool { return isTerminal(f) && inForeground(f) }

// size returns the size of the terminal at stdout in cells, or zeros if it
// does not say.
func size() (cols, rows int) {
	cols, rows, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || cols < 1 || rows < 1 {
		return 0, 0
	}
	return min(cols, core.MaxSize), min(rows, core.MaxSize)
}
