package tests

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"

	"github.com/terrarium-dev/terrarium/core"
	acpserver "github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// serveWith runs the command as its own shell line does, which may take something away first: "$@"
// is "terrarium serve --stdio" and the arguments.
func serveWith(t *testing.T, line string, args ...string) *sdkTest {
	t.Helper()
	args = append([]string{"-c", line, "sh", terrariumPath(t), "serve", "--stdio"}, args...)
	return &sdkTest{T: t, conn: connectTo(t, "/bin/sh", args...), ctx: limited(t)}
}

// terrariumPath returns the command that TestMain has built.
func terrariumPath(t testing.TB) string {
	t.Helper()
	nativeHost(t) // or it would be of no use
	path, err := exec.LookPath("terrarium")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// untilRefused creates terminals until there can be no more, and demands that the reason is told,
// that the others live on, and that there can be more when one has gone.
func (t *sdkTest) untilRefused(most int, reason string) {
	t.Helper()
	r := acp.CreateTerminalRequest{SessionId: "s", Command: "/bin/sh", Args: []string{"-c", "echo ready; exec sleep 1000"}}
	var ids []string
	for {
		created, err := t.conn.CreateTerminal(t.ctx, r)
		if err != nil {
			refused, ok := errors.AsType[*acp.RequestError](err)
			if !ok || refused.Code != -32603 || !strings.Contains(refused.Message, reason) {
				t.Errorf("got %v, want an internal error with %q", err, reason)
			}
			break
		}
		if ids = append(ids, created.TerminalId); len(ids) > most {
			t.Fatalf("got %d terminals, want to be refused", len(ids))
		}
	}
	if len(ids) < 2 {
		t.Fatalf("got %d terminals before the first was refused, want more", len(ids))
	}
	for _, id := range ids {
		t.until(id, "ready\n")
	}
	release := acp.ReleaseTerminalRequest{SessionId: "s", TerminalId: ids[0]}
	if _, err := t.conn.ReleaseTerminal(t.ctx, release); err != nil {
		t.Fatal(err)
	}
	for { // the release frees in the background
		if _, err := t.conn.CreateTerminal(t.ctx, r); err == nil {
			return
		} else if t.ctx.Err() != nil {
			t.Fatalf("after a release: %v", err)
		}
	}
}

// No descriptors left.
func TestFaultDescriptors(t *testing.T) {
	for _, mode := range []string{"--pipe", "--pty"} {
		t.Run(mode, func(t *testing.T) {
			serveWith(t, `ulimit -n 40; exec "$@"`, mode).untilRefused(40, "too many open files")
		})
	}
}

// No ptys left, on a devpts of our own.
func TestFaultPtys(t *testing.T) {
	needMounts(t)
	serveWith(t, `unshare -m --propagation private sh -c '
		mount -t devpts -o newinstance,max=6,mode=620,ptmxmode=666 devpts /dev/pts &&
		mount --bind /dev/pts/ptmx /dev/ptmx && exec "$@"' "$0" "$@"`).untilRefused(6, "no more ptys")
}

// No devpts at all: pipes are still there.
func TestFaultNoPtys(t *testing.T) {
	needMounts(t)
	const line = `unshare -m --propagation private sh -c 'mount -t tmpfs none /dev/pts && mount --bind /dev/null /dev/ptmx && exec "$@"' "$0" "$@"`
	pty := serveWith(t, line)
	_, err := pty.conn.CreateTerminal(pty.ctx, acp.CreateTerminalRequest{SessionId: "s", Command: "true"})
	pty.wantError(err, -32603, "start_failed")
	if err == nil || !strings.Contains(err.Error(), "pty: ") {
		t.Errorf("got %v, want the pty in it", err)
	}
	pipe := serveWith(t, line, "--pipe")
	id := pipe.create(acp.CreateTerminalRequest{Command: "true"})
	pipe.wantExit(id, acp.WaitForTerminalExitResponse{ExitCode: new(0)})
}

// needMounts skips the test where we can't mount in a namespace of our own.
func needMounts(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt").CombinedOutput(); err != nil {
		t.Skipf("no mounts of our own: %v: %s", err, out)
	}
}

// A full disk for the trace: terminals go on.
func TestFaultTraceDisk(t *testing.T) {
	s := serveWith(t, `exec "$@"`, "--trace", "/dev/full")
	for range 3 {
		id := s.create(acp.CreateTerminalRequest{Command: "echo still here"})
		s.wantExit(id, acp.WaitForTerminalExitResponse{ExitCode: new(0)})
	}
}

// The peer vanishes while it waits for an exit: nothing of its commands is left.
func TestFaultPeerVanishes(t *testing.T) {
	for _, pty := range []bool{false, true} {
		in, requests := io.Pipe()
		answers, out := io.Pipe()
		served := make(chan error)
		go func() { // ends with the requests
			served <- acpconn.Serve(context.Background(), in, out, acpconn.Config{
				Driver: driver.Config{Host: nativeHost(t)},
				ACP:    acpserver.Config{Command: core.Command{Pty: pty}},
			})
		}()
		test := &sdkTest{T: t, conn: newSDKPeer(requests, answers), ctx: limited(t)}
		pidFile := filepath.Join(t.TempDir(), "pid")
		created, err := test.conn.CreateTerminal(test.ctx, acp.CreateTerminalRequest{SessionId: "s",
			Command: "/bin/sh", Args: []string{"-c", `echo $$ >"$1"; echo ready; exec sleep 1000`, "sh", pidFile}})
		if err != nil {
			t.Fatal(err)
		}
		test.until(created.TerminalId, "ready\n")
		waited := make(chan error)
		go func() {
			_, err := test.conn.WaitForTerminalExit(test.ctx, acp.WaitForTerminalExitRequest{
				SessionId: "s", TerminalId: created.TerminalId})
			waited <- err
		}()
		test.asked(created.TerminalId)
		requests.Close()
		answers.Close()
		<-served
		<-waited
		pid, err := os.ReadFile(pidFile)
		if err != nil {
			t.Fatal(err)
		}
		(&faultTest{T: t, ctx: test.ctx}).gone(strings.TrimSpace(string(pid)))
	}
}
