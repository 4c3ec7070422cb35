package tree

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A Room is a cgroup for a command that another program starts, and is not believed
// about: whoever is in the room dies with it. Its methods are safe for concurrent use.
type Room struct {
	cgroups *cgroups

	mu     sync.Mutex
	cgroup strays.Cgroup // "" when it has ended
	killed bool          // all in it were, by us
}

// NewRoom makes a room. The error is errors.ErrUnsupported where there are no cgroups.
func (k *Containment) NewRoom() (*Room, error) {
	if k.cgroupErr != nil {
		return nil, fmt.Errorf("%v: %w", k.cgroupErr, errors.ErrUnsupported)
	}
	if k.refused.Load() {
		return nil, fmt.Errorf("the system starts no process in %s: %w", k.cgroups.in, errors.ErrUnsupported)
	}
	cgroup, _, err := k.cgroups.take(max(k.limits.Memory, k.limits.RoomMemory))
	if err != nil {
		return nil, err
	}
	return &Room{cgroups: &k.cgroups, cgroup: cgroup}, nil
}

// Cgroup returns the room's cgroup, or "" when it has ended.
func (r *Room) Cgroup() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.cgroup)
}

// Signal kills all in the room, if sig is SIGKILL. Other signals are for who has started
// them to send.
func (r *Room) Signal(sig unix.Signal) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if sig == unix.SIGKILL && r.cgroup != "" {
		r.kill()
	}
	return nil
}

// SignalGroup does nothing: a room has no process group.
func (r *Room) SignalGroup(unix.Signal) error { return nil }

// End kills all in the room, and calls killed. It returns when they are dead, or an error when
// something does not die within 5 s. Later calls go on with that.
func (r *Room) End(killed func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer killed()
	for late := time.Now().Add(endLimit); r.cgroup != ""; {
		if r.cgroup.Empty() && r.cgroups.giveBack(r.cgroup, r.killed) == nil {
			r.cgroup = ""
			return nil
		}
		if time.Now().After(late) {
			return fmt.Errorf("%s has survived SIGKILL for %v", r.cgroup, endLimit)
		}
		r.kill()
		time.Sleep(strays.Pause) // for them to die
	}
	return nil
}

// kill kills all in the room. mu is held.
func (r *Room) kill() {
	r.killed = true
	if r.cgroup.Kill() == nil {
		return
	}
	for _, pid := range r.cgroup.Processes(nil) { // before Linux 5.14
		if s, err := strays.ReadStat(pid); err == nil && r.cgroup.Holds(pid) {
			strays.Signal(pid, s.Start, unix.SIGKILL)
		}
	}
}
