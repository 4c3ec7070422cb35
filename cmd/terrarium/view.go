package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/paint"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core/driver/harness"
)

// frameTime is the time between two looks of a person.
const frameTime = 50 * time.Millisecond

// maxSaid is how much of what an agent has said to a person is kept while the
// view stands in its place, in bytes.
const maxSaid = 64 << 10

// A view shows a person what an agent sees and is up to, and for how long. It is
// on a screen of its own; what it leaves behind is a line for each turn. The
// methods of nil do nothing.
type view struct {
	tty   *os.File
	color bool
	tells bool // the turns in the end
	quit  chan struct{}
	done  chan struct{}

	mu      sync.Mutex // guards what follows
	shown   *drawing
	title   string
	link    string    // what is told of the connection to where the terminal is
	since   time.Time // when the title came to be
	fresh   bool      // there is something that was not drawn
	size    [2]int    // columns and rows of what was drawn last
	waited  int       // the seconds since then that were drawn last
	turns   []string  // what was done, the newest
	left    int       // older turns that are not among them
	claimed bool      // the agent has said that it is done, and was asked whether it is sure
	said    []byte
}

// maxTurnLines and maxTurnLine bound what is kept of turns: lines, and bytes of each.
const (
	maxTurnLines = 500
	maxTurnLine  = 400
)

// newView returns nil if tty is no terminal. tells has the view leave behind a
// line for each turn.
func newView(tty *os.File, cols, rows int, tells bool) *view {
	if !isTerminal(tty) {
		return nil
	}
	v := &view{
		tty: tty, color: os.Getenv("NO_COLOR") == "", tells: tells, quit: make(chan struct{}), done: make(chan struct{}),
		shown: newDrawing(rows, cols, false), title: "turn 1: the agent reads the task",
		fresh: true, since: time.Now(),
	}
	fmt.Fprint(tty, "\x1b[?1049h\x1b[?25l")
	go v.run() // ends when close closes quit
	return v
}

// output shows what the terminal is sent.
func (v *view) output(p []byte) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shown.write(p)
	v.fresh = true
}

// turn shows what the agent wants to do.
func (v *view) turn(t harness.Turn) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.title, v.fresh, v.since = turnLine(t, v.claimed), true, time.Now()
	if t.Result.Error == "" { // else it will be asked the same again
		v.claimed = t.Result.Complete
	}
	if v.turns = append(v.turns, v.title); len(v.turns) > maxTurnLines {
		v.turns = append(v.turns[:0], v.turns[1:]...)
		v.left++
	}
}

// hear is told of the connection to where the terminal is.
func (v *view) hear(line string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.link, v.fresh = line, true
}

// turnLine says in one line what an agent wants to do, and how. claimed is whether
// it has said just before that it is done.
func turnLine(t harness.Turn, claimed bool) string {
	about := t.Result.Plan
	if t.Result.Error != "" {
		about = t.Result.Error
	}
	line := strings.Join(strings.Fields(cut(about, maxTurnLine/2)), " ")
	var typed strings.Builder
	for _, c := range t.Result.Commands {
		if typed.Len() > maxTurnLine {
			break
		}
		typed.WriteString(strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\r", "⏎").Replace(cut(c.Keystrokes, maxTurnLine)))
	}
	if typed.Len() > 0 {
		line += ": " + typed.String()
	}
	switch {
	case t.Result.Complete && claimed:
		line += " (sure that it is done)"
	case t.Result.Complete:
		line += " (says that it is done)"
	}
	return fmt.Sprintf("turn %d: %s", t.Step, printable.Text(cut(line, maxTurnLine)))
}

// cut returns at most n bytes of text.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// Write keeps what the agent says to a person until there is place for it.
func (v *view) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.said = append(v.said, p...)
	v.said = v.said[max(0, len(v.said)-maxSaid):]
	return len(p), nil
}

func (v *view) run() {
	defer close(v.done)
	tick := time.NewTicker(frameTime)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			v.draw()
		case <-v.quit:
			return
		}
	}
}

// draw draws a line about the screen, and as much of that as there is place for.
func (v *view) draw() {
	cols, rows, err := term.GetSize(int(v.tty.Fd()))
	if err != nil {
		return
	}
	if frame := v.frame(cols, rows); frame != nil {
		v.tty.Write(frame)
	}
}

// frame returns what draws it, or nil if nothing has changed. Where not all rows
// of the screen have a place, that of the cursor is the last.
func (v *view) frame(cols, rows int) []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	size, waited := [2]int{cols, rows}, max(0, int(time.Since(v.since).Seconds()))
	if !v.fresh && v.size == size && v.waited == waited {
		return nil
	}
	v.fresh, v.size, v.waited = false, size, waited
	frame := []byte("\x1b[?2026h\x1b[H\x1b[0;7m")
	title := v.title
	if waited > 0 {
		title = fmt.Sprintf("%ds %s", waited, title)
	}
	if v.link != "" {
		title = v.link + "; " + title
	}
	frame = paint.Fit(frame, title, cols)
	frame = append(frame, "\x1b[K\x1b[0m"...)
	first := max(0, v.shown.screen.Cursor().Y-(rows-2))
	end, _ := v.shown.screen.Size()
	for y := first; y < min(end, first+rows-1); y++ {
		frame = append(frame, "\r\n"...)
		for run := range v.shown.screen.Runs(y) {
			if run.X >= cols {
				break
			}
			if v.color {
				frame = paint.Style(frame, run.Style)
			}
			frame = fmt.Appendf(frame, "\x1b[%dG", run.X+1)
			frame = paint.Fit(frame, string(run.Text), cols-run.X)
		}
		frame = append(frame, "\x1b[0m\x1b[K"...)
	}
	return append(frame, "\x1b[J\x1b[?2026l"...)
}

// close gives the person the terminal back, with what the agent has said and
// done.
func (v *view) close() {
	if v == nil {
		return
	}
	close(v.quit)
	<-v.done
	fmt.Fprint(v.tty, "\x1b[?1049l\x1b[?25h")
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tty.Write(v.said)
	if n := len(v.said); n > 0 && v.said[n-1] != '\n' {
		fmt.Fprintln(v.tty)
	}
	if !v.tells {
		return
	}
	cols, _, err := term.GetSize(int(v.tty.Fd()))
	if err != nil {
		cols = defaultCols
	}
	var lines []byte
	if v.left > 0 {
		lines = fmt.Appendf(lines, "(%d turns before)\n", v.left)
	}
	for _, turn := range v.turns {
		lines = append(paint.Fit(lines, turn, cols), '\n')
	}
	v.tty.Write(lines)
}
