package client

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// ErrNobody is returned by Permission.Ask where there is nobody to be asked.
var ErrNobody = errors.New("client: nobody is there to be asked")

// Permission says who answers the questions of an agent, which go from the first to the last.
type Permission struct {
	// Judge, if set, says what the rules have about a command that the agent wants to run by
	// itself. decided is false if they leave it open.
	Judge func(ctx context.Context, c *Command) (allow, decided bool, why string)
	// Always, if set, is the answer to all that the rules leave open.
	Always *bool
	// Ask, if set, asks a person. It returns the index of one of the options, ErrNobody, or another
	// error, which is a no. It returns soon after ctx has ended.
	Ask func(ctx context.Context, q *Question) (int, error)
}

// A Question is one of the agent's. All in it is hostile.
type Question struct {
	Title   string
	Kind    string   // of the tool call: "execute", "edit", …; may be empty
	Detail  []string // lines: what it shows
	Options []Option
}

// A Command is one that the agent wants to run by itself: a Line for a shell, or Words. Of none
// both are empty.
type Command struct {
	Line  string
	Words []string
	Cwd   string // may be empty
	long  bool   // it is too long to be judged or shown, and is left out
}

// An Option is one of the answers.
type Option struct {
	ID, Name string
	Kind     string // as "allow_once"
}

// Allows reports whether an option is a yes.
func (o Option) Allows() bool { return o.Kind == acp.AllowOnce || o.Kind == acp.AllowAlways }

// Text is the option as a person reads it: its name says what the agent likes, and so its kind
// stands beside it.
func (o Option) Text() string {
	kinds := map[string]string{
		acp.AllowOnce: "yes", acp.AllowAlways: "yes, always", acp.RejectOnce: "no", acp.RejectAlways: "no, always",
	}
	return Clean(o.Name) + " [" + cmp.Or(kinds[o.Kind], "neither yes nor no") + "]"
}

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

// answered says that a question has its answer, which has yet to be sent: once the agent has it, it
// may use the id again at once.
func (q *questions) answered(id jsonrpc.ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, id)
}

// end comes last for a question: the agent has its answer, or never will.
func (q *questions) end() { q.all.Done() }

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

// wait returns when all have ended.
func (q *questions) wait() { q.all.Wait() }

// errCancelled is the cause where the agent gives its question up.
var errCancelled = errors.New("client: the agent does not ask any more")

// question has a question of the agent answered.
func (k *client) question(m *jsonrpc.Message) {
	if !k.isOurs(m.Params) {
		k.agent.reply(unknownSession(m.ID))
		return
	}
	q, command := k.asked(m.Params)
	var ok bool
	if q.Options, ok = optionsOf(m.Params); !ok {
		k.agent.reply(badParam(m.ID, "options"))
		return
	}
	if command.long {
		k.agent.reply(jsonrpc.AppendError(nil, m.ID, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "too_long").With("param", "command")))
		return
	}
	q.Detail = append(command.lines(), q.Detail...)
	ctx, cancel := context.WithCancelCause(k.turn)
	if !k.questions.begin(m.ID, func() { cancel(errCancelled) }) {
		cancel(nil)
		k.agent.reply(jsonrpc.AppendError(nil, m.ID, jsonrpc.NewError(jsonrpc.CodeInternalError, "too_many_questions")))
		return
	}
	go func() { // ends with the answer, or soon after the turn
		defer k.questions.end()
		defer cancel(nil)
		answer := k.answerTo(ctx, m.ID, q, command)
		k.questions.answered(m.ID)
		k.agent.reply(answer)
	}()
}

// asked reads what the agent asks for. In version 1 that is a tool call. In version 2 the question
// has words of its own, and may be about a tool call, a command, or nothing that we know.
func (k *client) asked(params jsonrpc.Value) (*Question, *Command) {
	call, _ := params.Get("toolCall")
	subject, _ := params.Get("subject")
	if textOf(subject, "type") == "tool_call" {
		call, _ = subject.Get("toolCall")
	}
	q, command := &Question{}, &Command{}
	if call.Kind() == jsonrpc.Object {
		known := k.toolCalls.note(call, false) // what it says of the tool call is news of it, too
		q.Title, q.Kind, q.Detail = known.Title, known.Kind, detail(known.Content)
		// Other kinds have commands of their own.
		if known.command != nil && (known.Kind == "" || known.Kind == "execute") {
			command = known.command
		}
	}
	if textOf(subject, "type") == "command" {
		q.Kind = "execute"
		command = &Command{Line: textOf(subject, "command"), Cwd: textOf(subject, "cwd")}
		if len(command.Line) > maxText {
			command = &Command{long: true}
		}
	}
	if title := clip(textOf(params, "title"), maxTitle); title != "" {
		q.Title = title
	}
	if why := clip(textOf(params, "description"), maxText); why != "" {
		q.Detail = append(splitLines(why), q.Detail...)
	}
	return q, command
}

// optionsOf returns the answers that a question has. It reports false if there are none, or two of
// them are the same for the agent: a person who takes one would have taken the other.
func optionsOf(params jsonrpc.Value) (list []Option, ok bool) {
	options, _ := params.Get("options")
	for v := range options.Items() {
		o := Option{ID: textOf(v, "optionId"), Name: clip(textOf(v, "name"), maxNameShow), Kind: textOf(v, "kind")}
		if slices.ContainsFunc(list, func(other Option) bool { return other.ID == o.ID }) {
			return nil, false
		}
		if len(list) < maxOptions && o.ID != "" && len(o.ID) <= maxID {
			list = append(list, o)
		}
	}
	return list, len(list) > 0
}

// commandOf returns the command that the rawInput of a tool call has, in one of the ways that
// agents have: a line, or words. There may be none. It is kept with the call: who asks may leave
// out what was told before.
func commandOf(input jsonrpc.Value) *Command {
	named, _ := input.Get("command")
	more, _ := input.Get("args")
	if len(named.Raw())+len(more.Raw()) > maxText {
		return &Command{long: true}
	}
	line, args := textOf(input, "command"), textsOf(input, "args")
	switch {
	case line == "":
		return &Command{Words: textsOf(input, "command")}
	case len(args) > 0:
		return &Command{Words: append([]string{line}, args...)}
	}
	return &Command{Line: line}
}

// lines are the command as a person reads it.
func (c *Command) lines() (lines []string) {
	switch {
	case c.Line != "":
		lines = strings.Split(clip(c.Line, maxText), "\n")
	case len(c.Words) > 0:
		lines = []string{commandLine(c.Words[0], c.Words[1:])}
	}
	if c.Cwd != "" {
		lines = append(lines, "in "+clip(c.Cwd, maxTitle))
	}
	return lines
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
func (k *client) answerTo(ctx context.Context, id jsonrpc.ID, q *Question, command *Command) []byte {
	chosen, p := k.decide(ctx, q, command)
	p.Title = q.Title
	if ctx.Err() != nil {
		p = Permitted{Title: q.Title, By: "cancelled"}
		if context.Cause(ctx) == errCancelled && !k.speaksDraft() { // which has no error for that
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
func (k *client) decide(ctx context.Context, q *Question, command *Command) (int, Permitted) {
	c := &k.config.Permission
	if c.Judge != nil && (command.Line != "" || len(command.Words) > 0) {
		if allow, decided, why := c.Judge(ctx, command); decided {
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
