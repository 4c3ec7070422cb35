package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// served is the terminals that are served to the agent, by a server on a pipe.
type served struct {
	client *client
	opens  []byte // the id of our own request, which nobody can guess
	server *acpconn.Server
	in     *io.PipeWriter
	done   chan struct{} // closed when the server has ended
}

// serve starts the server.
func (k *client) serve(c acpconn.Config) *served {
	r, w := io.Pipe()
	s := &served{client: k, opens: jsonrpc.AppendString(nil, rand.Text()), server: acpconn.New(c), in: w, done: make(chan struct{})}
	go func() { // ends with the pipe, which close closes
		defer close(s.done)
		s.server.Serve(context.Background(), r, s)
	}()
	return s
}

// close ends every terminal.
func (s *served) close() {
	s.in.Close()
	<-s.done
}

// Write passes on answers to the agent, but for the one to our own request.
func (s *served) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) { // they come whole
		if bytes.Contains(line, s.opens) {
			continue
		}
		if _, err := s.client.agent.Write(line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// open tells the server who the agent is, for the record, and has the session hand over its
// directory. The server is not told that it could ask the agent for permission.
func (s *served) open(about Ready, session, dir string) {
	id, _ := jsonrpc.Parse(s.opens)
	ours, _ := jsonrpc.ParseID(id)
	i := acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersion, ClientInfo: &acp.Implementation{Name: about.Agent, Version: about.Version}}
	s.in.Write(jsonrpc.AppendTail(i.AppendJSON(jsonrpc.AppendRequestHead(nil, ours, acp.MethodInitialize))))
	r := acp.SessionOpenRequest{SessionID: session, Cwd: dir}
	s.in.Write(jsonrpc.AppendTail(r.AppendJSON(jsonrpc.AppendRequestHead(nil, ours, acp.MethodSessionOpen))))
}

// request hands the server a line that names terminal/*.
func (s *served) request(m *jsonrpc.Message, line []byte) {
	if m.Method == acp.MethodCreate && !s.client.isOurs(m.Params) {
		s.client.agent.reply(unknownSession(m.ID))
		return
	}
	s.hand(line)
}

// hand writes a line to the server. It has no end yet.
func (s *served) hand(line []byte) {
	s.in.Write(append(bytes.Clone(line), '\n')) // an error is that it has ended
}

// watched has the View hear of what terminals do, besides who hears of it already.
func (k *client) watched(c driver.Config) driver.Config {
	output, news, work := c.OnOutput, c.OnNews, c.OnWork
	c.OnOutput = func(id core.TerminalID, stream uint8, p []byte) {
		k.begun.once(id, func() {
			if status, ok := k.served.server.Driver().Terminal(id).Status(); ok {
				k.start(id, &status.Exec)
			}
		})
		k.view.Show(Output{ID: string(id), Data: p})
		if output != nil {
			output(id, stream, p)
		}
	}
	c.OnNews = func(e *core.Effect) {
		switch e.Kind {
		case core.Started:
			k.begun.once(e.ID, func() { k.start(e.ID, e.Exec) })
		case core.StartFailed:
			k.view.Show(Refused{ID: string(e.ID), Command: asked(e.Exec), Err: e.Err})
		case core.Exited:
			k.end(e.ID, e.Exit)
		}
		if news != nil {
			news(e)
		}
	}
	c.OnWork = func(e *core.Effect) {
		if e.Kind == core.Close {
			k.begun.forget(e.ID) // nothing more comes
		}
		if work != nil {
			work(e)
		}
	}
	return c
}

func (k *client) start(id core.TerminalID, e *core.Exec) {
	c := &e.Command
	k.view.Show(Started{
		ID: string(id), Command: asked(e), Cwd: c.Cwd, Rows: c.Rows, Cols: c.Cols, Interactive: c.Pty && c.Interactive,
	})
}

func (k *client) end(id core.TerminalID, e core.Exit) {
	k.begun.end(id, func() {
		k.view.Show(Exited{ID: string(id), Status: e.Status, Reason: e.Reason})
	})
}

// endAll shows the ends of all that have ended by now. An agent may hear of one by asking for it,
// before there are news, and then tell of it.
func (k *client) endAll() {
	for _, id := range k.begun.running() {
		if s, known := k.served.server.Driver().Terminal(id).Status(); known && s.State == core.StateExited {
			k.end(id, s.Exit)
		}
	}
}

// begun are the terminals whose start was shown. Output and news come by different ways: the first
// output may come before the news of the start, and what the agent tells of an end before the news
// of that.
type begun struct {
	mu    sync.Mutex
	known map[core.TerminalID]bool // whether the end was shown, too
}

// once calls show for a terminal that is not known, while others wait.
func (b *begun) once(id core.TerminalID, show func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.known[id]; known {
		return
	}
	if b.known == nil {
		b.known = make(map[core.TerminalID]bool)
	}
	b.known[id] = false
	show()
}

// end calls show for a terminal whose end was not shown, while others wait.
func (b *begun) end(id core.TerminalID, show func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ended, known := b.known[id]
	if ended {
		return
	}
	if known {
		b.known[id] = true
	}
	show()
}

// running returns those whose end was not shown.
func (b *begun) running() (ids []core.TerminalID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, ended := range b.known {
		if !ended {
			ids = append(ids, id)
		}
	}
	return ids
}

func (b *begun) forget(id core.TerminalID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.known, id)
}

// asked is a command as the agent has sent it.
func asked(e *core.Exec) string {
	if e.Via == core.ViaShell {
		return clip(strings.TrimSpace(e.Command.Command), maxText)
	}
	if len(e.Argv) == 0 {
		return clip(acp.CommandLine(&e.Command), maxText)
	}
	return commandLine(e.Argv[0], e.Argv[1:])
}
