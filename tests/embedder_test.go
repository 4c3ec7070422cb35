package tests

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/coder/acp-go-sdk"
	"github.com/google/go-cmp/cmp"

	"github.com/terrarium-dev/terrarium/core"
)

// TestSDK has the agent side of somebody else's SDK use real terminals in every way it knows: those
// of the example embedder, of our command, and of our connection.
func TestSDK(t *testing.T) {
	for _, peer := range []struct {
		name    string
		connect func(t *testing.T) *sdkPeer
		// The SDK's client side, which the embedder has, handles each request on a goroutine of its
		// own.
		unordered bool
	}{
		{"embedder", func(t *testing.T) *sdkPeer {
			return connectTo(t, build(t, "tests/examples/embedder"))
		}, true},
		{"serve on ptys", func(t *testing.T) *sdkPeer {
			return connectTo(t, terrariumPath(t), "serve", "--stdio")
		}, false},
		{"serve on pipes", func(t *testing.T) *sdkPeer {
			return connectTo(t, terrariumPath(t), "serve", "--stdio", "--pipe")
		}, false},
		{"acpconn on ptys", func(t *testing.T) *sdkPeer {
			return connectHere(t, core.Command{Pty: true})
		}, false},
		{"acpconn on pipes", func(t *testing.T) *sdkPeer {
			return connectHere(t, core.Command{})
		}, false},
	} {
		t.Run(peer.name, func(t *testing.T) {
			t.Parallel()
			conn := peer.connect(t)
			for _, test := range sdkTests {
				t.Run(test.name, func(t *testing.T) {
					t.Parallel()
					test.run(&sdkTest{t, conn, limited(t), peer.unordered})
				})
			}
		})
	}
}

// An sdkTest is what one test of an SDK's agent has.
type sdkTest struct {
	*testing.T
	conn      *sdkPeer
	ctx       context.Context
	unordered bool
}

var sdkTests = []struct {
	name string
	run  func(t *sdkTest)
}{
	{"run", func(t *sdkTest) {
		id := t.create(acp.CreateTerminalRequest{Command: "printf", Args: []string{`a\nö\n`}})
		t.wantExit(id, acp.WaitForTerminalExitResponse{ExitCode: new(0)})
		t.wantOutput(id, acp.TerminalOutputResponse{Output: "a\nö\n", ExitStatus: &acp.TerminalExitStatus{ExitCode: new(0)}})
	}},
	{"exit code, environment, directory", func(t *sdkTest) {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		id := t.create(acp.CreateTerminalRequest{
			Command: `echo $FISH; pwd; exit 3`, Cwd: &dir, Env: []acp.EnvVariable{{Name: "FISH", Value: "a  carp"}},
		})
		t.wantExit(id, acp.WaitForTerminalExitResponse{ExitCode: new(3)})
		t.wantOutput(id, acp.TerminalOutputResponse{
			Output: "a carp\n" + dir + "\n", ExitStatus: &acp.TerminalExitStatus{ExitCode: new(3)},
		})
	}},
	{"poll", func(t *sdkTest) {
		fifo := filepath.Join(t.TempDir(), "fifo")
		id := t.create(acp.CreateTerminalRequest{Command: `mkfifo "$FIFO"; echo ready; read x <"$FIFO"; echo $x`,
			Env: []acp.EnvVariable{{Name: "FIFO", Value: fifo}}})
		t.until(id, "ready\n")
		t.wantOutput(id, acp.TerminalOutputResponse{Output: "ready\n"}) // no exit status: it runs
		if err := os.WriteFile(fifo, []byte("go\n"), 0); err != nil {
			t.Fatal(err)
		}
		t.wantExit(id, acp.WaitForTerminalExitResponse{ExitCode: new(0)})
		t.wantOutput(id, acp.TerminalOutputResponse{Output: "ready\ngo\n", ExitStatus: &acp.TerminalExitStatus{ExitCode: new(0)}})
	}},
	{"limit", func(t *sdkTest) {
		id := t.create(acp.CreateTerminalRequest{Command: "printf", Args: []string{"aöö"}, OutputByteLimit: new(3)})
		t.wantExit(id, acp.WaitForTerminalExitResponse{ExitCode: new(0)})
		t.wantOutput(id, acp.TerminalOutputResponse{
			Output: "ö", Truncated: true, ExitStatus: &acp.TerminalExitStatus{ExitCode: new(0)},
		})
	}},
	{"limit 0", func(t *sdkTest) {
		id := t.create(acp.CreateTerminalRequest{Command: "printf", Args: []string{"a"}, OutputByteLimit: new(0)})
		t.wantExit(id, acp.WaitForTerminalExitResponse{ExitCode: new(0)})
		t.wantOutput(id, acp.TerminalOutputResponse{Truncated: true, ExitStatus: &acp.TerminalExitStatus{ExitCode: new(0)}})
	}},
	{"kill", func(t *sdkTest) {
		id := t.create(acp.CreateTerminalRequest{Command: `echo ready; exec sleep 1000`})
		t.until(id, "ready\n")
		for range 2 { // the second does nothing
			if _, err := t.conn.KillTerminal(t.ctx, acp.KillTerminalRequest{SessionId: "s", TerminalId: id}); err != nil {
				t.Error(err)
			}
			t.wantExit(id, acp.WaitForTerminalExitResponse{Signal: new("SIGTERM")})
		}
		t.wantOutput(id, acp.TerminalOutputResponse{
			Output: "ready\n", ExitStatus: &acp.TerminalExitStatus{Signal: new("SIGTERM")},
		})
	}},
	{"release", func(t *sdkTest) {
		id := t.create(acp.CreateTerminalRequest{Command: "sleep", Args: []string{"1000"}})
		waiting := make(chan struct{})
		go func() {
			defer close(waiting)
			got, err := t.conn.WaitForTerminalExit(t.ctx, acp.WaitForTerminalExitRequest{SessionId: "s", TerminalId: id})
			if err != nil && t.unordered { // the release came first
				t.wantError(err, -32602, "released")
			} else if err != nil || got.Signal == nil || *got.Signal != "SIGTERM" {
				t.Errorf("got %+v, %v, want SIGTERM", got, err)
			}
		}()
		t.asked(id)
		for range 2 {
			if _, err := t.conn.ReleaseTerminal(t.ctx, acp.ReleaseTerminalRequest{SessionId: "s", TerminalId: id}); err != nil {
				t.Error(err)
			}
		}
		<-waiting
		_, err := t.conn.TerminalOutput(t.ctx, acp.TerminalOutputRequest{SessionId: "s", TerminalId: id})
		t.wantError(err, -32602, "released")
		_, err = t.conn.KillTerminal(t.ctx, acp.KillTerminalRequest{SessionId: "s", TerminalId: id})
		t.wantError(err, -32602, "released")
		_, err = t.conn.WaitForTerminalExit(t.ctx, acp.WaitForTerminalExitRequest{SessionId: "s", TerminalId: id})
		t.wantError(err, -32602, "released")
	}},
	{"bad ids", func(t *sdkTest) {
		id := t.create(acp.CreateTerminalRequest{Command: "true"})
		_, err := t.conn.TerminalOutput(t.ctx, acp.TerminalOutputRequest{SessionId: "other", TerminalId: id})
		t.wantError(err, -32602, "unknown_terminal")
		_, err = t.conn.KillTerminal(t.ctx, acp.KillTerminalRequest{SessionId: "s", TerminalId: "nonsense"})
		t.wantError(err, -32602, "unknown_terminal")
		_, err = t.conn.ReleaseTerminal(t.ctx, acp.ReleaseTerminalRequest{SessionId: "s", TerminalId: "nonsense"})
		t.wantError(err, -32602, "unknown_terminal")
	}},
	{"bad commands", func(t *sdkTest) {
		for _, test := range []struct {
			request acp.CreateTerminalRequest
			reason  string
		}{
			{acp.CreateTerminalRequest{Command: "no-such-command", Args: []string{"x"}}, "not_found"},
			{acp.CreateTerminalRequest{Command: "true", Cwd: new("relative")}, "not_absolute"},
			{acp.CreateTerminalRequest{Command: "true", Cwd: new("/no/such/directory")}, "not_found"},
			{acp.CreateTerminalRequest{Command: "/dev/null", Args: []string{"x"}}, "permission_denied"},
			{acp.CreateTerminalRequest{Command: "true", Env: []acp.EnvVariable{{Name: "A=B"}}}, "equals_in_name"},
			{acp.CreateTerminalRequest{Command: "true", OutputByteLimit: new(-1)}, "range"},
		} {
			test.request.SessionId = "s"
			_, err := t.conn.CreateTerminal(t.ctx, test.request)
			t.wantError(err, -32602, test.reason)
		}
	}},
	{"cancelled wait", func(t *sdkTest) {
		id := t.create(acp.CreateTerminalRequest{Command: "sleep", Args: []string{"1000"}})
		ctx, cancel := context.WithCancel(t.ctx)
		cancelled := make(chan error)
		go func() {
			_, err := t.conn.WaitForTerminalExit(ctx, acp.WaitForTerminalExitRequest{SessionId: "s", TerminalId: id})
			cancelled <- err
		}()
		t.asked(id)
		cancel()
		t.wantError(<-cancelled, -32800, "")
		if _, err := t.conn.KillTerminal(t.ctx, acp.KillTerminalRequest{SessionId: "s", TerminalId: id}); err != nil {
			t.Error(err)
		}
		t.wantExit(id, acp.WaitForTerminalExitResponse{Signal: new("SIGTERM")})
	}},
	{"many", func(t *sdkTest) {
		var all sync.WaitGroup
		for code := range 20 {
			all.Go(func() {
				id := t.create(acp.CreateTerminalRequest{Command: "sh", Args: []string{"-c", "exit $0", strconv.Itoa(code)}})
				var waiters sync.WaitGroup
				for range 5 {
					waiters.Go(func() { t.wantExit(id, acp.WaitForTerminalExitResponse{ExitCode: &code}) })
				}
				waiters.Wait()
			})
		}
		all.Wait()
	}},
	{"largest answer", func(t *sdkTest) {
		// Each byte is two in JSON, and the SDK reads lines of 10 MiB at the most.
		id := t.create(acp.CreateTerminalRequest{
			Command: `head -c 6000000 /dev/zero | tr '\0' '"'`, OutputByteLimit: new(8 << 20),
		})
		t.wantExit(id, acp.WaitForTerminalExitResponse{ExitCode: new(0)})
		got, err := t.conn.TerminalOutput(t.ctx, acp.TerminalOutputRequest{SessionId: "s", TerminalId: id})
		if err != nil || !got.Truncated || len(got.Output) < 4_000_000 {
			t.Errorf("got %d bytes, truncated %t, error %v", len(got.Output), got.Truncated, err)
		}
	}},
}

// create runs a command, to be released when the test ends.
func (t *sdkTest) create(r acp.CreateTerminalRequest) (id string) {
	t.Helper()
	r.SessionId = "s"
	created, err := t.conn.CreateTerminal(t.ctx, r)
	if err != nil {
		t.Errorf("create %q: %v", r.Command, err)
		return ""
	}
	t.Cleanup(func() {
		_, err := t.conn.ReleaseTerminal(context.Background(), acp.ReleaseTerminalRequest{SessionId: "s", TerminalId: created.TerminalId})
		if err != nil {
			t.Errorf("release: %v", err)
		}
	})
	return created.TerminalId
}

// asked returns when somebody waits for the exit of id.
func (t *sdkTest) asked(id string) {
	for {
		if _, ok := t.conn.waits.Load(id); ok || t.ctx.Err() != nil {
			return
		}
		runtime.Gosched()
	}
}

// noMeta leaves out what only we say.
var noMeta = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Meta" }, cmp.Ignore())

func (t *sdkTest) wantExit(id string, want acp.WaitForTerminalExitResponse) {
	t.Helper()
	got, err := t.conn.WaitForTerminalExit(t.ctx, acp.WaitForTerminalExitRequest{SessionId: "s", TerminalId: id})
	if diff := cmp.Diff(want, got, noMeta); err != nil || diff != "" {
		t.Errorf("exit: %v (-want +got):\n%s", err, diff)
	}
}

func (t *sdkTest) wantOutput(id string, want acp.TerminalOutputResponse) {
	t.Helper()
	got, err := t.conn.TerminalOutput(t.ctx, acp.TerminalOutputRequest{SessionId: "s", TerminalId: id})
	if diff := cmp.Diff(want, got, noMeta); err != nil || diff != "" {
		t.Errorf("output: %v (-want +got):\n%s", err, diff)
	}
}

// until asks again and again until the output is want.
func (t *sdkTest) until(id, want string) {
	t.Helper()
	for {
		got, err := t.conn.TerminalOutput(t.ctx, acp.TerminalOutputRequest{SessionId: "s", TerminalId: id})
		if err != nil {
			t.Fatalf("output: %v, want %q", err, want)
		}
		if got.Output == want {
			return
		}
	}
}

// wantError demands a code, and if reason is not empty, that data.reason is it.
func (t *sdkTest) wantError(err error, code int, reason string) {
	t.Helper()
	refused, ok := errors.AsType[*acp.RequestError](err)
	if !ok || refused.Code != code {
		t.Errorf("got %v, want code %d", err, code)
		return
	}
	data, _ := refused.Data.(map[string]any)
	if reason != "" && data["reason"] != reason {
		t.Errorf("got %v, want reason %q", err, reason)
	}
}
