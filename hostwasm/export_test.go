package hostwasm

import (
	"testing"
	"time"
)

// SetStuckLimit sets for a test how long is waited for who does not answer.
func SetStuckLimit(t *testing.T, d time.Duration) {
	before := stuckLimit
	stuckLimit = d
	t.Cleanup(func() { stuckLimit = before })
}
