package live

import (
	"fmt"
	"strconv"
)

// An Option is an answer.
type Option struct {
	Name string
	Key  string // that chooses it besides its number; may be empty
}

// A question waits for an answer. A key chooses it, and Enter says that it is meant: a key that was meant for
// something else is none.
type question struct {
	about   []string // the first lines of its text, which stay in sight
	options []Option
	whole   []string // more of the text
	chosen  int      // -1 if nothing is
	answer  chan int // with room for it
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
	case name == "v":
		for _, line := range q.whole {
			v.print(line)
		}
		q.whole = nil
	case name == "enter":
		if q.chosen >= 0 {
			q.answer <- q.chosen
			v.questions = v.questions[1:]
		}
	default:
		for i, o := range q.options {
			if o.Key == name {
				q.chosen = i
			}
		}
	}
}

// lines are what the person chooses from.
func (q *question) lines() []string {
	lines := append([]string(nil), q.about...)
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
	if q.chosen >= 0 {
		hint = "Enter to answer"
	}
	if q.whole != nil {
		hint += ", v shows all of it"
	}
	return append(lines, hint)
}
