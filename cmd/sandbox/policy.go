package main

import (
	"context"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// decide asks the page whether a command may start. It waits for the answer as
// long as anybody wants the command.
func (s *sandbox) decide(ctx context.Context, x core.Exec) core.Decision {
	id, _ := driver.TerminalOf(ctx)
	number, answer := s.ask(id, x)
	if answer == nil {
		return core.Decision{Reason: "the sandbox was closed"}
	}
	select {
	case decision := <-answer:
		s.change(id, func(t *terminal) { t.state = queued })
		return decision
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.questions[number] != nil {
		delete(s.questions, number)
		s.tell("asked", func(e *encoder) { e.Int("request", int64(number)) })
	}
	return core.Decision{Reason: "nobody waits for it any longer"}
}

// ask tells the page the question. The answer is nil if it can't be asked.
func (s *sandbox) ask(id core.TerminalID, x core.Exec) (number int32, answer chan core.Decision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.terminals[id]
	if t == nil || s.closing {
		return 0, nil
	}
	t.resolved(x)
	t.state = asking
	s.tellTerminal(t)
	number, answer = s.request(), make(chan core.Decision, 1)
	s.questions[number] = answer
	s.tell("asking", func(e *encoder) {
		e.Int("request", int64(number))
		e.Text("id", string(id))
		e.Text("path", x.Path)
		e.Texts("argv", x.Argv)
		e.Text("cwd", x.Command.Cwd)
		e.Texts("roots", x.Command.Roots)
		e.Env("env", x.Command.Env)
	})
	return number, answer
}

// request returns a number for a question of ours. s.mu is held.
func (s *sandbox) request() int32 {
	s.lastRequest = max(s.lastRequest+1, 1)
	return s.lastRequest
}

// answered is the page's answer.
func (s *sandbox) answered(number int32, d core.Decision) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := s.questions[number]
	if answer == nil {
		return errUnknownRequest
	}
	delete(s.questions, number)
	answer <- d
	return nil
}
