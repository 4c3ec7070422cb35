package live

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/client"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/paint"
	"github.com/terrarium-dev/terrarium/core/render"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// A region is a terminal on the person's.
type region struct {
	id, mark, command string
	screen            *vt.Screen
	render            *render.Stream // to the screen
	newline           bool           // LF moves to the first column, too
	scrolled          render.Buffer  // lines that left the screen, and perhaps the beginning of one
	lost              int            // lines that came too fast to be shown
}

// begin shows a terminal. v.mu is held.
func (v *View) begin(e *client.Started, rows, cols int) {
	v.count++
	r := &region{id: e.ID, mark: fmt.Sprintf("[%d] ", v.count), newline: !e.Interactive}
	v.clear(r, rows, cols)
	v.name(r, e.Command)
	v.regions = append(v.regions, r)
	v.byID[e.ID] = r
	v.fresh = true
}

// again shows what is known of a terminal by now. v.mu is held.
func (v *View) again(r *region, e *client.Started) {
	if r.command != e.Command {
		v.name(r, e.Command)
	}
	if e.Rows > 0 && e.Cols > 0 {
		r.screen.Resize(e.Rows, e.Cols)
		v.scroll(r)
	}
	v.fresh = true
}

// name has the history say what a terminal runs. v.mu is held.
func (v *View) name(r *region, command string) {
	r.command = command
	for i, line := range strings.Split(command, "\n") {
		mark := "$ "
		if i > 0 {
			mark = "> "
		}
		v.print(v.strong(r.mark + mark + client.Clean(line)))
	}
}

// clear has a terminal show nothing. v.mu is held.
func (v *View) clear(r *region, rows, cols int) {
	s := render.NewScreen(vt.Options{Rows: rows, Cols: cols, Newline: r.newline})
	r.screen, r.render, r.scrolled = s.Screen(), render.NewStream(s), nil
}

// anew has a terminal begin again, and the history say so. v.mu is held.
func (v *View) anew(r *region) {
	rows, cols := r.screen.Size()
	v.clear(r, rows, cols)
	v.print(r.mark + client.AnewText)
}

// write gives a terminal output. v.mu is held.
func (v *View) write(r *region, p []byte) {
	r.render.Write(&r.scrolled, 1, p)
	v.scroll(r)
	v.fresh = true
}

// scroll has the lines that have left a screen go to the history. v.mu is held.
func (v *View) scroll(r *region) {
	end := strings.LastIndexByte(string(r.scrolled), '\n') + 1
	for line := range strings.Lines(string(r.scrolled[:end])) {
		if len(v.history) > maxPending {
			r.lost++
			continue
		}
		v.found(r)
		v.print(r.mark + client.Clean(strings.TrimSuffix(line, "\n")))
	}
	r.scrolled = append(r.scrolled[:0], r.scrolled[end:]...)
}

// found says how many lines were left out. v.mu is held.
func (v *View) found(r *region) {
	if r.lost > 0 {
		v.print(fmt.Sprintf("%s[… %d lines were too fast to be shown …]", r.mark, r.lost))
		r.lost = 0
	}
}

// end has a terminal that is no more go to the history, as it looks. v.mu is held.
func (v *View) end(r *region, how string) {
	r.render.End(&r.scrolled)
	v.scroll(r)
	v.found(r)
	for y := range v.used(r) {
		v.history = append(v.history, v.row(r, y))
	}
	v.print(v.strong(r.mark + how))
	for i := range v.regions {
		if v.regions[i] == r {
			v.regions = append(v.regions[:i], v.regions[i+1:]...)
			break
		}
	}
	delete(v.byID, r.id)
	v.fresh = true
}

// used returns how many rows of a screen there are up to the last that has something.
func (v *View) used(r *region) int {
	rows, _ := r.screen.Size()
	for ; rows > 0; rows-- {
		some := false
		for range r.screen.Runs(rows - 1) {
			some = true
		}
		if some {
			return rows
		}
	}
	return 0
}

// inOrder leaves out what would have a person's terminal show text in another order than it stands
// there, which takes no cells.
func inOrder(c rune) rune {
	if unicode.Is(unicode.Bidi_Control, c) {
		return -1
	}
	return c
}

// row draws a row of a screen.
func (v *View) row(r *region, y int) string {
	line := []byte(r.mark)
	width, x := v.cols-1-len(r.mark), 0
	for run := range r.screen.Runs(y) {
		if run.X >= width {
			break
		}
		line = append(line, strings.Repeat(" ", max(0, run.X-x))...)
		if v.color {
			line = paint.Style(line, run.Style)
		}
		line = paint.Fit(line, strings.Map(inOrder, string(run.Text)), width-run.X)
		if v.color {
			line = append(line, "\x1b[0m"...)
		}
		x = run.X
		for _, c := range string(run.Text) {
			x += vt.RuneWidth(c)
		}
	}
	return string(line)
}
