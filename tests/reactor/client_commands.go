package reactor

import (
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// Create is that of core.Registry, like the other methods.
func (c *Client) Create(now time.Time, s core.SessionID, cmd core.Command) (core.TerminalID, error) {
	if _, err := c.call("create", at(now), []byte(s), toJSON(fromCommand(cmd))); err != nil {
		return "", err
	}
	return core.TerminalID(c.take("result")), nil
}

func (c *Client) Write(now time.Time, id core.TerminalID, p []byte) error {
	_, err := c.call("write", at(now), []byte(id), p)
	return err
}

func (c *Client) CloseInput(now time.Time, id core.TerminalID) error {
	_, err := c.call("close_input", at(now), []byte(id))
	return err
}

func (c *Client) Resize(now time.Time, id core.TerminalID, rows, cols int) error {
	lengths := c.put([]byte(id))
	status := int32(c.run(Call("resize", c.registry, uint64(now.UnixNano()), lengths[0], uint64(rows), uint64(cols))))
	if status < 0 {
		return c.statusError(status)
	}
	return nil
}

func (c *Client) Kill(now time.Time, id core.TerminalID) error {
	_, err := c.call("kill", at(now), []byte(id))
	return err
}

func (c *Client) Release(now time.Time, id core.TerminalID) error {
	_, err := c.call("release", at(now), []byte(id))
	return err
}

func (c *Client) CloseSession(now time.Time, s core.SessionID) error {
	_, err := c.call("close_session", at(now), []byte(s))
	return err
}

func (c *Client) CloseAll(now time.Time) { c.report("close_all", at(now)) }
