package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/terrarium-dev/terrarium/core/driver/harness"
	"github.com/terrarium-dev/terrarium/core/text"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// frameTime is the time between two looks of a person.
const frameTime = 50 * time.Millisecond

// maxSaid is how much of what an agent has said to a person is kept while the
// view stands in its place, in bytes.
const maxSaid = 64 << 10

// A view shows a person what an agent sees and is up to. It is on a screen of
// its own, and leaves none of it behind. The methods of nil do nothing.
type view struct {
	tty   *os.File
	color bool
	quit  chan struct{}
	done  chan struct{}

	mu     sync.Mutex // guards what follows
	screen *vt.Screen
	repair text.Repairer
	title  string
	fresh  bool   // there is something that was not drawn
	size   [2]int // columns and rows of what was drawn last
	said   []byte
}

// newView returns nil if tty is no terminal.
func newView(tty *os.File, cols, rows int) *view {
	if !isTerminal(tty) {
		return nil
	}
	v := &view{
		tty: tty, color: os.Getenv("NO_COLOR") == "", quit: make(chan struct{}), done: make(chan struct{}),
		screen: vt.NewScreen(vt.Options{Rows: rows, Cols: cols, ScrollbackBytes: -1}), title: "the shell starts", fresh: true,
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
	for len(p) > 0 {
		var valid []byte
		valid, p = v.repair.Next(p)
		v.screen.Write(valid)
	}
	v.fresh = true
}

// turn shows what the agent wants to do.
func (v *view) turn(t harness.Turn) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	about := t.Result.Plan
	if t.Result.Error != "" {
		about = t.Result.Error
	}
	v.title, v.fresh = fmt.Sprintf("turn %d: %s", t.Step, strings.Join(strings.Fields(about), " ")), true
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
	if size := [2]int{cols, rows}; v.fresh || v.size != size {
		v.fresh, v.size = false, size
	} else {
		return nil
	}
	frame := []byte("\x1b[?2026h\x1b[H\x1b[0;7m")
	frame = appendFit(frame, v.title, cols)
	frame = append(frame, "\x1b[K\x1b[0m"...)
	first := max(0, v.screen.Cursor().Y-(rows-2))
	end, _ := v.screen.Size()
	for y := first; y < min(end, first+rows-1); y++ {
		frame = append(frame, "\r\n"...)
		for run := range v.screen.Runs(y) {
			if run.X >= cols {
				break
			}
			if v.color {
				frame = appendStyle(frame, run.Style)
			}
			frame = fmt.Appendf(frame, "\x1b[%dG", run.X+1)
			frame = appendFit(frame, string(run.Text), cols-run.X)
		}
		frame = append(frame, "\x1b[0m\x1b[K"...)
	}
	return append(frame, "\x1b[J\x1b[?2026l"...)
}

// close gives the person the terminal back, with what the agent has said.
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
}

// appendFit appends as much of s as fits in cols. Controls become blanks.
func appendFit(dst []byte, s string, cols int) []byte {
	for _, c := range s {
		if c < ' ' || 0x7f <= c && c < 0xa0 {
			c = ' '
		}
		if cols -= vt.RuneWidth(c); cols < 0 {
			break
		}
		dst = append(dst, string(c)...)
	}
	return dst
}

// appendStyle appends the SGR sequence of a style.
func appendStyle(dst []byte, s vt.Style) []byte {
	dst = append(dst, "\x1b[0"...)
	for _, a := range [...]struct {
		attr vt.Attr
		code int
	}{{vt.Bold, 1}, {vt.Dim, 2}, {vt.Italic, 3}, {vt.Blink, 5}, {vt.Inverse, 7}, {vt.Invisible, 8}, {vt.Strike, 9}, {vt.Overline, 53}} {
		if s.Attr&a.attr != 0 {
			dst = fmt.Appendf(dst, ";%d", a.code)
		}
	}
	if s.Attr.Underline() != vt.NoUnderline {
		dst = append(dst, ";4"...)
	}
	dst = appendColor(dst, 38, s.Fg)
	dst = appendColor(dst, 48, s.Bg)
	return append(dst, 'm')
}

func appendColor(dst []byte, code int, c vt.Color) []byte {
	if n, ok := c.Palette(); ok {
		return fmt.Appendf(dst, ";%d;5;%d", code, n)
	}
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Appendf(dst, ";%d;2;%d;%d;%d", code, r, g, b)
	}
	return dst
}
