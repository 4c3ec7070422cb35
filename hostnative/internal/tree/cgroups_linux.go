package tree

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// cgroups has those of a Host's commands. To make one, to be the first in it
// and to remove it takes 0.1 ms, a fifth of what a short command takes. So a
// few are used again: those that nobody is in, that are as they were made, and
// whose command has ended by itself.
type cgroups struct {
	in           strays.Cgroup
	self         strays.HostID
	maxProcesses int  // in each, if not 0
	holdsMemory  bool // the kernel can limit the memory of each

	mu     sync.Mutex
	spare  []strays.Cgroup // at most maxSpare
	left   []strays.Cgroup // that discard could not remove
	asMade string          // the Settings of a new one, "" as long as there was none
	closed bool            // none is used again
}

// maxSpare is how many are kept.
const maxSpare = 4

// made counts the cgroups that this program has made.
var made atomic.Int64

// take returns a cgroup that nobody is in, for a command that may have so much memory. One with
// a controller of memory is not used again: see Settings.
func (g *cgroups) take(memory int64) (c strays.Cgroup, used bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if last := len(g.spare) - 1; last >= 0 {
		c, g.spare = g.spare[last], g.spare[:last]
		return c, true, nil
	}
	c = g.in.Of(g.self, made.Add(1))
	if err := unix.Mkdir(string(c), 0o755); err != nil {
		return "", false, err
	}
	if err := g.limit(c, memory); err != nil {
		c.Remove()
		return "", false, err
	}
	if g.asMade == "" {
		g.asMade = c.Settings()
	}
	return c, false, nil
}

// limit sets what a new cgroup may have: so many bytes of memory, if not 0 and the kernel can.
func (g *cgroups) limit(c strays.Cgroup, memory int64) error {
	if g.maxProcesses > 0 {
		if err := c.LimitPids(g.maxProcesses); err != nil {
			return fmt.Errorf("limit the processes of %s: %w", c, err)
		}
	}
	if memory > 0 && g.holdsMemory {
		if err := c.LimitMemory(memory); err != nil {
			return fmt.Errorf("limit the memory of %s: %w", c, err)
		}
	}
	return nil
}

// giveBack keeps or removes a cgroup that its command is done with. The error
// is unix.EBUSY if there are processes in it.
//
// One whose processes were killed by cgroup.kill is not used again: on Linux
// 6.18 whatever is started in it is killed, too, since clone3(2) compares how
// often its cgroup was killed with how often its parent's was.
func (g *cgroups) giveBack(c strays.Cgroup, killed bool) error {
	settings := ""
	if !killed {
		settings = c.Settings()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed && len(g.spare) < maxSpare && settings != "" && settings == g.asMade {
		g.spare = append(g.spare, c)
		return nil
	}
	return c.Remove()
}

// discard is giveBack for one that no command could be started in. Who tried
// may be in it for a moment after it was reaped: if that takes long, as on a busy machine, close
// removes it.
func (g *cgroups) discard(c strays.Cgroup) {
	for late := time.Now().Add(time.Second); g.giveBack(c, false) != nil; time.Sleep(strays.Pause) {
		if time.Now().After(late) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.left = append(g.left, c)
			return
		}
	}
}

// close removes those that are kept or left. After it none is kept.
func (g *cgroups) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for _, c := range slices.Concat(g.spare, g.left) {
		c.Remove()
	}
	g.spare, g.left = nil, nil
}
