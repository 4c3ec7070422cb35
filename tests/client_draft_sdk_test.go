package tests

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestClientDraftSDK has an agent of the official TypeScript SDK, which checks every message, take
// a turn in the draft of version 2.
func TestClientDraftSDK(t *testing.T) {
	agent := nodeScript(t, "client_draft_sdk.mjs", "@agentclientprotocol/sdk/dist/v2/stable/acp.js")
	nativeHost(t)
	const (
		cancelled = `{"event":"exit","terminalId":"agent:t","exitCode":null,"signal":"SIGTERM"}`
		// Of package client: the time that the agent has to end what it has left.
		leaveGrace = 2 * time.Second
	)
	var out []byte
	inTime(t, 20, func() bool {
		cmd := exec.CommandContext(limited(t), "terrarium",
			append([]string{"client", "--prompt", "make", "--json", "--approve", "all", "--"}, agent...)...)
		cmd.Dir = t.TempDir()
		began := time.Now()
		var err error
		if out, err = cmd.CombinedOutput(); err != nil {
			t.Errorf("%v", err)
		}
		took := time.Since(began)
		if took < leaveGrace || strings.Contains(string(out), cancelled) {
			return true
		}
		t.Logf("after %v: got\n%s", took, out)
		return false
	})
	for _, want := range []string{
		`{"event":"ready","agent":"draft","version":"1","sessionId":"s"}`,
		`{"event":"permission","title":"May I?","option":"Yes","allow":true,"by":"approve"}`,
		`{"event":"terminal","terminalId":"agent:t","command":"make"}`,
		`{"event":"output","terminalId":"agent:t","data":"yes\n"}`,
		cancelled,
		`{"event":"stop","stopReason":"end_turn"}`,
	} {
		if !strings.Contains(string(out), want+"\n") {
			t.Errorf("got\n%s\nwant a line %s", out, want)
		}
	}
}
