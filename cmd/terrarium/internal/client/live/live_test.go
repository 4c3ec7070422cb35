package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/client"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// undrawn returns a View that no program draws.
func undrawn(cols, rows int) *View {
	v := &View{byID: make(map[string]*region), since: time.Now(), color: true}
	v.room.L = &v.mu
	v.resize(cols, rows)
	return v
}

// start shows a terminal that has written so many lines.
func (v *View) start(id string, lines int) {
	v.Show(client.Started{ID: id, Command: "make\nall", Rows: 8, Cols: 70})
	for i := range lines {
		v.Show(client.Output{ID: id, Data: fmt.Appendf(nil, "\x1b[31mline %d of many, which is longer than some terminals are\x1b[m\n", i)})
	}
}

// TestLinesFit: what is drawn always has room, or the terminal would scroll it into the history.
func TestLinesFit(t *testing.T) {
	for _, size := range [][2]int{{20, 5}, {20, 100}, {80, 24}, {200, 50}, {300, 6}} {
		for _, n := range []int{0, 1, 3, 40} {
			v := undrawn(size[0], size[1])
			for i := range n {
				v.start(fmt.Sprint(i), 5)
			}
			v.Show(client.Updated{Kind: "plan", Plan: make([]client.Step, 9)})
			v.Show(client.Updated{Kind: "agent_thought_chunk", Text: strings.Repeat("thinking ", 200)})
			v.questions = append(v.questions, &question{text: []string{"may I", "x"}, options: make([]Option, 5)}, &question{})
			for _, questions := range [][]*question{v.questions, nil} {
				v.questions = questions
				lines := v.lines()
				if len(lines) > size[1]-1 {
					t.Errorf("%v, %d terminals: %d lines", size, n, len(lines))
				}
				for _, line := range lines {
					if w := width(line); w > size[0]-1 {
						t.Errorf("%v: %d cells: %q", size, w, line)
					}
				}
			}
		}
	}
}

// width returns the cells that a line takes, without its styles.
func width(line string) (cells int) {
	for line != "" {
		if i := strings.IndexByte(line, 'm'); line[0] == '\x1b' {
			line = line[i+1:]
			continue
		}
		for _, c := range line {
			cells += vt.RuneWidth(c)
			line = line[len(string(c)):]
			break
		}
	}
	return cells
}

// TestFlood has a command print more than can be drawn, while the person is asked: what the
// question is about stays in sight, what was said before stays in the history, and the rest has a
// count.
func TestFlood(t *testing.T) {
	v := undrawn(80, 24)
	v.Show(client.Updated{Kind: "agent_message_chunk", Text: "said before\n"})
	v.questions = append(v.questions, &question{text: []string{"the agent wants to run", "  rm -rf x"}, options: []Option{{Name: "yes"}}})
	v.start("1", 5*maxPending)
	v.Show(client.Exited{ID: "1"})
	if n := len(v.history); n > 2*maxPending {
		t.Errorf("%d lines wait", n)
	}
	history, drawn := strings.Join(v.history, "\n"), strings.Join(v.lines(), "\n")
	for _, want := range []string{"said before", "[1] [… 39", "lines were too fast to be shown", fmt.Sprintf("line %d of many", 5*maxPending-1), "[1] ended: exit 0"} {
		if !strings.Contains(history, want) {
			t.Errorf("the history has no %q", want)
		}
	}
	if !strings.Contains(drawn, "rm -rf x") {
		t.Errorf("got %q, want the question in sight", drawn)
	}
}

// TestManyLines has an agent say a million lines at once: few of them wait in memory, and none is
// left out.
func TestManyLines(t *testing.T) {
	v := undrawn(80, 24)
	const lines = 1 << 20
	shown, most, last := 0, 0, ""
	v.mu.Lock()
	done := make(chan struct{})
	go func() { // ends with what is shown
		defer close(done)
		v.Show(client.Updated{Kind: "agent_message_chunk", Text: strings.Repeat("\n", lines-1) + "é\n"})
	}()
	for ended := false; !ended; {
		v.mu.Unlock()
		select {
		case <-done:
			ended = true
		case <-time.After(time.Millisecond):
		}
		v.mu.Lock()
		shown, most = shown+len(v.history), max(most, len(v.history))
		if n := len(v.history); n > 0 {
			last = v.history[n-1]
		}
		v.history = nil
		v.room.Broadcast()
	}
	v.mu.Unlock()
	if shown != lines || last != "é" || most > 2*maxPending+maxSaid {
		t.Errorf("%d lines were shown, the last is %q, and %d waited", shown, last, most)
	}
}

// TestKeys: a key chooses, and only Enter answers.
func TestKeys(t *testing.T) {
	v := undrawn(80, 24)
	q := &question{options: []Option{{Name: "yes", Key: "y"}, {Name: "no", Key: "n"}}, whole: []string{"all of it"}, chosen: -1, answer: make(chan int, 1)}
	v.questions = append(v.questions, q)
	for _, key := range []string{"enter", "x", "9", "0", "y", "v", "down", "down", "up", "n"} {
		if v.key(key); len(q.answer) > 0 {
			t.Fatalf("%s has answered", key)
		}
	}
	if got := strings.Join(v.history, "\n"); got != "all of it" {
		t.Errorf("got %q in the history", got)
	}
	if v.key("enter"); len(q.answer) != 1 || <-q.answer != 1 {
		t.Error("enter has not answered no")
	}
	v.key("enter") // is nobody's
}

// TestQuestion: a person sees each line of a question once: below, where there is room for all of
// it, and in the history when it is answered; else in the history at once. Its last line says how
// it can be answered.
func TestQuestion(t *testing.T) {
	tall := []string{"may I"}
	for n := range 18 {
		tall = append(tall, fmt.Sprintf("line %d.", n))
	}
	tests := []struct {
		name    string
		text    []string
		options []Option
		below   bool
		hint    string
	}{
		{"short", []string{"may I", "look"}, []Option{{Name: "yes", Key: "y"}, {Name: "always"}}, true, "choose by number or letter"},
		{"long", []string{"may I", "1.", "2.", "3.", "4."}, []Option{{Name: "yes"}}, true, "choose by number"},
		{"wide", []string{"may I", strings.Repeat("a", 77) + "aaa"}, []Option{{Name: "yes"}}, true, "choose by number"},
		{"full", tall, []Option{{Name: "yes"}}, true, "choose by number"},
		{"tall", tall, []Option{{Name: "yes"}, {Name: "no"}}, false, "choose by number, v shows it again"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := undrawn(80, 24)
			v.ask(newQuestion(tt.text, tt.options, nil))
			if got := len(v.history) == 0; got != tt.below {
				t.Errorf("got the history %q", v.history)
			}
			drawn := v.lines()
			if !slices.Contains(drawn, "may I") || !slices.Contains(drawn, tt.hint) {
				t.Errorf("got %q, want the question and %q in sight", drawn, tt.hint)
			}
			for _, line := range tt.text[1:] {
				for _, row := range v.wrap(line) {
					seen := 0
					for _, shown := range append(slices.Clone(v.history), drawn...) {
						if shown == row {
							seen++
						}
					}
					if seen != 1 {
						t.Errorf("%q is seen %d times in %q and %q", row, seen, v.history, drawn)
					}
				}
			}
			v.key("1")
			v.key("enter")
			if got := strings.Join(v.history, "\n"); strings.Count(got, "may I") != 1 {
				t.Errorf("got the history %q, want the question once it is answered", got)
			}
		})
	}
}

// TestQuestionAgain: what is above may be far above, by all that has come since.
func TestQuestionAgain(t *testing.T) {
	v := undrawn(80, 8)
	v.ask(newQuestion([]string{"may I", "1", "2"}, []Option{{Name: "yes"}, {Name: "no"}}, nil))
	v.history = nil
	v.key("v")
	if want := []string{"", "may I", "1", "2"}; !slices.Equal(v.history, want) {
		t.Errorf("got the history %q, want %q", v.history, want)
	}
}

// TestQuestionResized: when the terminal gets too small for a question, the history gets it, once.
func TestQuestionResized(t *testing.T) {
	for _, size := range [][2]int{{40, 8}, {80, 6}} {
		v := undrawn(80, 24)
		v.ask(newQuestion([]string{"may I", strings.Repeat("a", 60)}, []Option{{Name: "yes"}, {Name: "no"}}, nil))
		if len(v.history) > 0 {
			t.Fatalf("got %q in the history", v.history)
		}
		v.resize(size[0], size[1])
		v.resize(size[0], size[1]-1)
		got := strings.Join(v.history, "")
		if strings.Count(got, "may I") != 1 || strings.Count(got, "a") != 61 {
			t.Errorf("%v: got the history %q, want the question", size, v.history)
		}
	}
}

// TestMoreQuestions: what waits has a count.
func TestMoreQuestions(t *testing.T) {
	v := undrawn(80, 24)
	for i, want := range []string{"", "and 1 more question", "and 2 more questions"} {
		v.ask(newQuestion([]string{"may I"}, []Option{{Name: "yes"}}, nil))
		if i > 0 && !slices.Contains(v.lines(), want) {
			t.Errorf("got %q, want %q", v.lines(), want)
		}
	}
}

// TestHostileOutput: what a screen has is drawn with its colours, and does nothing else.
func TestHostileOutput(t *testing.T) {
	v := undrawn(80, 24)
	v.start("1", 0)
	v.Show(client.Output{ID: "1", Data: []byte("\x1b]52;c;AAAA\x07\x1b[6na\u202eb\x1b[1;44mc\x1b]0;t\x1b\\")})
	if got, want := v.lines()[1], "[1] \x1b[0mab\x1b[0m\x1b[0;1;48;5;4mc\x1b[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWithoutColor: nothing but text is drawn.
func TestWithoutColor(t *testing.T) {
	v := undrawn(80, 24)
	v.color = false
	v.start("1", 20)
	v.Show(client.Updated{Kind: "agent_thought_chunk", Text: "thought\nopen"})
	drawn := v.lines()
	v.Show(client.Exited{ID: "1"})
	for _, line := range append(drawn, v.history...) {
		if strings.ContainsRune(line, '\x1b') {
			t.Errorf("got %q", line)
		}
	}
}

// TestTold: of a terminal that the agent runs itself it may tell more later, and its output anew.
func TestTold(t *testing.T) {
	v := undrawn(80, 24)
	v.Show(client.Started{ID: "1", Command: "(what)", Told: true})
	v.Show(client.Output{ID: "1", Data: []byte(strings.Repeat("old\n", 20) + "old \xc3")})
	v.Show(client.Started{ID: "1", Command: "make", Rows: 2, Cols: 10, Told: true})
	v.Show(client.Output{ID: "1", Data: []byte("\xa9 and more."), Anew: true})
	drawn := strings.Join(v.lines(), "\n")
	for _, want := range []string{"$ make", "\uFFFD and more\x1b[0m\n", ".\x1b[0m"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("got %q, want %q in it", drawn, want)
		}
	}
	if strings.Contains(drawn, "old") || len(v.regions) != 1 {
		t.Errorf("got %q in %d regions, want nothing of what was before", drawn, len(v.regions))
	}
	history := strings.Join(v.history, "\n")
	for _, want := range []string{"$ (what)", "[1] old", "$ make", client.AnewText} {
		if !strings.Contains(history, want) {
			t.Errorf("got %q in the history, want %q", history, want)
		}
	}
}
