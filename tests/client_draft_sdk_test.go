package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestClientDraftSDK has an agent of the official TypeScript SDK, which checks every message, take a turn in the draft
// of version 2.
func TestClientDraftSDK(t *testing.T) {
	modules := os.Getenv("TERRARIUM_NODE_MODULES")
	if modules == "" {
		t.Skip("TERRARIUM_NODE_MODULES names no node_modules folder with @agentclientprotocol/sdk")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	nativeHost(t)
	script, err := filepath.Abs("client_draft_sdk.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(limited(t), "terrarium", "client", "--prompt", "make", "--json", "--approve", "all", "--",
		node, script, filepath.Join(modules, "@agentclientprotocol/sdk/dist/v2/stable/acp.js"))
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
