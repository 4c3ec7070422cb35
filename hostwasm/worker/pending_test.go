//go:build linux || darwin

package worker_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// What a command has written when it ends is pending until it was handed over,
// also what its worker has not passed on yet: here for want of room in the pipe.
func TestOutputPending(t *testing.T) {
	const size = 100_000 // more than a pipe holds
	h := newHost(t, worker.Config{Pool: -1})
	p := start(t, h, command("zeros", "100000"))
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	pending := p.(driver.Pender).OutputPending
	if n := pending(); n < size {
		t.Errorf("before it is read: got %d bytes, want at least %d", n, size)
	}
	got := 0
	p.Output(func(_ uint8, b []byte) {
		if n := pending(); n < size-got {
			t.Errorf("with %d of %d bytes handed over: got %d", got, size, n)
		}
		got += len(b)
	})
	if got != size {
		t.Errorf("got %d bytes, want %d", got, size)
	}
	for pending() > 0 { // the worker is about to end
	}
}

// A worker whose command has ended in time may live until its output was read.
func TestOverdueOutput(t *testing.T) {
	const size = 100_000 // more than a pipe holds
	p := start(t, newHost(t, worker.Config{Pool: -1}), command("zeros", "100000"))
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	worker.Overdue(p)
	got := 0
	p.Output(func(_ uint8, b []byte) { got += len(b) })
	if got != size {
		t.Errorf("got %d bytes, want %d", got, size)
	}
}
