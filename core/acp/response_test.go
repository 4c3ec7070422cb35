package acp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// Point 49 of tests/acp: whatever must be escaped, a line stays short enough,
// and what goes from the output is its beginning.
func TestOutputFitsLine(t *testing.T) {
	const (
		size = 64 << 10
		most = 90_000
	)
	for _, c := range []struct {
		name, output string // repeated up to size
		dropped      bool   // some of it is not kept
		cut          bool   // some of what is kept does not fit a line
	}{
		{"plain", "abcdefg\n", false, false},
		{"controls", "\x01", false, true},
		{"quotes", `"\`, false, true},
		{"characters", "a\x00é€😀", false, true},
		{"invalid", "\xff", true, false},
		{"invalid and controls", "\xff\x02", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPeer(t, acp.Config{MaxResponse: most}, core.Config{OutputByteLimit: size})
			id := p.create(`{"sessionId":"s","command":"a"}`)
			p.registry.HandleOutput(p.now, id, 1, []byte(strings.Repeat(c.output, size/len(c.output))))
			p.registry.HandleExit(p.now, id, core.Exit{Status: core.ExitStatus{Signal: "SIGKILL"}, Reason: core.ReasonOutput})
			p.registry.HandleOutputEnd(p.now, id)
			p.take()
			terminal, _ := p.registry.Terminal(id)
			kept, _ := terminal.AppendOutput(nil)

			for _, requestID := range []string{"1", `"` + strings.Repeat("i", jsonrpc.MaxID-len(`""`)) + `"`} {
				answer := p.send(request(requestID, acp.MethodOutput, id))
				got, truncated := outputOf(t, answer)
				if want := c.dropped || c.cut; truncated != want {
					t.Errorf("got truncated %t, want %t", truncated, want)
				}
				if !strings.HasSuffix(string(kept), got) || !utf8.ValidString(got) {
					t.Errorf("got %d bytes that are no suffix of the %d kept, or no UTF-8", len(got), len(kept))
				}
				if len(answer) >= most {
					t.Errorf("got a line of %d bytes, want less than %d", len(answer), most)
				}
				if c.cut && len(answer) < most-1100 {
					t.Errorf("got a line of %d bytes, want more of the output in it", len(answer))
				}
			}
		})
	}
}

// By default a line is short enough for peers on the Go SDK, which read 10 MiB.
func TestLongestLine(t *testing.T) {
	p := newPeer(t, acp.Config{}, core.Config{})
	id := p.create(`{"sessionId":"s","command":"a","outputByteLimit":18446744073709551615}`)
	p.registry.HandleOutput(p.now, id, 1, []byte(strings.Repeat("\x01", 8<<20)))
	p.conn.HandleMessage(p.now, []byte(request("1", acp.MethodOutput, id)))
	line, _ := p.conn.NextLine()
	if got := len(line); got >= 10<<20 || got < 9<<20 {
		t.Errorf("got a line of %d bytes, want just below %d", got, 10<<20)
	}
}

// However short the line must be, the answer is whole.
func TestMaxResponse(t *testing.T) {
	for _, limit := range []int{1, 1 << 10, 1100, 2000, 1 << 16} {
		p := newPeer(t, acp.Config{MaxResponse: limit}, core.Config{})
		id := p.create(`{"sessionId":"s","command":"a"}`)
		output := strings.Repeat("€\n", 1<<15)
		p.registry.HandleOutput(p.now, id, 1, []byte(output))
		answer := p.send(request("1", acp.MethodOutput, id))
		got, truncated := outputOf(t, answer)
		if !strings.HasSuffix(output, got) || !truncated {
			t.Errorf("limit %d: got %d bytes, truncated %t, want a suffix, true", limit, len(got), truncated)
		}
		if len(answer) > max(limit, 1<<10) {
			t.Errorf("limit %d: got a line of %d bytes", limit, len(answer))
		}
	}
}

// What an agent sent, and what a host says of it, comes back at a bounded
// length.
func TestOtherAnswersFitLine(t *testing.T) {
	control := strings.Repeat(`\u0001`, 1<<18)
	p := newPeer(t, acp.Config{}, core.Config{})
	for _, c := range []struct{ name, line string }{
		{"long argument", call(acp.MethodCreate, `{"sessionId":"s","command":"a","args":["`+control+`"]}`)},
		{"many arguments", call(acp.MethodCreate, `{"sessionId":"s","command":"a","args":[""`+strings.Repeat(`,""`, 1<<18)+`]}`)},
		{"method", call(control, `{}`)},
		{"terminal", call(acp.MethodKill, `{"sessionId":"s","terminalId":"`+control+`"}`)},
		{"cwd", call(acp.MethodCreate, `{"sessionId":"s","command":"a","cwd":"`+control+`"}`)},
		{"env", call(acp.MethodCreate, `{"sessionId":"s","command":"a","env":[{"name":"=`+control+`","value":""}]}`)},
	} {
		if got := p.send(c.line); len(got) > 128<<10 {
			t.Errorf("%s: got a line of %d bytes", c.name, len(got))
		}
	}
	p.resolve = func(c *core.Command) error { return fmt.Errorf("%s: not found", c.Command) }
	got := p.send(call(acp.MethodCreate, `{"sessionId":"s","command":"`+strings.Repeat("c", 1<<18)+`"}`))
	if len(got) > 128<<10 {
		t.Errorf("error of the host: got a line of %d bytes", len(got))
	}
}

func outputOf(t *testing.T, answer string) (output string, truncated bool) {
	t.Helper()
	var m struct {
		Result *struct {
			Output    string
			Truncated bool
		}
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil || m.Result == nil {
		t.Fatalf("got %.200s, want output", answer)
	}
	return m.Result.Output, m.Result.Truncated
}

// The codes and reasons that errors of a host get: bad parameters where the
// agent can do better, an internal error where it can't.
func TestHostErrors(t *testing.T) {
	var cause error
	p := newPeer(t, acp.Config{}, core.Config{})
	p.resolve = func(*core.Command) error { return cause }
	for _, c := range []struct {
		err    error
		code   int
		reason string
	}{
		{errors.New("no more processes"), -32603, "start_failed"},
		{fs.ErrNotExist, -32602, "not_found"},
		{fmt.Errorf("chdir: %w", fs.ErrNotExist), -32602, "not_found"},
		{fs.ErrPermission, -32602, "permission_denied"},
		{fmt.Errorf("pty: %w", errors.ErrUnsupported), -32603, "unsupported"},
		{&core.HostError{Reason: "not_found", Message: "a: not found"}, -32602, "not_found"},
		{&core.HostError{Reason: "permission_denied", Message: "a"}, -32602, "permission_denied"},
		{&core.HostError{Reason: "not_directory", Message: "a"}, -32602, "not_directory"},
		{&core.HostError{Reason: "not_executable", Message: "a"}, -32602, "not_executable"},
		{&core.HostError{Reason: "too_long", Message: "a", Err: fs.ErrInvalid}, -32602, "too_long"},
		{&core.HostError{Reason: "no_resources", Message: "a"}, -32603, "no_resources"},
		{&core.HostError{Reason: "start_failed", Message: "a"}, -32603, "start_failed"},
		{&core.InvalidError{Param: "cwd", Reason: "not_absolute"}, -32602, "not_absolute"},
		{&core.LimitError{Limit: "processes", Max: 3}, -32603, "limit_processes"},
		{&core.DeniedError{Reason: "no"}, -32603, "denied"},
	} {
		cause = c.err
		answer := p.send(call(acp.MethodCreate, `{"sessionId":"s","command":"a"}`))
		var m struct{ Error struct{ Code int } }
		if err := json.Unmarshal([]byte(answer), &m); err != nil {
			t.Fatal(err)
		}
		if m.Error.Code != c.code || reason(answer) != c.reason {
			t.Errorf("%v: got code %d, reason %q, want %d, %q", c.err, m.Error.Code, reason(answer), c.code, c.reason)
		}
	}
}

// Point 40 of tests/acp: no two registries give the same id.
func TestTerminalIDsAreUnique(t *testing.T) {
	seen := make(map[string]bool)
	for seed := range byte(10) {
		p := newPeer(t, acp.Config{}, core.Config{Seed: [16]byte{seed}})
		for i := range 20 {
			id := string(p.create(fmt.Sprintf(`{"sessionId":"s%d","command":"a"}`, i%3)))
			if seen[id] {
				t.Errorf("got %s twice", id)
			}
			seen[id] = true
		}
	}
}
