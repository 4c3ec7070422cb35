package strays

import (
	"bufio"
	"bytes"
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

// A Cgroup is the path of a cgroup's directory.
type Cgroup string

// prefix is how the name of a command's cgroup begins. Its host's HostID, "-"
// and a number follow.
const prefix = "terrarium-"

// Own returns the version 2 cgroup that this process is in (cgroups(7)), or an
// error if we can't put processes into children of it and kill those.
var Own = sync.OnceValues(func() (Cgroup, error) {
	dir, err := ownCgroup()
	if err != nil {
		return "", err
	}
	if err := Cgroup(dir).writable(); err != nil {
		return "", err
	}
	return Cgroup(dir), nil
})

// writable says why we can't put processes into children of c, or nil.
func (c Cgroup) writable() error {
	// Moving a process takes the right to write this file of the cgroup that
	// is above both its old and its new one.
	if err := access(string(c)+"/cgroup.procs", unix.W_OK); err != nil {
		return err
	}
	return access(string(c), unix.W_OK|unix.X_OK)
}

func access(path string, mode uint32) error {
	if err := unix.Faccessat(unix.AT_FDCWD, path, mode, unix.AT_EACCESS); err != nil {
		return &fs.PathError{Op: "cgroup", Path: path, Err: err}
	}
	return nil
}

// ownPath returns this process's version 2 cgroup, as it was at first.
var ownPath = sync.OnceValues(func() (string, error) { return readCgroup(os.Getpid()) })

// readCgroup returns the path of a process's version 2 cgroup.
func readCgroup(pid int) (string, error) {
	b, err := readFile(proc(pid, "cgroup"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(b)) {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return strings.TrimSuffix(path, "\n"), nil
		}
	}
	return "", errors.New("no version 2 cgroups here")
}

func ownCgroup() (string, error) {
	own, err := ownPath()
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(own, "/..") {
		return "", errors.New("the version 2 cgroup of this process is out of sight")
	}
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// proc_pid_mountinfo(5): id, parent, device, root, mount point, …, "-", type.
		mount, kind, _ := strings.Cut(lines.Text(), " - ")
		fields := strings.Fields(mount)
		if len(fields) < 5 || !strings.HasPrefix(kind, "cgroup2 ") {
			continue
		}
		root := strings.TrimSuffix(unescape.Replace(fields[3]), "/")
		if rest, ok := strings.CutPrefix(own, root); ok && (rest == "" || rest[0] == '/') {
			return filepath.Join(unescape.Replace(fields[4]), rest), nil
		}
	}
	return "", errors.New("no version 2 cgroups are mounted")
}

// unescape undoes what mountinfo does to paths.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// Of returns the cgroup, in c, of the nth command of a host.
func (c Cgroup) Of(id HostID, n int64) Cgroup {
	return c + Cgroup("/"+prefix+id.String()+"-"+strconv.FormatInt(n, 10))
}

// WasCommand reports whether the process pid, which may be a zombie, is or was
// in the cgroup of a command that is below or beside ours: of this host, or of
// another one that has run under it.
func WasCommand(pid int) bool {
	own, err := ownPath()
	if err != nil {
		return false
	}
	path, err := readCgroup(pid)
	return err == nil && (isCommand(path, own) || isCommand(path, filepath.Dir(own)))
}

// isCommand reports whether path is a command's cgroup in a cgroup, or below.
func isCommand(path, in string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(in, "/")+"/"+prefix)
}

// regaining calls do with the path of one of c's files. Where we are not root, a command is the
// files' owner as well as we are, and may have closed them (chmod 0): then who comes next in that
// cgroup could not be killed. So they are opened again, once.
func (c Cgroup) regaining(name string, do func(path string) error) error {
	path := string(c) + "/" + name
	err := do(path)
	if err != unix.EACCES {
		return err
	}
	if err := unix.Chmod(string(c), 0o755); err != nil { // Settings tells that it was another
		return err
	}
	if err := unix.Chmod(path, 0o644); err != nil {
		return err
	}
	return do(path)
}

// read returns what is in one of c's files.
func (c Cgroup) read(name string) (b []byte, err error) {
	err = c.regaining(name, func(path string) (err error) {
		b, err = readFile(path)
		return err
	})
	return b, err
}

// Kill sends SIGKILL to all processes in c and below.
func (c Cgroup) Kill() error {
	return c.regaining("cgroup.kill", func(path string) error { return writeFile(path, "1") })
}

// Processes appends the processes in c and below to list.
func (c Cgroup) Processes(list []int) []int {
	b, err := c.read("cgroup.procs")
	if err != nil {
		return list
	}
	list = appendPids(list, b)
	for _, child := range c.children() {
		list = child.Processes(list)
	}
	return list
}

// Holds reports whether the process pid is in c or below.
func (c Cgroup) Holds(pid int) bool {
	path, err := readCgroup(pid)
	return err == nil && slices.Contains(strings.Split(path, "/"), filepath.Base(string(c)))
}

// Empty reports whether there is no process in c and below, zombies apart.
func (c Cgroup) Empty() bool {
	b, err := c.read("cgroup.events")
	return err == nil && bytes.HasPrefix(b, []byte("populated 0\n"))
}

// LimitPids sets how many processes and threads c may hold, with all below it.
func (c Cgroup) LimitPids(n int) error {
	return writeFile(string(c)+"/pids.max", strconv.Itoa(n))
}

// LimitMemory sets how many bytes c may have in memory, with all below it, and none in swap. When
// it needs more, the kernel kills all in it.
func (c Cgroup) LimitMemory(n int64) error {
	if err := writeFile(string(c)+"/memory.max", strconv.FormatInt(n, 10)); err != nil {
		return err
	}
	for name, value := range map[string]string{"memory.swap.max": "0", "memory.oom.group": "1"} {
		// There is no swap.max without swap, and no oom.group before Linux 4.19.
		if err := writeFile(string(c)+"/"+name, value); err != nil && err != unix.ENOENT {
			return err
		}
	}
	return nil
}

// OutOfMemory reports whether the kernel has killed somebody in c, which has a limit, for that. It
// is not when somebody else has needed memory (oom_kill alone).
func (c Cgroup) OutOfMemory() bool {
	limit, err := readFile(string(c) + "/memory.max")
	if err != nil || strings.HasPrefix(string(limit), "max") {
		return false
	}
	b, err := readFile(string(c) + "/memory.events")
	return err == nil && event(b, "oom") && event(b, "oom_kill")
}

// event reports whether something of that name has happened.
func event(b []byte, name string) bool {
	for line := range bytes.Lines(b) {
		if rest, ok := bytes.CutPrefix(line, []byte(name+" ")); ok {
			return !bytes.Equal(rest, []byte("0\n"))
		}
	}
	return false
}

// Settings returns what there is to know of a cgroup besides its name: who and
// what is in it, and what can be changed of it. It is "" where that may not be
// all: where a controller of more than processes is in use, or in an error.
//
// To look takes as long as to make one. So cgroup.freeze is not looked at: cgroup.events says
// whether it is frozen.
func (c Cgroup) Settings() string {
	var info unix.Stat_t
	if unix.Stat(string(c), &info) != nil {
		return ""
	}
	var all []byte
	for _, n := range [...]uint64{uint64(info.Mode), uint64(info.Uid), uint64(info.Gid), uint64(info.Nlink)} {
		all = append(strconv.AppendUint(all, n, 10), '\n')
	}
	for _, name := range [...]string{
		"controllers", "events", "max.depth", "max.descendants", "subtree_control", "type",
	} {
		b, err := readFile(string(c) + "/cgroup." + name)
		if err != nil {
			return ""
		}
		if name == "controllers" {
			switch strings.TrimSpace(string(b)) {
			case "":
			case string(Pids):
				limit, err := readFile(string(c) + "/pids.max")
				if err != nil {
					return ""
				}
				all = append(all, limit...)
			default:
				return ""
			}
		}
		all = append(all, b...)
	}
	return string(all)
}

// Open returns a descriptor that processes can be started in c with (clone3(2),
// CLONE_INTO_CGROUP).
func (c Cgroup) Open() (fd int, err error) {
	return open(string(c), unix.O_PATH|unix.O_DIRECTORY)
}

// Remove removes c and what is below. The error is unix.EBUSY as long as there
// are processes in it, zombies apart.
func (c Cgroup) Remove() error {
	err := unix.Rmdir(string(c))
	if err == unix.EBUSY { // as it is also if there are others below
		for _, child := range c.children() {
			child.Remove()
		}
		err = unix.Rmdir(string(c))
	}
	if err == nil || err == unix.ENOENT {
		return nil
	}
	return fmt.Errorf("remove %s: %w", c, err)
}

func (c Cgroup) children() (list []Cgroup) {
	entries, _ := os.ReadDir(string(c))
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, c+"/"+Cgroup(e.Name()))
		}
	}
	return list
}
