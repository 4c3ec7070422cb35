package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestPermissionSDK has the official TypeScript SDK answer what serve asks.
func TestPermissionSDK(t *testing.T) {
	client := nodeScript(t, "permission_sdk.mjs", "@agentclientprotocol/sdk/dist/v1/stable/acp.js")
	p := newPermitting(t)
	cmd := exec.CommandContext(limited(t), client[0],
		append(client[1:], "terrarium", "serve", "--stdio", "--policy", p.policy, "--cwd", p.dir)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got struct {
		Exit    struct{ ExitCode *int }
		Refusal string
		Asked   []struct {
			SessionID string
			ToolCall  struct {
				Title, Kind, Status string
				RawInput            struct{ Command, Cwd string }
			}
		}
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	if got.Exit.ExitCode == nil || *got.Exit.ExitCode != 0 || !strings.Contains(got.Refusal, "said no: not today") || len(got.Asked) != 2 {
		t.Fatalf("got %s, want one command run and one denied", out)
	}
	q := got.Asked[0]
	if q.SessionID != "s" || q.ToolCall.Title != "`mkdir yes`" || q.ToolCall.Kind != "execute" || q.ToolCall.Status != "pending" ||
		q.ToolCall.RawInput.Command != "mkdir yes" || q.ToolCall.RawInput.Cwd != p.dir {
		t.Errorf("got the question %+v, want it about mkdir yes", q)
	}
	p.files("yes")
}
