package tests

import (
	"os/exec"
	"strings"
	"testing"
)

// TestClientDraftSDK has an agent of the official TypeScript SDK, which checks every message, take
// a turn in the draft of version 2.
func TestClientDraftSDK(t *testing.T) {
	agent := nodeScript(t, "client_draft_sdk.mjs", "@agentclientprotocol/sdk/dist/v2/stable/acp.js")
	nativeHost(t)
	cmd := exec.CommandContext(limited(t), "terrarium",
		append([]string{"client", "--prompt", "make", "--json", "--approve", "all", "--"}, agent...)...)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	for _, want := range []string{
		`{"event":"ready","agent":"draft","version":"1","sessionId":"s"}`,
		`{"event":"permission","title":"May I?","option":"Yes","allow":true,"by":"approve"}`,
		`{"event":"terminal","terminalId":"agent:t","command":"make"}`,
		`{"event":"output","terminalId":"agent:t","data":"yes\n"}`,
		`{"event":"exit","terminalId":"agent:t","exitCode":null,"signal":"SIGTERM"}`,
		`{"event":"stop","stopReason":"end_turn"}`,
	} {
		if !strings.Contains(string(out), want+"\n") {
			t.Errorf("got\n%s\nwant a line %s", out, want)
		}
	}
}
