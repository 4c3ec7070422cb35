package acp_test

import (
	"fmt"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
)

// The owner of a Conn feeds it lines, carries out the work that the registry
// asks for, and sends the lines that come of it. Here the host is a few lines
// that say what one would.
func Example() {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	// Where ids are a defence, 16 bytes from crypto/rand.
	seed := [16]byte([]byte("from crypto/rand"))
	registry := core.NewRegistry(core.Config{Seed: seed})
	conn := acp.NewConn(acp.Config{}, acp.OnRegistry(registry))

	drain := func() (id core.TerminalID) {
		for e, ok := registry.NextEffect(); ok; e, ok = registry.NextEffect() {
			conn.HandleEffect(now, &e)
			switch id = e.ID; e.Kind {
			case core.Resolve:
				registry.HandleResolved(now, id, core.Exec{Path: "/bin/echo", Argv: []string{"echo", "hi"}, Via: core.ViaArgs}, nil)
			case core.Start:
				registry.HandleStart(now, id, nil)
			}
		}
		for line, ok := conn.NextLine(); ok; line, ok = conn.NextLine() {
			fmt.Printf("%s", line)
		}
		return id
	}

	conn.HandleInput(now, []byte(`{"jsonrpc":"2.0","id":1,"method":"terminal/create",`+
		`"params":{"sessionId":"s","command":"echo","args":["hi"]}}`+"\n"))
	id := drain()

	registry.HandleOutput(now, id, 1, []byte("hi\n"))
	registry.HandleExit(now, id, core.Exit{})
	registry.HandleOutputEnd(now, id)
	drain()

	conn.HandleInput(now, []byte(`{"jsonrpc":"2.0","id":2,"method":"terminal/output",`+
		`"params":{"sessionId":"s","terminalId":"`+string(id)+`"}}`+"\n"))
	drain()

	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"terminalId":"term_1_b247da91aaddf5d5920235f5fac1c5ff","_meta":{"terrarium":{"exec":{"path":"/bin/echo","argv":["echo","hi"],"via":"args"}}}}}
	// {"jsonrpc":"2.0","id":2,"result":{"output":"hi\n","truncated":false,"exitStatus":{"exitCode":0,"signal":null}}}
}
