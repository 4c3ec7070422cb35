package reactor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/tests/reactor"
)

// anySeed is for ids that nobody has to guess: the reactor takes none of zeros.
var anySeed = [16]byte{1}

// TestGetters asks for what no script asks for.
func TestGetters(t *testing.T) {
	for _, engine := range reactor.Engines() {
		t.Run(engine.Name, func(t *testing.T) {
			config := core.Config{Seed: anySeed, OutputByteLimit: 10}
			native, _ := coretest.OpenNative(config, false)
			registry := native.(*coretest.Native)
			client, err := reactor.NewClient(t, engine.Open(t), reactor.ConfigJSON(config, false))
			if err != nil {
				t.Fatal(err)
			}
			id := startInteractive(t, registry)
			if got := startInteractive(t, client); got != id {
				t.Fatalf("got id %q, want %q", got, id)
			}
			for _, text := range []string{"one\n", "two\n", "thr\u00e9e\n"} {
				registry.HandleOutput(epoch, id, 1, []byte(text))
				client.HandleOutput(epoch, id, 1, []byte(text))
				for _, off := range []uint64{0, 3, 5, 1 << 40, 1<<64 - 1} {
					terminal, _ := registry.Terminal(id)
					want, wantNext, wantLost := terminal.AppendSince(nil, off)
					got, next, lost := client.OutputSince(id, off)
					if string(got) != string(want) || next != wantNext || lost != wantLost {
						t.Errorf("output since %d: got %q, %d, %d, want %q, %d, %d", off, got, next, lost, want, wantNext, wantLost)
					}
				}
			}
			for _, session := range []core.SessionID{"s", "another", ""} {
				for _, id := range []core.TerminalID{id, "none", ""} {
					if got, want := client.Issued(session, id), registry.Issued(session, id); got != want {
						t.Errorf("issued(%q, %q): got %v, want %v", session, id, got, want)
					}
				}
			}
			client.CloseAll(epoch)
			if s, _ := client.Status(id); !s.Released {
				t.Errorf("got %+v after close_all, want it released", s)
			}
		})
	}
}

// TestACPInput hands over a peer's stream in pieces of all sizes. Lines are
// taken one at a time, so that answers don't pile up.
func TestACPInput(t *testing.T) {
	var stream strings.Builder
	for id := range 5 {
		fmt.Fprintf(&stream, `{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":1}}`+"\n", id)
	}
	for _, size := range []int{1, 7, 100, 1000} {
		c, err := reactor.NewClient(t, reactor.Engines()[0].Open(t), reactor.ConfigJSON(core.Config{Seed: anySeed}, true))
		if err != nil {
			t.Fatal(err)
		}
		answers := 0
		for rest := stream.String(); rest != ""; {
			piece := rest[:min(size, len(rest))]
			n := c.HandleInput(epoch, []byte(piece))
			if n < 1 || n > len(piece) || strings.Contains(piece[:n-1], "\n") {
				t.Fatalf("got %d bytes taken of %q, want no more than a line", n, piece)
			}
			rest = rest[n:]
			for _, some := c.NextLine(); some; _, some = c.NextLine() {
				answers++
			}
		}
		if answers != 5 {
			t.Errorf("in pieces of %d bytes: got %d answers, want 5", size, answers)
		}
	}
}
