package tests

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/coder/acp-go-sdk"

	"github.com/terrarium-dev/terrarium/core"
	acpserver "github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// limited returns a context that ends a test that would never end.
func limited(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// nativeHost returns a host, or skips the test where there is none.
func nativeHost(t testing.TB) *hostnative.Host {
	t.Helper()
	host, err := hostnative.New(hostnative.Config{})
	coretest.Supported(t, err)
	t.Cleanup(func() { host.Close() })
	return host
}

// build builds one of our programs and returns its path.
func build(t testing.TB, dir string) string {
	t.Helper()
	nativeHost(t) // or it would be of no use
	if _, err := os.Stat(filepath.Join("..", dir)); errors.Is(err, os.ErrNotExist) {
		t.Skipf("there is no %s", dir)
	}
	path := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", "build", "-o", path, "./"+dir)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return path
}

// An sdkPeer is the agent's side of the SDK.
type sdkPeer struct {
	*acp.AgentSideConnection
	to    io.Writer
	waits sync.Map // the ids of terminals that terminal/wait_for_exit was sent for
}

func newSDKPeer(to io.Writer, from io.Reader) *sdkPeer {
	p := &sdkPeer{to: to}
	p.AgentSideConnection = acp.NewAgentSideConnection(nil, p, from)
	p.SetLogger(slog.New(slog.DiscardHandler)) // it reports the end of input
	return p
}

// Write sends what the SDK writes, one message a call.
func (p *sdkPeer) Write(line []byte) (int, error) {
	n, err := p.to.Write(line)
	var m struct {
		Method string
		Params struct{ TerminalID string }
	}
	if json.Unmarshal(line, &m) == nil && m.Method == acp.ClientMethodTerminalWaitForExit {
		p.waits.Store(m.Params.TerminalID, true)
	}
	return n, err
}

// connectTo starts an ACP client on its standard input and output and returns the side of the
// agent. At the end of the test its input ends, and then it must exit with 0.
func connectTo(t testing.TB, name string, args ...string) *sdkPeer {
	t.Helper()
	cmd := exec.CommandContext(limited(t), name, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// Not StdoutPipe: Wait would close it before all was read.
	out, toUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = toUs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toUs.Close()
	conn := newSDKPeer(in, out)
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", cmd, err)
		}
		<-conn.Done()
		out.Close()
	})
	return conn
}

// connectHere is connectTo for a server in this process, on pipes in memory.
func connectHere(t testing.TB, c core.Command) *sdkPeer {
	host := nativeHost(t)
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error)
	go func() { // ends with the requests
		done <- acpconn.Serve(context.Background(), in, out, acpconn.Config{
			Driver: driver.Config{Host: host},
			ACP:    acpserver.Config{Command: c},
		})
	}()
	conn := newSDKPeer(requests, answers)
	t.Cleanup(func() {
		requests.Close()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
		out.Close()
		<-conn.Done()
	})
	return conn
}
