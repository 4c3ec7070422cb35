package ask_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// A way is somebody who answers when the test says so.
type way struct {
	asked   []*ask.Question
	answers chan ask.Answer
	err     error
	showing atomic.Int32 // questions that wait
}

func newWay() *way { return &way{answers: make(chan ask.Answer)} }

func (w *way) Ask(ctx context.Context, q *ask.Question) (ask.Answer, error) {
	if w.err != nil {
		return ask.Answer{}, w.err
	}
	w.asked = append(w.asked, q)
	w.showing.Add(1)
	defer w.showing.Add(-1)
	select {
	case a := <-w.answers:
		return a, nil
	case <-ctx.Done():
		time.Sleep(time.Second) // to remove it from where it shows
		return ask.Answer{}, ctx.Err()
	}
}

// starter is the starter policy.
var starter = sync.OnceValue(func() *policy.Policy {
	file, err := policy.Parse("starter", policy.Starter, policy.User)
	if err != nil {
		panic(err)
	}
	p, err := policy.New(file)
	if err != nil {
		panic(err)
	}
	return p
})

// question asks about a line in a session, by the starter policy.
func question(t *testing.T, line string, change func(e *core.Exec)) *ask.Question {
	t.Helper()
	e := &core.Exec{
		Command: core.Command{Command: line, Cwd: "/w", Session: "s"},
		Path:    "/bin/bash", Argv: []string{"bash", "-c", line}, Via: core.ViaShell, Host: [2]int{1, 2},
	}
	if change != nil {
		change(e)
	}
	return &ask.Question{Exec: e, Verdict: starter().Decide(e, policy.Context{})}
}

// A waiting is a question that was put to a desk.
type waiting struct {
	cancel  context.CancelFunc
	outcome chan ask.Outcome
}

func put(t *testing.T, d *ask.Desk, q *ask.Question) *waiting {
	ctx, cancel := context.WithCancel(t.Context())
	w := &waiting{cancel, make(chan ask.Outcome, 1)}
	go func() { w.outcome <- d.Ask(ctx, q) }()
	synctest.Wait()
	return w
}

// end gives up, and waits until nothing is left.
func (w *waiting) end() {
	w.cancel()
	<-w.outcome
}

func (w *waiting) wants(t *testing.T, allow bool, by, reason string) {
	t.Helper()
	synctest.Wait()
	select {
	case o := <-w.outcome:
		if o.Allow != allow || o.By != by || !strings.Contains(o.Reason, reason) {
			t.Errorf("got %+v, want %v by %s with %q", o, allow, by, reason)
		}
	default:
		t.Errorf("got no outcome, want %v by %s", allow, by)
	}
}

func (w *waiting) waits(t *testing.T) {
	t.Helper()
	synctest.Wait()
	select {
	case o := <-w.outcome:
		t.Errorf("got %+v, want it to wait", o)
	default:
	}
}

func TestWays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		command, acp, person := newWay(), newWay(), newWay()
		c := ask.Config{Command: command, ACP: acp, Person: person}
		w := put(t, ask.New(c), question(t, "make", nil))
		command.answers <- ask.Answer{Choice: ask.No, Message: "\x1b[2Jnot now\u202e"}
		w.wants(t, false, "ask-command", `said no: \x1b[2Jnot now\u202e`)

		command.err = ask.ErrNobody
		w = put(t, ask.New(c), question(t, "make", nil))
		acp.answers <- ask.Answer{}
		w.wants(t, false, "acp", "said no")

		acp.err = ask.ErrNobody
		w = put(t, ask.New(c), question(t, "make", nil))
		person.answers <- ask.Answer{Choice: ask.Once}
		w.wants(t, true, "person", "")

		person.err = ask.ErrNobody
		put(t, ask.New(c), question(t, "cd x && npm ci", nil)).wants(t, false, "none", "no rule allows npm ci …. Nobody can be asked, so asking again is useless.")
		put(t, ask.New(ask.Config{}), question(t, "rm x", nil)).wants(t, false, "none", "rm x has to be asked about")

		acp.err = errors.New("broken")
		put(t, ask.New(c), question(t, "make", nil)).wants(t, false, "acp", "which is a no: broken")
	})
}

// Equal questions at a time are one. What is granted is bound to what was asked.
func TestEqual(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWay()
		d := ask.New(ask.Config{Person: w})
		a, b := put(t, d, question(t, "make", nil)), put(t, d, question(t, "make", nil))
		if len(w.asked) != 1 {
			t.Fatalf("got %d questions, want equal ones to be 1", len(w.asked))
		}
		w.answers <- ask.Answer{Message: "never"}
		a.wants(t, false, "person", "never")
		b.wants(t, false, "person", "never")

		// Once is for one of them. Both race for it.
		a, b = put(t, d, question(t, "make", nil)), put(t, d, question(t, "make", nil))
		w.answers <- ask.Answer{Choice: ask.Once}
		synctest.Wait()
		if len(a.outcome)+len(b.outcome) != 1 || len(w.asked) != 3 {
			t.Fatalf("got %d starts and %d questions after one grant, want 1 and 3", len(a.outcome)+len(b.outcome), len(w.asked))
		}
		w.answers <- ask.Answer{Choice: ask.Session}
		a.wants(t, true, "person", "")
		b.wants(t, true, "person", "")
		put(t, d, question(t, "make", nil)).wants(t, true, "grant", "")

		for what, change := range map[string]func(e *core.Exec){
			"session":   func(e *core.Exec) { e.Command.Session = "other" },
			"directory": func(e *core.Exec) { e.Host = [2]int{1, 3} },
			"path":      func(e *core.Exec) { e.Command.Cwd = "/v" },
			"program":   func(e *core.Exec) { e.Path = "/w/bash" },
			"variables": func(e *core.Exec) { e.Command.Env = []core.EnvVariable{{Name: "A", Value: "b"}} },
			"roots":     func(e *core.Exec) { e.Command.Roots = []string{"/w", "/"} },
			"line":      func(e *core.Exec) { e.Command.Command = "make " },
			"arguments": func(e *core.Exec) { e.Argv = []string{"bash", "-c make", ""} },
			"host":      func(e *core.Exec) { e.Host = []int{1} }, // can't be compared
		} {
			n := len(w.asked)
			other := put(t, d, question(t, "make", change))
			if len(w.asked) != n+1 {
				t.Errorf("a grant holds for another %s", what)
				continue
			}
			w.answers <- ask.Answer{}
			other.wants(t, false, "person", "")
		}
	})
}

// Who gives up takes the question along, unless another waits for its answer.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWay()
		d := ask.New(ask.Config{Person: w})
		a, b := put(t, d, question(t, "make", nil)), put(t, d, question(t, "make", nil))
		a.cancel()
		a.wants(t, false, "none", "")
		if w.showing.Load() != 1 {
			t.Error("the question was withdrawn although somebody waits for its answer")
		}
		w.answers <- ask.Answer{Choice: ask.Once}
		b.wants(t, true, "person", "")

		a = put(t, d, question(t, "make", nil))
		a.cancel()
		a.waits(t) // until it shows no longer
		b = put(t, d, question(t, "make", nil))
		time.Sleep(time.Second)
		a.wants(t, false, "none", "")
		b.waits(t) // who comes when it was given up is asked about anew
		if w.showing.Load() != 1 {
			t.Errorf("got %d questions that show, want 1", w.showing.Load())
		}
		b.end()
	})
}

func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWay()
		d := ask.New(ask.Config{Person: w})
		var all []*waiting
		for i := range 32 {
			all = append(all, put(t, d, question(t, "make "+strings.Repeat("x", i), nil)))
		}
		put(t, d, question(t, "make y", nil)).wants(t, false, "none", "32 other commands wait")
		time.Sleep(10*time.Minute + 2*time.Second)
		for _, a := range all {
			a.wants(t, false, "none", "nobody has answered within 10m0s")
		}
		if n := w.showing.Load(); n != 0 {
			t.Errorf("got %d questions that still show, want none", n)
		}
		a := put(t, d, question(t, "make y", nil))
		a.waits(t)
		a.end()
	})
}

func TestAlways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var added []string
		var wrong, warned error
		w := newWay()
		d := ask.New(ask.Config{
			Person: w,
			Add: func(rules []*policy.Rule) (string, error) {
				for _, r := range rules {
					added = append(added, r.ID)
				}
				return "file", wrong
			},
			Warn: func(err error) { warned = err },
		})
		const line = "make && npm ci | tail -1 && ls"
		a := put(t, d, question(t, line, nil))
		if got, want := w.asked[0].AlwaysText(), []string{"npm ci …"}; !w.asked[0].CanAlways || !slices.Contains(got, want[0]) {
			t.Errorf("got a question with %q for always, want %q in it", got, want)
		}
		w.answers <- ask.Answer{Choice: ask.Always}
		a.wants(t, true, "person", "")
		if !slices.Contains(added, "always-npm-ci") || slices.ContainsFunc(added, func(id string) bool {
			return strings.Contains(id, "tail") || strings.Contains(id, "ls")
		}) {
			t.Errorf("got rules %q, want those of what was asked about", added)
		}

		// The file can't be written: yes is yes, for this one.
		wrong = errors.New("disk full")
		a = put(t, d, question(t, line, nil))
		w.answers <- ask.Answer{Choice: ask.Always}
		a.wants(t, true, "person", "")
		if !errors.Is(warned, wrong) {
			t.Errorf("got the warning %v, want %v in it", warned, wrong)
		}
		put(t, d, question(t, line, nil)).end()

		// Nothing can be written: always is once.
		added = nil
		a = put(t, d, question(t, "rm x", nil))
		w.answers <- ask.Answer{Choice: ask.Always}
		a.wants(t, true, "person", "")
		if len(added) != 0 {
			t.Errorf("got rules %q for rm, want none", added)
		}
	})
}

// What shows is text, whatever the agent has sent, and not endless.
func TestText(t *testing.T) {
	hostile := func(e *core.Exec) {
		e.Command.Cwd = "/w\x1b]0;x\a"
		for _, name := range []string{"A\u202e", "GIT_SSH_COMMAND", "API_TOKEN"} {
			e.Command.Env = append(e.Command.Env, core.EnvVariable{Name: name, Value: "secret\x1b[31m"})
		}
	}
	for line, want := range map[string]string{
		"make 'a b' > 'out put' && FOO=1 npm ci; ls": `make 'a b' > 'out put' && FOO=1 npm ci; ls
- make 'a b': no rule allows it
  it writes: > out put
- npm ci: no rule allows it
  it sets FOO
- ls: no rule allows it
`, // ls with such variables
		"cat <<EOF > b.py\nprint(1)\n- ls: fine\n\nEOF": `| cat <<EOF > b.py
| print(1)
| - ls: fine
| 
| EOF
- no rule allows it
  it writes: > b.py
`,
		"cat <<EOF\n\x1b[2J\r\nEOF": `| cat <<EOF
| \x1b[2J\r
| EOF
- the line holds control characters
`,
		"make  site": "make  site\n- no rule allows it\n",
		"make 'a\u202eb' > 'o\u0085ut'\nnpm\u200b ci\n": `| make 'a\u202eb' > 'o\u0085ut'
| npm\u200b ci
- the line holds characters that can't be seen
`,
	} {
		want += `in /w\x1b]0;x\a, without a sandbox
with A\u202e, GIT_SSH_COMMAND=secret\x1b[31m, API_TOKEN
`
		if got := question(t, line, hostile).Text(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	long := question(t, strings.Repeat("make "+strings.Repeat("\x01", 1000)+";", 60), func(e *core.Exec) {
		e.Command.Env = slices.Repeat([]core.EnvVariable{{Name: strings.Repeat("n", 1000), Value: strings.Repeat("v", 1000)}}, 100)
	})
	many := question(t, strings.Repeat("make "+strings.Repeat("y", 2000)+"\n", 30), nil)
	for _, q := range []*ask.Question{long, many} {
		if got := q.Text(); len(got) > 30<<10 {
			t.Errorf("got %d bytes of text", len(got))
		}
	}
	if got := many.Text(); !strings.Contains(got, "AND 6 MORE COMMANDS") {
		t.Errorf("got a text that leaves out commands and does not say so:\n%s", got)
	}
	if got := many.Whole(); strings.Count(got, "\n- make yyy") != 30 || !many.IsCut() {
		t.Errorf("got %d commands where all are asked for, want 30", strings.Count(got, "\n- "))
	}
	if got := many.Title(); len(got) > 300 || !strings.Contains(got, "bytes more") {
		t.Errorf("got the title %s", got)
	}
}

// What a question leaves out can be seen, and it says that there is more.
func TestWhole(t *testing.T) {
	var script strings.Builder
	for i := range 40 {
		fmt.Fprintf(&script, "echo %d\n", i)
	}
	secret := func(e *core.Exec) {
		e.Command.Env = []core.EnvVariable{{Name: "GIT_SSH_COMMAND", Value: strings.Repeat("x", 100) + "\x1b" + strings.Repeat("y", 100)}}
	}
	for _, c := range []struct {
		what, line string
		change     func(e *core.Exec)
		cut        bool
		text       string // in Text
		whole      string // in Whole
	}{
		{"a line", "make", nil, false, "make\n- ", "| make\n"},
		{"a long line", "make " + strings.Repeat("a", 400) + "\x1bb" + strings.Repeat("c", 400), nil, true, "bytes more …]", strings.Repeat("a", 400) + `\x1bb` + strings.Repeat("c", 400) + "\n"},
		{"15 lines", strings.Repeat("make\n", 15), nil, false, strings.Repeat("| make\n", 15) + "- ", strings.Repeat("| make\n", 15)},
		{"40 lines", script.String(), nil, true, "| echo 9\n[… 25 lines more …]\n| echo 35\n", "| echo 9\n| echo 10\n"},
		{"a long one of several", "make\nmake " + strings.Repeat("b", 300), nil, true, "bytes more …]", strings.Repeat("b", 300) + "\n"},
		{"a long variable", "make", secret, true, "bytes more …]", strings.Repeat("x", 100) + `\x1b` + strings.Repeat("y", 100) + "\n"},
		{"more than is shown at all", "make " + strings.Repeat("\x01", 100<<10), nil, true, "bytes more …]", "[… 36869 bytes more …]\n"},
	} {
		q := question(t, c.line, c.change)
		text, whole := q.Text(), q.Whole()
		if q.IsCut() != c.cut || !strings.Contains(text, c.text) || !strings.Contains(whole, c.whole) {
			t.Errorf("%s: got cut %v, the text\n%.2000s\nand whole\n%.2000s", c.what, q.IsCut(), text, whole)
		}
		if strings.Count(text, "\n") > 45 || len(whole) > 400<<10 || strings.Contains(text+whole, "\x1b") {
			t.Errorf("%s: got %d bytes of text, %d of the whole, or what a terminal obeys", c.what, len(text), len(whole))
		}
	}
}

// Where commands are hidden, nothing outlives the answer.
func TestHidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWay()
		d := ask.New(ask.Config{Person: w, Add: func([]*policy.Rule) (string, error) {
			t.Error("rules were added for commands that were hidden")
			return "", nil
		}})
		line := strings.Repeat("make\n", 30)
		for _, c := range []ask.Choice{ask.Session, ask.Always} {
			a := put(t, d, question(t, line, nil))
			if q := w.asked[len(w.asked)-1]; q.CanAlways || q.CanSession() {
				t.Errorf("got always %v, session %v on offer, want neither", q.CanAlways, q.CanSession())
			}
			w.answers <- ask.Answer{Choice: c}
			a.wants(t, true, "person", "")
		}
		put(t, d, question(t, line, nil)).end() // is asked again
		if len(w.asked) != 3 {
			t.Errorf("got %d questions, want each to be asked", len(w.asked))
		}
	})
}
