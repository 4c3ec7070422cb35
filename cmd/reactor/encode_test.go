package main

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terrarium-dev/terrarium/core"
)

var (
	someCommand = core.Command{
		Command: "ls \"\x00\u2028", Args: []string{"-l", ""}, Env: []core.EnvVariable{{Name: "A", Value: "1"}, {Name: "B"}},
		Cwd: "/w", Roots: []string{"/w"}, Traceparent: trace, Pty: true, Rows: 24, Cols: 80, Rendering: core.RenderText,
		OutputByteLimit: 1 << 40, Timeout: time.Minute,
	}
	someExec = core.Exec{Command: someCommand, Path: "/bin/ls", Argv: []string{"ls"}, Via: core.ViaArgs}
	someExit = core.Exit{
		Status: core.ExitStatus{ExitCode: 3}, Reason: core.ReasonFuel,
		Usage: core.Usage{UserTime: 1, SystemTime: 2, MaxRSS: 3, Fuel: 4},
	}
)

const (
	trace       = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	commandText = `{"command":"ls \"\u0000` + "\u2028" + `","args":["-l",""],"env":[{"name":"A","value":"1"},{"name":"B","value":""}],` +
		`"cwd":"/w","roots":["/w"],"traceparent":"` + trace + `","pty":true,"oneStream":false,"interactive":false,"rows":24,"cols":80,"rendering":"text",` +
		`"outputByteLimit":1099511627776,"timeoutNs":60000000000}`
	execText = `{"command":` + commandText + `,"path":"/bin/ls","argv":["ls"],"via":"args"}`
	exitText = `{"exitCode":3,"signal":null,"reason":"fuel","usage":{"userTimeNs":1,"systemTimeNs":2,"maxRss":3,"fuel":4}}`
)

func TestEncodeEffect(t *testing.T) {
	for _, c := range []struct {
		effect core.Effect
		want   string // members after the session
	}{
		{core.Effect{Kind: core.Resolve, Command: &someCommand}, `,"command":` + commandText},
		{core.Effect{Kind: core.Ask, Exec: &someExec}, `,"exec":` + execText},
		{core.Effect{Kind: core.Start, Exec: &someExec}, `,"exec":` + execText},
		{core.Effect{Kind: core.WriteInput, Data: []byte("abc")}, `,"dataLength":3`},
		{core.Effect{Kind: core.CloseInput}, ``},
		{core.Effect{Kind: core.Resize, Rows: 1, Cols: 2}, `,"rows":1,"cols":2`},
		{core.Effect{Kind: core.Signal, Signal: "SIGTERM", Reason: core.ReasonTimeout}, `,"signal":"SIGTERM","reason":"timeout"`},
		{core.Effect{Kind: core.Signal, Signal: "SIGKILL"}, `,"signal":"SIGKILL","reason":null`},
		{core.Effect{Kind: core.Close}, ``},
		{core.Effect{Kind: core.Started, Exec: &someExec}, `,"exec":` + execText},
		{core.Effect{Kind: core.StartFailed, Err: errors.New("a \"b\"")}, `,"error":{"reason":"start_failed","message":"a \"b\""}`},
		{core.Effect{Kind: core.StartFailed, Err: &core.HostError{Reason: "not_found", Message: "m"}}, `,"error":{"reason":"not_found","message":"m"}`},
		{core.Effect{Kind: core.StartFailed, Err: &core.DeniedError{Reason: "no"}}, `,"error":{"reason":"denied","message":"core: denied: no"}`},
		{core.Effect{Kind: core.StartFailed, Exec: &someExec, Err: core.ErrKilled}, `,"exec":` + execText + `,"error":{"reason":"killed","message":"` + core.ErrKilled.Error() + `"}`},
		{core.Effect{Kind: core.StartFailed, Err: core.ErrKilled}, `,"error":{"reason":"killed","message":"` + core.ErrKilled.Error() + `"}`},
		{core.Effect{Kind: core.StartFailed, Err: core.ErrReleased}, `,"error":{"reason":"released","message":"` + core.ErrReleased.Error() + `"}`},
		{core.Effect{Kind: core.OutputChanged, Lost: 7}, `,"dataLength":0,"lost":7`},
		{core.Effect{Kind: core.Exited, Exit: someExit}, `,"exit":` + exitText},
		{core.Effect{Kind: core.Evicted}, ``},
	} {
		c.effect.ID, c.effect.Session = "t\xff", "s\n"
		var e encoder
		e.effect(&c.effect)
		want := `{"kind":"` + c.effect.Kind.String() + `","terminalId":"t` + "\uFFFD" + `","sessionId":"s\n"` + c.want + `}`
		if diff := cmp.Diff(want, string(e.JSON)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.effect.Kind, diff)
		}
		if !json.Valid(e.JSON) {
			t.Errorf("%v: got %s, want JSON", c.effect.Kind, e.JSON)
		}
	}
}

func TestEncodeExit(t *testing.T) {
	const usage = `"usage":{"userTimeNs":0,"systemTimeNs":0,"maxRss":0,"fuel":0}}`
	for _, c := range []struct {
		status core.ExitStatus
		want   string
	}{
		{core.ExitStatus{}, `{"exitCode":0,"signal":null,"reason":null,` + usage},
		{core.ExitStatus{Signal: "SIGHUP"}, `{"exitCode":null,"signal":"SIGHUP","reason":null,` + usage},
		{core.ExitStatus{Unknown: true}, `{"exitCode":null,"signal":null,"reason":null,` + usage},
	} {
		var e encoder
		e.exit(&core.Exit{Status: c.status})
		if got := string(e.JSON); got != c.want {
			t.Errorf("%v: got %s, want %s", c.status, got, c.want)
		}
	}
}

func TestEncodeStatus(t *testing.T) {
	s := core.Status{Session: "s", State: core.StateResolving, Exec: someExec, Rows: 1, Cols: 2}
	const before = `{"sessionId":"s","state":`
	const after = `,"exec":` + execText + `,"rows":1,"cols":2`
	var e encoder
	e.status(&s)
	if got, want := string(e.JSON), before+`"resolving","released":false`+after+`}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	s.State, s.Released, s.Exit = core.StateExited, true, someExit
	s.Started, s.Ended = time.Unix(0, 5), time.Unix(1, 0)
	e.JSON = nil
	e.status(&s)
	want := before + `"exited","released":true` + after + `,"exit":` + exitText + `,"startedNs":5,"endedNs":1000000000}`
	if got := string(e.JSON); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCommandRoundTrip reads what was written.
func TestCommandRoundTrip(t *testing.T) {
	var e encoder
	e.command(&someCommand)
	got, err := decodeCommand(e.JSON)
	if diff := cmp.Diff(someCommand, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
