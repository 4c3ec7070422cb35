package proxy

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// told is what the person was told about the agent, each thing once, with what can be done about it.
type told struct {
	hang *time.Timer // while initialize has no answer

	mu          sync.Mutex // guards the fields below
	asks        bool       // initialize was sent
	initialized bool       // it was answered
	garbage     bool
	doubtful    bool
	needsLogin  bool
}

// once sets a flag and reports whether it was not set.
func (t *told) once(flag *bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := *flag
	*flag = true
	return !was
}

// asked says that initialize is on its way to the agent.
func (t *told) asked(p *proxy) {
	t.once(&t.asks)
	t.hang.Reset(cmp.Or(p.config.InitializeLimit, 30*time.Second))
}

// waits reports whether the editor waits for the answer.
func (t *told) waits() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.asks && !t.initialized
}

// hangs says that nothing came back.
func (p *proxy) hangs() {
	p.warn("%s: the agent has not answered initialize in %v: is it an ACP agent, started in its ACP mode? Some need a flag, as --acp",
		p.name(), cmp.Or(p.config.InitializeLimit, 30*time.Second))
}

// answered says that initialize was.
func (t *told) answered(p *proxy, result jsonrpc.Value) {
	t.hang.Stop()
	t.once(&t.initialized)
	version, err := acp.AgreedVersion(result)
	switch {
	case err != nil, version == acp.ProtocolVersion, p.config.Pass && version == acp.DraftVersion:
	case version == acp.DraftVersion:
		p.warn("%s: the agent and the editor speak version 2 of ACP, a draft, in which agents run commands themselves: all they say is passed on; --terminals mcp gives the agent commands that run here, and --sandbox-agent holds it",
			p.name())
	default:
		p.warn("%s: the agent speaks ACP %d, and terminals are served in 1: if the editor can't speak %d either, use another release of one of them",
			p.name(), version, version)
	}
}

// refused says that a line of the agent was not passed on.
func (t *told) refused(p *proxy, why doubt, line []byte) {
	if why != "not_json" {
		if t.once(&t.doubtful) {
			p.warn("%s: the agent has sent a line that readers may take differently (%s): it was refused, as all such lines are: report it to who makes the agent", p.name(), why)
		}
		return
	}
	if t.once(&t.garbage) {
		p.warn("%s: the agent has printed what is no message: %q: is it started in its ACP mode? Some need a flag, as --acp", p.name(), clip(string(line), 60))
	}
}

// login says that the agent wants one, if that is the error.
func (t *told) login(p *proxy, failed jsonrpc.Value) {
	code, _ := failed.Get("code")
	if n, err := code.Int64(); err == nil && n == int64(jsonrpc.CodeAuthRequired) && t.once(&t.needsLogin) {
		p.warn("%s: the agent needs a login: log in by the editor, or by the agent's own command in a terminal, and start again", p.name())
	}
}

// An EndError says that the agent has ended by itself while the editor was there.
type EndError struct {
	Name   string
	Status core.ExitStatus
	// Early says that it had not answered initialize.
	Early bool
}

func (e *EndError) Error() string {
	how := "has ended with " + e.Status.String()
	if e.Status.Unknown {
		how = "is lost"
	}
	if e.Early {
		return e.Name + ": the agent " + how + " before it answered initialize: run it in a terminal to see why"
	}
	return e.Name + ": the agent " + how
}

// ended returns the error of an agent that has ended, or nil if it did well.
func (p *proxy) ended() error {
	p.told.mu.Lock()
	early := !p.told.initialized
	p.told.mu.Unlock()
	if s := p.agent.exit.Status; !early && !s.Unknown && s.Signal == "" && s.ExitCode == 0 {
		return nil
	}
	return &EndError{p.name(), p.agent.exit.Status, early}
}

// name is the agent's command line, or its beginning.
func (p *proxy) name() string {
	return clip(strings.Join(append([]string{p.config.Agent.Command}, p.config.Agent.Args...), " "), 80)
}

// clip shortens s to about n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
