//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() { modes["asked"], modes["started"] = asked, func() { call3(true) } }

// A question is struct seccomp_notif, and an answer struct seccomp_notif_resp:
// linux/seccomp.h.
type question struct {
	id    uint64
	pid   uint32
	flags uint32
	data  struct {
		number int32
		arch   uint32
		ip     uint64
		args   [6]uint64
	}
}

type answer struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// A decider is what a host is to its keeper: it makes calls for commands, or
// refuses them.
type decider struct {
	keeper int
	mu     sync.Mutex
	seen   map[int32]int // questions, by number
}

// decide answers until the descriptor has no process at its other end.
func (d *decider) decide(fd int) {
	defer unix.Close(fd)
	for {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(p, -1); err == unix.EINTR {
			continue
		}
		if p[0].Revents&unix.POLLIN == 0 {
			return
		}
		var q question
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&q))); errno != 0 {
			continue
		}
		a := answer{id: q.id}
		d.mu.Lock()
		d.seen[q.data.number]++
		d.mu.Unlock()
		if q.data.number == unix.SYS_CLONE3 {
			if _, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", d.keeper, q.pid)); err == nil {
				a.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
			} else {
				a.errno = -int32(unix.ENOSYS)
			}
		} else if errno, ok := errors.AsType[syscall.Errno](d.makeCall(&q)); ok {
			a.errno = -int32(errno)
		}
		unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&a)))
	}
}

// makeCall makes connect, bind or listen for a command.
func (d *decider) makeCall(q *question) error {
	process, err := unix.PidfdOpen(int(q.pid), 0)
	if err == unix.EINVAL || err == unix.ENOENT { // a thread that is not the first
		process, err = unix.PidfdOpen(int(q.pid), unix.PIDFD_THREAD)
	}
	if err != nil {
		return err
	}
	defer unix.Close(process)
	socket, err := unix.PidfdGetfd(process, int(q.data.args[0]), 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	if q.data.number == unix.SYS_LISTEN {
		if name, err := unix.Getsockname(socket); err != nil {
			return err
		} else if at, ok := name.(*unix.SockaddrInet4); ok && at.Port == 0 {
			return unix.EACCES
		}
		return unix.Listen(socket, int(q.data.args[1]))
	}
	address := make([]byte, min(q.data.args[2], 128))
	if _, err := unix.ProcessVMReadv(int(q.pid), []unix.Iovec{{Base: &address[0], Len: uint64(len(address))}},
		[]unix.RemoteIovec{{Base: uintptr(q.data.args[1]), Len: len(address)}}, 0); err != nil {
		return err
	}
	number := uintptr(unix.SYS_CONNECT)
	if q.data.number == unix.SYS_BIND {
		number = unix.SYS_BIND
	}
	return call(number, socket, address, len(address))
}

// Another process decides about connect, bind, listen and clone3: it makes the
// first three itself, which Landlock denies within, and lets the keeper alone have
// the last.
func TestNotify(t *testing.T) {
	if r := Available(); !r.Notify || !r.GetFD {
		t.Skip("this kernel lacks: ", r.Missing)
	}
	onEachUser(t, func(t *testing.T, uid int) {
		for _, level := range []Level{Workspace, Strict} {
			t.Run(level.String(), func(t *testing.T) {
				a := newArena(t, uid)
				cmd := a.command(uid, "confine", plan{Rules: a.rules(level), Notify: true, Then: "asked"})
				d := decider{seen: map[int32]int{}}
				out := runAsked(t, cmd, &d)
				if got := strings.Fields(out); strings.Join(got, " ") != "ran all" {
					t.Errorf("it says %s", out)
				}
				d.mu.Lock()
				defer d.mu.Unlock()
				for number, want := range map[int32]int{unix.SYS_CONNECT: 4, unix.SYS_BIND: 2, unix.SYS_LISTEN: 2} {
					if got := d.seen[number]; got != want {
						t.Errorf("call %d: got %d questions, want %d", number, got, want)
					}
				}
				if got := d.seen[unix.SYS_CLONE3]; got < 2 {
					t.Errorf("clone3: got %d questions, want 2 at least", got)
				}
			})
		}
	})
}

// runAsked runs a command that sends where its questions come from.
func runAsked(t *testing.T, cmd *exec.Cmd, d *decider) string {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	theirs := os.NewFile(uintptr(pair[1]), "")
	cmd.ExtraFiles = []*os.File{theirs}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	theirs.Close()
	d.keeper = cmd.Process.Pid
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(pair[0], make([]byte, 1), oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		cmd.Wait()
		t.Fatal("no descriptor came: ", err, out.String())
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil {
		t.Fatal(err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		t.Fatal(err)
	}
	decided := make(chan bool)
	go func() { // ends when all that is confined has
		defer close(decided)
		d.decide(fds[0])
	}()
	err = cmd.Wait()
	<-decided
	if err != nil {
		t.Errorf("%v: %s", err, out.String())
	}
	return out.String()
}

// asked is a keeper that makes the calls that are asked about, and starts what does.
func asked() {
	a := planned().Arena
	want := func(what string, err, want error) {
		if err != want {
			fmt.Printf("%s: got %v, want %v\n", what, err, want)
		}
	}
	for range 3 {
		want("connect", socket(unix.AF_INET, unix.SOCK_STREAM, 0, connectTo(&unix.SockaddrInet4{Addr: loopback, Port: a.Victim.TCP})), nil)
	}
	want("connect to a path", socket(unix.AF_UNIX, unix.SOCK_STREAM, 0, connectTo(&unix.SockaddrUnix{Name: a.Victim.Stream})), nil)
	want("listen", socket(unix.AF_INET, unix.SOCK_STREAM, 0, func(fd int) error {
		err := unix.Bind(fd, &unix.SockaddrInet4{Addr: loopback})
		if err == nil {
			err = unix.Listen(fd, 1)
		}
		return err
	}), nil)
	want("listen without bind", socket(unix.AF_INET, unix.SOCK_STREAM, 0, func(fd int) error { return unix.Listen(fd, 1) }), unix.EACCES)
	want("bind to a path", socket(unix.AF_UNIX, unix.SOCK_STREAM, 0, func(fd int) error { return unix.Bind(fd, &unix.SockaddrUnix{Name: a.path("private/socket")}) }), nil)
	want("clone3 by the keeper", call3(false), nil)

	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), modeVar+"=started")
	out, err := cmd.CombinedOutput()
	if err != nil {
		fmt.Println("a command: ", err)
	}
	fmt.Print(string(out))
	fmt.Println("all")
}

// call3 calls clone3: by the keeper, and by a command that says how it ended.
func call3(command bool) error {
	err := call(unix.SYS_CLONE3, 0, 0)
	if !command {
		return reached(err, unix.EINVAL)
	}
	if err != unix.ENOSYS {
		fmt.Println("clone3 by a command: ", err)
	}
	fmt.Println("ran")
	return nil
}

// A keeper can start commands in a cgroup, where it is asked about clone3.
func TestNotifyCgroup(t *testing.T) {
	group := ""
	for _, top := range []string{"/sys/fs/cgroup/unified", "/sys/fs/cgroup"} {
		dir := fmt.Sprint(top, "/confine-test-", os.Getpid())
		if _, err := os.Stat(top + "/cgroup.procs"); err != nil || os.Mkdir(dir, 0o755) != nil {
			continue
		}
		defer os.Remove(dir)
		group = dir
		break
	}
	if group == "" {
		t.Skip("no cgroup of version 2 can be made here")
	}
	if !Available().Notify {
		t.Skip("this kernel lacks user notification")
	}
	a := newArena(t, os.Getuid())
	p := plan{Rules: a.rules(Workspace), Notify: true, Then: "keep"}
	p.Rules.Read = []string{group}
	cmd := a.command(os.Getuid(), "confine", p)
	cmd.Env = append(cmd.Env, "GROUP="+group)
	d := decider{seen: map[int32]int{}}
	if out := runAsked(t, cmd, &d); !strings.Contains(out, group[strings.LastIndex(group, "/"):]) {
		t.Errorf("got %s, want a command in %s", out, group)
	}
}

func init() {
	modes["keep"] = func() {
		fd, err := unix.Open(os.Getenv("GROUP"), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		runtime.LockOSThread()
		cmd := exec.Command("/bin/cat", "/proc/self/cgroup")
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: fd}
		out, err := cmd.CombinedOutput()
		fmt.Println(string(out), err)
	}
	modes["ptys"] = ptys
	modes["pty"] = func() {
		for _, name := range os.Args[1:] {
			err := open(name, unix.O_RDWR|unix.O_NOCTTY)
			if errno, ok := err.(syscall.Errno); ok {
				fmt.Print(unix.ErrnoName(errno), " ")
			} else {
				fmt.Print("open ")
			}
		}
		if err := errors.Join(readFile("/etc/passwd"), write("/dev/null"), write(planned().Arena.path("project/sub/narrowed")), unix.Kill(os.Getppid(), 0)); err != nil {
			fmt.Print(err)
		}
		fmt.Println()
	}
}

// ptys is a keeper that starts a command for each pseudo-terminal, and one for none.
func ptys() {
	names := strings.Fields(os.Getenv("PTYS"))
	for _, own := range append(names, "") {
		done := make(chan string)
		go func() {
			runtime.LockOSThread() // the thread ends with it
			if err := NarrowPty(planned().Rules, own); err != nil {
				done <- err.Error()
				return
			}
			cmd := exec.Command("/proc/self/exe", names...)
			cmd.Env = append(os.Environ(), modeVar+"=pty")
			out, err := cmd.CombinedOutput()
			if err != nil {
				out = fmt.Append(out, err)
			}
			done <- strings.TrimSpace(string(out))
		}()
		fmt.Printf("%s %s\n", own, <-done)
	}
	// The keeper is no narrower than it was.
	fmt.Println("keeper", open(names[0], unix.O_RDWR|unix.O_NOCTTY), open(names[1], unix.O_RDWR|unix.O_NOCTTY))
}

// A command opens its own pseudo-terminal and no other one.
func TestNarrowPty(t *testing.T) {
	onEachUser(t, func(t *testing.T, uid int) {
		var names []string
		for range 2 {
			name, err := openPty(t, uid)
			if err != nil {
				t.Skip("no pseudo-terminal: ", err)
			}
			names = append(names, name)
		}
		for _, r := range []Rules{{Level: Workspace}, {Level: Workspace, HideNames: true}, {Level: Strict}} {
			t.Run(fmt.Sprint(r.Level, r.HideNames), func(t *testing.T) {
				a := newArena(t, uid)
				rules := a.rules(r.Level)
				rules.HideNames = r.HideNames
				cmd := a.command(uid, "confine", plan{Rules: rules, Then: "ptys"})
				cmd.Env = append(cmd.Env, "PTYS="+strings.Join(names, " "))
				out, err := cmd.CombinedOutput()
				want := fmt.Sprintf("%s open EACCES\n%s EACCES open\n EACCES EACCES\nkeeper <nil> <nil>\n", names[0], names[1])
				if got := string(out); err != nil || got != want {
					t.Errorf("got %v:\n%swant:\n%s", err, got, want)
				}
			})
		}
	})
}

func TestNarrowPtyBadPath(t *testing.T) {
	for _, path := range []string{"/dev/pts", "/dev/sda", "pts/0", "/dev/pts/../sda"} {
		if err := NarrowPty(Rules{Level: Workspace}, path); err == nil || !strings.Contains(err.Error(), strconv.Quote(path)) {
			t.Fatalf("%s: got %v", path, err)
		}
	}
}

// openPty makes a pseudo-terminal for a user, that lives as long as the test.
func openPty(t *testing.T, uid int) (string, error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return "", err
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return "", err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return "", err
	}
	name := fmt.Sprint("/dev/pts/", n)
	return name, os.Chown(name, uid, uid)
}

// What doctor says of a kernel that has everything, and of one that has little.
func TestAvailable(t *testing.T) {
	r := available(7, nil)
	if r.Calls && (r.Err() != nil || r.Lacks("signals")) {
		t.Errorf("got %+v, %v", r, r.Err())
	}
	for _, test := range []struct {
		why  error
		want string
	}{{unix.ENOSYS, "has no Landlock"}, {unix.EOPNOTSUPP, "is off"}} {
		err := available(0, os.NewSyscallError("landlock_create_ruleset", test.why)).Err()
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	old := available(1, nil)
	for _, name := range []string{"refer", "truncate", "ioctl", "signals"} {
		if !old.Lacks(name) {
			t.Errorf("got %v, want %s missing", old.Missing, name)
		}
	}
	if old.Calls && old.Err() != nil {
		t.Errorf("got %v", old.Err())
	}
	t.Logf("this kernel: %+v", Available())
}

// processorTime reports how much of it an operation takes, which other programs
// that run don't change as they do the time of day.
func processorTime(b *testing.B) func() {
	used := func() int64 {
		var u unix.Rusage
		unix.Getrusage(unix.RUSAGE_SELF, &u)
		return u.Utime.Nano() + u.Stime.Nano()
	}
	begun := used()
	return func() { b.ReportMetric(float64(used()-begun)/float64(b.N), "cpu-ns/op") }
}

func BenchmarkNarrowPty(b *testing.B) {
	for _, narrow := range []bool{false, true} {
		b.Run(fmt.Sprint(narrow), func(b *testing.B) {
			defer processorTime(b)()
			for b.Loop() {
				done := make(chan error)
				go func() {
					runtime.LockOSThread() // the thread ends with it
					unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
					if narrow {
						done <- NarrowPty(Rules{Level: Workspace}, "/dev/pts/0")
					}
					close(done)
				}()
				if err := <-done; err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRuleset(b *testing.B) {
	home, _ := os.UserHomeDir()
	version, err := landlockVersion()
	if err != nil {
		b.Skip(err)
	}
	for _, level := range []Level{Workspace, Strict} {
		b.Run(level.String(), func(b *testing.B) {
			defer processorTime(b)()
			for b.Loop() {
				p, err := prepare(Rules{Level: level, Home: home}, version)
				if err != nil {
					b.Fatal(err)
				}
				p.Close()
			}
		})
	}
}
