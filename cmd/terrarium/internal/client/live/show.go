package live

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/client"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/paint"
)

const (
	maxOpen   = 4        // rows of what the agent is saying
	maxSaid   = 64 << 10 // bytes of a line of it
	maxPlan   = 6        // steps that show
	leastRows = 2        // of a terminal, where others need the room
)

// Show implements client.View.
func (v *View) Show(e client.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.awaitRoom()
	switch e := e.(type) {
	case client.Ready:
		v.status, v.since = strings.TrimSpace(client.Clean(e.Agent+" "+e.Version)+" works: ^C cancels"), time.Now()
	case client.Updated:
		for len(e.Text) > maxSaid { // it may be millions of lines
			n := maxSaid
			for n > maxSaid-utf8.UTFMax && !utf8.RuneStart(e.Text[n]) {
				n--
			}
			piece := e
			piece.Text, e.Text = e.Text[:n], e.Text[n:]
			v.updated(piece)
			v.awaitRoom()
		}
		v.updated(e)
	case client.Started:
		if r := v.byID[e.ID]; r != nil {
			v.again(r, &e)
			return
		}
		rows, cols := e.Rows, e.Cols
		if rows == 0 || cols == 0 {
			rows, cols = TerminalSize(v.rows, v.cols)
		}
		v.begin(&e, rows, cols)
	case client.Output:
		if r := v.byID[e.ID]; r != nil {
			if e.Anew {
				v.anew(r)
			}
			v.write(r, e.Data)
		}
	case client.Exited:
		if r := v.byID[e.ID]; r != nil {
			v.end(r, client.ExitText(e))
		}
	case client.Stopped:
		v.endSaid()
		v.endThought()
		v.status = "the turn is over"
	default:
		for _, line := range client.Words(e) {
			v.print(line)
		}
	}
}

// awaitRoom waits until not too many lines wait for their place in the history. v.mu is held.
func (v *View) awaitRoom() {
	for len(v.history) > 2*maxPending && !v.closing {
		v.room.Wait()
	}
	v.fresh = true
}

// updated shows what the agent tells. v.mu is held.
func (v *View) updated(u client.Updated) {
	if u.Kind != "agent_message_chunk" && u.Kind != "agent_thought_chunk" {
		v.endSaid()
		v.endThought()
	}
	if u.Message != v.message {
		v.endSaid()
		v.endThought()
		v.message = u.Message
	}
	switch u.Kind {
	case "agent_message_chunk":
		v.endThought()
		v.said = v.add(v.said, u.Text, "", false)
	case "agent_thought_chunk":
		v.endSaid()
		v.thought = v.add(v.thought, u.Text, "~ ", true)
	case "plan":
		v.plan = u.Plan
		if done(u.Plan) {
			for _, s := range u.Plan {
				v.print(client.StepText(s))
			}
			v.plan = nil
		}
	default:
		for _, line := range client.Words(u) {
			v.print(line)
		}
	}
}

func done(plan []client.Step) bool {
	for _, s := range plan {
		if s.Status != "completed" {
			return false
		}
	}
	return true
}

// add returns the line that is open after more of it. Lines that end in it go to the history. v.mu
// is held.
func (v *View) add(open, more, mark string, faint bool) string {
	open += more
	for {
		line, rest, ended := strings.Cut(open, "\n")
		if !ended && len(open) <= maxSaid {
			return open
		}
		text := mark + client.Clean(line)
		if faint {
			v.faint(text)
		} else {
			v.print(text)
		}
		open = rest
	}
}

func (v *View) endSaid() {
	if v.said != "" {
		v.said = v.add(v.said, "\n", "", false)
	}
}

func (v *View) endThought() {
	if v.thought != "" {
		v.thought = v.add(v.thought, "\n", "~ ", true)
	}
}

// print has a line, which is safe to show, go to the history. v.mu is held.
func (v *View) print(line string) { v.push(line, "", "") }

// faint is print for what matters less.
func (v *View) faint(line string) {
	if v.color {
		v.push(line, "\x1b[2m", "\x1b[0m")
		return
	}
	v.print(line)
}

func (v *View) push(line, before, after string) {
	for _, row := range v.wrap(line) {
		v.history = append(v.history, before+row+after)
	}
	v.fresh = true
}

// wrap returns the rows that a line takes.
func (v *View) wrap(line string) []string {
	rows := paint.Wrap(line, v.cols-3)
	for i := range rows[min(1, len(rows)):] {
		rows[i+1] = "  " + rows[i+1] // else it could look like a line of ours
	}
	return rows
}

// strong returns a line in bold, if that is shown and it is short enough not to be broken.
func (v *View) strong(line string) string {
	if !v.color || len(line) > v.cols-3 {
		return line
	}
	return "\x1b[1m" + line + "\x1b[0m"
}

// resize takes the size of the person's terminal.
func (v *View) resize(cols, rows int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.cols, v.rows, v.fresh = max(20, cols), max(5, rows), true
	v.tellQuestions()
}

// TerminalSize is the size that terminals of commands should have on a terminal of this size, in
// cells: so several of them fit on it.
func TerminalSize(rows, cols int) (int, int) {
	return min(12, max(4, rows/3)), max(20, cols-len("[1] ")-1)
}

// lines are what is drawn: never as many as there are rows. v.mu is held.
func (v *View) lines() []string {
	var below []string
	if len(v.questions) > 0 {
		below = v.asked(v.questions[0])
		switch n := len(v.questions) - 1; {
		case n == 1:
			below = append(below, "and 1 more question")
		case n > 1:
			below = append(below, fmt.Sprintf("and %d more questions", n))
		}
	}
	below = append(below, v.statusLine())
	var above []string
	for _, open := range []string{"~ " + v.thought, v.said} {
		if open == "" || open == "~ " {
			continue
		}
		rows := paint.Wrap(client.Clean(open), v.cols-3)
		above = append(above, rows[max(0, len(rows)-maxOpen):]...)
	}
	room := v.rows - 2 - len(below) - len(above)
	if len(v.plan) > 0 && room > maxPlan {
		plan := v.plan[:min(maxPlan, len(v.plan))]
		for _, s := range plan {
			above = append(above, client.StepText(s))
		}
		room -= len(plan)
	}
	lines := append(above, v.terminals(max(0, room))...)
	lines = append(lines, below...)
	for i := range lines {
		lines[i] = v.fit(lines[i])
	}
	return lines[max(0, len(lines)-(v.rows-1)):]
}

// fit cuts a line of ours. Those of terminals fit already, and may have styles.
func (v *View) fit(line string) string {
	if strings.ContainsRune(line, '\x1b') {
		return line
	}
	return string(paint.Fit(nil, line, v.cols-1))
}

// terminals draws the newest terminals that have room. v.mu is held.
func (v *View) terminals(room int) (lines []string) {
	shown := v.regions[max(0, len(v.regions)-max(1, room/(leastRows+1))):]
	if len(shown) == 0 || room < 2 {
		return nil
	}
	each := max(1, room/len(shown)-1) // one says what it is
	for _, r := range shown {
		command, _, _ := strings.Cut(r.command, "\n")
		head := r.mark + "$ " + client.Clean(command)
		if title := client.Clean(r.screen.Title()); title != "" {
			head += " — " + title
		}
		lines = append(lines, v.strong(string(paint.Fit(nil, head, v.cols-1))))
		used := v.used(r)
		for y := max(0, used-each); y < used; y++ {
			lines = append(lines, v.row(r, y))
		}
	}
	if n := len(v.regions) - len(shown); n > 0 {
		lines = append(lines, fmt.Sprintf("and %d more terminals", n))
	}
	return lines
}

func (v *View) statusLine() string {
	return fmt.Sprintf("%ds %s", int(time.Since(v.since).Seconds()), v.status)
}
