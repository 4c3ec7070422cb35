package strays

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// A HostID names one process for as long as the machine is up, also after its
// pid was given to another: the inode of its pid namespace, its pid there, and
// when it was started, in clock ticks.
type HostID struct {
	Namespace uint64
	Pid       int
	Start     uint64
}

func (id HostID) String() string {
	return fmt.Sprintf("%d-%d-%d", id.Namespace, id.Pid, id.Start)
}

// Self returns the HostID of this process.
var Self = sync.OnceValues(func() (id HostID, err error) {
	if id.Namespace, err = namespace(); err != nil {
		return HostID{}, err
	}
	id.Pid = os.Getpid()
	s, err := ReadStat(id.Pid)
	id.Start = s.Start
	return id, err
})

// namespace returns the inode of this process's pid namespace, and an error if
// /proc shows another one's processes.
func namespace() (uint64, error) {
	if link, err := os.Readlink("/proc/self"); err != nil || link != strconv.Itoa(os.Getpid()) {
		return 0, errors.Join(errors.New("/proc does not show our pid namespace"), err)
	}
	var info unix.Stat_t
	if err := unix.Stat("/proc/self/ns/pid", &info); err != nil {
		return 0, os.NewSyscallError("stat /proc/self/ns/pid", err)
	}
	return info.Ino, nil
}

// ParseHostID is the inverse of String. rest is what follows after a "-".
func ParseHostID(s string) (id HostID, rest string, ok bool) {
	parts := strings.SplitN(s, "-", 4)
	if len(parts) < 3 {
		return HostID{}, "", false
	}
	namespace, err1 := strconv.ParseUint(parts[0], 10, 64)
	pid, err2 := strconv.ParseUint(parts[1], 10, 31)
	start, err3 := strconv.ParseUint(parts[2], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil || pid == 0 {
		return HostID{}, "", false
	}
	if len(parts) == 4 {
		rest = parts[3]
	}
	return HostID{namespace, int(pid), start}, rest, true
}

// Dead reports whether id is of our pid namespace and does not run any longer.
// Of another namespace this can't be known.
func (id HostID) Dead() bool {
	self, err := Self()
	if err != nil || id.Namespace != self.Namespace {
		return false
	}
	s, err := ReadStat(id.Pid)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		// Or /proc hides it (hidepid of proc_pid(5)), as it does keepers from others of
		// their user, who can't be traced. Then its start is not known, nor whether it
		// is the one: rather no sweep than one of what lives.
		return unix.Kill(id.Pid, 0) == unix.ESRCH
	}
	return err == nil && (s.Start != id.Start || s.Zombie)
}
