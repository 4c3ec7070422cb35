package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
	wire "github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// Bounds of arguments. Strings are counted in characters, as JSON Schema does.
const (
	// The bytes of a command, and of each argument: Linux takes no longer one (execve(2)).
	maxLine      = 128 << 10
	maxArgs      = 4096
	maxEnv       = 1024
	maxPath      = 4096
	maxID        = 256
	maxText      = 64 << 10 // of what is typed in one call
	maxKeys      = 256
	maxKey       = 64
	maxWait      = 10 * time.Minute
	maxTimeout   = 7 * 24 * time.Hour
	defaultBytes = 32 << 10 // of output in an answer: a model reads all of it
	maxBytes     = 256 << 10
)

// Errors that are ours and not the terminal's.
var (
	errEnding = errors.New("the server is ending")
	errBusy   = fmt.Errorf("%d calls wait already: call again when one of them has returned", maxSlow)
)

// addTools declares the tools.
func (s *Server) addTools() {
	idle := words(s.config.IdleRelease)
	var meta sdk.Meta
	if s.config.Foremost {
		meta = sdk.Meta{"anthropic/alwaysLoad": true}
	}
	add(s, &sdk.Tool{
		Meta: meta,
		Name: "terminal_create", Title: "Run a command",
		Description: fmt.Sprintf("Runs a command in a new terminal and waits for its end, 10 seconds unless wait_seconds says otherwise. "+
			"Returns its output and exit code or, if it still runs, what it has printed so far; terminal_wait waits on. "+
			"A terminal that no call names for %s is released: its command is ended and its output is gone.", idle),
		Annotations: acts("Run a command", true),
	}, slow(s, s.create))
	add(s, &sdk.Tool{
		Name: "terminal_output", Title: "Read output",
		Description: "Returns the newest output of a terminal, and whether its command still runs. It does not wait.",
		Annotations: looks("Read output"),
	}, s.output)
	add(s, &sdk.Tool{
		Name: "terminal_wait", Title: "Wait for a command",
		Description: "Waits until the command of a terminal has ended, 30 seconds unless wait_seconds says otherwise, and returns its output and exit code. " +
			"If it still runs then, that is no error: call again.",
		Annotations: looks("Wait for a command"),
	}, slow(s, s.wait))
	add(s, &sdk.Tool{
		Name: "terminal_screen", Title: "Look at the screen",
		Description: "Returns what a person would see on the screen of a terminal now, row by row, and where its cursor is.",
		Annotations: looks("Look at the screen"),
	}, s.screen)
	add(s, &sdk.Tool{
		Name: "terminal_write", Title: "Type text",
		Description: `Types text into an interactive terminal, as it is: end a line with "\n". ` +
			"Returns the screen when nothing new has come for a moment.",
		Annotations: acts("Type text", true),
	}, slow(s, s.write))
	add(s, &sdk.Tool{
		Name: "terminal_keys", Title: "Press keys",
		Description: "Presses keys in an interactive terminal, by tmux's names: C-c, Enter, Escape, Tab, BSpace, Up, PPage, F5, M-x. " +
			"Returns the screen when nothing new has come for a moment.",
		Annotations: acts("Press keys", true),
	}, slow(s, s.keys))
	add(s, &sdk.Tool{
		Name: "terminal_resize", Title: "Resize a terminal",
		Description: "Gives a terminal another size, in cells.",
		Annotations: acts("Resize a terminal", false),
	}, s.resize)
	add(s, &sdk.Tool{
		Name: "terminal_kill", Title: "End a command",
		Description: "Ends the command of a terminal and all that it has started, and returns its output. The terminal can still be read.",
		Annotations: acts("End a command", true),
	}, slow(s, s.kill))
	add(s, &sdk.Tool{
		Name: "terminal_release", Title: "Release a terminal",
		Description: "Ends the command of a terminal if it still runs, and forgets its output. The id means nothing any more.",
		Annotations: acts("Release a terminal", true),
	}, s.releaseTool)
}

// looks annotates a tool that changes nothing.
func looks(title string) *sdk.ToolAnnotations {
	no := false
	return &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no}
}

// acts annotates a tool that does something; destroys says that it may be something bad.
func acts(title string, destroys bool) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{Title: title, DestructiveHint: &destroys, OpenWorldHint: &destroys}
}

// add declares a tool, with bounds for all of its arguments.
func add[In, Out any](s *Server, tool *sdk.Tool, handle sdk.ToolHandlerFor[In, Out]) {
	schema := schemaOf[In]()
	tool.InputSchema, s.names[tool.Name] = schema, slices.Sorted(maps.Keys(schema.Properties))
	sdk.AddTool(s.mcp, tool, func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		result, out, err := handle(ctx, req, in)
		if err != nil {
			err = explain(err)
		}
		return result, out, err
	})
}

// schemaOf returns the schema of a tool's arguments, each with its bounds.
func schemaOf[In any]() *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // a type of ours that has no schema
	}
	for name, p := range schema.Properties {
		bound(name, p)
	}
	return schema
}

// namesArguments answers a call that has an argument which the tool does not with those that it
// has. The SDK, which checks all else, would say that there is one too many.
func (s *Server) namesArguments(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		call, ok := req.(*sdk.CallToolRequest)
		if !ok {
			return next(ctx, method, req)
		}
		names := s.names[call.Params.Name]
		args, err := wire.Parse(call.Params.Arguments)
		if names == nil || err != nil {
			return next(ctx, method, req)
		}
		for name := range args.Members() {
			if slices.ContainsFunc(names, name.Is) {
				continue
			}
			text, _ := name.Text()
			var r sdk.CallToolResult
			r.SetError(fmt.Errorf("%s has no argument %q: it has %s", call.Params.Name, clip(text), strings.Join(names, ", ")))
			return &r, nil
		}
		return next(ctx, method, req)
	}
}

// slow bounds how many calls wait at a time.
func slow[In, Out any](s *Server, handle sdk.ToolHandlerFor[In, Out]) sdk.ToolHandlerFor[In, Out] {
	return func(ctx context.Context, req *sdk.CallToolRequest, in In) (result *sdk.CallToolResult, out Out, err error) {
		select {
		case s.slow <- struct{}{}:
		default:
			return nil, out, errBusy
		}
		defer func() { <-s.slow }()
		return handle(ctx, req, in)
	}
}

// bound limits one argument. An argument that is not here makes TestBounds fail.
func bound(name string, p *jsonschema.Schema) {
	length := func(p *jsonschema.Schema, most int) { p.MaxLength = &most }
	between := func(least, most float64) { p.Minimum, p.Maximum = &least, &most }
	switch name {
	case "terminal":
		length(p, maxID)
	case "command":
		one := 1
		p.MinLength = &one
		length(p, maxLine)
	case "args":
		items := maxArgs
		p.Types, p.Type = nil, "array" // null means nothing here
		p.MaxItems = &items
		length(p.Items, maxLine)
	case "cwd":
		length(p, maxPath)
	case "env":
		names := maxEnv
		p.MaxProperties = &names
		length(p.AdditionalProperties, maxLine)
	case "text":
		length(p, maxText)
	case "keys":
		one, items := 1, maxKeys
		p.Types, p.Type = nil, "array"
		p.MinItems, p.MaxItems = &one, &items
		length(p.Items, maxKey)
	case "wait_seconds":
		p.Types, p.Type = nil, "number"
		between(0, maxWait.Seconds())
	case "timeout_seconds":
		between(0, maxTimeout.Seconds())
	case "rows", "cols":
		between(1, core.MaxSize)
	case "max_bytes":
		between(1, maxBytes)
	}
}

// explain puts an error into words that an agent can act on.
func explain(err error) error {
	if denied, ok := errors.AsType[*core.DeniedError](err); ok {
		return fmt.Errorf("the command was not started: %s", strings.TrimPrefix(denied.Error(), "core: "))
	}
	switch {
	case errors.Is(err, core.ErrInputClosed):
		return errors.New(`this command takes no input: create it with "interactive": true`)
	case errors.Is(err, core.ErrInputFull):
		return errors.New("the command does not read what was typed before: look at it with terminal_screen, or end it with terminal_kill")
	case errors.Is(err, core.ErrNotRunning):
		return errors.New("the command has ended: terminal_output has what it printed")
	case errors.Is(err, core.ErrReleased), errors.Is(err, core.ErrUnknownTerminal):
		return errors.New("the terminal was released meanwhile")
	case errors.Is(err, core.ErrKilled):
		return errors.New("the terminal was released before the command had started")
	case errors.Is(err, context.Canceled):
		return errors.New("the call was cancelled")
	}
	return errors.New(printable.Text(strings.TrimPrefix(err.Error(), "core: ")))
}

// until returns ctx as one that ends with the server, too, and when done is closed.
func (s *Server) until(ctx context.Context, done <-chan struct{}) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() { // ends with ctx, which ends with its call
		select {
		case <-s.ending:
			cancel(errEnding)
		case <-done:
			cancel(errLeft)
		case <-ctx.Done():
			cancel(nil)
		}
	}()
	return ctx
}

// words returns d without parts that are zero: 10m, not 10m0s.
func words(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// clip bounds what a client has sent, to be shown.
func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.ToValidUTF8(s[:n], "\uFFFD") + "…"
}
