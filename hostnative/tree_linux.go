package hostnative

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A tree is what a command has started, and what that has started, whatever
// became of its process group. Its process's mu guards it.
type tree struct {
	containment *containment
	tag         string        // in the environment of each, unless it hides it
	cgroup      strays.Cgroup // "" if there is none, or none any longer
	killed      bool          // all in the cgroup were, by us, or it may be so
}

// looking holds a value for each look at /proc and each removal of a cgroup
// under way. The kernel has locks for these, and who waits for one takes a
// thread: closing a thousand commands at once should not take as many.
var looking = make(chan struct{}, maxStarting)

// A member is a living process of a tree.
type member struct {
	pid  int
	stat strays.Stat
}

// members returns those outside of leader's process group. It is sure if it
// can't have missed one that was there all the time.
func (t *tree) members(leader int) (list []member, sure bool) {
	looking <- struct{}{}
	defer func() { <-looking }()
	sure = true
	var pids []int
	if t.cgroup != "" {
		pids = t.cgroup.Processes(pids)
	}
	if t.containment.subreaper {
		// Whoever is no descendant of the command any longer is our child.
		var orphans []int
		orphans, sure = orphanage.look(t)
		if len(orphans) > 0 || t.cgroup == "" {
			pids = append(pids, descendants(append(orphans, leader))...)
		}
	}
	if t.cgroup == "" && !t.containment.subreaper {
		pids, sure = t.tagged(pids)
	}
	seen := map[int]bool{leader: true}
	for _, pid := range pids {
		if seen[pid] {
			continue
		}
		seen[pid] = true
		if s, err := strays.ReadStat(pid); err == nil && !s.Zombie && s.Group != leader {
			list = append(list, member{pid, s})
		}
	}
	return list, sure
}

// tagged appends all processes that have t's tag to list. It takes as long as
// there are processes on the machine: it is for where nothing better is.
func (t *tree) tagged(list []int) (_ []int, sure bool) {
	sure = true
	if t.tag == "" {
		return list, sure
	}
	for _, pid := range strays.Processes() {
		tag, known := strays.ReadTag(pid)
		if tag == t.tag {
			list = append(list, pid)
		}
		if !known {
			s, err := strays.ReadStat(pid)
			sure = sure && (err != nil || s.Zombie || s.Kernel)
		}
	}
	return list, sure
}

// descendants returns pids and all below them.
func descendants(pids []int) []int {
	for i := 0; i < len(pids); i++ {
		pids = strays.Children(pids, pids[i])
	}
	return pids
}

// signal sends sig to the members outside of leader's process group.
func (t *tree) signal(leader int, sig unix.Signal) {
	members, _ := t.members(leader)
	for _, m := range members {
		strays.Signal(m.pid, m.stat.Start, sig)
	}
}

// kill kills all members outside of leader's process group, which has been
// sent SIGKILL, and returns when they are dead, or an error when some are not
// at the time late.
func (t *tree) kill(leader int, late time.Time) error {
	for quiet := 0; quiet < strays.Calm; {
		if t.cgroup != "" {
			t.killed = true
			t.cgroup.Kill()
		}
		members, sure := t.members(leader)
		for _, m := range members {
			strays.Signal(m.pid, m.stat.Start, unix.SIGKILL)
		}
		switch {
		case len(members) > 0:
			if time.Now().After(late) {
				return fmt.Errorf("hostnative: process %d and %d others have survived SIGKILL", members[0].pid, len(members)-1)
			}
			quiet = 0
		case sure:
			return nil
		default:
			quiet++
		}
		time.Sleep(strays.Pause) // for them to die
	}
	return nil
}

// end is kill for when leader is dead, and gives the cgroup back. What is known
// of a command that has ended by itself is that it did not kill its own cgroup.
func (t *tree) end(leader int, byItself bool, late time.Time) error {
	if !byItself {
		t.killed = true
	}
	for first := true; !t.vacate(first); first = false {
		if !first {
			if time.Now().After(late) {
				return fmt.Errorf("hostnative: %s has survived SIGKILL", t.cgroup)
			}
			time.Sleep(strays.Pause)
		}
		if err := t.kill(leader, late); err != nil {
			return err
		}
		if t.cgroup == "" {
			return nil
		}
	}
	return nil
}

// vacate gives the cgroup back if there is one, all have died in it, and none
// lives outside of it, which it has to be sure of if kill was not called yet.
func (t *tree) vacate(first bool) bool {
	looking <- struct{}{}
	defer func() { <-looking }()
	if t.cgroup == "" || !t.cgroup.Empty() {
		return false
	}
	if t.containment.subreaper {
		orphans, sure := orphanage.look(t) // the zombies, too
		if len(orphans) > 0 || first && !sure {
			return false
		}
	}
	if t.containment.cgroups.giveBack(t.cgroup, t.killed) != nil {
		return false
	}
	t.cgroup = ""
	return true
}

// reap reaps the command's zombie.
func (t *tree) reap(c child) { orphanage.reap(c) }

// forget says that somebody else has reaped the command.
func (t *tree) forget(c child) {
	orphanage.mu.RLock()
	defer orphanage.mu.RUnlock()
	orphanage.forget(c)
}
