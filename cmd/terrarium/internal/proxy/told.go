package proxy

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// told is what the person was told about the agent, each thing once, with what can be done about
// it.
type told struct {
	hang *time.Timer // while initialize has no answer

	mu          sync.Mutex // guards the fields below
	asks        bool       // initialize was sent
	initialized bool       // it was answered
	garbage     string     // the beginning of the first line of the agent that is no message
	garbageTold bool
	doubtful    bool
	needsLogin  bool
	forges      bool
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

// modeHint is what may be wrong with an agent that is none.
const modeHint = "is it started in its ACP mode? Some need a flag, as --acp"

// hangs says that nothing came back.
func (p *proxy) hangs() {
	limit := cmp.Or(p.config.InitializeLimit, 30*time.Second)
	if garbage := p.told.takeGarbage(); garbage != "" {
		p.warn("%s: the agent has printed what is no message, %q, and has not answered initialize in %v: %s", p.name(), garbage, limit, modeHint)
		return
	}
	p.warn("%s: the agent has not answered initialize in %v: %s", p.name(), limit, modeHint)
}

// takeGarbage returns the beginning of the first line of the agent that is no message, if the
// person does not know of it, or "".
func (t *told) takeGarbage() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.garbageTold || t.garbage == "" {
		return ""
	}
	t.garbageTold = true
	return t.garbage
}

// garbled takes a line of the agent that is no message. Until initialize is answered it may be why
// the agent fails, and belongs there: so the person hears of it then.
func (t *told) garbled(p *proxy, line []byte) {
	t.mu.Lock()
	if t.garbage == "" {
		t.garbage = clip(strings.ToValidUTF8(string(line), "\uFFFD"), 60)
	}
	initialized := t.initialized
	t.mu.Unlock()
	if initialized {
		p.warnOfGarbage()
	}
}

func (p *proxy) warnOfGarbage() {
	if garbage := p.told.takeGarbage(); garbage != "" {
		p.warn("%s: the agent has printed what is no message: %q: %s", p.name(), garbage, modeHint)
	}
}

// answered says that initialize was.
func (t *told) answered(p *proxy, result jsonrpc.Value) {
	t.hang.Stop()
	t.once(&t.initialized)
	p.warnOfGarbage()
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
	if why == "not_json" || why == "not_object" {
		t.garbled(p, line)
		return
	}
	if t.once(&t.doubtful) {
		p.warn("%s: the agent has sent a line that readers may take differently (%s): it was refused, as all such lines are: report it to who makes the agent", p.name(), why)
	}
}

// forged says that the agent has told of a terminal of our tools.
func (t *told) forged(p *proxy) {
	if t.once(&t.forges) {
		p.warn("%s: the agent has told what a terminal of ours does: that is not passed on, the terminal tells it itself", p.name())
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
	// Garbage is the beginning of what it has printed that is no message, if that was not told
	// before.
	Garbage string
}

func (e *EndError) Error() string {
	how := "has ended with " + e.Status.String()
	if e.Status.Unknown {
		how = "is lost"
	}
	switch {
	case e.Early && e.Garbage != "":
		return fmt.Sprintf("%s: the agent %s before it answered initialize, and has printed what is no message: %q: %s", e.Name, how, e.Garbage, modeHint)
	case e.Early:
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
	return &EndError{Name: p.name(), Status: p.agent.exit.Status, Early: early, Garbage: p.told.takeGarbage()}
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
