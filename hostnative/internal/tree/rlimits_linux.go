package tree

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// Inherit has processes begin with the limit of file sizes, which this program then has itself:
// it writes no large files.
func (l Limits) Inherit() error {
	if l.FileSize == 0 {
		return nil
	}
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &now); err != nil {
		return err
	}
	now.Max = min(uint64(l.FileSize), now.Max)
	now.Cur = now.Max
	return unix.Setrlimit(unix.RLIMIT_FSIZE, &now)
}

// InheritOpenFiles has processes begin with the soft limit of open files, if this program then
// executes itself again: Go raises its own to the hard limit as it begins, and starts processes
// with what it was before. The hard limit this program needs itself: they have theirs from bound.
func (l Limits) InheritOpenFiles() error {
	if l.OpenFiles == 0 {
		return nil
	}
	var now syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &now); err != nil {
		return err
	}
	now.Cur = min(uint64(l.OpenFiles), now.Max)
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &now) // and Go forgets what it was before
}

// bound sets the limits of each process on a tree whose command was just started. That one may
// have started others already, so it is looked for those until there are no more.
func (t *Tree) bound(l Limits) error {
	if !l.ofEach() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := l.boundOne(t.pid); err != nil {
		return err
	}
	late := time.Now().Add(endLimit)
	var rest search
	for time.Now().Before(late) {
		members, d := t.rest.members(t.pid)
		more := false
		for _, m := range members {
			lowered, err := l.boundOne(m.pid)
			if err != nil {
				return err
			}
			more = more || lowered
		}
		switch {
		case more:
			rest.again()
		case rest.ends(d):
			return nil
		}
		time.Sleep(strays.Pause)
	}
	return fmt.Errorf("processes without limits came for %v", endLimit)
}

// boundOne sets the limits of a process, and reports whether it had higher ones. What it starts has
// the same.
func (l Limits) boundOne(pid int) (lowered bool, err error) {
	for resource, most := range map[int]uint64{unix.RLIMIT_FSIZE: uint64(l.FileSize), unix.RLIMIT_NOFILE: uint64(l.OpenFiles)} {
		if most == 0 {
			continue
		}
		var now unix.Rlimit
		err := unix.Prlimit(pid, resource, nil, &now)
		if err == nil {
			most = min(most, now.Max)
			lowered = lowered || now.Cur != most || now.Max != most
			err = unix.Prlimit(pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil)
		}
		if err != nil && err != unix.ESRCH { // it has ended
			return lowered, fmt.Errorf("limit process %d: %w", pid, err)
		}
	}
	return lowered, nil
}
