package strays

import (
	"path/filepath"
	"strings"
	"time"
)

// Calm is how many looks in a row must find nothing, where one may miss a
// process that is just executing another program and has no environment.
const Calm = 3

// Pause is between two looks: for a killed process to die.
const Pause = time.Millisecond

// Sweep kills what dead hosts have left, and removes their cgroups. What does
// not die within limit is left alone, and then it is not complete.
func Sweep(limit time.Duration) (complete bool) {
	return sweep(limit, HostID.Dead)
}

// SweepHost is Sweep for one host.
func SweepHost(id HostID, limit time.Duration) (complete bool) {
	return sweep(limit, func(other HostID) bool { return other == id })
}

func sweep(limit time.Duration, dead func(HostID) bool) (complete bool) {
	late := time.Now().Add(limit)
	// Each host is asked once: one that dies meanwhile is left for the next sweep.
	known := make(map[HostID]bool)
	ask := func(id HostID) bool {
		if _, ok := known[id]; !ok {
			known[id] = dead(id)
		}
		return known[id]
	}
	wanted := func(tag string) bool {
		id, rest, ok := ParseHostID(tag)
		return ok && rest != "" && ask(id)
	}
	for quiet := 0; quiet < Calm; {
		if !time.Now().Before(late) {
			return false
		}
		tagged, sure := KillTagged(wanted)
		found := tagged + sweepCgroups(ask)
		switch {
		case found > 0:
			quiet = 0
			time.Sleep(Pause)
		case sure:
			return true
		default:
			quiet++
			time.Sleep(Pause)
		}
	}
	return true
}

// sweepCgroups returns how many cgroups were not empty yet.
func sweepCgroups(dead func(HostID) bool) (found int) {
	own, err := Own()
	if err != nil {
		return 0
	}
	all := own.children()
	if above := own.parent(); above.writable() == nil { // as Delegated may say
		all = append(all, above.children()...)
	}
	for _, c := range all {
		name, ok := strings.CutPrefix(filepath.Base(string(c)), prefix)
		if !ok {
			continue
		}
		if id, rest, ok := ParseHostID(name); ok && rest != "" && dead(id) && c.Remove() != nil {
			c.Kill()
			found++
		}
	}
	return found
}
