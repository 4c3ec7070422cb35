//go:build linux || darwin

package worker

import (
	"fmt"
	"sync"

	"github.com/terrarium-dev/terrarium/core"
)

// share is how much memory a command's guests have from the start, and by how
// much they get more, in bytes.
const share = 32 << 20

// A budget is the memory that all guests may have together, in bytes.
// It is safe for concurrent use.
type budget struct {
	max int64

	mu   sync.Mutex
	used int64
}

func newBudget(limit int64) *budget {
	if limit == 0 {
		limit = 4 << 30
	}
	return &budget{max: limit}
}

// take books n bytes, or nothing.
func (b *budget) take(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n < 0 || n > b.max-b.used {
		return false
	}
	b.used += n
	return true
}

func (b *budget) give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
}

// refusal says that there is no room for another command.
func (b *budget) refusal(name string) error {
	return &core.HostError{
		Reason:  "no_resources",
		Message: fmt.Sprintf("%s: no memory left: all commands together may have %d bytes", name, b.max),
	}
}
