package reactor_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/tests/reactor"
)

// enoughMemory is what an instance needs at most below, in bytes. More than ten
// times as much passes through it. The clock that wazero shows it is made up,
// which is what it takes for Go's collector to fall behind for good, if nobody
// yields to it.
const enoughMemory = 64 << 20

// TestMemoryIsBounded serves many terminals, one after the other.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("serves hundreds of terminals")
	}
	instance := reactor.Engines()[0].Open(t)
	size := instance.(interface{ MemorySize() uint32 }).MemorySize
	c, err := reactor.NewClient(t, instance, reactor.ConfigJSON(core.Config{
		Seed:      anySeed,
		LiveBytes: 64 << 10, OutputByteLimit: 256 << 10, KeepTerminals: 10,
	}, true))
	if err != nil {
		t.Fatal(err)
	}
	output := bytes.Repeat([]byte("one more line of output\n"), 64<<10/24)
	serve := func(n int) {
		for i := range n {
			id := startInteractive(t, c)
			for range 8 {
				c.HandleOutput(epoch, id, 1, output)
				drain(c)
			}
			c.Write(epoch, id, output)
			c.HandleMessage(epoch, fmt.Appendf(nil,
				`{"jsonrpc":"2.0","id":%d,"method":"terminal/output","params":{"sessionId":"s","terminalId":%q}}`, i, id))
			c.Output(id)
			c.Release(epoch, id)
			c.HandleExit(epoch, id, core.Exit{Status: core.ExitStatus{Signal: "SIGTERM"}})
			c.HandleOutputEnd(epoch, id)
			drain(c)
			c.HandleClosed(epoch, id)
			drain(c)
		}
	}
	terminals := 400
	if os.Getenv("TERRARIUM_LONG") != "" {
		terminals = 1000
	}
	serve(100)
	warm := size()
	serve(terminals - 100)
	if got := size(); got > enoughMemory {
		t.Errorf("got %d bytes of memory after %d terminals (%d after 100), want at most %d", got, terminals, warm, enoughMemory)
	}
}

// TestMemoryOfRegistries opens and frees registries, each with output in it.
func TestMemoryOfRegistries(t *testing.T) {
	instance := reactor.Engines()[0].Open(t)
	size := instance.(interface{ MemorySize() uint32 }).MemorySize
	output := make([]byte, 1<<20)
	for range 300 {
		c, err := reactor.NewClient(t, instance, reactor.ConfigJSON(core.Config{Seed: anySeed}, true))
		if err != nil {
			t.Fatal(err)
		}
		id := startInteractive(t, c)
		c.HandleOutput(epoch, id, 1, output)
		c.Free()
	}
	if got := size(); got > enoughMemory {
		t.Errorf("got %d bytes of memory after 300 registries, want at most %d", got, enoughMemory)
	}
}

// drain takes all that the machine has to say.
func drain(c *reactor.Client) {
	for again := true; again; {
		again = false
		for _, some := c.NextEffect(); some; _, some = c.NextEffect() {
		}
		for _, some := c.NextLine(); some; _, some = c.NextLine() {
			again = true
		}
	}
}
