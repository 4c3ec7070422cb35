package hostwasm

import (
	"fmt"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// SetStuckLimit sets for a test how long is waited for who does not answer.
func SetStuckLimit(t *testing.T, d time.Duration) {
	before := stuckLimit
	stuckLimit = d
	t.Cleanup(func() { stuckLimit = before })
}

// WaitForFetched has a command's end wait for what it fetched, however long the Fetcher takes.
func WaitForFetched() { fetchedLimit = time.Hour }

// SetMaxLeft sets for a test how many starts may be left behind.
func SetMaxLeft(t *testing.T, n int64) {
	before := maxLeft
	maxLeft = n
	t.Cleanup(func() { maxLeft = before })
}

// Booked returns what is booked on a host whose commands have ended, when the
// sessions have lost their /tmp: nothing.
func (h *Host) Booked() (memory, processes int64) {
	for i := range maxScratch {
		if tmp, err := h.config.Tmp(core.SessionID(fmt.Sprint("other ", i))); err == nil {
			tmp.Close()
		}
	}
	return h.account.memory.used.Load(), h.account.processes.used.Load()
}
