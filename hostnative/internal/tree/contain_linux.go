package tree

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A Config says by which means a Containment keeps hold of trees.
type Config struct {
	// NoCgroup keeps commands in this program's own cgroup.
	NoCgroup bool

	// Subreaper makes this program the parent of orphans, for good, and reaps all
	// children that it gets and has not started by Start: it is for a program that
	// starts none in other ways, and ends no threads. Commands die with it.
	Subreaper bool

	// Limits are what each tree may use. Looked, if not nil, is called whenever it was
	// looked at what one uses; that leaves some garbage.
	Limits Limits
	Looked func()

	// Below is the tag of this program, if it is itself a command of a keeper that
	// is to know its commands, too, and that confines it. Else it is "".
	Below string
}

// A Containment is how this program keeps hold of what its commands start. It is
// safe for concurrent use.
type Containment struct {
	self      strays.HostID
	selfErr   error  // why self is not known; then processes have no tag
	tags      string // how the tags of commands begin
	cgroups   cgroups
	cgroupErr error       // why there are none
	refused   atomic.Bool // the system does not start processes in cgroups
	orphans   *orphans    // nil if this is no subreaper
	dying     bool        // commands die with this program
	reaperErr error       // why not
	limits    Limits
	limitErr  error // why not all of limits hold
	looked    func()
	confined  bool // it may not set limits of others: they have those that they begin with
}

var (
	errOff      = errors.New("turned off by the configuration")
	errNoKeeper = errors.New("orphans become children of init: there is no keeper")
)

// New returns a Containment.
func New(c Config) *Containment {
	k := &Containment{cgroupErr: errOff, reaperErr: errNoKeeper, limits: c.Limits, looked: c.Looked}
	k.self, k.selfErr = strays.Self()
	k.tags = k.self.String() + "-"
	if c.Below != "" {
		k.confined = true
		k.tags = c.Below + tagBelow
	}
	if !c.NoCgroup {
		k.cgroups.self = k.self
		if k.cgroups.in, k.cgroupErr = strays.Own(); k.cgroupErr == nil {
			k.cgroupErr = k.selfErr
		}
	}
	k.limitErr = k.delegate()
	if c.Subreaper {
		k.dying = true
		if k.reaperErr = k.selfErr; k.reaperErr == nil {
			k.reaperErr = becomeSubreaper()
		}
		if k.reaperErr == nil {
			k.orphans = newOrphans()
		}
	}
	return k
}

// delegate has cgroups be where they can have the limits that the kernel is to keep to. Memory
// is watched where it can't; but the error says why processes can't be limited.
func (k *Containment) delegate() error {
	if k.cgroupErr != nil {
		return k.unlimited(k.cgroupErr)
	}
	var need []strays.Controller
	if k.limits.Processes > 0 {
		need = append(need, strays.Pids)
	}
	if k.limits.Memory > 0 || k.limits.RoomMemory > 0 {
		if in, err := strays.TakeDelegated(append(need, strays.Memory)); err == nil {
			k.cgroups.in, k.cgroups.holdsMemory, k.cgroups.maxProcesses = in, true, k.limits.Processes
			return nil
		}
	}
	if len(need) == 0 {
		return nil
	}
	in, err := strays.TakeDelegated(need)
	if err == nil {
		k.cgroups.in, k.cgroups.maxProcesses = in, k.limits.Processes
	}
	return k.unlimited(err)
}

// unlimited returns an error if it matters.
func (k *Containment) unlimited(err error) error {
	if err == nil || k.limits.Processes == 0 {
		return nil
	}
	return fmt.Errorf("processes: %w", err)
}

// Limited says why trees can't be limited as Config.Limits says, or nil.
func (k *Containment) Limited() error { return k.limitErr }

// Close removes what is kept for commands to come.
func (k *Containment) Close() { k.cgroups.close() }

// ReapOrphans reaps what has ended of what nobody else waits for. The end of a tree
// does so, too.
func (k *Containment) ReapOrphans() {
	if k.orphans != nil {
		k.orphans.reapDead()
	}
}

// EndOrphans kills what commands have left that no tree is known to have: it has no environment,
// say, and there are no cgroups. It is for the end of this program, when all trees are ended.
func (k *Containment) EndOrphans(limit time.Duration) {
	if k.orphans == nil {
		return
	}
	for late := time.Now().Add(limit); k.orphans.kill() && time.Now().Before(late); {
		time.Sleep(strays.Pause) // for them to die, and their children to come
	}
}

// becomeSubreaper makes this program, rather than init, the parent of
// descendants whose own parent ends (PR_SET_CHILD_SUBREAPER). Without a list of
// its children (CONFIG_PROC_CHILDREN) it would never find them.
func becomeSubreaper() error {
	if err := strays.ListsChildren(); err != nil {
		return err
	}
	return os.NewSyscallError("prctl PR_SET_CHILD_SUBREAPER", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
}

// Start starts a command in a tree of its own. The error has what the system said
// below it. The caller keeps s.Files open.
func (k *Containment) Start(s Spec) (*Tree, error) {
	attr := &syscall.ProcAttr{Dir: s.Dir, Env: s.Env, Files: s.Files[:], Sys: &syscall.SysProcAttr{Setsid: true}}
	if s.Ctty {
		attr.Sys.Setctty = true
		attr.Sys.Ctty = 1
	}
	if k.dying && s.Restrict == nil {
		// What hangs in its start has no tag yet, and without a cgroup nobody else
		// would find it. This is about the end of the thread that starts it (prctl(2)),
		// but Go ends none that no goroutine was locked to. One that was restricted does
		// end, and the command would with it.
		attr.Sys.Pdeathsig = unix.SIGKILL
	}
	o := offspring{containment: k}
	if k.selfErr == nil {
		o.tag = k.tags + rand.Text()
		attr.Env = append(slices.DeleteFunc(attr.Env, isTag), strays.Env+"="+o.tag)
	}
	c, err := onThread(s.Restrict, func() (child, error) {
		if s.Cgroup > 0 {
			attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, s.Cgroup
			return k.orphans.start(s.Path, s.Argv, attr, "")
		}
		return k.startChild(&o, s.Path, s.Argv, attr)
	})
	if err != nil {
		return nil, err
	}
	t := newTree(c, o)
	t.exceeded = s.Exceeded
	if !k.confined {
		if err := t.bound(k.limits); err != nil {
			t.End(func() {})
			return nil, err
		}
	}
	if k.limits.Watched() {
		t.rest.ledger = k.orphans.enlist(t.rest.cgroup)
		go t.watch(k.limits, k.looked) // ends with the tree
	}
	return t, nil
}

// onThread starts a child on a thread that was restricted for it, and ends; or, if there
// is nothing to restrict, on the caller's.
func onThread(restrict func() error, start func() (child, error)) (c child, err error) {
	if restrict == nil {
		return start()
	}
	done := make(chan struct{})
	go func() { // ends when the child is started
		defer close(done)
		runtime.LockOSThread() // for good: so the thread ends with this goroutine
		if err = restrict(); err == nil {
			c, err = start()
		}
	}()
	<-done
	return c, err
}

// tagBelow is between the tag of a command and what is added by a keeper that this
// command is.
const tagBelow = "."

// isTag reports whether kv is the tag of another host, whose command this program is.
func isTag(kv string) bool { return strings.HasPrefix(kv, strays.Env+"=") }

// startChild starts a child in a cgroup, where there are some.
func (k *Containment) startChild(o *offspring, path string, argv []string, attr *syscall.ProcAttr) (child, error) {
	for k.cgroupErr == nil && !k.refused.Load() {
		cgroup, used, err := k.cgroups.take(k.limits.Memory)
		if err != nil && k.cgroups.maxProcesses > 0 {
			return child{}, err
		}
		if err != nil {
			break
		}
		if k.limits.CPU > 0 {
			o.computed, _ = cgroup.CPU() // it may have been another tree's before
		}
		c, err := k.startIn(cgroup, path, argv, attr)
		if err == nil {
			o.cgroup = cgroup
			return c, nil
		}
		k.cgroups.discard(cgroup)
		switch {
		case !refusesCgroup(err):
			return c, err
		case k.cgroups.maxProcesses > 0:
			return c, err
		case used:
			continue // somebody has changed it since it was given back
		}
		// It was the cgroup, unless the same happens without.
		if c, err = k.orphans.start(path, argv, attr, ""); err == nil {
			k.refused.Store(true)
		}
		return c, err
	}
	return k.orphans.start(path, argv, attr, "")
}

// startIn starts a child in a cgroup.
func (k *Containment) startIn(cgroup strays.Cgroup, path string, argv []string, attr *syscall.ProcAttr) (child, error) {
	dir, err := cgroup.Open()
	if err != nil {
		return child{}, err
	}
	defer unix.Close(dir)
	attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, dir
	defer func() { attr.Sys.UseCgroupFD = false }()
	return k.orphans.start(path, argv, attr, cgroup)
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
