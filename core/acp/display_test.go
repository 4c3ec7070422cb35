package acp_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A told is Displays, and their changes in words.
type told struct {
	*acp.Displays
	log []string
}

func newTold(limit int) *told {
	d := new(told)
	d.Displays = acp.NewDisplays(limit, func(c acp.DisplayChange) {
		var s string
		switch c.Kind {
		case acp.DisplayOpened, acp.DisplayDescribed:
			s = fmt.Sprintf("is %q in %q, %dx%d, cancel %v", c.Command, c.Cwd, c.Rows, c.Cols, c.Cancel)
		case acp.DisplayWritten:
			s = fmt.Sprintf("+ %q", c.Data)
		case acp.DisplayReplaced:
			s = fmt.Sprintf("= %q", c.Data)
		case acp.DisplayEnded:
			s = "ended: " + c.Status.String()
		case acp.DisplayResumed:
			s = "goes on"
		case acp.DisplayForgotten:
			s = "forgotten"
		}
		d.log = append(d.log, c.Session+"/"+c.ID+" "+s)
	})
	return d
}

func (d *told) update(t testing.TB, session, update string) bool {
	t.Helper()
	v, err := jsonrpc.Parse([]byte(`{"sessionId":"` + session + `","update":` + update + `}`))
	if err != nil {
		t.Fatalf("%s: %v", update, err)
	}
	return d.Update(v)
}

func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// toolCall is a tool call with _meta, and v2 an update of version 2.
func toolCall(kind, meta, more string) string {
	return `{"sessionUpdate":"` + kind + `","toolCallId":"c","_meta":{` + meta + `}` + more + `}`
}

func v2(members string) string { return `{"sessionUpdate":"terminal_update",` + members + `}` }

func chunk(id, data string) string {
	return `{"sessionUpdate":"terminal_output_chunk","terminalId":"` + id + `","data":"` + data + `"}`
}

// TestDisplays tells of terminals in both ways, in and out of order.
func TestDisplays(t *testing.T) {
	for _, test := range []struct {
		name    string
		updates []string
		want    []string
	}{
		{"the dialect", []string{
			toolCall("tool_call", `"terminal_info":{"terminal_id":"x","cwd":"/w"}`, `,"title":"Run make"`),
			toolCall("tool_call_update", `"terminal_output":{"terminal_id":"x","data":"1\r\n"}`, ""),
			toolCall("tool_call_update", `"terminal_output_delta":{"terminal_id":"x","data":"é"},"terminal_exit":{"terminal_id":"x","exit_code":2,"signal":null}`, ""),
		}, []string{`x is "Run make" in "/w", 0x0, cancel false`, `x + "1\r\n"`, `x + "é"`, "x ended: exit 2"}},
		{"all of it in one", []string{
			toolCall("tool_call", `"terminal_info":{"terminal_id":"x"},"terminal_output":{"terminal_id":"x","data":"a"},"terminal_exit":{"terminal_id":"x","signal":"SIGKILL","exit_code":null}`, `,"rawInput":{"command":"make"}`),
		}, []string{`x is "make" in "", 0x0, cancel false`, `x + "a"`, "x ended: SIGKILL"}},
		{"the command comes later, to the call that it is named after", []string{
			toolCall("tool_call", `"terminal_info":{"terminal_id":"c"}`, `,"title":"Terminal"`),
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":{"command":"make all"},"title":"Terminal"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"another"}`,
		}, []string{`c is "Terminal" in "", 0x0, cancel false`, `c is "make all" in "", 0x0, cancel false`}},
		{"told anew after its end", []string{
			toolCall("tool_call", `"terminal_info":{"terminal_id":"x"},"terminal_exit":{"terminal_id":"x","exit_code":null,"signal":null}`, ""),
			toolCall("tool_call_update", `"terminal_info":{"terminal_id":"x"}`, ""),
			toolCall("tool_call", `"terminal_info":{"terminal_id":"x"}`, ""),
		}, []string{`x is "" in "", 0x0, cancel false`, "x ended: unknown", "x forgotten", `x is "" in "", 0x0, cancel false`}},

		{"version 2", []string{
			v2(`"terminalId":"x","command":"make","cwd":"/w","size":{"cols":80,"rows":24},"capabilities":{"cancel":{}}`),
			chunk("x", encoded("caf\xc3")), chunk("x", encoded("\xa9")),
			v2(`"terminalId":"x","capabilities":null,"exitStatus":{"exitCode":-1}`),
		}, []string{`x is "make" in "/w", 24x80, cancel true`, `x + "caf\xc3"`, `x + "\xa9"`,
			`x is "make" in "/w", 24x80, cancel false`, "x ended: exit 4294967295"}},
		{"what is told of what is not known", []string{chunk("x", encoded("a")), v2(`"terminalId":"y","exitStatus":{}`), v2(`"terminalId":"z"`)},
			[]string{`x is "" in "", 0x0, cancel false`, `x + "a"`, `y is "" in "", 0x0, cancel false`, "y ended: unknown", `z is "" in "", 0x0, cancel false`}},
		{"all output anew", []string{
			chunk("x", encoded("ab")), v2(`"terminalId":"x","output":{"data":"` + encoded("abc") + `"}`), v2(`"terminalId":"x","output":{"data":"` + encoded("abc") + `"}`),
			v2(`"terminalId":"x","output":{"data":"` + encoded("ac") + `"}`), v2(`"terminalId":"x","output":null`), chunk("x", encoded("d")),
		}, []string{`x is "" in "", 0x0, cancel false`, `x + "ab"`, `x + "c"`, `x = "ac"`, `x = ""`, `x + "d"`}},
		{"after the end", []string{
			v2(`"terminalId":"x","exitStatus":{"exitCode":0}`), chunk("x", encoded("late")), v2(`"terminalId":"x","exitStatus":{"exitCode":0}`), v2(`"terminalId":"x","exitStatus":null`),
		}, []string{`x is "" in "", 0x0, cancel false`, "x ended: exit 0", `x + "late"`, "x goes on"}},
		{"null is known no longer", []string{
			v2(`"terminalId":"x","command":"make","cwd":"/w","size":{"cols":80,"rows":24}`), v2(`"terminalId":"x","command":null,"cwd":null,"size":null`),
		}, []string{`x is "make" in "/w", 24x80, cancel false`, `x is "" in "", 0x0, cancel false`}},
		{"sizes", []string{
			v2(`"terminalId":"x","size":{"cols":0,"rows":24}`), v2(`"terminalId":"x","size":{"cols":1000000000,"rows":1e30}`), v2(`"terminalId":"x","size":{"cols":1000000000,"rows":1}`),
			v2(`"terminalId":"x","size":{"cols":-1,"rows":1}`), v2(`"terminalId":"x","size":7`),
		}, []string{`x is "" in "", 0x0, cancel false`, `x is "" in "", 1x65535, cancel false`}},

		{"what is malformed", []string{
			chunk("x", "!"), chunk("x", "AAAAA"), chunk("x", "AA="), chunk("x", "A==="), chunk("x", "=AAA"), chunk("x", "QQ==QQ"), chunk("", "QQ"),
			`{"sessionUpdate":"terminal_output_chunk","terminalId":"x"}`, `{"sessionUpdate":"terminal_output_chunk","terminalId":7,"data":"QQ"}`,
			v2(`"terminalId":{}`), v2(`"terminalId":"` + strings.Repeat("x", 2000) + `"`), `{"sessionUpdate":"plan","terminalId":"x"}`, `[]`, `7`,
			toolCall("tool_call", `"terminal_info":{"terminal_id":7},"terminal_output":{"terminal_id":"x"},"terminal_exit":"x"`, ""),
		}, nil},
		{"members that are malformed", []string{
			v2(`"terminalId":"x","command":7,"output":{"data":"!"},"exitStatus":7,"capabilities":7`),
			v2(`"terminalId":"x","exitStatus":{"exitCode":1e300,"signal":8}`),
		}, []string{`x is "" in "", 0x0, cancel false`, "x ended: unknown"}},
		{"base64 as browsers take it", []string{chunk("x", `QU\nJD `), chunk("x", "RA")}, []string{`x is "" in "", 0x0, cancel false`, `x + "ABC"`, `x + "D"`}},
	} {
		d := newTold(9)
		for _, update := range test.updates {
			before := len(d.log)
			if about := d.update(t, "s", update); !about && len(d.log) > before && !strings.Contains(update, "rawInput") {
				t.Errorf("%s: %s is about no terminal, and has made %q", test.name, update, d.log[before:])
			}
		}
		var want []string
		for _, s := range test.want {
			want = append(want, "s/"+s)
		}
		if !slices.Equal(d.log, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", test.name, d.log, want)
		}
	}
}

// TestDisplaysAreFew: those that have ended make room first, and then the oldest.
func TestDisplaysAreFew(t *testing.T) {
	d := newTold(2)
	d.update(t, "s", v2(`"terminalId":"a"`))
	d.update(t, "other", v2(`"terminalId":"a","exitStatus":{"exitCode":0}`))
	d.log = nil
	d.update(t, "s", v2(`"terminalId":"b"`))
	d.update(t, "s", v2(`"terminalId":"c"`))
	want := []string{"other/a forgotten", `s/b is "" in "", 0x0, cancel false`, "s/a ended: unknown", "s/a forgotten", `s/c is "" in "", 0x0, cancel false`}
	if !slices.Equal(d.log, want) {
		t.Errorf("got %q, want %q", d.log, want)
	}
	for i := range 10_000 {
		command := "x"
		if i%100 == 99 {
			command = strings.Repeat("x", 9<<10)
		}
		d.update(t, "s", v2(fmt.Sprintf(`"terminalId":"%d","command":"%s"`, i, command)))
	}
	running := d.Running()
	if len(running) != 2 || running[1].ID != "9999" || len(running[1].Command) > 9000 {
		t.Errorf("got %d that run, want the last two, with less of their commands", len(running))
	}
}

// FuzzDisplays: nothing that an agent tells does harm, and base64 is what encoding/base64 takes for
// it.
func FuzzDisplays(f *testing.F) {
	f.Add(`{"sessionUpdate":"terminal_update","terminalId":"x","output":{"data":"QQ=="},"size":{"rows":1,"cols":2},"exitStatus":{"exitCode":-1}}`, "QUI=")
	f.Add(`{"sessionUpdate":"tool_call","_meta":{"terminal_info":{"terminal_id":"x"},"terminal_exit":{"terminal_id":"x","signal":"SIGHUP"}}}`, "A")
	f.Fuzz(func(t *testing.T, update, data string) {
		d := newTold(2)
		if v, err := jsonrpc.Parse([]byte(`{"sessionId":"s","update":` + update + `}`)); err == nil {
			d.Update(v)
			d.Update(v)
		}
		want, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return
		}
		d.log = nil
		d.update(t, "s", chunk("new", strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(data)))
		if got := d.log[len(d.log)-1]; len(want) > 0 && got != fmt.Sprintf("s/new + %q", want) {
			t.Errorf("got %s, want %q", got, want)
		}
	})
}

// TestAgreedVersion: some agents repeat the version that they are asked for, whatever they speak.
func TestAgreedVersion(t *testing.T) {
	for result, want := range map[string]int64{
		`{"protocolVersion":1,"agentCapabilities":{}}`:                1,
		`{"protocolVersion":2,"info":{"name":"a","version":"1"}}`:     2,
		`{"protocolVersion":2,"capabilities":{"session":{}}}`:         2,
		`{"protocolVersion":2,"agentCapabilities":{},"agentInfo":{}}`: 1,
		`{"protocolVersion":2}`:                                       1,
		`{"protocolVersion":3,"agentCapabilities":{},"agentInfo":{}}`: 3,
	} {
		v, err := jsonrpc.Parse([]byte(result))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := acp.AgreedVersion(v); got != want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", result, got, err, want)
		}
	}
	if v, _ := jsonrpc.Parse([]byte(`{"protocolVersion":"2","info":{}}`)); true {
		if got, err := acp.AgreedVersion(v); err == nil {
			t.Errorf("got %d, want an error", got)
		}
	}
}
