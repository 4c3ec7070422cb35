//go:build linux

// Command vminit is the first process of the virtual machine that "go run ./cmd/dev vm" starts. It
// makes the files of the machine outside, which it can't change, its root, runs a test binary
// twice, and says on the console how each has ended.
//
// The arguments that the kernel hands on after "--" are the directory of the package, the
// binary, and its arguments.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// nobody is a user without rights, without a home.
const nobody = 65534

const scratch = "/run/terrarium-vm" // for temporary files, of which the machine outside sees none

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Println("vminit:", err)
	}
	syscall.Sync()
	syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF)
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("got arguments %q, want a directory and a program", args)
	}
	loadModules("/modules")
	if err := enterRoot(); err != nil {
		return err
	}
	for _, user := range []int{0, nobody} {
		room, err := makeCgroup(user)
		if err != nil {
			return err
		}
		status, err := runAs(user, room, args[0], args[1:])
		if err != nil {
			return err
		}
		fmt.Printf("\nterrarium-vm: user %d: exit status %d\n", user, status)
	}
	return nil
}

// loadModules loads what there is, in whatever order it takes.
func loadModules(dir string) {
	files, _ := filepath.Glob(dir + "/*.ko")
	for range files {
		var left []string
		for _, path := range files {
			f, err := os.Open(path)
			if err != nil {
				continue
			}
			none := [1]byte{}
			_, _, errno := syscall.Syscall(sysFinitModule, f.Fd(), uintptr(pointer(&none)), 0)
			f.Close()
			if errno != 0 && errno != syscall.EEXIST {
				left = append(left, path)
			}
		}
		files = left
	}
}

// A mount is what mount(2) is told.
type mount struct {
	source, target, kind string
	flags                uintptr
	data                 string
}

// enterRoot makes the files outside, below what is written here, the root.
func enterRoot() error {
	for _, m := range []mount{
		{"files", "/outside", "9p", syscall.MS_RDONLY, "trans=virtio,version=9p2000.L,msize=262144,cache=loose"},
		{"tmpfs", "/changes", "tmpfs", 0, ""},
	} {
		if err := m.do(); err != nil {
			return err
		}
	}
	for _, dir := range []string{"/changes/upper", "/changes/work"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	if err := (mount{"overlay", "/root", "overlay", 0, "lowerdir=/outside,upperdir=/changes/upper,workdir=/changes/work"}).do(); err != nil {
		return err
	}
	if err := syscall.Chroot("/root"); err != nil {
		return fmt.Errorf("chroot: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	for _, m := range []mount{
		{"proc", "/proc", "proc", 0, ""},
		{"sysfs", "/sys", "sysfs", 0, ""},
		{"devtmpfs", "/dev", "devtmpfs", 0, ""},
		{"devpts", "/dev/pts", "devpts", 0, "ptmxmode=666,mode=620"},
		{"tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777"},
		{"cgroup2", "/sys/fs/cgroup", "cgroup2", 0, ""},
		{"tmpfs", scratch, "tmpfs", 0, "mode=1777"},
	} {
		if err := m.do(); err != nil {
			return err
		}
	}
	return os.Chmod("/tmp", 0o1777)
}

func (m mount) do() error {
	if err := os.MkdirAll(m.target, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount(m.source, m.target, m.kind, m.flags, m.data); err != nil {
		return fmt.Errorf("mount %s: %w", m.target, err)
	}
	return nil
}

// makeCgroup makes a cgroup that is a user's, as systemd does with Delegate=yes, and has all
// controllers that tests use.
func makeCgroup(user int) (string, error) {
	const top = "/sys/fs/cgroup"
	if err := os.WriteFile(top+"/cgroup.subtree_control", []byte("+pids +memory"), 0); err != nil {
		return "", err
	}
	dir := fmt.Sprintf("%s/user-%d", top, user)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"} {
		if err := os.Chown(filepath.Join(dir, name), user, user); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// runAs runs a program in a cgroup, and reaps all that end meanwhile, as init has to.
func runAs(user int, cgroup, dir string, argv []string) (status int, err error) {
	room, err := os.Open(cgroup)
	if err != nil {
		return 0, err
	}
	defer room.Close()
	attr := &syscall.ProcAttr{
		Dir:   dir,
		Env:   append(os.Environ(), "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR="+scratch, "HOME=/nonexistent"),
		Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{
			UseCgroupFD: true, CgroupFD: int(room.Fd()), Setsid: true,
			Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)},
		},
	}
	pid, err := syscall.ForkExec(argv[0], argv, attr)
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", argv[0], err)
	}
	for {
		var end syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &end, 0, nil)
		switch {
		case err != nil && err != syscall.EINTR:
			return 0, fmt.Errorf("wait for %s: %w", argv[0], err)
		case ended != pid:
		case end.Signaled():
			return 128 + int(end.Signal()), nil
		default:
			return end.ExitStatus(), nil
		}
	}
}
