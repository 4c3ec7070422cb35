package core

import (
	"strings"
	"time"
)

// A SessionID names the ACP session a terminal belongs to. Its form is the
// client's; any string of at most MaxSessionID bytes will do, also the empty one.
type SessionID string

// MaxSessionID bounds a SessionID, in bytes. Each terminal and each line of a trace has one.
const MaxSessionID = 16 << 10

func (s SessionID) validate() error {
	if len(s) > MaxSessionID {
		return &InvalidError{Param: "sessionId", Reason: "too_long"}
	}
	return nil
}

// An EnvVariable is one name and value of a command's environment, as in ACP.
type EnvVariable struct {
	Name  string
	Value string
}

// A Rendering says what a terminal keeps of a command's output.
// It is fixed when the terminal is created.
type Rendering uint8

const (
	// RenderDefault is RenderText on a pty and RenderRaw on pipes.
	RenderDefault Rendering = iota
	// RenderText removes escape sequences, turns "\r\n" into "\n" and folds
	// carriage-return rewrites of the open line (see core/text.Folder).
	RenderText
	// RenderRaw keeps the bytes as they came, invalid UTF-8 repaired.
	RenderRaw
	// RenderScreen keeps what a person would see: the lines that scrolled out
	// of the main screen, and after them what is on the screen now, main or
	// alternate. A line is one however many rows it took on the main screen,
	// so that no line changes when the size does. Blanks at its end are left
	// out, as are blank lines at the end of the screen. What has scrolled out
	// stays even if the program erases its scrollback.
	RenderScreen
)

// String returns the name used on the command line: "text", "raw" or "screen", or
// "default" for RenderDefault.
func (r Rendering) String() string {
	switch r {
	case RenderText:
		return "text"
	case RenderRaw:
		return "raw"
	case RenderScreen:
		return "screen"
	}
	return "default"
}

// ParseRendering is the inverse of String. ok is false for any other name.
func ParseRendering(name string) (r Rendering, ok bool) {
	for r := RenderDefault; r <= RenderScreen; r++ {
		if r.String() == name {
			return r, true
		}
	}
	return RenderDefault, false
}

// A Command is what a client asks to run: the parameters of ACP
// terminal/create, and what a terminal needs to know besides.
//
// https://agentclientprotocol.com/protocol/terminals
type Command struct {
	// Command is an executable's name or path; with no Args it may also be a
	// whole shell line. Which of them it is, the Host finds out (Resolve).
	Command string
	// Args are argv[1:], passed on as they are: no splitting, no globbing.
	Args []string
	// Env is added to the host's base environment. The last of equal names wins.
	Env []EnvVariable
	// Cwd is an absolute path. Empty means the host's own working directory.
	Cwd string
	// Roots are the absolute directories that the session hands over: a
	// sandboxed host shows the command these and nothing else.
	Roots []string

	// Bounds are what the client asks for in place of what the host confines commands to. It
	// is not changed any more.
	Bounds *Bounds

	// Session is who asked, for hosts that keep something for a session.
	// Registry.Create sets it, and acpconn makes it no other peer's.
	Session SessionID

	// Traceparent is the span of the client that asks: ACP's _meta.traceparent. A
	// Host gives it to the command in TRACEPARENT (see Environ).
	Traceparent Traceparent

	// Pty gives the command a pseudo-terminal; otherwise it gets two pipes,
	// or one if OneStream says so.
	Pty bool
	// OneStream gives it one pipe for both streams where it has no Pty: its
	// output comes in the order that it was written in, all as stream 1. Two
	// pipes keep no order between them.
	OneStream bool
	// Interactive leaves standard input open for Registry.Write. Otherwise
	// the command reads end of file at once, also on a pty.
	Interactive bool

	// Screen has the terminal keep a screen beside its output, with as many
	// bytes of scrollback as OutputByteLimit: see Terminal.Screen. RenderScreen
	// has a screen anyway, but its scrollback is the output. Either takes
	// Config.Screens to be set: Registry.Create refuses it otherwise.
	//
	// The screen of a command that is Interactive on a pty answers the
	// program's queries (DA, DSR, …) with input. Nobody else may then.
	Screen bool

	// Rendering says what is kept of the output.
	Rendering Rendering

	// Rows and Cols are the terminal's size in cells, 1 to MaxSize each.
	// If zero, Config's are used.
	Rows, Cols int
	// OutputByteLimit is how many bytes of output are kept, the newest ones.
	// If zero, Config.OutputByteLimit is used; if negative, nothing is kept.
	// A value over Config.MaxOutputByteLimit is lowered to it.
	OutputByteLimit int64
	// Timeout is how long the command may take, from its creation, before it is
	// killed for ReasonTimeout. Time that somebody takes to decide about it does
	// not count, time that the host takes to start it does, as a sandbox that
	// compiles its module: then it ends with a *HostError of the reason "timeout".
	// If zero, Config.Timeout is used, which counts from the start; if negative,
	// there is none.
	Timeout time.Duration
}

// MaxSize is the greatest number of rows or columns of a terminal.
const MaxSize = 1000

// MaxCommand bounds what a Command holds in memory, in bytes: its strings, and
// 32 for each argument, variable and root. Linux takes no more than 6 MiB of
// arguments and environment (execve(2)), and 2 MiB as it comes.
const MaxCommand = 8 << 20

// entrySize is what an element of Args, Env or Roots holds in memory besides its
// strings, in bytes: an EnvVariable has two headers, and an argument has one here
// and one in Exec.Argv.
const entrySize = 32

// size is what c holds in memory, in bytes.
func (c *Command) size() int64 {
	n := len(c.Command) + len(c.Cwd) + len(c.Traceparent) + entrySize*(len(c.Args)+len(c.Env)+len(c.Roots))
	for _, a := range c.Args {
		n += len(a)
	}
	for _, e := range c.Env {
		n += len(e.Name) + len(e.Value)
	}
	for _, r := range c.Roots {
		n += len(r)
	}
	return int64(n) + c.Bounds.size()
}

func (c *Command) hasScreen() bool { return c.Screen || c.Rendering == RenderScreen }

// outputBytes is what the output of c on a terminal of a size may hold in memory.
func (c *Command) outputBytes(rows, cols int) int64 {
	n := c.OutputByteLimit
	if hasScreens {
		n += c.screenBytes(rows, cols)
	}
	return n
}

// Validate reports the first thing that no host could accept, as a *InvalidError. Registry.Create
// does so. Who gets a Command some other way, as from another machine, calls it.
func (c *Command) Validate() error {
	switch {
	case c.Command == "":
		return &InvalidError{Param: "command", Reason: "empty"}
	case hasNUL(c.Command):
		return &InvalidError{Param: "command", Reason: "nul_byte"}
	case hasNUL(c.Cwd):
		return &InvalidError{Param: "cwd", Reason: "nul_byte"}
	case c.Cwd != "" && !isAbs(c.Cwd):
		return &InvalidError{Param: "cwd", Reason: "not_absolute", Value: c.Cwd}
	}
	for _, a := range c.Args {
		if hasNUL(a) {
			return &InvalidError{Param: "args", Reason: "nul_byte"}
		}
	}
	for _, e := range c.Env {
		if err := e.validate(); err != nil {
			return err
		}
	}
	if c.size() > MaxCommand {
		return &InvalidError{Param: "command", Reason: "too_long"}
	}
	for _, r := range c.Roots {
		if hasNUL(r) || !isAbs(r) {
			return &InvalidError{Param: "roots", Reason: "not_absolute", Value: r}
		}
	}
	if err := c.Bounds.validate(); err != nil {
		return err
	}
	return validateSize(c.Rows, c.Cols)
}

func (e EnvVariable) validate() error {
	switch {
	case e.Name == "":
		return &InvalidError{Param: "env", Reason: "empty_name"}
	case strings.Contains(e.Name, "="):
		return &InvalidError{Param: "env", Reason: "equals_in_name", Value: e.Name}
	case hasNUL(e.Name), hasNUL(e.Value):
		return &InvalidError{Param: "env", Reason: "nul_byte"}
	}
	return nil
}

// validateSize accepts zero: the default.
func validateSize(rows, cols int) error {
	if rows < 0 || rows > MaxSize {
		return &InvalidError{Param: "rows", Reason: "out_of_range"}
	}
	if cols < 0 || cols > MaxSize {
		return &InvalidError{Param: "cols", Reason: "out_of_range"}
	}
	return nil
}

// hasNUL reports whether s could not be handed to execve(2) unchanged.
func hasNUL(s string) bool { return strings.IndexByte(s, 0) >= 0 }

// isAbs accepts POSIX paths, and drive or UNC paths for clients on Windows.
// Whether a path exists, the host says.
func isAbs(p string) bool {
	if strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\\`) {
		return true
	}
	if len(p) < 3 || p[1] != ':' || (p[2] != '\\' && p[2] != '/') {
		return false
	}
	drive := p[0] | 0x20
	return 'a' <= drive && drive <= 'z'
}

// Via says how a Command became an executable.
type Via string

const (
	// ViaArgs: there were arguments, so Command was executed literally.
	ViaArgs Via = "args"
	// ViaFile: there were none, and Command names an executable file.
	ViaFile Via = "file"
	// ViaShell: neither, so Command is a line for the shell.
	ViaShell Via = "shell"
)

// An Exec is a Command that a Host has resolved: what would be executed.
// It is what policy decides on and what the record shows.
type Exec struct {
	// Command is what was asked, its zero values replaced by defaults. Once it
	// has started, Args, Env, Roots and Bounds are nil: they may be megabytes,
	// and only the start needs them.
	Command Command
	// Path is the executable, absolute.
	Path string
	// Argv is the argument vector, argv[0] included. That of a terminal of which
	// only the output is kept may be cut short, as may be its Command.Command.
	Argv []string
	Via  Via
	// Sandbox is what the host confines the command to: the name of a level, such as
	// "workspace" and "strict" of hostnative. Empty if it confines it to nothing, or
	// does not say.
	Sandbox string
	// Terms are what Command.Bounds asks for that other commands of the host don't have, in
	// words that end "it asks to run …": "without a sandbox", or "connecting to a.org:443,
	// connecting to b.org". Sandbox is as they say. Empty if it asks for no more than those
	// have. A command with Terms starts only if Decision.More grants them.
	Terms string
	// Host is what the host that has resolved it wants to be told again when
	// it starts it. To all others it means nothing, and it is not traced.
	Host any
}

// size is what e holds in memory, in bytes.
func (e *Exec) size() int64 {
	n := e.Command.size() + int64(len(e.Path)+len(e.Terms))
	for _, a := range e.Argv {
		n += int64(len(a)) + entrySize
	}
	return n
}

// started returns e without what only the start needs.
func (e *Exec) started() *Exec {
	c := &e.Command
	if c.Args == nil && c.Env == nil && c.Roots == nil && c.Bounds == nil && e.Host == nil {
		return e
	}
	rest := *e
	rest.Command.Args, rest.Command.Env, rest.Command.Roots = nil, nil, nil
	rest.Command.Bounds, rest.Host = nil, nil
	return &rest
}

// shown returns as much of e as is worth keeping beside the output. What is cut
// is copied: a short string may be a part of one of megabytes.
func (e *Exec) shown() *Exec {
	const most = 4 << 10 // bytes
	if e.size() <= most {
		return e
	}
	part := func(s string) string { return strings.Clone(clip(s, most/4)) }
	rest := *e
	rest.Command.Command, rest.Command.Cwd, rest.Path = part(e.Command.Command), part(e.Command.Cwd), part(e.Path)
	rest.Argv, rest.Terms = nil, ""
	for _, a := range e.Argv {
		if rest.size() > most {
			rest.Argv = append(rest.Argv, "…")
			break
		}
		rest.Argv = append(rest.Argv, part(a))
	}
	return &rest
}

// A Decision answers an Ask effect.
type Decision struct {
	Allow bool
	// Reason says why not, in words for the agent.
	Reason string
	// More grants what Exec.Terms ask for. A command that has some is denied without it,
	// whatever Allow says.
	More bool
}
