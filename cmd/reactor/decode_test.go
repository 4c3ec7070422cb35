package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

const seed = `"seed":"000102030405060708090a0b0c0d0E0F"`

func TestDecodeConfig(t *testing.T) {
	got, err := decodeConfig([]byte(`{` + seed + `,"ask":true,"killGraceNs":-1,"lostAfterNs":1,"drainSilenceNs":2,"drainLimitNs":3,
		"timeoutNs":-4,"rows":5,"cols":6,"outputByteLimit":-1,"maxOutputByteLimit":7,"maxInput":8,"liveBytes":9,
		"maxTerminals":10,"maxSessionTerminals":11,"maxOutputBytes":4294967296,"keepTerminals":-1,"keepBytes":1.2e1,
		"maxKeptTerminals":13,"maxKeptBytes":14,
		"acp":{"command":{"cwd":"/w","pty":true},"noTerminal":true,"lenient":true,"maxLine":15,"maxResponse":16,
			"maxPending":17,"maxSessions":18,"version":"1.0"}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := config{
		core: core.Config{
			Seed: [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, Ask: true,
			KillGrace: -1, LostAfter: 1, DrainSilence: 2, DrainLimit: 3, Timeout: -4, Rows: 5, Cols: 6,
			OutputByteLimit: -1, MaxOutputByteLimit: 7, MaxInput: 8, LiveBytes: 9, MaxTerminals: 10,
			MaxSessionTerminals: 11, MaxOutputBytes: 1 << 32, KeepTerminals: -1, KeepBytes: 12,
			MaxKeptTerminals: 13, MaxKeptBytes: 14,
		},
		withACP: true,
		acp: acp.Config{
			Command: core.Command{Cwd: "/w", Pty: true}, NoTerminal: true, Lenient: true, MaxLine: 15,
			MaxResponse: 16, MaxPending: 17, MaxSessions: 18, Version: "1.0",
		},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(config{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecodeConfigNull(t *testing.T) {
	got, err := decodeConfig([]byte(`{` + seed + `,"rows":null,"acp":null,"ask":null}`))
	if err != nil || got.withACP || got.core.Rows != 0 {
		t.Errorf("got %+v (%v), want what is null to be absent", got, err)
	}
}

// TestDecodeRefuses has an argument of each kind that is wrong in each way.
func TestDecodeRefuses(t *testing.T) {
	kinds := map[string]func(p []byte) error{
		"config":   func(p []byte) error { _, err := decodeConfig(p); return err },
		"command":  func(p []byte) error { _, err := decodeCommand(p); return err },
		"resolved": func(p []byte) error { _, _, err := decodeResolved(p); return err },
		"decision": func(p []byte) error { _, err := decodeDecision(p); return err },
		"error":    func(p []byte) error { _, err := decodeHostError(p); return err },
		"exit":     func(p []byte) error { _, err := decodeExit(p); return err },
	}
	for _, c := range []struct{ kind, json, param, reason string }{
		{"config", `{}`, "seed", "missing"},
		{"config", `{"seed":""}`, "seed", "missing"},
		{"config", `{"seed":"00"}`, "seed", "value"},
		{"config", `{"seed":"00000000000000000000000000000000"}`, "seed", "value"},
		{"config", `{"seed":"g00102030405060708090a0b0c0d0e0f"}`, "seed", "value"},
		{"config", `{"seed":1}`, "seed", "type"},
		{"config", `{` + seed + `,"rowz":1}`, "rowz", "unknown"},
		{"config", `{` + seed + `,"Rows":1}`, "Rows", "unknown"},
		{"config", `{` + seed + `,"rows":1001}`, "rows", "range"},
		{"config", `{` + seed + `,"rows":-1}`, "rows", "range"},
		{"config", `{` + seed + `,"rows":1.5}`, "rows", "type"},
		{"config", `{` + seed + `,"rows":"1"}`, "rows", "type"},
		{"config", `{` + seed + `,"killGraceNs":1e30}`, "killGraceNs", "range"},
		{"config", `{` + seed + `,"lostAfterNs":-1}`, "lostAfterNs", "range"},
		{"config", `{` + seed + `,"maxKeptBytes":-1}`, "maxKeptBytes", "range"},
		{"config", `{` + seed + `,"outputByteLimit":-2}`, "outputByteLimit", "range"},
		{"config", `{` + seed + `,"maxOutputBytes":4294967297}`, "maxOutputBytes", "range"},
		{"config", `{` + seed + `,"ask":1}`, "ask", "type"},
		{"config", `{` + seed + `,"acp":[]}`, "acp", "type"},
		{"config", `{` + seed + `,"acp":{"command":{"rows":"x"}}}`, "acp.command.rows", "type"},
		{"config", `{` + seed + `,"acp":{"command":{"env":[{"nam":"x"}]}}}`, "acp.command.env.nam", "unknown"},
		{"config", `{` + seed + `,"acp":{"command":{"rendering":"pretty"}}}`, "acp.command.rendering", "value"},
		{"command", `[]`, "", "type"},
		{"command", `null`, "", "type"},
		{"command", `{"args":"x"}`, "args", "type"},
		{"command", `{"args":[1]}`, "args", "type"},
		{"command", `{"args":[null]}`, "args", "type"},
		{"command", `{"command":"\ud800"}`, "command", "lone_surrogate"},
		{"command", `{"\ud800":1}`, "\uFFFD", "unknown"},
		{"command", `{"` + strings.Repeat("x", 1000) + `":1}`, strings.Repeat("x", 100), "unknown"},
		{"command", `{"rows":2147483648}`, "rows", "range"},
		{"command", `{"rendering":"pretty"}`, "rendering", "value"},
		{"command", `{"rows":true,"cols":true}`, "rows", "type"},
		{"resolved", `{"path":1}`, "path", "type"},
		{"resolved", `{"error":"no"}`, "error", "type"},
		{"resolved", `{"error":{"reason":1}}`, "error.reason", "type"},
		{"decision", `{"allow":"yes"}`, "allow", "type"},
		{"error", `"gone"`, "", "type"},
		{"exit", `{"exitCode":-1}`, "exitCode", "range"},
		{"exit", `{"exitCode":4294967296}`, "exitCode", "range"},
		{"exit", `{"exitCode":1,"signal":"SIGHUP"}`, "signal", "value"},
		{"exit", `{"usage":{"maxRss":-1}}`, "usage.maxRss", "range"},
	} {
		err := kinds[c.kind]([]byte(c.json))
		var wrong *abi.Error
		if !errors.As(err, &wrong) || wrong.Param != c.param || wrong.Reason != c.reason {
			t.Errorf("%s %.80s: got %v, want %s: %s", c.kind, c.json, err, c.param, c.reason)
		}
	}
	for kind, decode := range kinds {
		var syntax *jsonrpc.SyntaxError
		if err := decode([]byte(`{"`)); !errors.As(err, &syntax) {
			t.Errorf("%s: got %v for half a text, want a SyntaxError", kind, err)
		}
	}
}

func TestDecodeExit(t *testing.T) {
	for _, c := range []struct {
		json string
		want core.ExitStatus
	}{
		{`{}`, core.ExitStatus{Unknown: true}},
		{`{"exitCode":null,"signal":null}`, core.ExitStatus{Unknown: true}},
		{`{"exitCode":0}`, core.ExitStatus{}},
		{`{"exitCode":4294967295,"signal":null}`, core.ExitStatus{ExitCode: 4294967295}},
		{`{"exitCode":null,"signal":"SIGKILL"}`, core.ExitStatus{Signal: "SIGKILL"}},
	} {
		if got, err := decodeExit([]byte(c.json)); err != nil || got.Status != c.want {
			t.Errorf("%s: got %+v (%v), want %+v", c.json, got.Status, err, c.want)
		}
	}
}

func TestDecodeResolved(t *testing.T) {
	exec, refusal, err := decodeResolved([]byte(`{"path":"/bin/ls","argv":["ls",""],"via":"args"}`))
	want := core.Exec{Path: "/bin/ls", Argv: []string{"ls", ""}, Via: core.ViaArgs}
	if diff := cmp.Diff(want, exec); diff != "" || refusal != nil || err != nil {
		t.Errorf("got %v and %v (-want +got):\n%s", refusal, err, diff)
	}
	_, refusal, err = decodeResolved([]byte(`{"error":{"message":"gone"}}`))
	host, is := refusal.(*core.HostError)
	if !is || *host != (core.HostError{Reason: "start_failed", Message: "gone"}) || err != nil {
		t.Errorf("got %#v (%v), want a HostError", refusal, err)
	}
}
