//go:build linux || darwin

package worker

import (
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver"
)

// SetStuckLimit sets for a test how long is waited for a worker to end.
func SetStuckLimit(t *testing.T, d time.Duration) {
	before := stuckLimit
	stuckLimit = d
	t.Cleanup(func() { stuckLimit = before })
}

// Overdue is what is done when a process's time is over.
func Overdue(p driver.Process) { p.(*process).overdue() }
