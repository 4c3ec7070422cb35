package hostwasm_test

import (
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// A program written in Go does the same on each engine: what it writes, how it
// ends, the memory it has, and, since its clock and its random numbers are the
// same, every unit of fuel. (Not where it waits for a reader of its output, who
// takes now more and now less.)
func TestSameOnEachEngine(t *testing.T) {
	all := allBackends()
	if len(all) < 2 {
		t.Skip("one engine: needs -tags wasmtime")
	}
	var hosts []*hostwasm.Host
	for _, on := range all {
		hosts = append(hosts, newHost(t, on, hostwasm.Config{
			Deterministic: true,
			Limits:        hostwasm.Limits{Memory: 32 << 20, Fuel: comparedFuel},
		}))
	}
	for _, args := range [][]string{
		{"exit", "7"}, {"exit", "-1"}, {"print", "a b", "", "\xff"}, {"streams"}, {"zeros", "50000"}, {"pwd"},
		{"getenv", "PATH"}, {"ls", "/"}, {"ls", "/dev"}, {"ls", "/nowhere"}, {"read", "/etc/passwd"}, {"write", "/bin/x", "y"},
		{"write", "/tmp/x", "y"}, {"onebyte", "1000"}, {"panic"}, {"grow"}, {"spin"}, {"none"},
	} {
		t.Run(args[0], func(t *testing.T) {
			var results []result
			for _, h := range hosts {
				results = append(results, run(t, h, core.Command{Command: "guest", Args: args}))
			}
			for i, got := range results[1:] {
				want := results[0]
				if got.exit != want.exit {
					t.Errorf("%s: got %+v, want %+v", all[i+1].name, got.exit, want.exit)
				}
				if got.stdout != want.stdout || got.stderr != want.stderr {
					t.Errorf("%s: got %.200q, %.200q, want %.200q, %.200q",
						all[i+1].name, got.stdout, got.stderr, want.stdout, want.stderr)
				}
			}
			if results[0].exit.Usage.Fuel == 0 || strings.Contains(results[0].stderr, "fatal error") && args[0] != "grow" {
				t.Errorf("got %+v, %s", results[0].exit, results[0].stderr)
			}
		})
	}
}
