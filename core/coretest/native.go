package coretest

import (
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
)

// Native is the machine in this process, as a Backend.
type Native struct {
	*core.Registry
	conn  *acp.Conn  // nil without an ACP peer
	asker *acp.Asker // nil without somebody to decide, or a peer
}

// OpenNative opens a Native, for NewMachine.
func OpenNative(c core.Config, withACP bool) (Backend, error) {
	return NativeOpener(ACPConfig)(c, withACP)
}

// NativeOpener returns an OpenNative that serves the ACP connection otherwise.
func NativeOpener(served acp.Config) func(c core.Config, withACP bool) (Backend, error) {
	return func(c core.Config, withACP bool) (Backend, error) {
		n := &Native{Registry: core.NewRegistry(c)}
		if withACP {
			n.conn = acp.NewConn(served, acp.OnRegistry(n.Registry))
			if c.Ask {
				n.asker = acp.NewAsker(n.conn)
			}
		}
		return n, nil
	}
}

// ACPConfig is how the ACP connection of a script is served.
var ACPConfig = acp.Config{
	Command: core.Command{Pty: true, Cwd: "/work"},
	Version: "test",
	Nonce:   "test",
}

// NextEffect also lets the ACP connection hear the news.
func (n *Native) NextEffect() (core.Effect, bool) {
	e, ok := n.Registry.NextEffect()
	if !ok {
		return e, false
	}
	if n.conn != nil {
		n.conn.HandleEffect(time.Time{}, &e)
	}
	return e, true
}

// Asker returns what asks the ACP peer, or nil.
func (n *Native) Asker() *acp.Asker { return n.asker }

// Output returns a terminal's output.
func (n *Native) Output(id core.TerminalID) ([]byte, bool) {
	t, ok := n.Terminal(id)
	if !ok {
		return nil, false
	}
	return t.AppendOutput(nil)
}

// HandleMessage hands a line to the ACP connection.
func (n *Native) HandleMessage(now time.Time, line []byte) {
	if n.conn != nil {
		n.conn.HandleMessage(now, line)
	}
}

// HandleEOF says that the ACP peer is gone.
func (n *Native) HandleEOF(now time.Time) {
	if n.conn != nil {
		n.conn.HandleEOF(now)
	}
}

// NextLine returns the next line for the ACP peer.
func (n *Native) NextLine() ([]byte, bool) {
	if n.conn == nil {
		return nil, false
	}
	return n.conn.NextLine()
}
