package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/said"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// transferLinger is for how long a transfer whose connection has broken can be gone on with, and
// the workspace over there is locked by one of ours that was killed.
const transferLinger = "1m"

// A farWorkspace is the workspace over there: "host workspace" is started for each thing that is to
// be done, over a connection without the sandbox and the limits of commands.
type farWorkspace struct {
	host    *placeHost
	program string
	id      string
}

// reachWorkspace connects with the place.
func (f *placeFlags) reachWorkspace(ctx context.Context, id string) (*farWorkspace, error) {
	h, err := f.reach(ctx, []string{"--linger", transferLinger})
	if err != nil {
		return nil, err
	}
	return &farWorkspace{h, cmp.Or(f.program, "terrarium"), id}, nil
}

func (w *farWorkspace) close() { w.host.Close() }

// call runs a command over there: in writes its input and out reads its output. nil stands for
// nothing. All of it has ended when call returns.
func (w *farWorkspace) call(ctx context.Context, command, word string, in func(io.Writer) error, out func(io.Reader) error) error {
	err := w.run(ctx, core.Command{Command: w.program, Args: []string{"host", "workspace", command, w.id, word}, Cwd: "/", Interactive: true}, in, out)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && !errors.Is(err, place.ErrVersion):
		return fmt.Errorf("%s: %w", w.host.dialer.Place, err)
	}
	return err
}

func (w *farWorkspace) run(ctx context.Context, c core.Command, in func(io.Writer) error, out func(io.Reader) error) error {
	e, err := w.host.Host.Resolve(ctx, c)
	if err != nil {
		return err
	}
	p, err := w.host.Host.Start(ctx, e)
	if err != nil {
		return err
	}
	defer p.Close()
	defer context.AfterFunc(ctx, func() { p.Close() })()
	t := startTransfer(p, in)
	return t.end(t.read(out))
}

// A transfer is a process over there, what goes to it and what comes of it. Two goroutines carry
// that, which end returns after. What they write is read when they have ended.
type transfer struct {
	p      driver.Process
	output *io.PipeReader

	sent    chan struct{} // closed when all was sent, or no more can be
	sendErr error
	ours    bool // sendErr is of this side

	ended chan struct{} // closed when the process has no more output
	said  said.Lines
}

func startTransfer(p driver.Process, in func(io.Writer) error) *transfer {
	t := &transfer{p: p, sent: make(chan struct{}), ended: make(chan struct{}), said: said.Lines{Width: maxWords}}
	read, write := io.Pipe()
	t.output = read
	go func() { // ends with in, or with the process
		defer close(t.sent)
		t.ours, t.sendErr = send(p, in)
		p.CloseInput() // if it still has one
	}()
	go func() { // ends with the output of the process
		defer close(t.ended)
		err := p.Output(func(stream uint8, b []byte) {
			if stream == 2 {
				t.said.Write(b)
				return
			}
			write.Write(b) // which fails when nobody reads any more
		})
		write.CloseWithError(err)
	}()
	return t
}

// read has out read the output, and reports whether it has come to its end.
func (t *transfer) read(out func(io.Reader) error) (whole bool, err error) {
	from := &endSeen{r: t.output}
	if out != nil {
		err = out(from)
	} else {
		_, err = io.Copy(io.Discard, from)
	}
	t.output.Close()
	return from.seen, err
}

// end ends the process, if it has not ended, and returns why it has failed, or why we have. whole
// and err are what read has returned.
func (t *transfer) end(whole bool, err error) error {
	var exit core.Exit
	if err == nil || whole { // else we have refused what came
		var lost error
		exit, lost = t.p.Wait()
		err = cmp.Or(lost, err)
	}
	t.p.Close()
	<-t.ended
	<-t.sent
	switch status := exit.Status; {
	case t.ours:
		return t.sendErr // and what it says is a consequence
	case exit.Reason == core.ReasonLost:
		return errors.New("the connection is lost")
	case status.Unknown || status.Signal != "" || status.ExitCode != 0:
		return farFailure(t.said.All(), status)
	case err == nil:
		return t.sendErr
	}
	return err
}

// sendBuffer is how much is written at once, in bytes: each write is answered.
const sendBuffer = 1 << 20

// send writes what in has for a process. ours says that the error is of this side.
func send(p driver.Process, in func(io.Writer) error) (ours bool, err error) {
	if in == nil {
		return false, nil
	}
	to := &failing{Writer: p}
	b := bufio.NewWriterSize(to, sendBuffer)
	if err := in(b); err != nil {
		return to.err == nil, err
	}
	return false, b.Flush()
}

// A failing notes why its writer takes no more.
type failing struct {
	io.Writer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	f.err = err
	return n, err
}

// An endSeen notes whether its reader has come to an end.
type endSeen struct {
	r    io.Reader
	seen bool
}

func (e *endSeen) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.seen = e.seen || err == io.EOF
	return n, err
}

// maxWords is how much of a line of an error over there is shown, in bytes.
const maxWords = 4 << 10

// farFailure returns why a process over there has failed, which has said those lines.
func farFailure(lines []string, status core.ExitStatus) error {
	if status.ExitCode == statusUsage && strings.Contains(strings.Join(lines, "\n"), "no such command: host workspace") {
		return place.ErrVersion
	}
	for _, line := range lines {
		if words, ours := strings.CutPrefix(line, "terrarium: "); ours {
			return errors.New(words)
		}
	}
	if len(lines) == 0 {
		return fmt.Errorf("terrarium has ended there without a word: %v", status)
	}
	return errors.New(lines[len(lines)-1])
}
