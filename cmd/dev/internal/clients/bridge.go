package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A message is as much of a JSON-RPC message as a bridge looks at. The line itself goes
// on as it came.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct{ SessionID string }
	Result json.RawMessage
}

// bridge is an ACP client that hands its terminals over to a server: it starts the agent,
// prompts it once, passes each terminal/* on to the server, and the answers back. It
// cancels the turn when it is asked for permission.
func bridge(ctx context.Context, agent, server *exec.Cmd, cwd string) error {
	toServer, fromServer, err := start(server)
	if err != nil {
		return err
	}
	toAgent, fromAgent, err := start(agent)
	if err != nil {
		toServer.Close()
		return errors.Join(err, server.Wait())
	}
	b := &bridging{agent: toAgent, server: toServer, cwd: cwd}
	var running sync.WaitGroup
	running.Go(func() { // ends with the server
		for line := range lines(fromServer) {
			b.send(line)
		}
	})
	b.call(1, "initialize", map[string]any{
		"protocolVersion": 1, "clientCapabilities": map[string]any{"terminal": true},
		"clientInfo": map[string]any{"name": "bridge", "version": "1"},
	})
	for line := range lines(fromAgent) {
		if err = b.take(line); err != nil {
			break
		}
	}
	if err == errDone {
		err = nil
	}
	// The terminals end with the connection, as they would in a client.
	toServer.Close()
	toAgent.Close()
	err = errors.Join(err, server.Wait())
	running.Wait()
	return errors.Join(err, ended(agent.Wait()))
}

// ended is the error of an agent that did not come to its end: it exits with 1 where a
// point has failed.
func ended(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil
	}
	return err
}

func start(cmd *exec.Cmd) (io.WriteCloser, io.Reader, error) {
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second // for its terminals
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	// Not StdoutPipe: Wait would close it before all was read.
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	cmd.Stdout = theirs
	err = cmd.Start()
	theirs.Close()
	return in, out, err
}

// lines yields the lines of r.
func lines(r io.Reader) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for b := bufio.NewReader(r); ; {
			line, err := b.ReadBytes('\n')
			if err != nil || !yield(line) {
				return
			}
		}
	}
}

// A bridging is the state of a bridge.
type bridging struct {
	server io.Writer
	cwd    string

	mu    sync.Mutex // guards writing to agent
	agent io.Writer
}

func (b *bridging) send(line []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.agent.Write(line)
}

func (b *bridging) call(id int, method string, params any) {
	b.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

func (b *bridging) write(m any) {
	line, err := json.Marshal(m)
	if err != nil {
		panic(err) // it is ours
	}
	b.send(append(line, '\n'))
}

// errDone ends the bridge: the agent has answered the prompt.
var errDone = errors.New("done")

// take takes a line of the agent.
func (b *bridging) take(line []byte) error {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return fmt.Errorf("the agent: %w: %s", err, line)
	}
	switch {
	case m.Method == "" && string(m.ID) == "1":
		b.call(2, "session/new", map[string]any{"cwd": b.cwd, "mcpServers": []string{}})
	case m.Method == "" && string(m.ID) == "2":
		var session struct{ SessionID string }
		if err := json.Unmarshal(m.Result, &session); err != nil {
			return err
		}
		b.call(3, "session/prompt", map[string]any{
			"sessionId": session.SessionID, "prompt": []any{map[string]string{"type": "text", "text": "go"}},
		})
	case m.Method == "" && string(m.ID) == "3":
		return errDone
	case m.Method == "session/request_permission":
		b.write(map[string]any{"jsonrpc": "2.0", "method": "session/cancel", "params": map[string]string{"sessionId": m.Params.SessionID}})
		b.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}})
	case strings.HasPrefix(m.Method, "terminal/") || m.Method == "$/cancel_request":
		_, err := b.server.Write(line)
		return err
	case m.Method != "" && len(m.ID) > 0 && !bytes.Equal(m.ID, []byte("null")):
		b.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32601, "message": "Method not found"}})
	}
	return nil
}
