package mcp

import (
	"context"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/terrarium-dev/terrarium/core/keys"
)

type writeIn struct {
	Terminal    string   `json:"terminal" jsonschema:"its id, as terminal_create has returned it"`
	Text        string   `json:"text" jsonschema:"what to type"`
	EndOfInput  bool     `json:"end_of_input,omitempty" jsonschema:"nothing more is typed after it: the command reads end of file"`
	WaitSeconds *float64 `json:"wait_seconds,omitempty" jsonschema:"how long to wait at the most until nothing new comes; 2 unless said, 0 to return at once"`
}

type keysIn struct {
	Terminal    string   `json:"terminal" jsonschema:"its id, as terminal_create has returned it"`
	Keys        []string `json:"keys" jsonschema:"names of keys, in order: C-c, Enter, Up"`
	WaitSeconds *float64 `json:"wait_seconds,omitempty" jsonschema:"how long to wait at the most until nothing new comes; 2 unless said, 0 to return at once"`
}

type resizeIn struct {
	Terminal string `json:"terminal" jsonschema:"its id, as terminal_create has returned it"`
	Rows     int    `json:"rows" jsonschema:"its height in cells"`
	Cols     int    `json:"cols" jsonschema:"its width in cells"`
}

func (s *Server) write(ctx context.Context, _ *sdk.CallToolRequest, in writeIn) (*sdk.CallToolResult, *terminalOut, error) {
	return s.typed(ctx, in.Terminal, in.WaitSeconds, func(t *terminal) error {
		if in.Text != "" {
			if _, err := s.driver.Terminal(t.id).Write([]byte(in.Text)); err != nil {
				return err
			}
		}
		if in.EndOfInput {
			return s.driver.Terminal(t.id).CloseInput()
		}
		return nil
	})
}

func (s *Server) keys(ctx context.Context, _ *sdk.CallToolRequest, in keysIn) (*sdk.CallToolResult, *terminalOut, error) {
	return s.typed(ctx, in.Terminal, in.WaitSeconds, func(t *terminal) error {
		modes := s.driver.Terminal(t.id).KeyModes()
		var bytes []byte
		for _, name := range in.Keys {
			var ok bool
			if bytes, ok = keys.Append(bytes, name, modes); !ok {
				return fmt.Errorf("no key is called %q: want tmux's names, as C-c, Enter, Escape, Up or F5; terminal_write types text", clip(name))
			}
		}
		_, err := s.driver.Terminal(t.id).Write(bytes)
		return err
	})
}

// typed has something typed into a terminal, and answers with what becomes of it.
func (s *Server) typed(ctx context.Context, id string, wait *float64, do func(*terminal) error) (*sdk.CallToolResult, *terminalOut, error) {
	t, done, err := s.use(id)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	before := s.written(t)
	if err := do(t); err != nil {
		return nil, nil, err
	}
	limit := typedWait
	if wait != nil {
		limit = seconds(*wait)
	}
	s.settle(ctx, t, before, limit)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if !s.config.Command.Pty {
		return s.show(t, 0)
	}
	return s.showScreen(t)
}

const (
	typedWait = 2 * time.Second
	// quiet is for how long nothing new must have come until we believe that nothing will.
	quiet = 200 * time.Millisecond
)

// settle returns when something has come and nothing more does, or limit is over, or the command
// has ended, or ctx. before is how much there was.
func (s *Server) settle(ctx context.Context, t *terminal, before uint64, limit time.Duration) {
	if limit <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// Errors say that limit is over, or that there is nothing left to wait for.
	term := s.driver.Terminal(t.id)
	_ = term.WaitForOutput(ctx, before)
	_ = term.WaitForQuiet(ctx, quiet)
}

func (s *Server) resize(_ context.Context, _ *sdk.CallToolRequest, in resizeIn) (*sdk.CallToolResult, *terminalOut, error) {
	t, done, err := s.use(in.Terminal)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	if err := s.driver.Terminal(t.id).Resize(in.Rows, in.Cols); err != nil {
		return nil, nil, err
	}
	out := s.state(t)
	return answer(fmt.Sprintf("%s\nit has %d columns and %d rows now", out, in.Cols, in.Rows), out)
}

// dyingTime is how long terminal_kill waits for the end of a command beyond what the machine gives
// it.
const dyingTime = 10 * time.Second

func (s *Server) kill(ctx context.Context, req *sdk.CallToolRequest, in terminalIn) (*sdk.CallToolResult, *terminalOut, error) {
	t, done, err := s.use(in.Terminal)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	if err := s.driver.Terminal(t.id).Kill(); err != nil {
		return nil, nil, err
	}
	s.await(ctx, req, t, max(0, s.config.Driver.Core.KillGrace)+dyingTime)
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	return s.show(t, 0)
}

func (s *Server) releaseTool(_ context.Context, _ *sdk.CallToolRequest, in terminalIn) (*sdk.CallToolResult, *terminalOut, error) {
	t, done, err := s.use(in.Terminal)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	out := s.state(t)
	s.release(t)
	return answer("terminal "+string(t.id)+": released", out)
}
