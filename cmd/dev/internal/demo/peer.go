package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// A peer is a server process, and our side of the JSON-RPC with it.
// Its methods are safe for concurrent use.
type peer struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	read  chan error // why reading has ended

	mu      sync.Mutex // guards what follows, and writing
	lastID  int
	waiting map[int]chan<- response // nil once reading has ended
}

type request struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

type response struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// An rpcError is the error that a request was answered with.
type rpcError struct {
	Code    int
	Message string
}

func (e *rpcError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

var errGone = errors.New("the server is gone")

// startPeer starts a server with a variable added to its environment, and to that of its commands.
func startPeer(ctx context.Context, binary string, args []string, variable string) (*peer, error) {
	name, _, _ := strings.Cut(variable, "=")
	cmd := exec.CommandContext(ctx, binary, append(slices.Clip(args), "--env", name)...)
	cmd.Env = append(os.Environ(), variable)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second // for its terminals
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &peer{cmd: cmd, stdin: stdin, read: make(chan error, 1), waiting: make(map[int]chan<- response)}
	go func() { p.read <- p.readAnswers(stdout) }() // close waits for it
	return p, nil
}

// readAnswers hands out answers until r ends.
func (p *peer) readAnswers(r io.Reader) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		var answer response
		if err == nil {
			err = json.Unmarshal(line, &answer)
		}
		p.mu.Lock()
		if err != nil {
			for _, c := range p.waiting {
				close(c)
			}
			p.waiting = nil
			p.mu.Unlock()
			if err == io.EOF {
				return nil
			}
			return err
		}
		c := p.waiting[answer.ID]
		delete(p.waiting, answer.ID)
		p.mu.Unlock()
		if c != nil {
			c <- answer
		}
	}
}

// call sends a request and decodes its result. The error is an *rpcError if
// that was the answer.
func (p *peer) call(ctx context.Context, method string, params, result any) error {
	answered, err := p.send(method, params)
	if err != nil {
		return err
	}
	select {
	case answer, ok := <-answered:
		switch {
		case !ok:
			return errGone
		case answer.Error != nil:
			return answer.Error
		case result == nil:
			return nil
		}
		return json.Unmarshal(answer.Result, result)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *peer) send(method string, params any) (<-chan response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		return nil, errGone
	}
	p.lastID++
	line, err := json.Marshal(request{"2.0", p.lastID, method, params})
	if err != nil {
		return nil, err
	}
	answered := make(chan response, 1)
	p.waiting[p.lastID] = answered
	_, err = p.stdin.Write(append(line, '\n'))
	return answered, err
}

// close ends the server's input and waits for it.
func (p *peer) close() error {
	p.stdin.Close()
	return errors.Join(<-p.read, p.cmd.Wait())
}
