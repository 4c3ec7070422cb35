package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	// Prompt is what the agent is asked.
	Prompt string
	// Auth is the id of the way to log in; empty is none.
	Auth string
	// Version is our own.
	Version string

	View View
	// Permission answers the agent's questions.
	Permission Permission

	// Interrupt cancels the turn when it receives a value.
	Interrupt <-chan struct{}
	// OnCancel, if set, is called then, before the agent hears of it.
	OnCancel func()
	// InitializeLimit is how long the agent may take to answer initialize. If zero, it is a minute: some
	// load themselves from a registry first.
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
	toolCalls toolCalls
	questions questions
	begun     begun

	mu          sync.Mutex // guards the fields below
	session     string     // of the agent, once it has answered session/new
	initialized bool
	garbage     string // the first line that was no message
	greeted     int    // how many of them came before initialize was answered
	tooMuch     chan struct{}
}

// maxGarbled is how many lines that are no messages may come before the answer to initialize.
const maxGarbled = 100

// Run starts the agent, prompts it, and serves it until its turn has ended, or ctx has. It returns the stop
// reason that the agent gave. When it returns, nothing is left of the agent nor of what was served to it.
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
	k := &client{config: c, view: c.View, files: newFiles(root, c.Workspace), turn: turn, tooMuch: make(chan struct{})}
	k.config.Terminals.Driver = k.watched(c.Terminals.Driver)
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
	k.questions.wait()
	k.served.close()
	k.agent.close(err != nil)
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
	return k.prompt(ctx, methods, cancelled)
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

// initialize opens the connection.
func (k *client) initialize(ctx context.Context) ([]method, error) {
	r := acp.InitializeRequest{
		ProtocolVersion: acp.ProtocolVersion,
		ClientInfo:      &acp.Implementation{Name: "terrarium", Version: k.config.Version},
		ClientCapabilities: acp.ClientCapabilities{
			FS:       acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true},
			Terminal: true,
			Meta:     []byte(`{"terminal_output":true,"terminal_output_delta":true}`),
		},
	}
	limit := cmp.Or(k.config.InitializeLimit, time.Minute)
	errLate := errors.New("late")
	timed, cancel := context.WithTimeoutCause(ctx, limit, errLate)
	defer cancel()
	timed, garbled := context.WithCancelCause(timed)
	defer garbled(nil)
	errGarbled := errors.New("garbled")
	go func() { // ends with timed
		select {
		case <-k.tooMuch:
			garbled(errGarbled)
		case <-timed.Done():
		}
	}()
	result, err := k.before(timed, k.call(acp.MethodInitialize, r.AppendJSON))
	k.mu.Lock()
	garbage := k.garbage
	k.mu.Unlock()
	switch {
	case errors.Is(err, errLate):
		failed := k.fail(hangsText(limit, garbage))
		failed.Late = true
		return nil, failed
	case errors.Is(err, errGarbled):
		return nil, k.fail(fmt.Sprintf("the agent prints what is no message: %q: %s", garbage, modeHint))
	case err != nil:
		return nil, k.answerError(err, nil)
	}
	version, _ := result.Get("protocolVersion")
	if n, err := version.Int64(); err != nil || n != acp.ProtocolVersion {
		return nil, k.fail(fmt.Sprintf("the agent speaks version %s of ACP, and this client version %d: use another release of one of them",
			clip(string(version.Raw()), 20), acp.ProtocolVersion))
	}
	k.mu.Lock()
	k.initialized = true
	k.mu.Unlock()
	info, _ := result.Get("agentInfo")
	k.config.Agent.Env = nil // it has started
	k.about = Ready{Agent: textOf(info, "name"), Version: textOf(info, "version")}
	return authMethods(result, k.config.Agent), nil
}

// answerError turns an answer that says no into what a person can do about it.
func (k *client) answerError(err error, methods []method) error {
	e, ok := errors.AsType[*rpcError](err)
	switch {
	case !ok:
		return err
	case needsLogin(err):
		return k.fail(loginText(methods))
	}
	return k.fail(e.Error())
}

// authenticate logs in.
func (k *client) authenticate(ctx context.Context, methods []method) error {
	for _, m := range methods {
		if m.id != k.config.Auth {
			continue
		}
		if m.terminal {
			return k.fail("this login is a command of its own: run " + m.command)
		}
		_, err := k.before(ctx, k.call("authenticate", func(dst []byte) []byte {
			return append(jsonrpc.AppendString(append(dst, `{"methodId":`...), m.id), '}')
		}))
		if e, ok := errors.AsType[*rpcError](err); ok {
			return k.fail(e.Error() + ": the login has failed")
		}
		return err
	}
	if len(methods) == 0 {
		return k.fail("the agent knows no login, so also none by --auth: log in by its own command in a terminal")
	}
	return k.fail(fmt.Sprintf("the agent knows no login --auth %s: %s", k.config.Auth, loginText(methods)))
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

// opened is called with the answer to session/new before the next line is read, which may ask for a terminal.
func (k *client) opened(result jsonrpc.Value) {
	id := textOf(result, "sessionId")
	if id == "" || len(id) > maxID {
		return
	}
	k.mu.Lock()
	k.session = id
	k.mu.Unlock()
	k.served.open(k.about, id, k.config.Workspace)
}

// prompt asks the agent, and returns why its turn has ended.
func (k *client) prompt(ctx context.Context, methods []method, cancelled func()) (string, error) {
	session := k.about.Session
	c := k.call("session/prompt", func(dst []byte) []byte {
		dst = jsonrpc.AppendString(append(dst, `{"sessionId":`...), session)
		dst = append(dst, `,"prompt":[{"type":"text","text":`...)
		return append(jsonrpc.AppendString(dst, k.config.Prompt), "}]}"...)
	})
	done := make(chan struct{})
	defer close(done)
	go func() { // ends with done
		select {
		case <-k.config.Interrupt:
			cancelled()
			if k.config.OnCancel != nil {
				k.config.OnCancel()
			}
			k.agent.send(jsonrpc.AppendTail(append(jsonrpc.AppendString(
				append(jsonrpc.AppendNotificationHead(nil, "session/cancel"), `{"sessionId":`...), session), '}')))
		case <-done:
		}
	}()
	result, err := k.await(ctx, c)
	if err != nil {
		return "", k.answerError(err, methods)
	}
	stop := textOf(result, "stopReason")
	if stop == "" {
		return "", k.fail("the agent ends its turn without a stop reason: report it to who makes the agent")
	}
	k.view.Show(Stopped{Reason: clip(stop, maxNameShow)})
	return stop, nil
}

// resolved returns a directory's own path, without symbolic links.
func resolved(dir string) string {
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return dir
	}
	return path
}
