package driver

import (
	"sync"

	"github.com/terrarium-dev/terrarium/core"
)

// A Budget is a core.Budget for Drivers that share a limit: the connections of
// one server, say. It is safe for concurrent use, and comes after every lock of a
// Driver. The zero value lets nothing be taken.
type Budget struct {
	// Terminals and Bytes are how many may be taken. They must not change once
	// the Budget is in use.
	Terminals int
	Bytes     int64

	mu        sync.Mutex // guards what was taken
	terminals int
	bytes     int64
}

// Take implements core.Budget.
func (b *Budget) Take(terminals int, bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.terminals+terminals > b.Terminals:
		return &core.LimitError{Limit: "terminals", Max: int64(b.Terminals)}
	case b.bytes+bytes > b.Bytes:
		return &core.LimitError{Limit: "output_bytes", Max: b.Bytes}
	}
	b.terminals += terminals
	b.bytes += bytes
	return nil
}

// Give implements core.Budget.
func (b *Budget) Give(terminals int, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.terminals -= terminals
	b.bytes -= bytes
}

// Taken returns what is taken at the moment.
func (b *Budget) Taken() (terminals int, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.terminals, b.bytes
}
