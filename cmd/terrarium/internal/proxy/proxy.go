package proxy

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/lossy"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// Config says what a proxy is between.
type Config struct {
	// In and Out are the editor's. At the end In is closed, if it is an io.Closer.
	In  io.Reader
	Out io.Writer
	// Stderr gets what the agent writes there and what Warn says. It need not be read.
	Stderr io.Writer
	// Warn writes a line for the person.
	Warn func(w io.Writer, err error)

	// Agent is run on AgentDriver's Host, on pipes.
	Agent       core.Command
	AgentDriver driver.Config

	// AgentDirs are what the agent may write, if it is held in a sandbox: a person is warned of a
	// session elsewhere.
	AgentDirs []string

	// CheckDir, if set, says why no command is run in a session that hands over such a directory. A
	// person is told when one is opened: the agent works there by itself all the same.
	CheckDir func(dir string) error

	// Pass leaves terminal/* to the editor. Else Terminals serves it. Its ACP.Nonce is replaced.
	Pass      bool
	Terminals acpconn.Config

	// Tools, if set, serve terminals by MCP, too, to those whom the agent starts for that. It is
	// told so with each session. Pass must be false.
	Tools Tools
	// DropShell has agents do without their own tools for commands. With one for which no way is
	// known, no session is opened.
	DropShell bool

	// InitializeLimit is how long the agent may take to answer initialize before a warning. If
	// zero, it is 30 s.
	InitializeLimit time.Duration
}

// leftOut stands in the place of what nobody has read.
const leftOut = "terrarium: here some of what the agent has written is left out: nobody read it"

// leaveGrace is how long an agent may take to end when the editor has gone.
const leaveGrace = 2 * time.Second

// A proxy is one run of Run.
type proxy struct {
	config Config
	nonce  string // ends the ids of our own requests, which nobody can guess
	stderr *lossy.Writer

	agent    *agent
	toAgent  *lineWriter
	toEditor *lineWriter
	served   *served // nil with Pass

	starting sync.WaitGroup // until agent is set
	splitter splitter       // of what the agent writes
	batch    []byte         // lines of the agent's that are not yet written
	begun    bool           // a long line of the agent's is on its way
	calls    calls
	sessions sessions
	grants   grants
	toolsCtx context.Context // ends what Tools serve
	running  running
	told     told

	agentName atomic.Value          // a string, once it has answered initialize
	draft     atomic.Pointer[draft] // nil but for version 2
}

// Run starts the agent and passes on what it and the editor say, until one of them ends or ctx
// does. When it returns, nothing is left of the agent nor of what was served to it, but for what
// Tools serve, whose Grants have ended. The error says what went wrong with the agent; it is nil
// when the editor has gone, and ctx's cause at its end.
func Run(ctx context.Context, c Config) error {
	p := &proxy{config: c, nonce: rand.Text(), stderr: lossy.New(c.Stderr, leftOut)}
	defer p.stderr.Close()
	toolsCtx, endTools := context.WithCancel(context.Background())
	defer endTools()
	p.toolsCtx = toolsCtx
	p.toEditor = newLineWriter(c.Out)
	defer p.toEditor.close()
	if err := p.start(ctx); err != nil {
		return err
	}
	err := p.wait(ctx)
	if closer, ok := c.In.(io.Closer); ok {
		closer.Close()
	}
	p.told.hang.Stop()
	endTools()
	if p.agent.close() {
		p.splitter.flush(p.agentPiece)
		p.flush()
	}
	if p.served != nil {
		p.served.close()
	}
	p.toAgent.close()
	return err
}

// start starts the agent, and what serves it.
func (p *proxy) start(ctx context.Context) error {
	p.told.hang = time.AfterFunc(time.Hour, p.hangs)
	p.told.hang.Stop()
	p.starting.Add(1)
	a, err := startAgent(ctx, p.config.AgentDriver, p.config.Agent, p.fromAgent, func(b []byte) { p.stderr.Write(b) })
	if err != nil {
		p.starting.Done() // what it has said may wait for that
		a.driver.Close()
		return err
	}
	p.agent, p.toAgent = a, newLineWriter(a)
	if !p.config.Pass {
		p.served = p.serve(p.config.Terminals)
	}
	p.starting.Done()
	return nil
}

// wait returns when the agent, the editor or ctx has ended. After the editor, the agent may say its
// last. An agent that does not read holds up what the editor has said, and with that its end: so
// that is looked for besides.
func (p *proxy) wait(ctx context.Context) error {
	left, deaf := make(chan error, 1), make(chan struct{})
	go func() { left <- p.fromEditor(p.config.In) }() // ends with In, or is left behind in a Read
	go func() {                                       // ends with the editor, or is left behind
		if awaitHangup(p.config.In) {
			time.Sleep(leaveGrace) // what it has said last may be on its way
			close(deaf)
		}
	}()
	var err error
	select {
	case <-p.agent.gone:
		return p.ended()
	case err = <-left:
		p.agent.term.CloseInput() // it may have ended
		select {
		case <-p.agent.gone:
			if p.told.waits() {
				err = p.ended()
			}
		case <-time.After(leaveGrace):
		case <-ctx.Done():
		}
	case <-deaf: // it has had its grace
	case <-p.toEditor.failed:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	p.toEditor.fail(errLeft)
	return err
}

var errLeft = errors.New("proxy: the editor has left")

// warn tells the person.
func (p *proxy) warn(format string, args ...any) {
	var line bytes.Buffer
	p.config.Warn(&line, fmt.Errorf(format, args...))
	p.stderr.Write(line.Bytes())
}

// fromEditor passes on what the editor writes, until it writes no more.
func (p *proxy) fromEditor(r io.Reader) error {
	var lines splitter
	begun := false // a long line is on its way
	take := func(l piece) {
		if l.long {
			if !begun {
				p.warn("the editor has sent a line of more than %d MiB: it went to the agent as it was", maxLine>>20)
			}
			p.toAgent.pass(l, begun)
			begun = !l.ended
			return
		}
		if line := p.editorLine(l.bytes); line != nil {
			p.toAgent.line(line)
		}
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		lines.split(buf[:n], take)
		switch {
		case err == io.EOF:
			lines.flush(take)
			return nil
		case err != nil:
			return err
		}
	}
}

// editorLine returns what goes to the agent in the place of line, or nil if nothing does.
func (p *proxy) editorLine(line []byte) []byte {
	content := bytes.TrimSuffix(line, []byte{'\n'})
	if isBlank(content) {
		return line
	}
	m, doubt := look(content)
	if doubt != "" && bytes.Contains(line, []byte(p.nonce)) {
		p.warn("the editor has sent an answer to a question of ours that readers may take differently (%s): it counts as none", doubt)
		// An agent that knew the nonce could put a question of its own in the place of ours.
		return nil
	}
	if doubt != "" {
		p.warn("the editor has sent a line that readers may take differently (%s): it went to the agent as it was", doubt)
		return line
	}
	if p.config.Pass {
		p.note(&m)
		return line
	}
	if !m.called {
		if p.isOurs(m.id) {
			p.served.answer(line)
			return nil
		}
		return line
	}
	splices, ok := p.editorCalls(line, &m)
	switch {
	case !ok:
		return nil
	case len(splices) > 0:
		return apply(line, splices)
	}
	return line
}

// isOurs reports whether id is that of a request of our own.
func (p *proxy) isOurs(id jsonrpc.ID) bool { return strings.HasSuffix(id.String(), p.nonce+`"`) }

// fromAgent passes on what the agent writes.
func (p *proxy) fromAgent(b []byte) {
	p.starting.Wait()
	if p.agent == nil {
		return // it was given up while it started
	}
	p.splitter.split(b, p.agentPiece)
	p.flush()
}

// maxBatch is how many bytes of lines are written together, at most.
const maxBatch = 64 << 10

// pass hands the editor a line of the agent, by the next flush.
func (p *proxy) pass(line []byte) {
	if len(p.batch)+len(line) > maxBatch {
		p.flush()
	}
	if len(line) > maxBatch {
		p.toEditor.line(line)
		return
	}
	p.batch = append(p.batch, line...)
}

// flush writes what was passed. What others say because of it must come later.
func (p *proxy) flush() {
	if len(p.batch) > 0 {
		p.toEditor.line(p.batch)
		p.batch = p.batch[:0]
	}
}

func (p *proxy) agentPiece(l piece) {
	if !l.long {
		p.agentLine(l.bytes)
		return
	}
	if p.config.Pass {
		p.flush()
		if !p.begun {
			p.warn("the agent has sent a line of more than %d MiB: it went to the editor as it was", maxLine>>20)
		}
		p.toEditor.pass(l, p.begun)
	} else if !p.begun {
		p.refuse(jsonrpc.ID{}, jsonrpc.CodeParseError, "line_too_long", nil)
	}
	p.begun = !l.ended
}

// agentLine passes on a line of the agent, or does with it what has to be done.
func (p *proxy) agentLine(line []byte) {
	content := bytes.TrimSuffix(line, []byte{'\n'})
	if isBlank(content) {
		p.pass(line)
		return
	}
	m, doubt := look(content)
	switch {
	case p.config.Pass:
		if doubt != "" {
			p.warn("the agent has sent a line that readers may take differently (%s): it went to the editor as it was", doubt)
		} else {
			p.answered(&m)
		}
		p.pass(line)
	case doubt == "not_json":
		p.refuse(m.id, jsonrpc.CodeParseError, doubt, content)
	case doubt != "":
		p.refuse(m.id, jsonrpc.CodeInvalidRequest, doubt, content)
	case m.called && isTerminal(m.method) && p.draft.Load() != nil:
		p.unserved(&m)
	case m.called && isTerminal(m.method):
		p.flush()
		p.served.request(&m, line)
	case m.method == "$/cancel_request" && p.served.cancel(&m, line):
	case !m.called:
		p.answered(&m)
		p.pass(line)
	case m.method == methodUpdate:
		p.updated(&m, line)
	default:
		p.pass(line)
	}
}

// refuse tells the agent that a line of its own was not passed on.
func (p *proxy) refuse(id jsonrpc.ID, code int32, why doubt, line []byte) {
	p.told.refused(p, why, line)
	p.toAgent.enqueue(jsonrpc.AppendError(nil, id, jsonrpc.NewError(code, string(why))))
	p.toAgent.room() // else who asks and does not listen fills our memory
}
