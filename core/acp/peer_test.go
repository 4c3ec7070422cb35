package acp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A peer is a connection on a registry of its own, with a host that finds and
// starts every command at once unless told otherwise.
type peer struct {
	t        testing.TB
	conn     *acp.Conn
	registry *core.Registry
	now      time.Time

	// resolve says what the host makes of a command, nil that it succeeds.
	resolve func(c *core.Command) error
	ids     []core.TerminalID // in the order of creation
	work    []string          // effects that are work for the host
	lines   []string          // not yet taken, without '\n'
}

func newPeer(t testing.TB, c acp.Config, limits core.Config) *peer {
	r := core.NewRegistry(limits)
	return &peer{t: t, conn: acp.NewConn(c, acp.OnRegistry(r)), registry: r, now: epoch}
}

// send hands over a line and returns the answers, one after the other.
func (p *peer) send(line string) string {
	p.t.Helper()
	p.conn.HandleMessage(p.now, []byte(line))
	return p.take()
}

// take returns the lines that have come since the last time.
func (p *peer) take() string {
	p.t.Helper()
	p.drain()
	all := strings.Join(p.lines, "\n")
	p.lines = nil
	return all
}

func (p *peer) drain() {
	p.t.Helper()
	for e, ok := p.registry.NextEffect(); ok; e, ok = p.registry.NextEffect() {
		p.conn.HandleEffect(p.now, &e)
		p.host(&e)
	}
	for line, ok := p.conn.NextLine(); ok; line, ok = p.conn.NextLine() {
		text, ended := strings.CutSuffix(string(line), "\n")
		if !ended || strings.Contains(text, "\n") || !json.Valid([]byte(text)) {
			p.t.Fatalf("got %.200q, want one line of JSON", line)
		}
		p.lines = append(p.lines, text)
	}
}

// host carries out an effect.
func (p *peer) host(e *core.Effect) {
	switch e.Kind {
	case core.Resolve:
		p.ids = append(p.ids, e.ID)
		var err error
		if p.resolve != nil {
			err = p.resolve(e.Command)
		}
		argv := append([]string{e.Command.Command}, e.Command.Args...)
		p.registry.HandleResolved(p.now, e.ID, core.Exec{Path: "/bin/x", Argv: argv, Via: core.ViaArgs}, err)
	case core.Start:
		p.registry.HandleStart(p.now, e.ID, nil)
	}
	if !e.Kind.News() {
		p.work = append(p.work, e.String())
	}
}

// create starts a command and returns its terminal's id.
func (p *peer) create(params string) core.TerminalID {
	p.t.Helper()
	answer := p.send(call(acp.MethodCreate, params))
	var m struct {
		Result struct{ TerminalID string }
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil || m.Result.TerminalID == "" {
		p.t.Fatalf("terminal/create: got %.200s, want a terminalId", answer)
	}
	return core.TerminalID(m.Result.TerminalID)
}

// call returns the line of a request with the id 1.
func call(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

// request returns the line of a request about a terminal of session s.
func request(id, method string, terminal core.TerminalID) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"sessionId":"s","terminalId":%q}}`, id, method, terminal)
}

// reason returns data.reason of an answer that is an error, or "".
func reason(answer string) string {
	var m struct {
		Error struct{ Data struct{ Reason string } }
	}
	_ = json.Unmarshal([]byte(answer), &m)
	return m.Error.Data.Reason
}
