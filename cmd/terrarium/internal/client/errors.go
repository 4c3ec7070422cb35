package client

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// ErrInterrupted is returned if Config.Interrupt came before there was a turn to cancel.
var ErrInterrupted = errors.New("client: interrupted")

// An AgentError says that the agent did not do what an agent does. Its text names the agent and
// says what to do about it.
type AgentError struct {
	Name string
	What string // with what to do
	// Stderr is the end of what the agent said on standard error. It is hostile.
	Stderr string
	// Late says that it was time that ran out.
	Late bool
}

func (e *AgentError) Error() string { return e.Name + ": " + e.What }

const modeHint = "is it started in its ACP mode? Some need a flag, as --acp"

// endedText says that the agent has ended by itself. said is the first line that it has printed
// which is no message, if any.
func endedText(s core.ExitStatus, initialized bool, said string) string {
	how := "has ended with " + s.String()
	if s.Unknown {
		how = "is lost"
	}
	switch {
	case initialized:
		return "the agent " + how + " before its turn was over: run it in a terminal to see why"
	case said != "":
		return fmt.Sprintf("the agent %s before it answered initialize, and has printed what is no message: %q: %s", how, said, modeHint)
	}
	return "the agent " + how + " before it answered initialize: run it in a terminal to see why"
}

// hangsText says that the agent did not answer in time.
func hangsText(limit time.Duration, said string) string {
	if said != "" {
		return fmt.Sprintf("the agent has printed what is no message, %q, and has not answered initialize in %v: %s", said, limit, modeHint)
	}
	return fmt.Sprintf("the agent has not answered initialize in %v: %s. One that is slow to start needs --initialize-timeout", limit, modeHint)
}

// A rpcError is an answer that says no.
type rpcError struct {
	method  string
	failure *jsonrpc.Error
}

func (e *rpcError) Error() string {
	return fmt.Sprintf("the agent answers %s with an error: %s (code %d)", e.method, clip(e.failure.Message, maxMessage), e.failure.Code)
}

// maxMessage is how much of an agent's words an error has, in bytes.
const maxMessage = 600

// needsLogin reports whether err is the agent's that it needs a login.
func needsLogin(err error) bool {
	e, ok := errors.AsType[*rpcError](err)
	return ok && e.failure.Code == jsonrpc.CodeAuthRequired
}

// A method is a way to log in that an agent has told.
type method struct {
	id, name, description string
	terminal              bool   // by running a command
	command               string // for terminal: what to run
}

// maxMethods is how many of them are shown.
const maxMethods = 8

// authMethods reads the ways that initialize has told. agent is how it was started.
func authMethods(result jsonrpc.Value, agent core.Command) (methods []method) {
	list, _ := result.Get("authMethods")
	for v := range list.Items() {
		if len(methods) == maxMethods {
			break
		}
		m := method{id: cmp.Or(textOf(v, "id"), textOf(v, "methodId")), name: textOf(v, "name"), description: textOf(v, "description")}
		if textOf(v, "type") == "terminal" {
			m.terminal, m.command = true, commandLine(agent.Command, append(append([]string{}, agent.Args...), textsOf(v, "args")...))
		}
		if meta, _ := v.Get("_meta"); m.command == "" {
			if t, ok := meta.Get("terminal-auth"); ok && textOf(t, "command") != "" {
				m.terminal, m.command = true, commandLine(textOf(t, "command"), textsOf(t, "args"))
			}
		}
		methods = append(methods, m)
	}
	return methods
}

func commandLine(command string, args []string) string {
	words := append([]string{command}, args...)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"$`\\;&|<>()*?#~!") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return clip(strings.Join(words, " "), maxMessage)
}

// loginText says that the agent needs a login, and how it is done.
func loginText(methods []method) string {
	var ways []string
	for _, m := range methods {
		about := m.name
		if m.description != "" && m.description != m.name {
			about += ": " + m.description
		}
		way := "--auth " + clip(m.id, maxNameShow)
		if m.terminal {
			way = "run " + m.command
		}
		ways = append(ways, fmt.Sprintf("%s (%s)", way, clip(about, 200)))
	}
	if len(ways) == 0 {
		return "the agent needs a login, and does not say how: log in by its own command in a terminal, and start again"
	}
	return "the agent needs a login: " + strings.Join(ways, ", or ")
}
