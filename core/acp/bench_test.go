package acp_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
)

// log is n bytes of what builds print.
func log(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "ok  \texample.com/project/internal/package%03d\t0.%03ds\tcoverage: \"%d%%\" of statements ✓\n", i, i%997, i%101)
	}
	return b.String()[:n]
}

// running returns a connection with one command that has written output, and
// the request for it.
func running(tb testing.TB, output string) (*peer, []byte) {
	p := newPeer(tb, acp.Config{}, core.Config{})
	id := p.create(`{"sessionId":"sess_abc123def456","command":"make"}`)
	p.registry.HandleOutput(p.now, id, 1, []byte(output))
	p.take()
	params := `{"sessionId":"sess_abc123def456","terminalId":"` + string(id) + `"}`
	return p, []byte(call(acp.MethodOutput, params))
}

// poll hands over a request and returns the length of the answer.
func (p *peer) poll(line []byte) int {
	p.conn.HandleMessage(p.now, line)
	answer, _ := p.conn.NextLine()
	return len(answer)
}

// BenchmarkTerminalOutput is terminal/output from the request's line to the
// answer's. The size counts output, not the bytes of the line.
func BenchmarkTerminalOutput(b *testing.B) {
	for _, c := range []struct {
		name string
		size int
	}{{"64B", 64}, {"1MiB", 1 << 20}} {
		output := log(c.size)
		b.Run(c.name, func(b *testing.B) {
			p, line := running(b, output)
			b.SetBytes(int64(c.size))
			b.ReportAllocs()
			for b.Loop() {
				if p.poll(line) < c.size {
					b.Fatal("the answer lacks output")
				}
			}
		})
		b.Run(c.name+"/encoding-json", func(b *testing.B) {
			b.SetBytes(int64(c.size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := json.Marshal(marshalled(output)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// marshalled is the same response for encoding/json, which is given the
// output as a string and neither decodes a request nor copies a ring.
func marshalled(output string) any {
	type result struct {
		Output    string `json:"output"`
		Truncated bool   `json:"truncated"`
	}
	return struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Result  result `json:"result"`
	}{"2.0", 1, result{output, false}}
}

// Agents poll: that costs a few small allocations, whatever the output's size.
func TestPollAllocations(t *testing.T) {
	for _, size := range []int{0, 64, 1 << 20} {
		p, line := running(t, log(size))
		p.poll(line) // grow the buffers
		allocs := testing.AllocsPerRun(100, func() { p.poll(line) })
		if most := 8.0; allocs > most {
			t.Errorf("%d bytes of output: got %v allocations, want at most %v", size, allocs, most)
		}
		t.Logf("%d bytes of output: %v allocations", size, allocs)
	}
}

// The reactor has no goroutines to offer.
func TestNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	p, line := running(t, log(64))
	p.poll(line)
	p.conn.HandleEOF(p.now)
	p.take()
	if got := runtime.NumGoroutine(); got > before {
		t.Errorf("got %d goroutines, want %d", got, before)
	}
}
