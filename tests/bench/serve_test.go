package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// startServe has "terrarium serve" run the commands.
func startServe(b *testing.B, pty bool) (func(int) ([]time.Duration, error), error) {
	path, err := terrarium()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "serve", "--stdio", "--"+modeName(pty))
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b.Cleanup(func() { in.Close(); cmd.Wait() })
	return timed((&agent{to: in, from: bufio.NewReader(out)}).run), nil
}

// startHere has a connection in this process run them, on pipes of the system.
func startHere(b *testing.B, pty bool) (func(int) ([]time.Duration, error), error) {
	host := nativeHost(b)
	in, requests, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answers, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	served := make(chan error)
	go func() { // ends with the requests
		served <- acpconn.Serve(context.Background(), in, out, acpconn.Config{
			Driver: driver.Config{Host: host},
			ACP:    acp.Config{Command: core.Command{Pty: pty}},
		})
	}()
	b.Cleanup(func() {
		requests.Close()
		<-served
		for _, f := range []*os.File{in, answers, out} {
			f.Close()
		}
	})
	return timed((&agent{to: requests, from: bufio.NewReader(answers)}).run), nil
}

// An agent asks for one thing after the other. It does as little as it can: it is not what is
// measured.
type agent struct {
	to   io.Writer
	from *bufio.Reader
	line []byte
}

func (a *agent) run() error {
	answer, err := a.ask(`{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s","command":"/bin/true"}}`)
	if err != nil {
		return err
	}
	_, id, _ := bytes.Cut(answer, []byte(`"terminalId":"`))
	id, _, found := bytes.Cut(id, []byte(`"`))
	if !found {
		return fmt.Errorf("no terminal: %s", answer)
	}
	terminal := string(id)
	for _, method := range []string{"wait_for_exit", "output", "release"} {
		answer, err := a.ask(`{"jsonrpc":"2.0","id":1,"method":"terminal/` + method +
			`","params":{"sessionId":"s","terminalId":"` + terminal + `"}}`)
		if err != nil {
			return err
		}
		if !bytes.Contains(answer, []byte(`"result":`)) {
			return errors.New(method + ": " + string(answer))
		}
	}
	return nil
}

func (a *agent) ask(request string) (answer []byte, err error) {
	a.line = append(append(a.line[:0], request...), '\n')
	if _, err := a.to.Write(a.line); err != nil {
		return nil, err
	}
	return a.from.ReadSlice('\n')
}
