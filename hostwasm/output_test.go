package hostwasm_test

import (
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// Output does not return while its sink runs, also after Close: who has called it may let go of
// what sink uses.
func TestOutputWaitsForItsSink(t *testing.T) {
	onEachEngine(t, func(t *testing.T, on backend) {
		checkLeaks(t)
		h := newHost(t, on, hostwasm.Config{})
		p := launch(t, h, command("flood"))
		entered, leave, returned := make(chan struct{}), make(chan struct{}), make(chan struct{})
		go func() { // ends with Close
			defer close(returned)
			first := true
			p.Output(func(uint8, []byte) {
				if first {
					first = false
					close(entered)
					<-leave
				}
			})
		}()
		<-entered
		go p.Close() // it may wait for the guest
		select {
		case <-returned:
			t.Error("it has returned while its sink ran")
		case <-time.After(200 * time.Millisecond):
		}
		close(leave)
		<-returned
		p.Close()
	})
}
