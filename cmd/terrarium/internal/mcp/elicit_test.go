package mcp

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/ask"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// noHost starts nothing.
type noHost struct{}

func (noHost) Resolve(_ context.Context, c core.Command) (core.Exec, error) {
	return core.Exec{Command: c, Path: "/bin/" + c.Command, Argv: []string{c.Command}, Via: core.ViaArgs}, nil
}

func (noHost) Start(context.Context, core.Exec) (driver.Process, error) {
	return nil, errors.New("nothing starts here")
}

// TestUnansweredQuestion: a call does not wait longer for an answer than whoever decides does. A
// client whose connection is gone never sends one.
func TestUnansweredQuestion(t *testing.T) {
	s := New(Config{Driver: driver.Config{
		Host: noHost{},
		Decide: func(ctx context.Context, e core.Exec) core.Decision {
			ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			Elicitation{}.Ask(ctx, &ask.Question{Exec: &e})
			return core.Decision{Reason: "too late"}
		},
	}})
	defer s.Close()
	here, there := sdk.NewInMemoryTransports()
	if _, err := s.mcp.Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	forgotten := make(chan struct{})
	defer close(forgotten)
	client := sdk.NewClient(&sdk.Implementation{Name: "silent", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			<-forgotten
			return nil, errors.New("forgotten")
		},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	session, err := client.Connect(ctx, there, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "terminal_create", Arguments: map[string]any{"command": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Content[0].(*sdk.TextContent).Text; !r.IsError || !strings.Contains(text, "too late") {
		t.Errorf("got %q, error %t, want it denied as too late", text, r.IsError)
	}
}
