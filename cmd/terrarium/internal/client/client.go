package client

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// Config says which agent is asked what, and what it gets.
type Config struct {
	// Agent is run on AgentDriver's Host, on pipes.
	Agent       core.Command
	AgentDriver driver.Config
	// Terminals is how terminal/* is served.
	Terminals acpconn.Config

	// Workspace is the session's directory, absolute. Files outside of it are not read or written.
	Workspace string
	// CommandDir is where the session's commands run, absolute, if not in Workspace: with Terminals
	// that are elsewhere it need not be here.
	CommandDir string
	// Protected, if set, tells which files in there are not written for the agent.
	Protected func(path string) bool
	// Prompt is what the agent is asked.
	Prompt string
	// Auth is the id of the way to log in; empty is none.
	Auth string
	// Version is our own.
	Version string
	// MaxVersion is the highest version of ACP that the agent is asked for: acp.ProtocolVersion or
	// acp.DraftVersion, which it is if zero.
	MaxVersion uint16

	View View
	// Permission answers the agent's questions.
	Permission Permission

	// Interrupt cancels the turn when it receives a value.
	Interrupt <-chan struct{}
	// OnCancel, if set, is called then, before the agent hears of it.
	OnCancel func()
	// InitializeLimit is how long the agent may take to answer initialize. If zero, it is a minute:
	// some load themselves from a registry first.
	InitializeLimit time.Duration
}

// Stop reasons of ACP, which Run returns.
const (
	EndTurn         = "end_turn"
	MaxTokens       = "max_tokens"
	MaxTurnRequests = "max_turn_requests"
	Refusal         = "refusal"
	Cancelled       = "cancelled"
)

// A client is one run of Run.
type client struct {
	config Config
	view   View
	agent  *agent
	about  Ready // what the agent has told of itself
	served *served
	files  *files
	turn   context.Context // what a person is asked ends with it: the turn was cancelled

	calls     calls // ours, that wait for an answer
	turns     turns
	toolCalls toolCalls
	messages  messages
	questions questions
	begun     begun
	told      *told

	mu          sync.Mutex // guards the fields below
	session     string     // of the agent, once it has answered session/new
	initialized bool
	draft       bool   // the connection is in version 2
	garbage     string // the first line that was no message
	greeted     int    // how many of them came before initialize was answered
	tooMuch     chan struct{}
}

// maxGarbled is how many lines that are no messages may come before the answer to initialize.
const maxGarbled = 100

// Run starts the agent, prompts it, and serves it until its turn has ended, or ctx has. It returns
// the stop reason that the agent gave. When it returns, nothing is left of the agent nor of what
// was served to it.
//
// The error is an *AgentError, ErrInterrupted, ctx's cause at its end, or why nothing was started.
func Run(ctx context.Context, c Config) (stop string, err error) {
	root, err := os.OpenRoot(c.Workspace)
	if err != nil {
		return "", err
	}
	defer root.Close()
	turn, cancelled := context.WithCancel(ctx)
	defer cancelled()
	k := &client{config: c, view: c.View, files: newFiles(root, &c), turn: turn, tooMuch: make(chan struct{})}
	k.turns.end, k.told = newCall("session/prompt"), k.newTold()
	k.config.Terminals.Driver = k.watched(c.Terminals.Driver)
	k.config.MaxVersion = cmp.Or(c.MaxVersion, acp.DraftVersion)
	starting := make(chan struct{})
	k.agent, err = startAgent(ctx, c.AgentDriver, c.Agent, func(line []byte) {
		<-starting
		if k.agent != nil {
			k.line(line)
		}
	})
	if err != nil {
		close(starting)
		return "", err
	}
	k.served = k.serve(k.config.Terminals)
	close(starting)
	stop, err = k.converse(ctx, cancelled)
	cancelled()
	k.told.leave()
	if err == nil {
		k.view.Show(Stopped{Reason: clip(stop, maxNameShow)})
	} else {
		k.agent.end() // first: one that does not read its answers would hold up all that follows
	}
	// An agent whose turn is over can't hold it up for ever either.
	unheard := time.AfterFunc(closeLimit, k.agent.end)
	k.questions.wait()
	k.served.close()
	if unheard.Stop() && err == nil {
		k.agent.leave()
	}
	if failed, ok := errors.AsType[*AgentError](err); ok {
		failed.Stderr = k.agent.lastWords()
	}
	return stop, err
}

// converse is the conversation.
func (k *client) converse(ctx context.Context, cancelled func()) (stop string, err error) {
	methods, err := k.initialize(ctx)
	if err != nil {
		return "", err
	}
	if k.config.Auth != "" {
		if err := k.authenticate(ctx, methods); err != nil {
			return "", err
		}
	}
	if err := k.open(ctx, methods); err != nil {
		return "", err
	}
	stop, err = k.prompt(ctx, methods, cancelled)
	if err == nil {
		k.told.end(ctx)
	}
	return stop, err
}

// fail returns what went wrong with the agent.
func (k *client) fail(what string) *AgentError {
	return &AgentError{Name: commandName(k.config.Agent), What: what}
}

// await waits for the answer to a request. The error says why there is none.
func (k *client) await(ctx context.Context, c *call) (jsonrpc.Value, error) {
	select {
	case a := <-c.answer:
		return a.result, a.err
	case <-k.agent.gone:
	case <-ctx.Done():
		return jsonrpc.Value{}, context.Cause(ctx)
	}
	select {
	case a := <-c.answer: // its last words
		return a.result, a.err
	default:
	}
	k.mu.Lock()
	initialized, garbage := k.initialized, k.garbage
	k.mu.Unlock()
	return jsonrpc.Value{}, k.fail(endedText(k.agent.exit.Status, initialized, garbage))
}

// before is await for requests that a person's ^C ends at once, since there is no turn to cancel.
func (k *client) before(ctx context.Context, c *call) (jsonrpc.Value, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	done := make(chan struct{})
	defer close(done)
	go func() { // ends with done
		select {
		case <-k.config.Interrupt:
			end(ErrInterrupted)
		case <-done:
		}
	}()
	return k.await(ctx, c)
}

// open opens the session.
func (k *client) open(ctx context.Context, methods []method) error {
	c := k.call("session/new", func(dst []byte) []byte {
		dst = jsonrpc.AppendString(append(dst, `{"cwd":`...), k.config.Workspace)
		return append(dst, `,"mcpServers":[]}`...)
	})
	result, err := k.before(ctx, c)
	if err != nil {
		return k.answerError(err, methods)
	}
	id := textOf(result, "sessionId")
	if id == "" || len(id) > maxID {
		return k.fail("the agent answers session/new without an id that can be used: report it to who makes the agent")
	}
	k.about.Session = id
	k.view.Show(k.about)
	return nil
}

// opened is called with the answer to session/new before the next line is read, which may ask for a
// terminal.
func (k *client) opened(result jsonrpc.Value) {
	id := textOf(result, "sessionId")
	if id == "" || len(id) > maxID {
		return
	}
	k.mu.Lock()
	k.session = id
	k.mu.Unlock()
	k.served.open(k.about, id, cmp.Or(k.config.CommandDir, k.config.Workspace))
}

// resolved returns a directory's own path, without symbolic links.
func resolved(dir string) string {
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir
	}
	return path
}
