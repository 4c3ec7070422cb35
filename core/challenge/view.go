package challenge

import (
	"strings"
	"unicode/utf8"
)

// A View is what a terminal shows. Its texts are UTF-8, and rows in them end in
// a newline and have no blanks before it.
type View struct {
	// Screen has the rows that can be seen. Blank ones at the end may be left
	// out; Rows says how many there are all the same.
	Screen string
	Rows   int
	// History has rows that have scrolled out at the top, the newest last: all
	// from Effect.From on that are kept. Rows are numbered from 0 as they
	// appear, and Top is the number of the first of Screen.
	History string
	Top     uint64
	// Alternate says that Screen is the alternate screen, such as an editor's.
	Alternate bool
}

// A watcher finds out what is new on a terminal.
type watcher struct {
	strict bool
	looked bool // before

	// Strict: all there was, as tmux capture-pane prints it.
	buffer string
	// Otherwise: the screen, without blank rows at the end.
	rows      []string
	top       uint64
	alternate bool
}

// from returns the number of the first row that the next view must have.
func (w *watcher) from() uint64 {
	if w.strict {
		return 0
	}
	return w.top
}

// describe returns what is new since the last view, if nothing of it has been
// overwritten or lost, and otherwise what can be seen.
func (w *watcher) describe(v View) string {
	output, ok := "", false
	screen := v.Screen
	if w.strict {
		screen += strings.Repeat("\n", max(0, v.Rows-strings.Count(screen, "\n")))
		output, ok = w.newInBuffer(v.History + screen)
	} else {
		output, ok = w.newRows(v)
	}
	looked := w.looked
	w.looked = true
	if looked && ok && strip(output) != "" {
		return "New Terminal Output:\n" + output
	}
	return "Current Terminal Screen:\n" + screen
}

// newRows returns what follows the rows of the last view. The last of those
// may have grown, and is repeated: it tends to be a prompt.
func (w *watcher) newRows(v View) (output string, whole bool) {
	old, oldTop, oldAlternate := w.rows, w.top, w.alternate
	history := splitRows(v.History)
	w.rows, w.top, w.alternate = trimRows(splitRows(v.Screen)), v.Top, v.Alternate
	if v.Alternate || oldAlternate {
		return "", false
	}
	first := v.Top - uint64(len(history))
	if uint64(len(history)) > v.Top || first > oldTop || v.Top < oldTop {
		return "", false
	}
	rows := append(history[oldTop-first:], w.rows...)
	if len(old) == 0 {
		return joinRows(rows), true
	}
	if len(rows) < len(old) {
		return "", false
	}
	last := len(old) - 1
	for i, row := range old[:last] {
		if rows[i] != row {
			return "", false
		}
	}
	if !strings.HasPrefix(rows[last], old[last]) {
		return "", false
	}
	if len(rows) == len(old) && rows[last] == old[last] {
		return "", true
	}
	return joinRows(rows[last:]), true
}

func splitRows(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

func trimRows(rows []string) []string {
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

func joinRows(rows []string) string { return strings.Join(rows, "\n") + "\n" }

// newInBuffer is how terminus-2 does it. It looks for the old buffer in the new
// one, and shows the new one from where the last line of the old begins. That
// place is counted in the old buffer, without the blanks around it: if those
// blanks had lines, too much is shown.
func (w *watcher) newInBuffer(buffer string) (output string, whole bool) {
	old := strip(w.buffer)
	w.buffer = buffer
	at := strings.Index(buffer, old)
	if at < 0 {
		return "", false
	}
	newline := strings.LastIndexByte(old, '\n')
	if newline < 0 {
		return buffer[at:], true
	}
	for range utf8.RuneCountInString(old[:newline]) {
		_, size := utf8.DecodeRuneInString(buffer)
		buffer = buffer[size:]
	}
	return buffer, true
}
