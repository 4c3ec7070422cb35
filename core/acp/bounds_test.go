package acp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
)

// asking sends a terminal/create with _meta, and returns the Bounds that came of it, or the error's
// reason.
func asking(t *testing.T, c acp.Config, meta string) (core.Bounds, string) {
	t.Helper()
	var now time.Time
	r := core.NewRegistry(core.Config{})
	conn := acp.NewConn(c, acp.OnRegistry(r))
	acp.NewAsker(conn)
	conn.HandleMessage(now, []byte(`{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s","command":"ls","_meta":`+meta+`}}`))
	if line, ok := conn.NextLine(); ok {
		var m struct {
			Error struct {
				Code int
				Data struct{ Reason string }
			}
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return core.Bounds{}, m.Error.Data.Reason
	}
	e, ok := r.NextEffect()
	if !ok || e.Kind != core.Resolve {
		t.Fatalf("got %v, want resolve", e)
	}
	if e.Command.Bounds == nil {
		return core.Bounds{}, ""
	}
	return *e.Command.Bounds, ""
}

func TestBounds(t *testing.T) {
	many := `"a",` + strings.Repeat(`"a",`, core.MaxBounds-1) + `"a"`
	for meta, want := range map[string]struct {
		bounds core.Bounds
		reason string
	}{
		`{}`:               {},
		`null`:             {},
		`{"terrarium":5}`:  {},
		`{"terrarium":{}}`: {},
		`{"terrarium":{"sandbox":null,"net":null}}`:                    {},
		`{"terrarium":{"net":[]}}`:                                     {},
		`{"terrarium":{"sandbox":"off"}}`:                              {bounds: core.Bounds{Sandbox: "off"}},
		`{"terrarium":{"sandbox":"strict","net":["a:1","b"]}}`:         {bounds: core.Bounds{Sandbox: "strict", Net: []string{"a:1", "b"}}},
		`{"terrarium":{"sandbox":""}}`:                                 {reason: "empty"},
		`{"terrarium":{"sandbox":["off"]}}`:                            {reason: "type"},
		`{"terrarium":{"sandbox":"\ud800"}}`:                           {reason: "lone_surrogate"},
		`{"terrarium":{"sandbox":"` + strings.Repeat("x", 301) + `"}}`: {reason: "too_long"},
		`{"terrarium":{"net":"a"}}`:                                    {reason: "type"},
		`{"terrarium":{"net":{"a":1}}}`:                                {reason: "type"},
		`{"terrarium":{"net":[null]}}`:                                 {reason: "type"},
		`{"terrarium":{"net":["` + strings.Repeat("x", 301) + `"]}}`:   {reason: "too_long"},
		`{"terrarium":{"net":[` + many + `]}}`:                         {reason: "too_many"},
	} {
		bounds, reason := asking(t, acp.Config{Bounds: true}, meta)
		if reason != want.reason || bounds.Sandbox != want.bounds.Sandbox || !slices.Equal(bounds.Net, want.bounds.Net) {
			t.Errorf("%.80s: got %+v, %q, want %+v, %q", meta, bounds, reason, want.bounds, want.reason)
		}
	}
	if _, reason := asking(t, acp.Config{}, `{"terrarium":{"sandbox":"strict"}}`); reason != "unsupported" {
		t.Errorf("where nothing can be asked for: got %q", reason)
	}
}

// FuzzBounds: whatever stands in _meta, what comes of it is within bounds.
func FuzzBounds(f *testing.F) {
	f.Add(`{"terrarium":{"sandbox":"off","net":["example.org:443"]}}`)
	f.Add(`{"terrarium":{"net":["\u0000","\ud800",5,{}],"net":[]}}`)
	f.Add(`{"terrarium":[{"sandbox":"off"}]}`)
	f.Fuzz(func(t *testing.T, meta string) {
		if !json.Valid([]byte(meta)) {
			t.Skip("no JSON")
		}
		bounds, reason := asking(t, acp.Config{Bounds: true}, meta)
		if len(bounds.Net) > core.MaxBounds || len(bounds.Sandbox) > 300 || slices.ContainsFunc(bounds.Net, func(s string) bool { return len(s) > 300 }) {
			t.Errorf("%s: got %+v", meta, bounds)
		}
		if reason != "" && bounds.Sandbox != "" {
			t.Errorf("%s: got %+v and %s", meta, bounds, reason)
		}
	})
}
