package hostnative

import (
	"crypto/rand"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A containment is how a Host keeps hold of what its commands start.
type containment struct {
	self      strays.HostID
	selfErr   error // why self is not known; then processes have no tag
	cgroups   cgroups
	cgroupErr error       // why there are none
	refused   atomic.Bool // the system does not start processes in cgroups
	subreaper bool
	reaperErr error // why not
}

// sweepLimit is how long New waits for what dead hosts have left to die.
const sweepLimit = 2 * time.Second

var errOff = errors.New("turned off by the configuration")

func newContainment(c Config) *containment {
	k := &containment{cgroupErr: errOff, reaperErr: errOff}
	k.self, k.selfErr = strays.Self()
	if !c.NoCgroup {
		k.cgroups.self = k.self
		if k.cgroups.in, k.cgroupErr = strays.Own(); k.cgroupErr == nil {
			k.cgroupErr = k.selfErr
		}
	}
	if !c.NoSubreaper {
		if k.reaperErr = k.selfErr; k.reaperErr == nil {
			k.reaperErr = becomeSubreaper()
		}
		k.subreaper = k.reaperErr == nil
	}
	sweepOnce()
	if k.selfErr == nil {
		watch.start(c.Helper, c.Env, k.self)
	}
	return k
}

var sweepOnce = sync.OnceFunc(func() { strays.Sweep(sweepLimit) })

// limit has each command's cgroup hold so many processes at the most.
func (k *containment) limit(processes int) error {
	if k.cgroupErr != nil {
		return k.cgroupErr
	}
	if err := k.cgroups.in.EnablePids(); err != nil {
		return err
	}
	k.cgroups.maxProcesses = processes
	return nil
}

// close removes what is kept for commands to come.
func (k *containment) close() { k.cgroups.close() }

// becomeSubreaper makes this program, rather than init, the parent of
// descendants whose own parent ends (PR_SET_CHILD_SUBREAPER). Without a list of
// its children (CONFIG_PROC_CHILDREN) it would never find them.
var becomeSubreaper = sync.OnceValue(func() error {
	if err := strays.ListsChildren(); err != nil {
		return err
	}
	return os.NewSyscallError("prctl PR_SET_CHILD_SUBREAPER", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
})

func (k *containment) newTree() *tree {
	t := &tree{containment: k}
	if k.selfErr == nil {
		t.tag = k.self.String() + "-" + rand.Text()
	}
	return t
}

// start starts a child in a tree of its own.
func (k *containment) start(path string, argv []string, env environ, attr *syscall.ProcAttr) (child, *tree, error) {
	t := k.newTree()
	if t.tag != "" {
		env.set(strays.Env, t.tag) // last: a command's own Env does not hide it
	}
	attr.Env = env.list

	for k.cgroupErr == nil && !k.refused.Load() {
		cgroup, used, err := k.cgroups.take()
		if err != nil && k.cgroups.maxProcesses > 0 {
			return child{}, t, err
		}
		if err != nil {
			break
		}
		c, err := startIn(cgroup, path, argv, attr)
		if err == nil {
			t.cgroup = cgroup
			return c, t, nil
		}
		k.cgroups.discard(cgroup)
		switch {
		case !refusesCgroup(err):
			return c, t, err
		case k.cgroups.maxProcesses > 0:
			return c, t, err
		case used:
			continue // somebody has changed it since it was given back
		}
		// It was the cgroup, unless the same happens without.
		if c, err = orphanage.start(path, argv, attr); err == nil {
			k.refused.Store(true)
		}
		return c, t, err
	}
	c, err := orphanage.start(path, argv, attr)
	return c, t, err
}

// startIn starts a child in a cgroup.
func startIn(cgroup strays.Cgroup, path string, argv []string, attr *syscall.ProcAttr) (child, error) {
	dir, err := cgroup.Open()
	if err != nil {
		return child{}, err
	}
	defer unix.Close(dir)
	attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, dir
	defer func() { attr.Sys.UseCgroupFD = false }()
	return orphanage.start(path, argv, attr)
}

// refusesCgroup reports whether an error of clone3(2) may mean its cgroup: an
// old kernel, a filter of system calls, no right to it, no processes in it.
func refusesCgroup(err error) bool {
	for _, refusal := range [...]error{unix.EBADF, unix.EPERM, unix.ENOSYS, unix.EOPNOTSUPP, unix.EBUSY, unix.EINVAL, unix.ENODEV} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}
