//go:build !unix

package conform

import "time"

// A pulse shows whether a command lives. It takes a FIFO, which only Unix has.
type pulse struct{ path string }

const hold = ""

func (t *trial) pulse() *pulse {
	t.skip("it takes a FIFO, which this system does not have")
	return nil
}

func (p *pulse) await(bool, time.Duration, <-chan struct{}) bool { return false }

func (p *pulse) close() {}
