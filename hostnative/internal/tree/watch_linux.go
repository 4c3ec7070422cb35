package tree

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// How long a watch waits between two looks: watchPause while the tree computes, and up to
// idlePause while it does not, as then it can't take more memory or write. A look takes
// no more than a part of the time, one of watchShare.
const (
	watchPause = 100 * time.Millisecond
	idlePause  = time.Second
	watchShare = 20

	// longestPause bounds that: a look may have taken so long because it waited itself.
	longestPause = 2 * time.Second
)

// watch kills the tree when it is beyond one of the limits. It ends with the tree.
func (t *Tree) watch(l Limits, looked func()) {
	timer := time.NewTimer(watchPause)
	defer timer.Stop()
	defer t.rest.containment.orphans.delist(t.rest.ledger)
	var before strays.Use
	for pause := watchPause; ; timer.Reset(pause) {
		select {
		case <-t.ending:
			return
		case <-timer.C:
		}
		begun := time.Now()
		used, shared, alive := t.use()
		if !alive {
			return
		}
		if looked != nil {
			looked()
		}
		// Less than before is of those that have ended, and that nobody has waited for.
		used.CPU, used.Written = max(used.CPU, before.CPU), max(used.Written, before.Written)
		reason := l.beyond(used, shared)
		if reason == core.ReasonNone && l.Memory > 0 && t.outOfMemory() {
			reason = core.ReasonMemory // and the kernel has not killed all of it
		}
		if reason != core.ReasonNone {
			if t.beyond.CompareAndSwap(nil, &reason) && t.exceeded != nil {
				t.exceeded(reason)
			}
			t.Signal(unix.SIGKILL) // and again for what it has missed, until the tree is ended
		}
		pause = min(2*pause, idlePause)
		if used.CPU > before.CPU {
			pause = watchPause
		}
		if l.CPU > used.CPU { // as soon as it can be over
			pause = min(pause, max((l.CPU-used.CPU)/time.Duration(runtime.NumCPU()), watchPause/10))
		}
		pause = max(pause, min(watchShare*time.Since(begun), longestPause))
		before = used
	}
}

// beyond returns the limit that a tree has exceeded.
func (l Limits) beyond(used strays.Use, shared func() int64) core.Reason {
	switch {
	case l.Memory > 0 && used.Memory > l.Memory && shared() > l.Memory:
		return core.ReasonMemory
	case l.CPU > 0 && used.CPU > l.CPU:
		return core.ReasonCPU
	case l.Disk > 0 && used.Written > l.Disk:
		return core.ReasonDisk
	}
	return core.ReasonNone
}

// use returns what the tree's processes use together, and what tells how much of the memory
// that is if what they share counts once. It is not alive when nobody can be added to it.
func (t *Tree) use() (used strays.Use, shared func() int64, alive bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return used, nil, false
	}
	stat, _ := strays.ReadStat(t.pid)
	members, _ := t.rest.members(t.pid)
	members = append(members, member{t.pid, stat})
	used = t.rest.ledger.sum(members)
	if t.rest.cgroup != "" {
		all, _ := t.rest.cgroup.CPU()
		used.CPU = max(used.CPU, all-t.rest.computed) // with those that nobody has waited for
	}
	return used, func() (sum int64) {
		for _, m := range members {
			share, ok := strays.Share(m.pid)
			if !ok { // it has ended, or lets nobody look
				u, _ := strays.ReadUse(m.pid)
				share = u.Memory
			}
			sum += share
		}
		return sum
	}, true
}
