package conform

import (
	"encoding/json"
	"fmt"
	"path"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A client is what the client has told of itself and of its session.
type client struct {
	about    Client
	asWrong  string // what is wrong with what it advertises, if anything
	session  string // empty before session/new
	cwd      string
	newWrong string // what is wrong with its session/new
	pulses   int
	printed  bool // a command of it has printed something
	mute     bool // none has, though one point has waited for that with all its patience
}

// nextPulse returns a number for a pulse's name.
func (c *client) nextPulse() int {
	c.pulses++
	return c.pulses
}

// maxCapabilities is how much of a client's capabilities is kept, in bytes.
const maxCapabilities = 16 << 10

// initialize reads the params of initialize.
func (c *client) initialize(params jsonrpc.Value) error {
	var r acp.InitializeRequest
	if err := r.DecodeJSON(params); err != nil {
		return err
	}
	c.about = Client{ProtocolVersion: r.ProtocolVersion, Terminal: r.ClientCapabilities.Terminal}
	if r.ClientInfo != nil {
		c.about.Name, c.about.Version = clip(r.ClientInfo.Name), clip(r.ClientInfo.Version)
	}
	capabilities, _ := params.Get("clientCapabilities")
	if raw := capabilities.Raw(); len(raw) <= maxCapabilities {
		c.about.Capabilities = json.RawMessage(raw)
	}
	if v, ok := capabilities.Get("terminal"); ok && v.Kind() != jsonrpc.Bool {
		c.asWrong = "clientCapabilities.terminal is " + clip(v.Raw()) + ", which is no boolean"
	}
	return nil
}

// newSession reads the params of session/new.
func (c *client) newSession(params jsonrpc.Value, id string) {
	cwd, _ := params.Get("cwd")
	text, err := cwd.Text()
	servers, _ := params.Get("mcpServers")
	c.session, c.cwd, c.newWrong = id, text, ""
	switch {
	case err != nil || !path.IsAbs(text):
		c.cwd, c.newWrong = "", fmt.Sprintf("cwd is %s, which is no absolute path", clip(cwd.Raw()))
	case servers.Kind() != jsonrpc.Array:
		c.newWrong = "mcpServers is no array"
	}
}
