package reactor

import (
	"encoding/binary"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// NextEffect is that of core.Registry. The effect's Data is a copy.
func (c *Client) NextEffect() (core.Effect, bool) {
	header := c.take("next_effect", c.registry)
	if len(header) == 0 {
		return core.Effect{}, false
	}
	var e effectJSON
	c.decode(header, &e)
	effect, err := e.effect()
	if err != nil {
		c.tb.Fatalf("%v in %s", err, header)
	}
	if e.DataLength != nil {
		effect.Data = c.take("effect_data")
		if len(effect.Data) != *e.DataLength {
			c.tb.Fatalf("got %d bytes of data, want %d as in %s", len(effect.Data), *e.DataLength, header)
		}
	}
	return effect, true
}

func (c *Client) Deadline() (time.Time, bool) {
	ns := int64(c.run(Call("deadline", c.registry)))
	if ns < 0 {
		return time.Time{}, false
	}
	return time.Unix(0, ns).UTC(), true
}

func (c *Client) NextLine() ([]byte, bool) {
	line := c.take("acp_next_line", c.registry)
	return line, len(line) > 0
}

func (c *Client) Status(id core.TerminalID) (core.Status, bool) {
	status, err := c.call("status", nil, []byte(id))
	if status == StatusUnknownTerminal {
		return core.Status{}, false
	}
	if err != nil {
		c.tb.Fatal(err)
	}
	var s statusJSON
	p := c.take("result")
	c.decode(p, &s)
	known, err := s.status()
	if err != nil {
		c.tb.Fatalf("%v in %s", err, p)
	}
	return known, true
}

func (c *Client) Output(id core.TerminalID) (output []byte, truncated bool) {
	status, err := c.call("output", nil, []byte(id))
	if status == StatusUnknownTerminal {
		return nil, false
	}
	if err != nil {
		c.tb.Fatal(err)
	}
	return c.take("result"), status == StatusYes
}

// OutputSince is AppendSince of a core.Terminal.
func (c *Client) OutputSince(id core.TerminalID, off uint64) (output []byte, next, lost uint64) {
	status := int32(c.run(Call("output_since", c.registry, c.put([]byte(id))[0], off)))
	if status < 0 {
		c.tb.Fatal(c.statusError(status))
	}
	p := c.take("result")
	return p[16:], binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
}

func (c *Client) Issued(s core.SessionID, id core.TerminalID) bool {
	status, err := c.call("issued", nil, []byte(s), []byte(id))
	if err != nil {
		c.tb.Fatal(err)
	}
	return status == StatusYes
}
