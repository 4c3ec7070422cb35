package tree

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// offspring is what a command has started, and what that has started, whatever
// became of its process group. Its Tree's mu guards it.
type offspring struct {
	containment *Containment
	tag         string        // in the environment of each, or how it begins, unless it hides it
	cgroup      strays.Cgroup // "" if there is none, or none any longer
	killed      bool          // all in the cgroup were, by us, or it may be so
	computed    time.Duration // by others, before, in the cgroup
	ledger      *ledger       // nil if nobody looks at what the tree uses
}

// Cgroup returns the cgroup that the command is in, "" if it has none of its own or
// has none any longer.
func (t *Tree) Cgroup() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.rest.cgroup)
}

// outOfMemory reports whether the kernel has killed somebody in the cgroup because of its limit.
func (t *Tree) outOfMemory() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rest.cgroup != "" && t.rest.cgroup.OutOfMemory()
}

// looking holds a value for each look at /proc and each removal of a cgroup
// under way. The kernel has locks for these, and who waits for one takes a
// thread: closing a thousand commands at once should not take as many.
var looking = make(chan struct{}, maxLooking)

const maxLooking = 4

// A member is a living process of a tree.
type member struct {
	pid  int
	stat strays.Stat
}

// A life tells a process from a later one that is given the same number.
type life struct {
	pid   int
	start uint64
}

func (m member) life() life { return life{m.pid, m.stat.Start} }

// A candidate is a process that was just listed as one of a tree. Until it is
// looked at, its number may have been given to a stranger: its stat is read, and
// then proof is asked whether that is still one of the tree.
type candidate struct {
	pid   int
	proof func(pid int, s strays.Stat) bool
}

// members returns all but leader. Without a doubt it can't have missed one that
// was there all the time.
func (f *offspring) members(leader int) (list []member, d doubt) {
	var found []candidate
	if f.cgroup == "" && f.containment.orphans == nil {
		found, d = f.tagged(leader) // who shares a census needs no value of looking meanwhile
	}
	looking <- struct{}{}
	defer func() { <-looking }()
	if f.cgroup != "" {
		for _, pid := range f.cgroup.Processes(nil) {
			found = append(found, candidate{pid, f.inCgroup})
		}
	}
	if f.containment.orphans != nil {
		found, d = f.below(leader, found)
	}
	list, whole := confirm(leader, found)
	d.unsure = d.unsure || !whole
	return list, d
}

// confirm returns those of found that live and are what they were listed as. They
// are whole if all are, but for zombies of others: one that has died meanwhile may
// have left an orphan.
func confirm(leader int, found []candidate) (list []member, whole bool) {
	whole = true
	seen := map[int]bool{leader: true}
	for _, c := range found {
		if seen[c.pid] {
			continue
		}
		s, err := strays.ReadStat(c.pid)
		switch {
		case err != nil:
			// It has ended since, and was reaped: an orphan by reapDead. What it has
			// started is our child by now, and in no list.
			whole = false
			continue
		case s.Zombie:
			whole = whole && s.Parent != unix.Getpid()
			continue
		}
		if !c.proof(c.pid, s) {
			// A stranger; or one of the tree whose parent has died since, or that is
			// executing a program and has no tag meanwhile.
			whole = false
			continue
		}
		seen[c.pid] = true
		list = append(list, member{c.pid, s})
	}
	return list, whole
}

// below appends the descendants of leader, and the orphans of the tree with
// theirs: whoever is no descendant of the command any longer is our child.
func (f *offspring) below(leader int, list []candidate) (_ []candidate, d doubt) {
	before, knownBefore := strays.Orphans()
	orphans, d := f.containment.orphans.look(f, leader)
	if len(orphans) == 0 && f.cgroup != "" {
		return list, d
	}
	for _, pid := range orphans {
		list = append(list, candidate{pid, func(pid int, s strays.Stat) bool { return inGroup(s, leader) || f.hasTag(pid, s) }})
	}
	roots := append(orphans, leader)
	pids, known := strays.Descendants(roots)
	family := append(roots, pids...)
	for _, pid := range pids {
		list = append(list, candidate{pid, childOf(family)})
	}
	// A process may have ended after the orphans were listed and before its own
	// children were: they are orphans now.
	after, knownAfter := strays.Orphans()
	d.unsure = d.unsure || !(known && knownBefore && knownAfter && slices.Equal(before, after))
	return list, d
}

// tagged returns all processes that have f's tag.
func (f *offspring) tagged(leader int) (list []candidate, d doubt) {
	if f.tag == "" {
		return nil, d
	}
	for _, p := range takeCensus() {
		if f.isMine(p.tag) {
			list = append(list, candidate{p.pid, f.hasTag})
		}
		if p.known || p.stat.Kernel || p.pid == leader && p.stat.Zombie {
			continue
		}
		d.unsure = true // also if it has ended since it was listed: it may have forked before
		d.executing = d.executing || !p.gone && !p.stat.Zombie
	}
	return list, d
}

// inGroup reports whether s is of leader's process group. While leader or its
// zombie is there, no other group has its number.
func inGroup(s strays.Stat, leader int) bool { return leader != 0 && s.Group == leader }

func childOf(family []int) func(int, strays.Stat) bool {
	return func(_ int, s strays.Stat) bool { return slices.Contains(family, s.Parent) }
}

func (f *offspring) inCgroup(pid int, _ strays.Stat) bool { return f.cgroup.Holds(pid) }

func (f *offspring) hasTag(pid int, _ strays.Stat) bool {
	tag, _ := strays.ReadTag(pid)
	return f.isMine(tag)
}

// isMine reports whether tag is of f, or of a command of f where that is a keeper.
func (f *offspring) isMine(tag string) bool {
	rest, ok := strings.CutPrefix(tag, f.tag)
	return ok && f.tag != "" && (rest == "" || strings.HasPrefix(rest, tagBelow))
}

// minLooks is how often signal looks at least. A second one finds what the first has missed, and
// a third one that nobody is new.
const minLooks = 3

// signal sends sig to each member outside of leader's process group, once. The
// group has been sent it. After the time late, and minLooks, it gives up.
//
// One look is not enough:
//
//   - A process that is listed forks before the signal reaches it. Its child is
//     in no list.
//   - A process executes another program just then. It has no environment to be
//     known by.
//   - A fork is under way when the signal comes, and goes on. The child enters
//     its cgroup only after that, while the parent is still to be seen.
//
// So it looks until nobody is new, and nobody there who is about to end by sig.
func (f *offspring) signal(leader int, sig unix.Signal, late time.Time) {
	sent := make(map[life]bool) // true if it got sig
	first := true
	var rest search
	// Time alone would end it before it has looked, where this process stands still just then.
	for looks := 0; looks < minLooks || time.Now().Before(late); looks++ {
		members, d := f.members(leader)
		found, ending := false, false
		for _, m := range members {
			if inGroup(m.stat, leader) {
				continue
			}
			got, known := sent[m.life()]
			if known {
				ending = ending || got && !m.stat.Stopped && strays.ReadSignals(m.pid).Ends(sig)
				continue
			}
			found = true
			spared := !first && answers(members, leader, m.stat.Parent, sig)
			sent[m.life()] = !spared && strays.Signal(m.pid, m.stat.Start, sig)
		}
		first = false
		switch {
		case found:
			rest.again()
			continue
		case ending:
			rest.again()
		case rest.ends(d):
			return
		}
		time.Sleep(strays.Pause)
	}
}

// answers reports whether parent, which has been sent sig, is of the tree, lives
// and handles it. What it forks from then on may be its answer, as a shell's trap
// that clears away: such a child is not for us to end.
func answers(members []member, leader, parent int, sig unix.Signal) bool {
	ofTree := slices.ContainsFunc(members, func(m member) bool { return m.pid == parent })
	if !ofTree {
		s, err := strays.ReadStat(parent)
		ofTree = err == nil && s.Group == leader
	}
	return ofTree && strays.ReadSignals(parent).Handles(sig)
}

// kill kills all members, and returns when they are dead, or an error when some
// are not at the time late. leader's process group has been sent SIGKILL; with
// group, it is waited for as well.
func (f *offspring) kill(leader int, group bool, late time.Time) error {
	var rest search
	for {
		if f.cgroup != "" {
			f.killed = true
			f.cgroup.Kill()
		}
		began := time.Now()
		members, d := f.members(leader)
		if !group {
			members = slices.DeleteFunc(members, func(m member) bool { return inGroup(m.stat, leader) })
		}
		for _, m := range members {
			strays.Signal(m.pid, m.stat.Start, unix.SIGKILL)
		}
		switch {
		case len(members) > 0:
			if began.After(late) { // a look that began sooner may have ended much later
				return fmt.Errorf("process %d and %d others have survived SIGKILL", members[0].pid, len(members)-1)
			}
			rest.again()
		case rest.ends(d):
			return nil
		}
		time.Sleep(strays.Pause) // for them to die
	}
}

// end is kill for when leader is dead, and gives the cgroup back. What is known
// of a command that has ended by itself is that it did not kill its own cgroup.
func (f *offspring) end(leader int, byItself bool, late time.Time) error {
	if !byItself {
		f.killed = true
	}
	for first := true; !f.vacate(leader, first); first = false {
		if !first {
			if time.Now().After(late) {
				return fmt.Errorf("%s has survived SIGKILL", f.cgroup)
			}
			time.Sleep(strays.Pause)
		}
		if err := f.kill(leader, true, late); err != nil {
			return err
		}
		if f.cgroup == "" {
			return nil
		}
	}
	return nil
}

// vacate gives the cgroup back if there is one, all have died in it, and none
// lives outside of it, which it has to be sure of if kill was not called yet.
func (f *offspring) vacate(leader int, first bool) bool {
	looking <- struct{}{}
	defer func() { <-looking }()
	if f.cgroup == "" || !f.cgroup.Empty() {
		return false
	}
	if f.containment.orphans != nil {
		orphans, d := f.containment.orphans.look(f, leader) // the zombies, too
		if len(orphans) > 0 || first && d.unsure {
			return false
		}
	}
	if f.containment.cgroups.giveBack(f.cgroup, f.killed) != nil {
		return false
	}
	f.cgroup = ""
	return true
}

// settle is vacate for when nobody was killed, and reports whether there is nothing
// left. leader is dead.
func (f *offspring) settle(leader int, byItself bool) bool {
	if !byItself {
		f.killed = true
	}
	switch {
	case f.cgroup != "":
		return f.vacate(leader, true)
	case f.containment.orphans != nil:
		members, d := f.members(leader)
		return !d.unsure && len(members) == 0
	}
	return false // it takes a look at every process of the machine: only end has to
}

// reap reaps the command's zombie.
func (f *offspring) reap(c child) { f.containment.orphans.reap(c) }

// forget says that somebody else has reaped the command.
func (f *offspring) forget(c child) { f.containment.orphans.forget(c) }
