package tests

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
)

// An sdkEditor is an editor of the Go SDK that serves no terminals: those methods are nil, so a
// call of one panics.
type sdkEditor struct {
	acp.Client
	updates chan acp.SessionNotification
	asked   chan acp.RequestPermissionRequest
}

func (e *sdkEditor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.updates <- n
	return nil
}

func (e *sdkEditor) RequestPermission(_ context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	e.asked <- r
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(r.Options[0].OptionId)}, nil
}

// An sdkAgent is an agent of the Go SDK that runs what it is prompted.
type sdkAgent struct {
	acp.Agent
	conn   *acp.AgentSideConnection
	client acp.ClientCapabilities
}

func (a *sdkAgent) Initialize(_ context.Context, r acp.InitializeRequest) (acp.InitializeResponse, error) {
	a.client = r.ClientCapabilities
	return acp.InitializeResponse{ProtocolVersion: r.ProtocolVersion}, nil
}

func (a *sdkAgent) NewSession(context.Context, acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	return acp.NewSessionResponse{SessionId: "s"}, nil
}

func (a *sdkAgent) Prompt(ctx context.Context, r acp.PromptRequest) (acp.PromptResponse, error) {
	made, err := a.conn.CreateTerminal(ctx, acp.CreateTerminalRequest{SessionId: r.SessionId, Command: r.Prompt[0].Text.Text})
	if err != nil {
		return acp.PromptResponse{}, err
	}
	update := acp.StartToolCall("call", "run it", acp.WithStartContent([]acp.ToolCallContent{acp.ToolTerminalRef(made.TerminalId)}))
	if err := a.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: r.SessionId, Update: update}); err != nil {
		return acp.PromptResponse{}, err
	}
	wait := acp.WaitForTerminalExitRequest{SessionId: r.SessionId, TerminalId: made.TerminalId}
	if _, err := a.conn.WaitForTerminalExit(ctx, wait); err != nil {
		return acp.PromptResponse{}, err
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

// TestProxySDK has the Go SDK of ACP on both sides: a prompt runs a command that the editor is
// asked about and shows.
func TestProxySDK(t *testing.T) {
	nativeHost(t)
	policy := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(policy, []byte("default = \"ask\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := proxied(t, "--sandbox", "off", "--policy", policy)
	ctx := limited(t)
	agent := new(sdkAgent)
	agent.conn = acp.NewAgentSideConnection(agent, l.toEditor, reader(l.agent))
	agent.conn.SetLogger(slog.New(slog.DiscardHandler)) // it reports the end of input
	editor := &sdkEditor{updates: make(chan acp.SessionNotification, 64), asked: make(chan acp.RequestPermissionRequest, 1)}
	conn := acp.NewClientSideConnection(editor, l.toAgent, reader(l.editor))
	conn.SetLogger(slog.New(slog.DiscardHandler))

	if _, err := conn.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber}); err != nil {
		t.Fatal(err)
	}
	if !agent.client.Terminal {
		t.Error("the agent was not told of terminals")
	}
	session, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: l.dir, McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	prompt := acp.PromptRequest{SessionId: session.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("echo it ran")}}
	answer, err := conn.Prompt(ctx, prompt)
	if err != nil || answer.StopReason != acp.StopReasonEndTurn {
		t.Fatalf("got %+v, %v", answer, err)
	}
	if q := <-editor.asked; q.ToolCall.Title == nil || *q.ToolCall.Title != "`echo it ran`" {
		t.Errorf("got the question %+v, want it about echo it ran", q)
	}
	for shown := ""; !strings.Contains(shown, "it ran") || !strings.Contains(shown, "exit 0"); {
		select {
		case n := <-editor.updates:
			var content []acp.ToolCallContent
			switch u := n.Update; {
			case u.ToolCall != nil:
				content = u.ToolCall.Content
			case u.ToolCallUpdate != nil:
				content = u.ToolCallUpdate.Content
			}
			for _, c := range content {
				if c.Content == nil || c.Content.Content.Text == nil {
					t.Fatalf("got %+v, want text", c)
				}
				shown = c.Content.Content.Text.Text
			}
		case <-ctx.Done():
			t.Fatalf("the editor has shown %q", shown)
		}
	}
}

// reader reads what comes from a channel of lines.
func reader(c chan []byte) io.Reader {
	r, w := io.Pipe()
	go func() { // ends with the channel
		defer w.Close()
		for line := range c {
			w.Write(line)
		}
	}()
	return r
}
