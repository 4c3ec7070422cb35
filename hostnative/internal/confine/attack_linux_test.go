//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An attempt is something that a command must not be able to do. Without a
// sandbox it can: else it would show nothing.
type attempt struct {
	name string
	do   func(a arena) error
	// where it can't be shown to succeed without a sandbox
	plain  plainly
	byRoot bool // root has to prepare it: a test of another user leaves it out
	// strict: only Strict refuses it
	strict bool
}

type plainly int

const (
	works plainly = iota
	asRoot
	asOther // than root
	never   // on every system, or not without harm to others
)

// attack makes all attempts, and prints how each has ended.
func attack() {
	p := planned()
	for _, at := range attempts {
		if p.Rules.Level == Off && at.plain == never {
			continue
		}
		err := at.do(p.Arena)
		errno, known := errors.AsType[syscall.Errno](err)
		switch {
		case err == nil:
			fmt.Printf("%s\tsucceeded\n", at.name)
		case known:
			fmt.Printf("%s\t%s\n", at.name, unix.ErrnoName(errno))
		default:
			fmt.Printf("%s\t%v\n", at.name, err)
		}
	}
	fmt.Println("all\tmade")
}

// refusals are how attempts end that the sandbox stops.
var refusals = strings.Fields("EACCES EPERM ENOSYS EXDEV EAFNOSUPPORT EPROTONOSUPPORT ENOTSUP SIGSYS")

// A command that tries to reaches nothing but what it was handed over, and it
// would without a sandbox.
func TestAttack(t *testing.T) {
	onEachUser(t, func(t *testing.T, uid int) {
		for _, level := range levels {
			t.Run(level, func(t *testing.T) {
				level, err := ParseLevel(level)
				if err != nil {
					t.Fatal(err)
				}
				a := newArena(t, uid)
				checkAttack(t, uid, a.run(t, uid, plan{Rules: withLevel(a.rules(level), level), Then: "attack"}), level)
			})
		}
	})
}

// withLevel is for Off, whose rules hold nothing.
func withLevel(r Rules, l Level) Rules { r.Level = l; return r }

func checkAttack(t *testing.T, uid int, out string, level Level) {
	t.Helper()
	ended := map[string]string{}
	for line := range strings.Lines(out) {
		name, result, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			t.Errorf("it printed %q", line)
		}
		ended[name] = result
	}
	if ended["all"] != "made" {
		t.Errorf("not all attempts were made: %s", out)
	}
	made := 0
	for _, at := range attempts {
		got := ended[at.name]
		held := level != Off && (!at.strict || level == Strict)
		switch {
		case at.byRoot && os.Getuid() != 0:
		case held && !slices.Contains(refusals, got):
			t.Errorf("%s: got %s, want a refusal", at.name, got)
		case level == Off && got != "succeeded" && (at.plain == works || at.plain == asRoot && uid == 0 || at.plain == asOther && uid != 0):
			t.Errorf("%s: got %s without a sandbox: the attempt shows nothing", at.name, got)
		case held:
			made++
		}
	}
	if level != Off {
		t.Logf("%d attempts were refused", made)
	}
}

// Older versions of Landlock hold less, and what is missing is told.
func TestAttackVersions(t *testing.T) {
	version, err := landlockVersion()
	if err != nil {
		t.Skip("this kernel has no Landlock: ", err)
	}
	uid := os.Getuid()
	for v := 1; v <= version; v++ {
		t.Run(strconv.Itoa(v), func(t *testing.T) {
			a := newArena(t, uid)
			for line := range strings.Lines(a.run(t, uid, plan{Rules: a.rules(Workspace), Then: "attack", Version: v})) {
				name, got, _ := strings.Cut(strings.TrimSpace(line), "\t")
				i := slices.IndexFunc(attempts, func(at attempt) bool { return at.name == name })
				if i < 0 || attempts[i].strict || attempts[i].byRoot && uid != 0 || slices.Contains(refusals, got) {
					continue
				}
				if v < 6 && strings.HasPrefix(name, "signal ") { // Report.Missing has it
					continue
				}
				t.Errorf("%s: got %s", name, got)
			}
			if got, want := available(v, nil).Lacks("signals"), v < 6; got != want {
				t.Errorf("signals are missing: got %v, want %v", got, want)
			}
		})
	}
}

func addressOf(p []byte) uintptr { return uintptr(unsafe.Pointer(&p[0])) }

// call makes a system call. Its arguments are numbers and pointers.
func call(number uintptr, args ...any) error {
	var a [6]uintptr
	for i, arg := range args {
		switch arg := arg.(type) {
		case int:
			a[i] = uintptr(arg)
		case uintptr:
			a[i] = arg
		case string:
			p, _ := unix.BytePtrFromString(arg)
			defer runtime.KeepAlive(p)
			a[i] = uintptr(unsafe.Pointer(p))
		case []byte:
			defer runtime.KeepAlive(arg)
			a[i] = addressOf(arg)
		}
	}
	_, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		return errno
	}
	return nil
}

// reached returns nil if err says that the kernel has looked at the arguments.
func reached(err error, but ...error) error {
	if slices.Contains(but, err) {
		return nil
	}
	return err
}

func readFile(path string) error {
	_, err := os.ReadFile(path)
	return err
}

func open(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func write(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.WriteString("written")
		f.Close()
	}
	return err
}

// socket makes a socket and does something with it.
func socket(family, kind, protocol int, do func(fd int) error) error {
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if do == nil {
		return nil
	}
	return do(fd)
}

func connectTo(address unix.Sockaddr) func(int) error {
	return func(fd int) error { return unix.Connect(fd, address) }
}

// start runs a program and returns why it could not, or by which signal it has ended.
func start(cmd *exec.Cmd) error {
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
			return errors.New(unix.SignalName(status.Signal()))
		}
	}
	return err
}

// attempts are in an order: those that destroy what others need come last.
var attempts = slices.Concat(reading, sockets, processes, system, writing)

var reading = []attempt{
	{name: "read ~/.ssh/id", do: func(a arena) error { return readFile(a.path("home/.ssh/id")) }},
	{name: "read by a link in home", do: func(a arena) error { return readFile(a.path("home/idlink")) }},
	{name: "read by a link in a root", do: func(a arena) error { return readFile(a.path("root/sshlink/id")) }},
	{name: "read by ..", do: func(a arena) error { return readFile(a.path("root") + "/../home/seen/../.ssh/id") }},
	{name: "read by /proc/self/root", do: func(a arena) error { return readFile("/proc/self/root" + a.path("home/.ssh/id")) }},
	{name: "read by /proc/self/cwd", do: func(a arena) error {
		if err := os.Chdir(a.path("home/.ssh")); err != nil {
			return err
		}
		defer os.Chdir(a.path("root"))
		return readFile("/proc/self/cwd/id")
	}},
	{name: "read by a descriptor of a path", do: func(a arena) error {
		fd, err := unix.Open(a.path("home/.ssh/id"), unix.O_PATH, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return readFile(fmt.Sprint("/proc/self/fd/", fd))
	}},
	{name: "read by openat2", do: func(a arena) error {
		fd, err := unix.Openat2(unix.AT_FDCWD, a.path("home/.ssh/id"), &unix.OpenHow{Flags: unix.O_RDONLY})
		unix.Close(fd)
		return err
	}},
	{name: "read by a handle", plain: asRoot, do: func(a arena) error {
		handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, a.path("home/.ssh/id"), 0)
		if err != nil {
			return err
		}
		mount, err := unix.Open(a.path("root"), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(mount)
		fd, err := unix.OpenByHandleAt(mount, handle, unix.O_RDONLY)
		unix.Close(fd)
		return err
	}},
	{name: "run what is hidden", do: func(a arena) error { return start(exec.Command(a.path("home/.ssh/tool"))) }},
	{name: "run what is hidden by ld.so", plain: never, do: func(a arena) error {
		found, _ := filepath.Glob("/lib*/ld-linux*")
		if len(found) == 0 || start(exec.Command(found[0], "/bin/true")) != nil {
			return unix.ENOSYS
		}
		if start(exec.Command(found[0], a.path("home/.ssh/tool"))) != nil {
			return unix.EACCES
		}
		return nil
	}},
	{name: "read ~/.config/gh", do: func(a arena) error { return readFile(a.path("home/.config/gh/hosts.yml")) }},
	{name: "read our own files", do: func(a arena) error { return readFile(a.path("home/.config/terrarium/policy.toml")) }},
	{name: "read what the rules hide", do: func(a arena) error { return readFile(a.path("hide/file")) }},
	{name: "read what they hide in a root", do: func(a arena) error { return readFile(a.path("root/hide/file")) }},
	{name: "write what they hide in a root", do: func(a arena) error { return write(a.path("root/hide/file")) }},
	{name: "link what is hidden", do: func(a arena) error { return os.Link(a.path("home/.ssh/id"), a.path("project/sub/stolen")) }},
	{name: "rename what is hidden", plain: never, do: func(a arena) error { return os.Rename(a.path("home/.ssh/id"), a.path("project/sub/stolen")) }},
	{name: "rename its directory", plain: never, do: func(a arena) error { return os.Rename(a.path("home/.ssh"), a.path("project/sub/ssh")) }},
	{name: "read outside", strict: true, do: func(a arena) error { return readFile(a.path("outside/file")) }},
	{name: "read home", strict: true, do: func(a arena) error { return readFile(a.path("home/seen/file")) }},
	{name: "list home", strict: true, do: func(a arena) error { return open(a.path("home"), unix.O_RDONLY|unix.O_DIRECTORY) }},
	{name: "list /", strict: true, do: func(arena) error { return open("/", unix.O_RDONLY|unix.O_DIRECTORY) }},
	{name: "read /etc/shadow", plain: asRoot, do: func(arena) error { return readFile("/etc/shadow") }},
	{name: "read a disk", plain: never, do: func(arena) error {
		disks, _ := filepath.Glob("/sys/class/block/*")
		for _, disk := range disks {
			if err := open("/dev/"+filepath.Base(disk), unix.O_RDONLY); err == nil {
				return nil
			}
		}
		return unix.EACCES
	}},
	{name: "open /dev/kmsg", plain: asRoot, do: func(arena) error { return open("/dev/kmsg", unix.O_RDONLY) }},
	{name: "make a pseudo-terminal", plain: never, do: func(arena) error { return open("/dev/ptmx", unix.O_RDWR) }},
	{name: "name a descriptor of the victim's", do: func(a arena) error {
		_, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", a.Victim.Pid))
		return err
	}},
	{name: "open a descriptor of the victim's", plain: asRoot, do: func(a arena) error { return open(fmt.Sprintf("/proc/%d/fd/2", a.Victim.Pid), unix.O_WRONLY) }},
	{name: "read the victim's memory by /proc", do: func(a arena) error {
		return open(fmt.Sprintf("/proc/%d/mem", a.Victim.Pid), unix.O_RDWR)
	}},
	{name: "read its memory by a thread of its", do: func(a arena) error {
		return open(fmt.Sprintf("/proc/%d/task/%d/mem", a.Victim.Pid, a.Victim.Tid), unix.O_RDONLY)
	}},
	{name: "read its environment", do: func(a arena) error { return readFile(fmt.Sprintf("/proc/%d/environ", a.Victim.Pid)) }},
	{name: "read its map", do: func(a arena) error { return readFile(fmt.Sprintf("/proc/%d/maps", a.Victim.Pid)) }},
	{name: "go by its root", do: func(a arena) error {
		return readFile(fmt.Sprintf("/proc/%d/root%s", a.Victim.Pid, a.path("home/.ssh/id")))
	}},
	{name: "go by its directory", do: func(a arena) error { return readFile(fmt.Sprintf("/proc/%d/cwd/file", a.Victim.Pid)) }},
}

var sockets = []attempt{
	{name: "connect", do: func(a arena) error {
		return socket(unix.AF_INET, unix.SOCK_STREAM, 0, connectTo(&unix.SockaddrInet4{Addr: loopback, Port: a.Victim.TCP}))
	}},
	{name: "connect by IPv6", do: func(a arena) error {
		if a.Victim.TCP6 == 0 {
			return unix.EAFNOSUPPORT
		}
		return socket(unix.AF_INET6, unix.SOCK_STREAM, 0, connectTo(&unix.SockaddrInet6{Addr: [16]byte{15: 1}, Port: a.Victim.TCP6}))
	}, plain: never},
	{name: "connect to a mapped address", plain: never, do: func(a arena) error {
		mapped := [16]byte{10: 0xff, 11: 0xff, 12: 127, 15: 1}
		return socket(unix.AF_INET6, unix.SOCK_STREAM, 0, connectTo(&unix.SockaddrInet6{Addr: mapped, Port: a.Victim.TCP}))
	}},
	{name: "connect to a path", do: func(a arena) error {
		return socket(unix.AF_UNIX, unix.SOCK_STREAM, 0, connectTo(&unix.SockaddrUnix{Name: a.Victim.Stream}))
	}},
	{name: "connect to an abstract name", do: func(a arena) error {
		return socket(unix.AF_UNIX, unix.SOCK_STREAM, 0, connectTo(&unix.SockaddrUnix{Name: a.Victim.Name}))
	}},
	{name: "send a datagram", do: func(a arena) error {
		return socket(unix.AF_INET, unix.SOCK_DGRAM, 0, func(fd int) error {
			return unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrInet4{Addr: loopback, Port: a.Victim.UDP})
		})
	}},
	{name: "send a datagram to a path", do: func(a arena) error {
		return socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0, func(fd int) error {
			return unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrUnix{Name: a.Victim.Datagram})
		})
	}},
	{name: "send one from a pair", do: func(a arena) error {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fds[0])
		defer unix.Close(fds[1])
		return unix.Sendmsg(fds[0], []byte("x"), nil, &unix.SockaddrUnix{Name: a.Victim.Datagram}, 0)
	}},
	{name: "bind to a port", do: func(arena) error {
		return socket(unix.AF_INET, unix.SOCK_STREAM, 0, func(fd int) error { return unix.Bind(fd, &unix.SockaddrInet4{Addr: loopback}) })
	}},
	{name: "bind to a path", do: func(a arena) error {
		return socket(unix.AF_UNIX, unix.SOCK_STREAM, 0, func(fd int) error {
			return unix.Bind(fd, &unix.SockaddrUnix{Name: a.path("project/sub/bound" + strconv.Itoa(os.Getpid()))})
		})
	}},
	{name: "listen on all addresses", do: func(arena) error {
		return socket(unix.AF_INET, unix.SOCK_STREAM, 0, func(fd int) error { return unix.Listen(fd, 1) })
	}},
	{name: "fast open", plain: never, do: func(a arena) error {
		return socket(unix.AF_INET, unix.SOCK_STREAM, 0, func(fd int) error {
			return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Addr: loopback, Port: a.Victim.TCP})
		})
	}},
	{name: "fast open by sendmsg", plain: never, do: func(a arena) error {
		return socket(unix.AF_INET, unix.SOCK_STREAM, 0, func(fd int) error {
			return unix.Sendmsg(fd, []byte("x"), nil, &unix.SockaddrInet4{Addr: loopback, Port: a.Victim.TCP}, unix.MSG_FASTOPEN)
		})
	}},
	{name: "fast open by sendmmsg", plain: never, do: func(arena) error {
		return socket(unix.AF_INET, unix.SOCK_STREAM, 0, func(fd int) error {
			return reached(call(unix.SYS_SENDMMSG, fd, make([]byte, 128), 1, unix.MSG_FASTOPEN), unix.EPIPE, unix.EDESTADDRREQ, unix.EINVAL)
		})
	}},
	{name: "make a raw socket", plain: asRoot, do: func(arena) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP, nil) }},
	{name: "make a packet socket", plain: asRoot, do: func(arena) error { return socket(unix.AF_PACKET, unix.SOCK_DGRAM, 0, nil) }},
	{name: "make a netlink socket", do: func(arena) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, 0, nil) }},
	{name: "make a crypto socket", plain: never, do: func(arena) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0, nil) }},
	{name: "make a vsock", plain: never, do: func(arena) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0, nil) }},
	{name: "make an SCTP socket", plain: never, do: func(arena) error { return socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP, nil) }},
	{name: "make an MPTCP socket", plain: never, do: func(arena) error { return socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP, nil) }},
	{name: "make a sequenced socket", do: func(arena) error { return socket(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0, nil) }},
}

var sigNone = unix.Signal(0)

var processes = []attempt{
	{name: "signal a process", do: func(a arena) error { return unix.Kill(a.Victim.Pid, sigNone) }},
	{name: "signal its group", do: func(a arena) error { return unix.Kill(-a.Victim.Pid, sigNone) }},
	{name: "signal a thread", do: func(a arena) error { return unix.Tgkill(a.Victim.Pid, a.Victim.Tid, sigNone) }},
	{name: "signal a thread by tkill", do: func(a arena) error { return call(unix.SYS_TKILL, a.Victim.Tid, 0) }},
	{name: "signal with a value", do: func(a arena) error {
		info := make([]byte, 128)
		*(*int32)(unsafe.Pointer(&info[8])) = -1 // SI_QUEUE
		return call(unix.SYS_RT_SIGQUEUEINFO, a.Victim.Pid, 0, info)
	}},
	{name: "signal by a descriptor", do: func(a arena) error {
		fd, err := unix.PidfdOpen(a.Victim.Pid, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.PidfdSendSignal(fd, sigNone, nil, 0)
	}},
	{name: "signal who started us", plain: never, do: func(arena) error { return unix.Kill(os.Getppid(), sigNone) }},
	{name: "signal init", plain: asRoot, do: func(arena) error { return unix.Kill(1, sigNone) }},
	{name: "trace", do: func(a arena) error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, a.Victim.Pid, 0, 0)
		if err == nil {
			call(unix.SYS_PTRACE, unix.PTRACE_INTERRUPT, a.Victim.Pid, 0, 0)
			unix.Wait4(a.Victim.Pid, nil, unix.WALL, nil)
			err = unix.PtraceDetach(a.Victim.Pid)
		}
		return err
	}},
	{name: "be traced", plain: never, do: func(arena) error { return call(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0, 0) }},
	{name: "read memory", do: func(a arena) error {
		p := make([]byte, 8)
		_, err := unix.ProcessVMReadv(a.Victim.Pid, []unix.Iovec{{Base: &p[0], Len: 8}}, []unix.RemoteIovec{{Base: a.Victim.Memory, Len: 8}}, 0)
		return err
	}},
	{name: "write memory", do: func(a arena) error {
		p := []byte("the vict")
		_, err := unix.ProcessVMWritev(a.Victim.Pid, []unix.Iovec{{Base: &p[0], Len: 8}}, []unix.RemoteIovec{{Base: a.Victim.Memory, Len: 8}}, 0)
		return err
	}},
	{name: "advise memory", do: func(arena) error {
		return reached(call(unix.SYS_PROCESS_MADVISE, -1, 0, 0, unix.MADV_COLD, 0), unix.EBADF)
	}},
	{name: "take a descriptor", do: func(a arena) error {
		process, err := unix.PidfdOpen(a.Victim.Pid, 0)
		if err != nil {
			return err
		}
		defer unix.Close(process)
		fd, err := unix.PidfdGetfd(process, 0, 0)
		unix.Close(fd)
		return err
	}},
	{name: "limit it", do: func(a arena) error {
		var l unix.Rlimit
		if err := unix.Prlimit(a.Victim.Pid, unix.RLIMIT_CORE, nil, &l); err != nil {
			return err
		}
		return unix.Prlimit(a.Victim.Pid, unix.RLIMIT_CORE, &l, nil)
	}},
	{name: "be nice for it", do: func(a arena) error { return unix.Setpriority(unix.PRIO_PROCESS, a.Victim.Pid, 19) }},
	{name: "be nice for the user", plain: never, do: func(arena) error { return unix.Setpriority(unix.PRIO_USER, 0, 1) }},
	{name: "schedule it", do: func(a arena) error {
		return call(unix.SYS_SCHED_SETSCHEDULER, a.Victim.Pid, unix.SCHED_BATCH, make([]byte, 4))
	}},
	{name: "give it a priority", do: func(a arena) error { return call(unix.SYS_SCHED_SETPARAM, a.Victim.Pid, make([]byte, 4)) }},
	{name: "give it attributes", do: func(a arena) error {
		attr := make([]byte, 48)
		attr[0], attr[4] = 48, unix.SCHED_BATCH
		attr[16] = 19 // its niceness, which only root could make less
		return call(unix.SYS_SCHED_SETATTR, a.Victim.Pid, attr, 0)
	}},
	{name: "choose its processor", do: func(a arena) error {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(a.Victim.Pid, &set); err != nil {
			return err
		}
		return unix.SchedSetaffinity(a.Victim.Pid, &set)
	}},
	{name: "choose a processor of its thread", do: func(a arena) error {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(a.Victim.Tid, &set); err != nil {
			return err
		}
		return unix.SchedSetaffinity(a.Victim.Tid, &set)
	}},
	{name: "idle its disk", do: func(a arena) error { return call(unix.SYS_IOPRIO_SET, ioprioProcess, a.Victim.Pid, 3<<13) }},
	{name: "move its pages", do: func(a arena) error { return call(unix.SYS_MOVE_PAGES, a.Victim.Pid, 0, 0, 0, 0, 0) }},
	{name: "share its memory", strict: true, do: func(a arena) error {
		p, _, errno := unix.Syscall(unix.SYS_SHMAT, uintptr(a.Victim.Shared), 0, 0)
		if errno != 0 {
			return errno
		}
		unix.Syscall(unix.SYS_SHMDT, p, 0, 0)
		return nil
	}},
	{name: "open a queue", strict: true, plain: never, do: func(arena) error { return call(unix.SYS_MQ_OPEN, "confine", unix.O_RDONLY, 0, 0) }},
	{name: "become somebody else", plain: asRoot, do: func(arena) error {
		cmd := exec.Command("/bin/true")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1, Gid: 1}}
		return start(cmd)
	}},
	{name: "become root", plain: asOther, byRoot: true, do: func(a arena) error {
		if os.Getuid() == 0 {
			return unix.EPERM
		}
		out, err := exec.Command(a.path("bin/setuid"), "-u").Output()
		if err != nil {
			return err
		}
		if strings.TrimSpace(string(out)) != "0" {
			return unix.EPERM
		}
		return nil
	}},
}

func withFlags(flags uintptr) func(arena) error {
	return func(arena) error {
		cmd := exec.Command("/bin/true")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
		return start(cmd)
	}
}

func withPty(do func(master, slave int) error) error {
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil { // the filter looks at what is asked, not of what
		return do(0, 0)
	}
	defer unix.Close(master)
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	slave, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(slave))
	return do(master, int(slave))
}

var system = []attempt{
	{name: "io_uring_setup", do: func(arena) error { return reached(call(unix.SYS_IO_URING_SETUP, 1, 0), unix.EFAULT) }},
	{name: "io_uring_enter", do: func(arena) error { return reached(call(unix.SYS_IO_URING_ENTER, -1, 0, 0, 0, 0), unix.EBADF) }},
	{name: "io_uring_register", do: func(arena) error {
		return reached(call(unix.SYS_IO_URING_REGISTER, -1, 99, 0, 0), unix.EBADF, unix.EINVAL)
	}},
	{name: "keyctl", do: func(arena) error {
		return reached(call(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, -3, 0), unix.ENOKEY)
	}},
	{name: "add_key", do: func(arena) error { return call(unix.SYS_ADD_KEY, "user", "confine", "x", 1, -2) }},
	{name: "request_key", do: func(arena) error {
		return reached(call(unix.SYS_REQUEST_KEY, "user", "confine none", 0, 0), unix.ENOKEY)
	}},
	{name: "bpf", plain: asRoot, do: func(arena) error { return reached(call(unix.SYS_BPF, 0, make([]byte, 64), 64), unix.EINVAL) }},
	{name: "perf_event_open", plain: never, do: func(arena) error {
		return reached(call(unix.SYS_PERF_EVENT_OPEN, make([]byte, 128), 0, -1, -1, 0), unix.EINVAL)
	}},
	{name: "userfaultfd", plain: asRoot, do: func(arena) error {
		fd, _, errno := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC, 0, 0)
		if errno != 0 {
			return errno
		}
		return unix.Close(int(fd))
	}},
	{name: "mount", plain: asRoot, do: func(a arena) error {
		err := unix.Mount("none", a.path("private"), "tmpfs", 0, "")
		if err == nil {
			unix.Unmount(a.path("private"), 0)
		}
		return err
	}},
	{name: "unmount", plain: asRoot, do: func(a arena) error { return reached(unix.Unmount(a.path("root"), 0), unix.EINVAL) }},
	{name: "fsopen", plain: asRoot, do: func(arena) error {
		fd, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
		unix.Close(fd)
		return err
	}},
	{name: "open_tree", do: func(arena) error {
		fd, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.O_CLOEXEC)
		unix.Close(fd)
		return err
	}},
	{name: "chroot", plain: never, do: func(a arena) error { return unix.Chroot(a.path("root")) }},
	{name: "setns", do: func(arena) error { return reached(unix.Setns(-1, 0), unix.EBADF) }},
	{name: "unshare with a user namespace", plain: never, do: func(arena) error { return unix.Unshare(unix.CLONE_NEWUSER) }},
	{name: "unshare with a time namespace", plain: never, do: func(arena) error { return unix.Unshare(unix.CLONE_NEWTIME) }},
	{name: "clone with a user namespace", do: withFlags(unix.CLONE_NEWUSER)},
	{name: "clone with a network namespace", do: withFlags(unix.CLONE_NEWUSER | unix.CLONE_NEWNET)},
	{name: "clone with a process namespace", plain: asRoot, do: withFlags(unix.CLONE_NEWPID)},
	{name: "clone a sibling", plain: never, do: withFlags(unix.CLONE_PARENT)},
	{name: "answer for system calls", do: func(arena) error {
		return reached(call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, 0), unix.EFAULT)
	}},
	{name: "read the kernel's log", plain: asRoot, do: func(arena) error { return call(unix.SYS_SYSLOG, 10, 0, 0) }},
	{name: "clone3", do: func(arena) error { return reached(call(unix.SYS_CLONE3, 0, 0), unix.EINVAL) }},
	{name: "clone3 into a cgroup", plain: never, do: func(arena) error {
		fd, err := unix.Open("/sys/fs/cgroup", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		cmd := exec.Command("/bin/true")
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: fd}
		return start(cmd)
	}},
	{name: "personality", do: func(arena) error {
		const readImpliesExec = 0x400000
		err := call(unix.SYS_PERSONALITY, readImpliesExec)
		call(unix.SYS_PERSONALITY, 0)
		return err
	}},
	{name: "TIOCSTI", plain: never, do: func(arena) error {
		return withPty(func(_, slave int) error { return call(unix.SYS_IOCTL, slave, unix.TIOCSTI, "x") })
	}},
	{name: "TIOCSTI with a long number", plain: never, do: func(arena) error {
		return withPty(func(_, slave int) error { return call(unix.SYS_IOCTL, slave, uintptr(1<<32|unix.TIOCSTI), "x") })
	}},
	{name: "TIOCLINUX", plain: never, do: func(arena) error {
		return withPty(func(_, slave int) error { return call(unix.SYS_IOCTL, slave, unix.TIOCLINUX, "\x03") })
	}},
	{name: "TIOCSETD", do: func(arena) error {
		return withPty(func(_, slave int) error { return call(unix.SYS_IOCTL, slave, unix.TIOCSETD, make([]byte, 4)) })
	}},
	{name: "kexec_load", plain: never, do: func(arena) error { return call(unix.SYS_KEXEC_LOAD, 0, 0, 0, 0) }},
	{name: "init_module", plain: never, do: func(arena) error { return call(unix.SYS_INIT_MODULE, 0, 0, "") }},
	{name: "reboot", plain: never, do: func(arena) error { return call(unix.SYS_REBOOT, 0, 0, 0, 0) }},
	{name: "sethostname", plain: never, do: func(arena) error { return unix.Sethostname([]byte("x")) }},
	{name: "fanotify_init", plain: asRoot, do: func(arena) error {
		fd, err := unix.FanotifyInit(unix.FAN_CLASS_CONTENT|unix.FAN_CLOEXEC, unix.O_RDONLY)
		unix.Close(fd)
		return err
	}},
	{name: "write to /proc/sys", plain: asRoot, do: func(arena) error { return open("/proc/sys/kernel/core_pattern", unix.O_WRONLY) }},
	{name: "write to the victim's /proc", do: func(a arena) error { return open(fmt.Sprintf("/proc/%d/oom_score_adj", a.Victim.Pid), unix.O_WRONLY) }},
	{name: "write to a cgroup", plain: never, do: func(arena) error {
		groups, _ := filepath.Glob("/sys/fs/cgroup/*/cgroup.procs")
		for _, group := range append(groups, "/sys/fs/cgroup/cgroup.procs") {
			if open(group, unix.O_WRONLY) == nil {
				return nil
			}
		}
		return unix.EACCES
	}},
	{name: "call another architecture", plain: never, do: foreignCall},
}

var writing = []attempt{
	{name: "make a character device", plain: asRoot, do: func(a arena) error {
		return unix.Mknod(a.path("project/sub/chr"), unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3)))
	}},
	{name: "make a block device", plain: asRoot, do: func(a arena) error {
		return unix.Mknod(a.path("project/sub/blk"), unix.S_IFBLK|0o600, int(unix.Mkdev(7, 0)))
	}},
	{name: "make a whiteout", do: func(a arena) error { return unix.Mknod(a.path("project/sub/white"), unix.S_IFCHR|0o600, 0) }},
	{name: "write outside", do: func(a arena) error { return write(a.path("outside/new")) }},
	{name: "overwrite outside", do: func(a arena) error { return write(a.path("outside/file")) }},
	{name: "write home", do: func(a arena) error { return write(a.path("home/.bashrc")) }},
	{name: "write our own files", do: func(a arena) error { return write(a.path("home/.config/terrarium/policy.toml")) }},
	{name: "write beside the program", do: func(a arena) error { return write(a.path("bin/new")) }},
	{name: "write beside a root", do: func(a arena) error { return write(a.path("project/file")) }},
	{name: "write by a link", do: func(a arena) error { return write(a.path("root/link")) }},
	{name: "write by a link to a directory", do: func(a arena) error { return write(a.path("root/dirlink/other")) }},
	{name: "write by ..", do: func(a arena) error { return write(a.path("root") + "/sub/../../outside/third") }},
	{name: "write by a descriptor of a directory", do: func(a arena) error {
		dir, err := unix.Open(a.path("outside"), unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(dir)
		fd, err := unix.Openat(dir, "fourth", unix.O_CREAT|unix.O_WRONLY, 0o600)
		unix.Close(fd)
		return err
	}},
	{name: "append outside", do: func(a arena) error { return open(a.path("outside/file"), unix.O_WRONLY|unix.O_APPEND) }},
	{name: "open and truncate outside", do: func(a arena) error { return open(a.path("outside/file"), unix.O_RDONLY|unix.O_TRUNC) }},
	{name: "open and truncate outside by openat2", do: func(a arena) error {
		fd, err := unix.Openat2(unix.AT_FDCWD, a.path("outside/file"), &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_TRUNC})
		unix.Close(fd)
		return err
	}},
	{name: "open for control and truncate outside", do: func(a arena) error { return open(a.path("outside/file"), unix.O_ACCMODE|unix.O_TRUNC) }},
	{name: "truncate outside", do: func(a arena) error { return unix.Truncate(a.path("outside/file"), 1) }},
	{name: "make a nameless file outside", do: func(a arena) error { return open(a.path("outside"), unix.O_TMPFILE|unix.O_WRONLY) }},
	{name: "make a directory outside", do: func(a arena) error { return os.Mkdir(a.path("outside/made"), 0o700) }},
	{name: "make a link outside", do: func(a arena) error { return os.Symlink("x", a.path("outside/symlink")) }},
	{name: "make a pipe outside", do: func(a arena) error { return unix.Mkfifo(a.path("outside/pipe"), 0o600) }},
	{name: "make a file outside by mknod", do: func(a arena) error { return unix.Mknod(a.path("outside/node"), unix.S_IFREG|0o600, 0) }},
	{name: "make a socket outside by mknod", do: func(a arena) error { return unix.Mknod(a.path("outside/socket"), unix.S_IFSOCK|0o600, 0) }},
	{name: "link from outside", do: func(a arena) error { return os.Link(a.path("outside/file"), a.path("project/sub/linked")) }},
	{name: "link to outside", do: func(a arena) error { return os.Link(a.path("project/sub/file"), a.path("outside/linked")) }},
	{name: "link by a descriptor to outside", do: func(a arena) error {
		fd, err := unix.Open(a.path("project/sub/file"), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Linkat(unix.AT_FDCWD, fmt.Sprint("/proc/self/fd/", fd), unix.AT_FDCWD, a.path("outside/flinked"), unix.AT_SYMLINK_FOLLOW)
	}},
	{name: "change in a shared mapping", do: func(a arena) error {
		fd, err := unix.Open(a.path("outside/file"), unix.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		p, err := unix.Mmap(fd, 0, 1, unix.PROT_WRITE, unix.MAP_SHARED)
		if err == nil {
			unix.Munmap(p)
		}
		return err
	}},
	{name: "exchange", do: func(a arena) error {
		return unix.Renameat2(unix.AT_FDCWD, a.path("project/sub/file"), unix.AT_FDCWD, a.path("outside/file"), unix.RENAME_EXCHANGE)
	}},
	{name: "rename to outside", do: func(a arena) error { return os.Rename(a.path("project/sub/file"), a.path("outside/stolen")) }},
	{name: "rename from outside", do: func(a arena) error { return os.Rename(a.path("outside/dir"), a.path("project/sub/dir")) }},
	{name: "rename the root", do: func(a arena) error { return os.Rename(a.path("project/sub"), a.path("project/moved")) }},
	{name: "rename over outside", do: func(a arena) error {
		if err := os.WriteFile(a.path("write/over"), nil, 0o600); err != nil {
			return io.ErrUnexpectedEOF // of the test
		}
		return os.Rename(a.path("write/over"), a.path("outside/file"))
	}},
	{name: "remove a directory outside", do: func(a arena) error { return unix.Rmdir(a.path("outside/empty")) }},
	{name: "remove outside", do: func(a arena) error { return unix.Unlink(a.path("outside/file")) }},
}
