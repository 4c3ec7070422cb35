package reactor

import (
	"errors"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

func (c *Client) HandleResolved(now time.Time, id core.TerminalID, e core.Exec, err error) {
	answer := resolvedJSON{Path: e.Path, Argv: e.Argv, Via: string(e.Via)}
	if err != nil {
		answer = resolvedJSON{Error: fromError(err)}
	}
	c.report("handle_resolved", at(now), []byte(id), toJSON(answer))
}

func (c *Client) HandleDecision(now time.Time, id core.TerminalID, d core.Decision) {
	c.report("handle_decision", at(now), []byte(id), toJSON(decisionJSON{d.Allow, d.Reason}))
}

func (c *Client) HandleStart(now time.Time, id core.TerminalID, err error) {
	var refusal []byte
	if err != nil {
		refusal = toJSON(fromError(err))
	}
	c.report("handle_start", at(now), []byte(id), refusal)
}

// fromError keeps the reason of a HostError; others are just failures to start.
func fromError(err error) *errorJSON {
	var host *core.HostError
	if errors.As(err, &host) {
		return &errorJSON{host.Reason, host.Message}
	}
	return &errorJSON{Message: err.Error()}
}

func (c *Client) HandleWritten(now time.Time, id core.TerminalID, n int) {
	c.handle(Call("handle_written", c.registry, uint64(now.UnixNano()), c.put([]byte(id))[0], uint64(n)))
}

func (c *Client) HandleOutput(now time.Time, id core.TerminalID, stream uint8, p []byte) {
	lengths := c.put([]byte(id), p)
	c.handle(Call("handle_output", c.registry, uint64(now.UnixNano()), lengths[0], lengths[1], uint64(stream)))
}

// handle is report for exports whose last argument is a number.
func (c *Client) handle(call Step) {
	if status := int32(c.run(call)); status < 0 {
		c.tb.Fatalf("%s: %v", call.export, c.statusError(status))
	}
}

func (c *Client) HandleOutputEnd(now time.Time, id core.TerminalID) {
	c.report("handle_output_end", at(now), []byte(id))
}

func (c *Client) HandleExit(now time.Time, id core.TerminalID, e core.Exit) {
	c.report("handle_exit", at(now), []byte(id), toJSON(fromExit(e)))
}

func (c *Client) HandleClosed(now time.Time, id core.TerminalID) {
	c.report("handle_closed", at(now), []byte(id))
}

func (c *Client) HandleTimeout(now time.Time) { c.report("handle_timeout", at(now)) }

// HandleMessage is that of acp.Conn; without one it does nothing, like
// HandleEOF.
func (c *Client) HandleMessage(now time.Time, line []byte) { c.acp("acp_message", now, line) }

// HandleInput returns how many bytes were taken: no more than a line.
func (c *Client) HandleInput(now time.Time, p []byte) (n int) {
	status, err := c.call("acp_input", at(now), p)
	if err != nil {
		c.tb.Fatalf("acp_input: %v", err)
	}
	return int(status)
}

func (c *Client) HandleEOF(now time.Time) { c.acp("acp_eof", now) }

func (c *Client) acp(export string, now time.Time, pieces ...[]byte) {
	status, err := c.call(export, at(now), pieces...)
	if err != nil && status != StatusNoACP {
		c.tb.Fatalf("%s: %v", export, err)
	}
}
