package strays

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// A Controller is one of version 2 cgroups: it limits what is in a cgroup.
type Controller string

const (
	Pids   Controller = "pids"
	Memory Controller = "memory"
)

// keeperName is the cgroup that this process makes for itself and its keeper, in the one that it
// has been started in, when commands' cgroups there need controllers.
const keeperName = "keeper"

// A Delegation is where cgroups can be made that have limits. The kernel gives controllers only
// to what is in a cgroup without processes of its own, or in the root.
type Delegation struct {
	In   Cgroup
	move bool // this process has to leave In first
}

// delegating is held while a Delegation is taken: two Hosts may want it.
var delegating sync.Mutex

// Delegated says where cgroups can have all of some controllers, and changes nothing. That others
// of known are in this process's cgroup, as its keeper or its host, does not matter.
func Delegated(controllers []Controller, known ...int) (Delegation, error) {
	own, err := Own()
	if err != nil {
		return Delegation{}, err
	}
	return own.delegated(controllers, known)
}

// TakeDelegated has cgroups in what it returns have the controllers. This process may be in a
// cgroup below from then on, for good.
func TakeDelegated(controllers []Controller) (Cgroup, error) {
	delegating.Lock()
	defer delegating.Unlock()
	d, err := Delegated(controllers)
	if err != nil {
		return "", err
	}
	if d.move {
		return d.In, d.In.leave(controllers)
	}
	return d.In, d.In.enable(controllers)
}

// delegated looks in c, which this process is in, before above it: limits of c hold for what
// is below only.
func (c Cgroup) delegated(controllers []Controller, known []int) (Delegation, error) {
	err := c.offers(controllers)
	switch {
	case err != nil:
	case c.isRoot() || c.enables(controllers):
		return Delegation{In: c}, nil
	case c.isOnly(append(known, os.Getpid())):
		return Delegation{In: c, move: true}, nil
	default:
		err = fmt.Errorf("%s has processes of others", c)
	}
	if above := c.mayUseParent(controllers); above != nil {
		return Delegation{}, undelegated(fmt.Errorf("%w, and %w", err, above))
	}
	return Delegation{In: c.parent()}, nil
}

// undelegated adds to an error what a person can do.
func undelegated(err error) error {
	return fmt.Errorf("%w; give this program a cgroup of its own, as by systemd-run --user --scope -p Delegate=yes", err)
}

// mayUseParent says why the cgroup above c can't have cgroups beside it, or nil.
func (c Cgroup) mayUseParent(controllers []Controller) error {
	parent := c.parent()
	switch name := filepath.Base(string(c)); {
	case strings.HasPrefix(name, prefix):
		return errors.New("what is beside it would be out of reach of the host that has started this program")
	case c.isBounded():
		return errors.New("it has limits that would not hold beside it")
	}
	if err := parent.writable(); err != nil {
		return err
	}
	if err := parent.offers(controllers); err != nil || parent.isRoot() || parent.enables(controllers) {
		return err
	}
	if !parent.isOnly(nil) {
		return fmt.Errorf("%s has processes, too", parent)
	}
	return access(string(parent)+"/cgroup.subtree_control", unix.W_OK)
}

func (c Cgroup) parent() Cgroup { return Cgroup(filepath.Dir(string(c))) }

// isRoot reports whether c is the root of all cgroups, not only of those in sight.
func (c Cgroup) isRoot() bool {
	err := access(string(c)+"/cgroup.type", unix.F_OK)
	return errors.Is(err, unix.ENOENT)
}

// isBounded reports whether there are limits of c.
func (c Cgroup) isBounded() bool {
	for _, name := range [...]string{"cpu.max", "memory.high", "memory.max", "memory.swap.max", "pids.max"} {
		b, err := readFile(string(c) + "/" + name)
		if err == nil && !strings.HasPrefix(string(b), "max") {
			return true
		}
	}
	return false
}

// isOnly reports whether nobody is in c but some of pids.
func (c Cgroup) isOnly(pids []int) bool {
	b, err := readFile(string(c) + "/cgroup.procs")
	if err != nil {
		return false
	}
	for word := range strings.FieldsSeq(string(b)) {
		pid, err := strconv.Atoi(word) // 0 of another namespace
		if err != nil || !slices.Contains(pids, pid) {
			return false
		}
	}
	return true
}

// offers says which of controllers c lacks, or nil.
func (c Cgroup) offers(controllers []Controller) error {
	return c.lists("cgroup.controllers", controllers)
}

// enables reports whether the cgroups in c have controllers.
func (c Cgroup) enables(controllers []Controller) bool {
	return c.lists("cgroup.subtree_control", controllers) == nil
}

func (c Cgroup) lists(file string, controllers []Controller) error {
	b, err := readFile(string(c) + "/" + file)
	if err != nil {
		return &fs.PathError{Op: "read", Path: string(c) + "/" + file, Err: err}
	}
	names := strings.Fields(string(b))
	for _, one := range controllers {
		if !slices.Contains(names, string(one)) {
			return fmt.Errorf("%s has no %s controller", c, one)
		}
	}
	return nil
}

// enable has the cgroups in c have controllers.
func (c Cgroup) enable(controllers []Controller) error {
	if c.enables(controllers) {
		return nil
	}
	for _, one := range controllers {
		if err := writeFile(string(c)+"/cgroup.subtree_control", "+"+string(one)); err != nil {
			return undelegated(&fs.PathError{Op: "enable the " + string(one) + " controller", Path: string(c), Err: err})
		}
	}
	return nil
}

// leave has this process be in a cgroup below c, where it was, and then enables controllers. In an
// error it is back: somebody else may have come into c meanwhile.
func (c Cgroup) leave(controllers []Controller) error {
	below := c + "/" + keeperName
	if err := unix.Mkdir(string(below), 0o755); err != nil && err != unix.EEXIST {
		return &fs.PathError{Op: "mkdir", Path: string(below), Err: err}
	}
	if err := below.enter(); err != nil {
		return err
	}
	err := c.enable(controllers)
	if err != nil {
		c.enter()
		unix.Rmdir(string(below))
	}
	return err
}

// enter moves this process into c.
func (c Cgroup) enter() error {
	if err := writeFile(string(c)+"/cgroup.procs", strconv.Itoa(os.Getpid())); err != nil {
		return &fs.PathError{Op: "enter", Path: string(c), Err: err}
	}
	return nil
}
