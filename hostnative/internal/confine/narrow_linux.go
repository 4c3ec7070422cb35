//go:build amd64 || arm64

package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// NarrowPty leaves the calling thread, and what it starts, one pseudo-terminal of
// all those that Apply has granted for r: that of a path like /dev/pts/3, or none
// if path is empty. The thread has to be locked, starts one command and ends.
// Commands that are narrowed can signal each other as before, but read nothing of
// each other's memory: each has a domain of its own. A process has one set of rules here,
// which it gets some 30 descriptors for.
func NarrowPty(r Rules, path string) error {
	if path != "" && filepath.Dir(path) != allPtys {
		return fmt.Errorf("sandbox: %q is no pseudo-terminal: want /dev/pts/N", path)
	}
	version, _ := landlockVersion()
	if r.Level == Off || version == 0 {
		return nil
	}
	if path == "" {
		rules, err := withoutPty(r, version)
		if err != nil {
			return err
		}
		return rules.restrict()
	}
	rules, err := newNarrow(r, version)
	if err != nil {
		return err
	}
	defer rules.close()
	if err := rules.addPath(path); err != nil {
		return err
	}
	return rules.restrict()
}

// newNarrow returns a set of rules that leave all but terminals.
func newNarrow(r Rules, version int) (*ruleset, error) {
	// To read and write one is all there is. What else can be done with files,
	// signals and sockets, the domain around this one says.
	attr := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE}
	if version >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	_, size := handledBy(1, false)
	rules, err := newRuleset(&attr, size)
	if err != nil {
		return nil, err
	}
	fds, err := openTops(r)
	if err != nil {
		rules.close()
		return nil, err
	}
	for _, fd := range fds {
		if err := rules.add(fd, false, deviceRights); err != nil {
			rules.close()
			return nil, err
		}
	}
	return rules, nil
}

// withoutPty returns the rules of a command without a terminal. They are made once: each
// thread that they restrict gets a copy of its own.
func withoutPty(r Rules, version int) (*ruleset, error) {
	bare.Lock()
	defer bare.Unlock()
	if bare.rules == nil {
		rules, err := newNarrow(r, version)
		if err != nil {
			return nil, err
		}
		bare.rules = rules
	}
	return bare.rules, nil
}

// bare has what withoutPty returns.
var bare struct {
	sync.Mutex
	rules *ruleset
}

// addPath grants a terminal, if it is there.
func (s *ruleset) addPath(path string) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	return s.add(fd, false, deviceRights)
}

// tops are what all commands of a keeper are left, open: this is done for each of
// them, and to open it takes longer than the rest.
var tops struct {
	sync.Mutex
	fds []int
}

// openTops returns what is in /, but for dev, and of that what Apply grants, but for
// terminals. The rules of a process are those of the first call that has no error.
func openTops(r Rules) ([]int, error) {
	tops.Lock()
	defer tops.Unlock()
	if tops.fds != nil {
		return tops.fds, nil
	}
	names, err := topNames(r)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, name := range names {
		paths = append(paths, "/"+name)
	}
	for _, w := range devices {
		if w.path != allPtys {
			paths = append(paths, w.path)
		}
	}
	var fds []int
	for _, path := range paths {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if scarce(err) {
			closeAll(fds)
			return nil, fmt.Errorf("sandbox: open %s: %w", path, err)
		}
		if err != nil {
			continue
		}
		var stat unix.Stat_t
		if unix.Fstat(fd, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFLNK {
			unix.Close(fd) // what it leads to is granted where it is
			continue
		}
		fds = append(fds, fd)
	}
	tops.fds = fds
	return fds, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}

// topNames returns what is in /, but for dev. Where / can't be listed any longer,
// they are those that are granted, and those that systems have.
func topNames(r Rules) (names []string, err error) {
	fd, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		names, err = namesOf(fd, -1)
		unix.Close(fd)
	}
	if scarce(err) {
		return nil, fmt.Errorf("sandbox: list /: %w", err)
	}
	if err != nil {
		names = namesIn("bin boot etc home lib lib32 lib64 libx32 media mnt nix opt proc root run sbin snap srv sys tmp usr var")
		self, _ := os.Readlink("/proc/self/exe")
		paths := []string{self}
		for _, w := range r.wishes() {
			paths = append(paths, Resolve(w.path))
		}
		for _, path := range paths {
			name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
			names = append(names, name)
		}
		slices.Sort(names)
		names = slices.Compact(names)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "dev" || name == "" }), nil
}
