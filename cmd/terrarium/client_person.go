package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/client"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/client/live"
	"github.com/terrarium-dev/terrarium/core/acp"
)

// A person is who sits at our terminal, and is told and asked there: by what draws on it, if
// something does, else by lines. It is an ask.Way.
type person struct {
	terminal *ask.Terminal
	view     atomic.Pointer[live.View] // nil while nothing draws
}

var _ ask.Way = (*person)(nil)

// tell says what we are about.
func (p *person) tell(s string) {
	if view := p.view.Load(); view != nil {
		view.SetStatus(s)
		return
	}
	notice(s)
}

// hear is told of the connection to where commands run. Unlike what we are about, that is told
// without a terminal, too.
func (p *person) hear(line string) {
	if view := p.view.Load(); view != nil {
		view.SetStatus(line)
		return
	}
	warn(os.Stderr, errors.New(line))
}

// leave gives the terminal back.
func (p *person) leave() {
	if view := p.view.Swap(nil); view != nil {
		view.Close()
	}
}

// choose asks one of the agent's own questions.
func (p *person) choose(ctx context.Context, q *client.Question) (int, error) {
	title := "terrarium: the agent asks"
	view := p.view.Load()
	if view == nil {
		text := "\n" + title + "\n"
		for _, line := range q.Lines() {
			text += "  " + line + "\n"
		}
		var names []string
		for _, o := range q.Options {
			names = append(names, o.Text())
		}
		chosen, err := p.terminal.Choose(ctx, text, client.Clean(q.Title), names)
		if errors.Is(err, ask.ErrNobody) {
			return 0, client.ErrNobody
		}
		return chosen, err
	}
	keys := map[string]string{acp.AllowOnce: "y", acp.RejectOnce: "n"}
	var options []live.Option
	for _, o := range q.Options {
		options = append(options, live.Option{Name: o.Text(), Key: keys[o.Kind]})
		delete(keys, o.Kind)
	}
	return view.AskOne(ctx, append([]string{title}, indented(q.Lines())...), options, nil)
}

// Ask implements ask.Way: it asks about a command that the rules leave open.
func (p *person) Ask(ctx context.Context, q *ask.Question) (ask.Answer, error) {
	view := p.view.Load()
	if view == nil {
		return p.terminal.Ask(ctx, q)
	}
	choices := []ask.Choice{ask.Once}
	options := []live.Option{{Name: "yes", Key: "y"}}
	if q.CanSession() {
		choices, options = append(choices, ask.Session), append(options, live.Option{Name: "yes to this line all session", Key: "s"})
	}
	if q.CanAlways {
		choices, options = append(choices, ask.Always), append(options, live.Option{Name: "always: " + strings.Join(q.AlwaysText(), ", "), Key: "a"})
	}
	choices, options = append(choices, ask.No), append(options, live.Option{Name: "no", Key: "n"})
	var whole []string
	if q.IsCut() {
		whole = indented(lines(q.Whole()))
	}
	n, err := view.AskOne(ctx, append([]string{"terrarium: the agent wants to run"}, indented(lines(q.Text()))...), options, whole)
	switch {
	case errors.Is(err, client.ErrNobody):
		return ask.Answer{}, ask.ErrNobody
	case err != nil:
		return ask.Answer{}, err
	}
	return ask.Answer{Choice: choices[n]}, nil
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

func indented(lines []string) []string {
	list := make([]string, len(lines))
	for i, line := range lines {
		list[i] = "  " + line
	}
	return list
}
