package tree

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A ledger sums up what a tree uses. The kernel adds what a process has computed and written to
// what its parent has when that waits for it. But what is an orphan is waited for by us, or by
// init, and its sums would be gone with it.
type ledger struct {
	mu   sync.Mutex
	last map[life]entry // those of the last look, and their zombies
	gone strays.Use     // of those that nobody of the tree has waited for
}

// An entry is what a process had used at the last look.
type entry struct {
	parent int
	used   strays.Use
}

// sum returns what the tree has used, whose processes are members.
func (g *ledger) sum(members []member) (all strays.Use) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := make(map[life]entry, len(members))
	for _, m := range members {
		used, _ := strays.ReadUse(m.pid) // what has just ended has nothing
		now[m.life()] = entry{m.stat.Parent, used}
	}
	for l, e := range g.last {
		if _, ok := now[l]; ok {
			continue
		}
		if s, err := strays.ReadStat(l.pid); err == nil && s.Start == l.start {
			used, _ := strays.ReadUse(l.pid) // nobody has waited for it
			used.Written = max(used.Written, e.used.Written)
			now[l] = entry{s.Parent, used}
		}
	}
	for l, e := range g.last {
		if _, ok := now[l]; !ok && !g.waitedFor(e, now) {
			g.lose(e.used)
		}
	}
	g.last = now
	all = g.gone
	for _, e := range now {
		all.CPU += e.used.CPU
		all.Memory += e.used.Memory
		all.Written += e.used.Written
	}
	return all
}

// waitedFor reports whether somebody is there of the tree who may have waited for e, which is
// gone: its parent, or who may have waited for that one.
func (g *ledger) waitedFor(e entry, now map[life]entry) bool {
	for range len(g.last) {
		var above *entry
		for l, other := range g.last {
			if l.pid != e.parent {
				continue
			}
			if _, ok := now[l]; ok {
				return true
			}
			above = &other
		}
		if above == nil {
			return false
		}
		e = *above
	}
	return false
}

func (g *ledger) lose(used strays.Use) {
	g.gone.CPU += used.CPU
	g.gone.Written += used.Written
}

// enlist returns the ledger of a new tree, which is in a cgroup or "".
func (o *orphans) enlist(in strays.Cgroup) *ledger {
	g := new(ledger)
	if o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.ledgers[g] = in
	}
	return g
}

func (o *orphans) delist(g *ledger) {
	if o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.ledgers, g)
	}
}

// settle reaps a zombie, and has the ledger of its tree keep what it has used. o.mu is held.
func (o *orphans) settle(pid int) {
	s, err := strays.ReadStat(pid)
	g := o.ledgerOf(life{pid, s.Start})
	if err != nil || g == nil {
		unix.Wait4(pid, nil, unix.WNOHANG, nil)
		return
	}
	g.mu.Lock() // for both: between them a look would count it as well
	defer g.mu.Unlock()
	// A zombie's io in /proc is for root only. But it is what ru_oublock counts, in 512 bytes
	// (getrusage in Linux's kernel/sys.c).
	var usage unix.Rusage
	if got, _ := unix.Wait4(pid, nil, unix.WNOHANG, &usage); got == pid {
		delete(g.last, life{pid, s.Start})
		g.lose(strays.Use{CPU: time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), Written: usage.Oublock << 9})
	}
}

// ledgerOf returns the ledger of the tree that an orphan's zombie is of, as far as that is to be
// known: it has no environment any longer. If there is one tree only, it is of that.
func (o *orphans) ledgerOf(l life) *ledger {
	var only *ledger
	for g, cgroup := range o.ledgers {
		g.mu.Lock()
		_, ok := g.last[l]
		g.mu.Unlock()
		if ok || cgroup != "" && cgroup.Holds(l.pid) {
			return g
		}
		if cgroup == "" {
			only = g
		}
	}
	if len(o.ledgers) > 1 {
		return nil
	}
	return only
}
