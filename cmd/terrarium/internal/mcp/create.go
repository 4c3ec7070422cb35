package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"path"
	"reflect"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/terrarium-dev/terrarium/core"
)

// createIn are the arguments of terminal_create.
type createIn struct {
	Command     string            `json:"command" jsonschema:"an executable's name or path or, without args, a whole line for the shell"`
	Args        []string          `json:"args,omitempty" jsonschema:"arguments, passed on as they are: no shell sees them"`
	Cwd         string            `json:"cwd,omitempty" jsonschema:"the directory to run in"`
	Env         map[string]string `json:"env,omitempty" jsonschema:"variables to add to the environment"`
	WaitSeconds *float64          `json:"wait_seconds,omitempty" jsonschema:"how long to wait for the command to end before this call returns; 10 unless said, 1 with interactive, 0 to return at once"`
	Timeout     float64           `json:"timeout_seconds,omitempty" jsonschema:"kill the command after so long"`
	Interactive bool              `json:"interactive,omitempty" jsonschema:"leave its input open for terminal_write and terminal_keys; otherwise it reads end of file"`
	Rows        int               `json:"rows,omitempty" jsonschema:"the terminal's height in cells"`
	Cols        int               `json:"cols,omitempty" jsonschema:"the terminal's width in cells"`
	MaxBytes    int               `json:"max_bytes,omitempty" jsonschema:"how much output to return, the newest; 32768 unless said"`
}

// How long terminal_create waits for the end of a command where the agent does not say.
const (
	createWait      = 10 * time.Second
	interactiveWait = time.Second // a shell does not end
)

// A creation is a terminal_create whose command has not started.
type creation struct {
	terminal *terminal
	in       createIn
	open     *question // that a client took away to come back with the answer
}

// questionKey names our question among those of an answer.
const questionKey = "permission"

// errNotOpen answers a client that brings an answer to no question of ours.
var errNotOpen = errors.New("the question whether the command may start is not open any more: call terminal_create again")

// create starts a command, and asks the client's user about it where somebody must be asked.
func (s *Server) create(ctx context.Context, req *sdk.CallToolRequest, in createIn) (*sdk.CallToolResult, *terminalOut, error) {
	c, err := s.creation(req, in)
	if err != nil {
		return nil, nil, err
	}
	t := c.terminal
	defer s.unuse(t)
	for {
		select {
		case <-t.started:
			t.caller.leave()
			if t.startErr != nil {
				return nil, nil, t.startErr
			}
			s.await(ctx, req, t, in.wait())
			return s.show(t, in.MaxBytes)
		case q := <-t.caller.questions:
			if req.ProtocolVersion() >= versionRounds {
				return s.park(c, q), nil, nil
			}
			r, err := req.Session.Elicit(s.until(ctx, t.started), q.form())
			if err != nil {
				q.answer <- reply{err: err}
				continue
			}
			q.answer <- q.reply(r)
		case <-ctx.Done():
			s.release(t)
			return nil, nil, ctx.Err()
		case <-s.ending:
			s.release(t)
			return nil, nil, errEnding
		}
	}
}

// versionRounds is the version of the protocol from which on a server sends no requests: a call
// returns with what it needs to know, and the client calls again with the answer.
const versionRounds = "2026-07-28"

// creation begins one, or goes on with the one that a client comes back to.
func (s *Server) creation(req *sdk.CallToolRequest, in createIn) (*creation, error) {
	if req.Params.RequestState != "" {
		return s.unpark(req.Params.RequestState, req.Params.InputResponses, in)
	}
	t, err := s.begin(s.command(in), newCaller(req))
	if err != nil {
		return nil, err
	}
	return &creation{terminal: t, in: in}, nil
}

// command is what in asks for.
func (s *Server) command(in createIn) core.Command {
	c := s.config.Command
	c.Command, c.Args = in.Command, in.Args
	if in.Cwd != "" {
		if !path.IsAbs(in.Cwd) {
			in.Cwd = path.Join(c.Cwd, in.Cwd)
		}
		c.Cwd = in.Cwd
	}
	c.Env = slices.Clone(c.Env)
	for _, name := range slices.Sorted(maps.Keys(in.Env)) {
		c.Env = append(c.Env, core.EnvVariable{Name: name, Value: in.Env[name]})
	}
	if in.Timeout > 0 {
		c.Timeout = shorter(c.Timeout, seconds(in.Timeout))
	}
	if in.Rows > 0 {
		c.Rows = in.Rows
	}
	if in.Cols > 0 {
		c.Cols = in.Cols
	}
	c.Interactive = c.Interactive || in.Interactive
	c.Screen = c.Pty
	return c
}

// shorter returns the lesser of two times, the first of which may be zero for none.
func shorter(limit, d time.Duration) time.Duration {
	if limit > 0 {
		return min(limit, d)
	}
	return d
}

func (in *createIn) wait() time.Duration {
	switch {
	case in.WaitSeconds != nil:
		return seconds(*in.WaitSeconds)
	case in.Interactive:
		return interactiveWait
	}
	return createWait
}

// park gives the question to the client, which calls again with the answer. If it does not, the
// terminal is released for being idle.
func (s *Server) park(c *creation, q *question) *sdk.CallToolResult {
	c.open = q
	state := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parked[state], c.terminal.parkedAs = c, state
	return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{questionKey: q.form()}, RequestState: state}
}

// unpark takes the answer to the question that state stands for, once. Whoever changes the
// arguments meanwhile gets nothing started: a person has seen others.
func (s *Server) unpark(state string, answers sdk.InputResponseMap, in createIn) (*creation, error) {
	s.mu.Lock()
	c := s.parked[state]
	if c == nil || !reflect.DeepEqual(c.in, in) || c.terminal.released {
		s.mu.Unlock()
		return nil, errNotOpen
	}
	delete(s.parked, state)
	c.terminal.uses++
	c.terminal.idle.Stop()
	s.mu.Unlock()
	answer, ok := answers[questionKey].(*sdk.ElicitResult)
	if !ok {
		c.open.answer <- reply{err: errLeft}
		return c, nil
	}
	c.open.answer <- c.open.reply(answer)
	return c, nil
}
