package live

import (
	"fmt"
	"slices"
	"strconv"
)

// An Option is an answer.
type Option struct {
	Name string
	Key  string // that chooses it besides its number; may be empty
}

// A question waits for an answer. A key chooses it, and Enter says that it is meant: a key that was
// meant for something else is none.
type question struct {
	text    []string
	told    bool // the history has the text, since it has no room below or was asked for
	options []Option
	whole   []string // more of the text
	chosen  int      // -1 if nothing is
	answer  chan int // with room for it
}

func newQuestion(text []string, options []Option, whole []string) *question {
	return &question{text: text, options: options, whole: whole, chosen: -1, answer: make(chan int, 1)}
}

// ask has q wait for its answer. v.mu is held.
func (v *View) ask(q *question) {
	v.questions = append(v.questions, q)
	v.fresh = true
	v.tellQuestions()
}

// tellQuestions tells those that have no room. v.mu is held.
func (v *View) tellQuestions() {
	for _, q := range v.questions {
		if !v.holds(q) {
			v.tell(q)
		}
	}
}

// tell puts the text of q into the history, once. v.mu is held.
func (v *View) tell(q *question) {
	if q.told {
		return
	}
	q.told = true
	v.print("")
	for _, line := range q.text {
		v.print(line)
	}
}

// drop takes q out of what is asked: from now on the history has it. v.mu is held.
func (v *View) drop(q *question) {
	i := slices.Index(v.questions, q)
	if i < 0 {
		return
	}
	v.questions = slices.Delete(v.questions, i, i+1)
	v.tell(q)
	v.fresh = true
}

// holds reports whether there is room for the whole text of q. Where there is, it stands below, and
// nowhere else until it is answered.
func (v *View) holds(q *question) bool {
	// These are the hint, how many more questions there are, the status, and a row that stays free.
	const others = 4
	return len(v.textRows(q))+len(q.options)+others <= v.rows
}

// textRows returns the rows that the text of q takes.
func (v *View) textRows(q *question) (rows []string) {
	for _, line := range q.text {
		rows = append(rows, v.wrap(line)...)
	}
	return rows
}

// key takes a key that the person has pressed.
func (v *View) key(name string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.questions) == 0 {
		return
	}
	q := v.questions[0]
	v.fresh = true
	switch n, err := strconv.Atoi(name); {
	case err == nil && 1 <= n && n <= len(q.options):
		q.chosen = n - 1
	case name == "up":
		q.chosen = max(0, q.chosen-1)
	case name == "down":
		q.chosen = min(len(q.options)-1, q.chosen+1)
	case name == "v" && q.whole != nil:
		for _, line := range q.whole {
			v.print(line)
		}
		q.whole = nil
	case name == "v" && q.told: // other things may have come after it
		q.told = false
		v.tell(q)
	case name == "enter":
		if q.chosen >= 0 {
			q.answer <- q.chosen
			v.drop(q)
		}
	default:
		for i, o := range q.options {
			if o.Key == name {
				q.chosen = i
			}
		}
	}
}

// asked are the lines of a question. v.mu is held.
func (v *View) asked(q *question) []string {
	lines := v.textRows(q)
	if q.told && len(lines) > 1 {
		lines = []string{lines[0], "  (the rest of this stands above)"}
	}
	for i, o := range q.options {
		mark := "  "
		if i == q.chosen {
			mark = "> "
		}
		name := o.Name
		if o.Key != "" {
			name += " (" + o.Key + ")"
		}
		lines = append(lines, fmt.Sprintf("%s%d %s", mark, i+1, name))
	}
	hint := "choose by number"
	if slices.ContainsFunc(q.options, func(o Option) bool { return o.Key != "" }) {
		hint += " or letter"
	}
	if q.chosen >= 0 {
		hint = "Enter to answer"
	}
	switch {
	case q.whole != nil:
		hint += ", v shows all of it"
	case q.told:
		hint += ", v shows it again"
	}
	return append(lines, hint)
}
