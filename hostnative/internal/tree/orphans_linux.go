package tree

import (
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// orphans are those children of a subreaper that came to it because their own
// parent has ended. All others are commands. A nil orphans is of a program that
// gets none.
type orphans struct {
	mu       sync.Mutex
	commands map[int]bool // children that were started, and not reaped

	// starting are the cgroups of children that may have been started and that
	// commands does not have yet: "" of those that have none.
	starting map[strays.Cgroup]int

	ledgers map[*ledger]strays.Cgroup // of trees whose use is limited

	// unknown are those who had no variables at the last look, and since when: they are
	// executing a program, or have none for good and compute.
	unknown map[life]time.Time
}

func newOrphans() *orphans {
	return &orphans{commands: make(map[int]bool), starting: make(map[strays.Cgroup]int), ledgers: make(map[*ledger]strays.Cgroup)}
}

// start is startChild, for a command. It holds no lock meanwhile: a file system
// that does not answer keeps execve(2), and so this, from returning.
func (o *orphans) start(path string, argv []string, attr *syscall.ProcAttr, in strays.Cgroup) (child, error) {
	if o == nil {
		return startChild(path, argv, attr)
	}
	o.mu.Lock()
	o.starting[in]++
	o.mu.Unlock()
	c, err := startChild(path, argv, attr)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.starting[in]--; o.starting[in] == 0 {
		delete(o.starting, in)
	}
	if err == nil {
		o.commands[c.pid] = true
	}
	return c, err
}

// reap reaps a command's zombie.
func (o *orphans) reap(c child) {
	if o == nil {
		c.reap()
		return
	}
	// With the lock held for both: between them the number would be an orphan's for
	// look, or else the next command's to lose.
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.commands, c.pid)
	c.reap()
}

// forget says that somebody else has reaped a command.
func (o *orphans) forget(c child) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.commands, c.pid)
}

// look returns the living orphans of f, and reaps the dead ones of all trees. The
// doubt is about those without variables: one may be executing a program just now. Who sleeps
// without any is not, and nobody can tell whose it is: nobody waits for it.
// leader is f's command: its process group is of f also while it dies, when it has no
// environment any longer.
func (o *orphans) look(f *offspring, leader int) (list []int, d doubt) {
	o.mu.Lock()
	defer o.mu.Unlock()
	children, sure := strays.Orphans()
	d.unsure = !sure
	unknown := make(map[life]time.Time)
	for _, pid := range children {
		if o.commands[pid] {
			continue
		}
		s, err := strays.ReadStat(pid)
		if err != nil {
			continue
		}
		if s.Zombie {
			o.reapOrphan(pid)
			continue
		}
		if inGroup(s, leader) {
			list = append(list, pid)
			continue
		}
		tag, known := strays.IsTagged(pid)
		if f.isMine(tag) {
			list = append(list, pid)
		}
		if known || f.isOthers(pid) || strays.IsBare(pid) {
			continue
		}
		l := life{pid, s.Start}
		since, before := o.unknown[l]
		if !before {
			since = time.Now()
		}
		unknown[l] = since
		d.unsure = true
		d.executing = d.executing || time.Since(since) < strays.ExecLimit
	}
	o.unknown = unknown
	return list, d
}

// isOthers reports whether an orphan without variables is of another tree: where each has a
// cgroup, and that of f is empty.
func (f *offspring) isOthers(pid int) bool {
	return f.cgroup != "" && strays.WasCommand(pid) && !f.cgroup.Holds(pid)
}

// reapDead reaps the dead orphans of all trees, which nobody else waits for.
func (o *orphans) reapDead() {
	o.mu.Lock()
	defer o.mu.Unlock()
	children, _ := strays.Orphans()
	for _, pid := range children {
		if s, err := strays.ReadStat(pid); err == nil && s.Zombie {
			o.reapOrphan(pid)
		}
	}
}

// kill kills all orphans, whose children become orphans then, and reports whether there were any
// that it could kill.
func (o *orphans) kill() (found bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	children, _ := strays.Orphans()
	for _, pid := range children {
		s, err := strays.ReadStat(pid)
		switch {
		case err != nil || o.commands[pid]:
		case s.Zombie:
			o.reapOrphan(pid)
		default:
			found = strays.Signal(pid, s.Start, unix.SIGKILL) || found
		}
	}
	return found
}

// reapOrphan reaps the zombie pid if it is no command's. o.mu is held.
//
// While a command is being started it may be that one, which has ended already:
// whoever starts it would wait for it in vain. It is, if it was in its cgroup, or there
// is none to tell by. Then the zombie is for the next look.
func (o *orphans) reapOrphan(pid int) {
	if o.commands[pid] {
		return
	}
	for cgroup := range o.starting {
		if cgroup == "" || cgroup.Holds(pid) {
			return
		}
	}
	o.settle(pid)
}
