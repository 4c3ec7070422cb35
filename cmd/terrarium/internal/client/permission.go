package client

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// ErrNobody is returned by Permission.Ask where there is nobody to be asked.
var ErrNobody = errors.New("client: nobody is there to be asked")

// Permission says who answers the questions of an agent, which go from the first to the last.
type Permission struct {
	// Judge, if set, says what the rules have about a command that the agent wants to run by itself: a line
	// for a shell, or the words of a command. decided is false if they leave it open.
	Judge func(ctx context.Context, line string, words []string) (allow, decided bool, why string)
	// Always, if set, is the answer to all that the rules leave open.
	Always *bool
	// Ask, if set, asks a person. It returns the index of one of the options, ErrNobody, or another error,
	// which is a no. It returns soon after ctx has ended.
	Ask func(ctx context.Context, q *Question) (int, error)
}

// A Question is one of the agent's. All in it is hostile.
type Question struct {
	Title   string
	Kind    string   // of the tool call: "execute", "edit", …; may be empty
	Detail  []string // lines: what it shows
	Options []Option
}

// An Option is one of the answers.
type Option struct {
	ID, Name string
	Kind     string // as "allow_once"
}

// Allows reports whether an option is a yes.
func (o Option) Allows() bool { return o.Kind == acp.AllowOnce || o.Kind == acp.AllowAlways }

const (
	maxQuestions = 32 // that are open at a time
	maxOptions   = 9  // that a person has
	maxDetail    = 40 // lines
)

// questions are those of the agent that have no answer.
type questions struct {
	mu   sync.Mutex
	open map[jsonrpc.ID]context.CancelFunc
	all  sync.WaitGroup
}

// begin reports false if there are too many.
func (q *questions) begin(id jsonrpc.ID, cancel context.CancelFunc) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open = make(map[jsonrpc.ID]context.CancelFunc)
	}
	if _, taken := q.open[id]; taken || len(q.open) == maxQuestions {
		return false
	}
	q.open[id] = cancel
	q.all.Add(1)
	return true
}

func (q *questions) end(id jsonrpc.ID) {
	q.mu.Lock()
	delete(q.open, id)
	q.mu.Unlock()
	q.all.Done()
}

// cancel gives a question up, and reports whether there was one.
func (q *questions) cancel(id jsonrpc.ID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	cancel, ok := q.open[id]
	if ok {
		cancel()
	}
	return ok
}

// wait returns when none is open.
func (q *questions) wait() { q.all.Wait() }

// errCancelled is the cause where the agent gives its question up.
var errCancelled = errors.New("client: the agent does not ask any more")

// question has a question of the agent answered.
func (k *client) question(m *jsonrpc.Message) {
	if !k.isOurs(m.Params) {
		k.agent.reply(unknownSession(m.ID))
		return
	}
	call, _ := m.Params.Get("toolCall")
	q := &Question{}
	known := k.toolCalls.note(call, false) // what it says of the tool call is news of it, too
	q.Title, q.Kind = known.Title, known.Kind
	q.Detail = detail(known.Content)
	options, _ := m.Params.Get("options")
	for v := range options.Items() {
		o := Option{ID: textOf(v, "optionId"), Name: clip(textOf(v, "name"), maxNameShow), Kind: textOf(v, "kind")}
		if len(q.Options) < maxOptions && o.ID != "" && len(o.ID) <= maxID {
			q.Options = append(q.Options, o)
		}
	}
	if len(q.Options) == 0 {
		k.agent.reply(badParam(m.ID, "options"))
		return
	}
	line, words := commandOf(call)
	switch {
	case line != "":
		q.Detail = append(strings.Split(clip(line, maxText), "\n"), q.Detail...)
	case len(words) > 0:
		q.Detail = append([]string{commandLine(words[0], words[1:])}, q.Detail...)
	}
	ctx, cancel := context.WithCancelCause(k.turn)
	if !k.questions.begin(m.ID, func() { cancel(errCancelled) }) {
		cancel(nil)
		k.agent.reply(jsonrpc.AppendError(nil, m.ID, jsonrpc.NewError(jsonrpc.CodeInternalError, "too_many_questions")))
		return
	}
	go func() { // ends with the answer, or soon after the turn
		defer k.questions.end(m.ID)
		defer cancel(nil)
		k.agent.reply(k.answerTo(ctx, m.ID, q, line, words))
	}()
}

// commandOf returns the command that a tool call is about, if it says so in one of the ways that agents have:
// rawInput with a command that is a line, or an array of words.
func commandOf(call jsonrpc.Value) (line string, words []string) {
	if kind := textOf(call, "kind"); kind != "" && kind != "execute" {
		return "", nil
	}
	input, _ := call.Get("rawInput")
	if line := textOf(input, "command"); line != "" {
		args := textsOf(input, "args")
		if len(args) == 0 {
			return line, nil
		}
		return "", append([]string{line}, args...)
	}
	return "", textsOf(input, "command")
}

// detail returns the lines of what a tool call shows.
func detail(content []Content) (lines []string) {
	for _, c := range content {
		switch {
		case c.Diff != nil:
			lines = append(lines, c.Diff.Lines()...)
		case c.Text != "":
			lines = append(lines, strings.Split(strings.TrimRight(c.Text, "\n"), "\n")...)
		}
	}
	return lines
}

// answerTo returns the answer to a question.
func (k *client) answerTo(ctx context.Context, id jsonrpc.ID, q *Question, line string, words []string) []byte {
	chosen, p := k.decide(ctx, q, line, words)
	p.Title = q.Title
	if ctx.Err() != nil {
		p = Permitted{Title: q.Title, By: "cancelled"}
		if context.Cause(ctx) == errCancelled {
			k.view.Show(p)
			return jsonrpc.AppendError(nil, id, jsonrpc.NewError(jsonrpc.CodeRequestCancelled, "cancelled"))
		}
		chosen = -1
	}
	if chosen >= 0 {
		p.Option, p.Allow = q.Options[chosen].Name, q.Options[chosen].Allows()
	}
	k.view.Show(p)
	dst := append(jsonrpc.AppendResponseHead(nil, id), `{"outcome":{"outcome":`...)
	if chosen < 0 {
		return jsonrpc.AppendTail(append(dst, `"cancelled"}}`...))
	}
	dst = jsonrpc.AppendString(append(dst, `"selected","optionId":`...), q.Options[chosen].ID)
	return jsonrpc.AppendTail(append(dst, "}}"...))
}

// decide returns the index of the option that is the answer, or -1 if none of them is.
func (k *client) decide(ctx context.Context, q *Question, line string, words []string) (int, Permitted) {
	c := &k.config.Permission
	if c.Judge != nil && (line != "" || len(words) > 0) {
		if allow, decided, why := c.Judge(ctx, line, words); decided {
			return q.pick(allow), Permitted{By: "policy", Why: why}
		}
	}
	if c.Always != nil {
		return q.pick(*c.Always), Permitted{By: "approve"}
	}
	if c.Ask != nil {
		chosen, err := c.Ask(ctx, q)
		switch {
		case err == nil && 0 <= chosen && chosen < len(q.Options):
			return chosen, Permitted{By: "person"}
		case !errors.Is(err, ErrNobody):
			p := Permitted{By: "person"}
			if err != nil {
				p.Why = err.Error()
			}
			return q.pick(false), p
		}
	}
	return q.pick(false), Permitted{By: "none", Why: "nobody can be asked: use --approve all, or a policy file, or run it at a terminal"}
}

// pick returns the index of the least option that is a yes, or a no; -1 if there is none.
func (q *Question) pick(allow bool) int {
	kinds := []string{acp.RejectOnce, acp.RejectAlways}
	if allow {
		kinds = []string{acp.AllowOnce, acp.AllowAlways}
	}
	for _, kind := range kinds {
		for i, o := range q.Options {
			if o.Kind == kind {
				return i
			}
		}
	}
	return -1
}
