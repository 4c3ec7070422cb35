//go:build linux || darwin

package hostnative_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// What has been written and not yet been handed over is known until it was.
func TestOutputPending(t *testing.T) {
	const size = 3000 // fits into any pty
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			p := start(t, newHost(t, hostnative.Config{}), m.mode(line(`printf %3000s x; sleep 1000 &`)))
			waitExit(t, p)
			pending := p.(driver.Pender).OutputPending
			if n := pending(); n < size || m.name == "pipe" && n != size {
				t.Errorf("before it is read: got %d bytes, want %d", n, size)
			}
			all := make(chan struct{})
			got := 0
			go p.Output(func(_ uint8, b []byte) { // ends by Close
				if n := pending(); n < len(b) || m.name == "pipe" && n < size-got {
					t.Errorf("with %d of %d bytes handed over: got %d", got, size, n)
				}
				for m.name == "pipe" && pending() > size-got { // the other pipe is being looked at
				}
				if got += len(b); got == size {
					close(all)
				}
			})
			<-all
			for pending() > 0 { // the sink is about to return
			}
		})
	}
}
