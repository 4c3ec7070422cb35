//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A wish is something that is to be granted, as far as nothing in it is hidden.
type wish struct {
	path   string
	rights uint64
	handed handed // set if it was handed over, and then has to be there
	device bool
}

// wishes returns what the rules are to grant.
func (r Rules) wishes() []wish { return append(r.commonWishes(), r.handedWishes()...) }

// commonWishes are those that all sessions of a host have.
func (r Rules) commonWishes() []wish {
	var all []wish
	read := func(paths ...string) {
		for _, path := range paths {
			all = append(all, wish{path: path, rights: readRights})
		}
	}
	if r.Level == Workspace {
		read("/")
	} else {
		read(systemDirs...)
		read(r.Read...)
		for _, home := range homes(r.Home) {
			for _, name := range toolchains {
				read(filepath.Join(home, name))
			}
		}
	}
	return append(all, devices...)
}

// handedWishes are those for what is handed over.
func (r Rules) handedWishes() []wish {
	var all []wish
	for _, h := range r.handed() {
		all = append(all, wish{path: h.path, rights: writeRights, handed: h})
	}
	return all
}

const allPtys = "/dev/pts"

// devices are what is granted of /dev.
var devices = []wish{
	{path: "/dev/shm", rights: writeRights, device: true},
	{path: "/dev/null", rights: deviceRights, device: true},
	{path: "/dev/zero", rights: deviceRights, device: true},
	{path: "/dev/full", rights: deviceRights, device: true},
	{path: "/dev/tty", rights: deviceRights, device: true},
	{path: "/dev/random", rights: unix.LANDLOCK_ACCESS_FS_READ_FILE, device: true},
	{path: "/dev/urandom", rights: unix.LANDLOCK_ACCESS_FS_READ_FILE, device: true},
	// All of them: NarrowPty leaves a command its own. Not /dev/ptmx, which makes more.
	{path: allPtys, rights: deviceRights | unix.LANDLOCK_ACCESS_FS_READ_DIR, device: true},
}

// A granter makes the rules for wishes.
type granter struct {
	*ruleset
	hidden    hiding
	hideNames bool
	around    map[string]Around // by path
}

func newGranter(s *ruleset, r Rules, hidden hiding) granter {
	return granter{ruleset: s, hidden: hidden, hideNames: r.HideNames, around: make(map[string]Around)}
}

// grantCommon adds rules for what all sessions have, but for what is hidden.
func (g *granter) grantCommon(r Rules) error {
	for _, w := range r.commonWishes() {
		if err := g.grant(w); err != nil {
			return err
		}
	}
	// The keeper executes itself again, wherever it is.
	self, err := unix.Open("/proc/self/exe", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("open /proc/self/exe", err)
	}
	defer unix.Close(self)
	return g.add(self, false, readRights)
}

// grantHanded adds rules for what r hands over, but for what is hidden.
func (g *granter) grantHanded(r Rules) error {
	real, err := r.findHanded(g.hidden)
	if err != nil {
		return err
	}
	for i, w := range r.handedWishes() {
		w.path = real[i] // in the same order
		if err := g.grant(w); err != nil {
			return err
		}
	}
	return nil
}

// list returns around what is granted.
func (g *granter) list() (around []Around) {
	for _, path := range slices.Sorted(maps.Keys(g.around)) {
		around = append(around, g.around[path])
	}
	return around
}

// grant opens first and asks then what it is, so that nobody can put a link in
// its place meanwhile. The path of what is handed over has no links: see findHanded.
func (g *granter) grant(w wish) error {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC}
	if w.handed.name != "" {
		how.Resolve = unix.RESOLVE_NO_SYMLINKS
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, w.path, &how)
	if err != nil {
		if w.handed.name == "" && !scarce(err) {
			return nil // most systems have not all of them
		}
		if w.handed.name == "" {
			return fmt.Errorf("sandbox: open %s: %w", w.path, err)
		}
		return fmt.Errorf("sandbox %s %q: %w", w.handed.name, w.handed.path, err)
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	isDir := stat.Mode&unix.S_IFMT == unix.S_IFDIR
	real, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return err
	}
	switch {
	case w.device:
		return g.add(fd, isDir, w.rights)
	case w.handed.name != "" && !isDir:
		return fmt.Errorf("sandbox %s %q: not a directory", w.handed.name, w.path)
	case w.handed.name != "":
		if err := w.handed.allowed(real, g.hidden); err != nil {
			return fmt.Errorf("sandbox %s %w", w.handed.name, err)
		}
	default:
		if above, _ := g.hidden.above(real); above != "" {
			return nil
		}
	}
	return g.grantAround(fd, real, &stat, w)
}

// grantAround grants what is open and all below it, but for what is hidden.
func (g *granter) grantAround(fd int, path string, stat *unix.Stat_t, w wish) error {
	kind := stat.Mode & unix.S_IFMT
	switch {
	case kind == unix.S_IFLNK, kind == unix.S_IFBLK, kind == unix.S_IFCHR:
		return nil // what a link leads to is granted where it is, and links can always be read
	case kind != unix.S_IFDIR || !g.hidden.below(path, w.handed.name == ""):
		return g.add(fd, kind == unix.S_IFDIR, w.rights)
	}
	if !g.hideNames {
		if err := g.add(fd, true, w.rights&unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
			return err
		}
	}
	names, err := namesOf(fd, -1)
	if scarce(err) {
		return fmt.Errorf("sandbox: list %s: %w", path, err)
	}
	var all entries
	for _, name := range names {
		if child := entryPath(path, name); !g.hidden.is(child) {
			if err := g.grantEntry(fd, name, child, w, &all); err != nil {
				return err
			}
		}
	}
	if _, twice := g.around[path]; !twice { // else the first look counts
		g.around[path] = Around{path, unix.TimespecToNsec(stat.Ctim), all.digest()}
	}
	return nil
}

func (g *granter) grantEntry(dir int, name, path string, w wish, all *entries) error {
	fd, err := unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if scarce(err) {
		return fmt.Errorf("sandbox: open %s: %w", path, err)
	}
	if err != nil {
		return nil // it has gone, or nobody like us can open it
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil
	}
	all.add(name, &stat)
	if w.handed.name != "" && slices.Contains(kernelDirs, path) {
		return nil
	}
	return g.grantAround(fd, path, &stat, w)
}

// entryPath returns the path of an entry of a directory, both without links.
func entryPath(dir, name string) string { return strings.TrimSuffix(dir, "/") + "/" + name }

// scarce reports whether err says that the system has run out of something: what could not be
// looked at may be there all the same. Rules without it would refuse a command what it was granted.
func scarce(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM)
}

// namesOf returns what is in the directory that is open, and of more than most, if that is
// positive, some. The error says why there may be more: often we may not list it.
func namesOf(dir, most int) ([]string, error) {
	fd, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "")
	defer f.Close()
	return f.Readdirnames(most)
}
