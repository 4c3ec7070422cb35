package hostnative

import (
	"maps"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// orphanage knows which children of this program are commands, and which came
// to it because their own parent has ended. Other children are none of its
// business: whoever has started those waits for them.
var orphanage = orphans{commands: make(map[int]bool), ours: make(map[int]uint64)}

type orphans struct {
	// mu is held for reading while a command is started or reaped, so that who
	// holds it for writing knows of every child whether it is a command.
	mu       sync.RWMutex
	add      sync.Mutex // guards commands, unless mu is held for writing
	commands map[int]bool
	ours     map[int]uint64 // children that were seen with a tag of ours, and when they were started
}

// start is startChild, for a command.
func (o *orphans) start(path string, argv []string, attr *syscall.ProcAttr) (child, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	c, err := startChild(path, argv, attr)
	if err == nil {
		o.add.Lock()
		o.commands[c.pid] = true
		o.add.Unlock()
	}
	return c, err
}

// reap reaps a command's zombie.
func (o *orphans) reap(c child) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	o.forget(c) // first: from when it is reaped, its number may be an orphan's
	c.reap()
}

// forget says that a command has been reaped. mu is held for reading.
func (o *orphans) forget(c child) {
	o.add.Lock()
	defer o.add.Unlock()
	delete(o.commands, c.pid)
}

// look returns the living orphans of t, and reaps the dead ones of all trees. It
// is sure if all others had an environment to look at. leader is t's command: its
// process group is of t also while it dies, when it has no environment any longer.
func (o *orphans) look(t *tree, leader int) (list []int, sure bool) {
	// Mostly there are none, and then no start has to wait for us, nor we for it.
	if !o.any() {
		return nil, true
	}
	self := t.containment.self
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := make(map[int]bool)
	children, sure := strays.Orphans()
	for _, pid := range children {
		if o.commands[pid] {
			continue
		}
		seen[pid] = true
		s, err := strays.ReadStat(pid)
		if err != nil {
			continue
		}
		if s.Zombie {
			if o.isOurs(pid, s) {
				unix.Wait4(pid, nil, unix.WNOHANG, nil)
				delete(o.ours, pid)
			}
			continue
		}
		if inGroup(s, leader) {
			o.ours[pid] = s.Start
			list = append(list, pid)
			continue
		}
		tag, known := strays.ReadTag(pid)
		sure = sure && known
		if id, _, ok := strays.ParseHostID(tag); ok && id == self {
			o.ours[pid] = s.Start
		}
		if tag != "" && tag == t.tag {
			list = append(list, pid)
		}
	}
	maps.DeleteFunc(o.ours, func(pid int, _ uint64) bool { return !seen[pid] })
	return list, sure
}

// any reports whether there may be a child that is not known to be a command. It
// may be one nevertheless, that is just being started or reaped.
func (o *orphans) any() bool {
	children, sure := strays.Orphans() // before add, so that those of later are not missed in commands
	o.add.Lock()
	defer o.add.Unlock()
	return !sure || slices.ContainsFunc(children, func(pid int) bool { return !o.commands[pid] })
}

// isOurs reports whether the zombie pid is an orphan, and not a child that
// another part of this program has started and will wait for. o.mu is held.
func (o *orphans) isOurs(pid int, s strays.Stat) bool {
	if o.ours[pid] == s.Start {
		return true
	}
	// A child is in our session or has begun its own: only an orphan can be in
	// a third one.
	if own, err := unix.Getsid(0); err == nil && s.Session != own && s.Session != pid {
		return true
	}
	return strays.WasCommand(pid) // zombies stay in theirs
}
