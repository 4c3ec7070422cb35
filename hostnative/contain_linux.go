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
	selfErr   error         // why self is not known; then processes have no tag
	cgroups   strays.Cgroup // where that of each command is made
	cgroupErr error         // why there is none
	refused   atomic.Bool   // the system does not start processes in cgroups
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
		if k.cgroups, k.cgroupErr = strays.Own(); k.cgroupErr == nil {
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
		watch.start(c.Helper, k.self)
	}
	return k
}

var sweepOnce = sync.OnceFunc(func() { strays.Sweep(sweepLimit) })

// becomeSubreaper makes this program, rather than init, the parent of
// descendants whose own parent ends (PR_SET_CHILD_SUBREAPER).
var becomeSubreaper = sync.OnceValue(func() error {
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

	if k.cgroupErr == nil && !k.refused.Load() {
		if dir, err := t.makeCgroup(); err == nil {
			attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, dir
			c, err := orphanage.start(path, argv, attr)
			unix.Close(dir)
			if err == nil {
				return c, t, nil
			}
			t.removeCgroup()
			if !refusesCgroup(err) {
				return c, t, err
			}
			// It was the cgroup, unless the same happens without.
			attr.Sys.UseCgroupFD = false
			if c, err = orphanage.start(path, argv, attr); err == nil {
				k.refused.Store(true)
			}
			return c, t, err
		}
	}
	c, err := orphanage.start(path, argv, attr)
	return c, t, err
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

// cgroups counts those that this program has made.
var cgroups atomic.Int64

// makeCgroup returns a descriptor of t's new cgroup.
func (t *tree) makeCgroup() (dir int, err error) {
	path := t.containment.cgroups.Of(t.containment.self, cgroups.Add(1))
	if err := unix.Mkdir(string(path), 0o755); err != nil {
		return -1, err
	}
	t.cgroup = path
	dir, err = unix.Open(string(path), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.removeCgroup()
	}
	return dir, err
}

// removeCgroup returns an error as long as there are processes in it.
func (t *tree) removeCgroup() error {
	err := t.cgroup.Remove()
	if err == nil {
		t.cgroup = ""
	}
	return err
}
