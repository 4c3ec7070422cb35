//go:build amd64 || arm64

package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// An attacker is an engine whose guests have broken out: in place of a guest
// it tries what a worker must not be able to, and writes what it could to a
// file. So it runs where a guest would, in a worker that a host has started;
// and when it compiles, in a compiler.
type attacker struct{ attackPlan }

// An attackPlan is what the attacker finds beside the program.
type attackPlan struct {
	dir    string // has outside, ro and rw, of which the last two are handed over
	what   string
	ids    [3]int // of a queue, of memory and of semaphores of the host's
	victim int    // the host
}

func init() {
	plan, err := readPlan()
	if err != nil {
		return
	}
	engines["attacker"] = func() (engine.Engine, error) { return attacker{plan}, nil }
}

func readPlan() (p attackPlan, err error) {
	self, err := os.Executable()
	if err != nil {
		return p, err
	}
	plan, err := os.ReadFile(filepath.Join(filepath.Dir(self), "plan"))
	if err != nil {
		return p, err
	}
	_, err = fmt.Sscan(string(plan), &p.dir, &p.what, &p.ids[0], &p.ids[1], &p.ids[2], &p.victim)
	return p, err
}

func (attacker) Name() string    { return "attacker" }
func (attacker) Version() string { return "1" }
func (attacker) AsksGrow() bool  { return false }
func (attacker) Close() error    { return nil }

func (a attacker) Compile(_ context.Context, _ []byte, _ []engine.Func, dir string) (engine.Program, error) {
	return a, os.WriteFile(filepath.Join(dir, "could"), a.attack(), 0o600)
}

func (a attacker) Load(_ context.Context, dir string, _ func(engine.Import) (engine.Func, error)) (engine.Program, error) {
	could, err := os.ReadFile(filepath.Join(dir, "could"))
	if err != nil {
		return nil, err
	}
	return a, os.WriteFile(filepath.Join(a.dir, "rw", "compiler"), could, 0o600)
}

func (a attacker) Run(engine.RunConfig) error {
	return os.WriteFile(filepath.Join(a.dir, "rw", "worker"), a.attack(), 0o600)
}

// Attack starts a host whose guest is an attacker, and waits until that has
// ended. It prints how, and which system calls the host was told of.
func Attack() {
	plan, err := readPlan()
	if err != nil {
		fmt.Println(err)
		return
	}
	p := filepath.Join(filepath.Dir(plan.dir), "bin", "plan")
	queue, _, _ := unix.Syscall(unix.SYS_MSGGET, unix.IPC_PRIVATE, 0o600, 0)
	memory, _, _ := unix.Syscall(unix.SYS_SHMGET, unix.IPC_PRIVATE, 4096, 0o600)
	semaphores, _, _ := unix.Syscall(unix.SYS_SEMGET, unix.IPC_PRIVATE, 1, 0o600)
	defer unix.Syscall(unix.SYS_MSGCTL, queue, unix.IPC_RMID, 0)
	defer unix.Syscall(unix.SYS_SHMCTL, memory, unix.IPC_RMID, 0)
	defer unix.Syscall6(unix.SYS_SEMCTL, semaphores, 0, unix.IPC_RMID, 0, 0, 0)
	text := fmt.Sprintln(plan.dir, plan.what, queue, memory, semaphores, os.Getpid())
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	refused := make(chan string, 1000)
	mounts := []hostwasm.Mount{{Dir: plan.dir + "/rw"}, {Dir: plan.dir + "/ro", ReadOnly: true}}
	if plan.what == "above" {
		mounts = append(mounts, hostwasm.Mount{Dir: plan.dir}, hostwasm.Mount{Dir: plan.dir, Guest: "/again", ReadOnly: true})
	}
	pool := -1
	if plan.what == "swap" {
		pool = 1
	}
	h, err := New(Config{
		Commands: map[string]*hostwasm.Module{"attack": {Name: "attack", Load: func() ([]byte, error) { return nothing, nil }}},
		Mounts:   mounts,
		Engine:   "attacker", Pool: pool, CacheDir: plan.dir + "/cache", TmpDir: plan.dir,
		Refused: func(call string) { refused <- call }, Undumpable: true, Required: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); dumpable != 0 || err != nil {
		fmt.Println("lacks: the host is dumpable", err)
	}
	measures, err := h.Report(context.Background())
	for _, m := range measures {
		if !m.Used {
			fmt.Println("lacks", m.Name, m.Detail)
		}
	}
	switch {
	case err != nil:
	case plan.what == "swap":
		err = runSwapped(h, plan.dir)
	default:
		err = runAttack(h, core.Command{Command: "attack"})
	}
	if err := errors.Join(err, h.Close()); err != nil {
		fmt.Println(err)
	}
	close(refused)
	counts := h.RefusedCalls()
	for call := range refused {
		fmt.Println("refused", call, "times", counts[call])
		delete(counts, call)
	}
	for call := range counts {
		fmt.Println("counted but not told of", call)
	}
}

func runAttack(h *Host, c core.Command) error {
	e, err := h.Resolve(context.Background(), c)
	if err != nil {
		return err
	}
	p, err := h.Start(context.Background(), e)
	if err != nil {
		return err
	}
	defer p.Close()
	exit, err := p.Wait()
	fmt.Println("ended", exit.Status, exit.Reason)
	return err
}

// runSwapped is runAttack with a directory that another guest puts a link in the
// place of, to the cache's parent, after the host has judged it and before the
// worker opens it: that is stopped meanwhile.
func runSwapped(h *Host, dir string) error {
	root := dir + "/rw/sub"
	if err := os.Mkdir(root, 0o700); err != nil {
		return err
	}
	s := <-h.pool.slots
	if <-s.ready; s.err != nil {
		return s.err
	}
	if err := s.child.process.Signal(unix.SIGSTOP); err != nil {
		return err
	}
	// Until one of its threads has taken the signal, the others go on.
	if err := unix.Waitid(unix.P_PID, s.child.process.Pid, nil, unix.WSTOPPED, nil); err != nil {
		return err
	}
	h.pool.slots <- s
	done := make(chan error, 1)
	go func() { done <- runAttack(h, core.Command{Command: "attack", Roots: []string{root}}) }()
	if err := awaitTree(s.child, root); err != nil {
		return err
	}
	if err := errors.Join(os.Rename(root, root+"-moved"), os.Symlink(dir, root), s.child.process.Signal(unix.SIGCONT)); err != nil {
		return err
	}
	return <-done
}

// awaitTree waits until a worker has a tree.
func awaitTree(c *child, dir string) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if c.tree(dir) != nil {
			return nil
		}
	}
	return errors.New("a worker has not got its trees")
}

// nothing is a module that does nothing: (module (memory (export "memory") 1) (func (export
// "_start")))
var nothing = []byte("\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x03\x02\x01\x00" + "\x05\x03\x01\x00\x01" +
	"\x07\x13\x02\x06memory\x02\x00\x06_start\x00\x00" + "\x0a\x04\x01\x02\x00\x0b")

// attack returns what it could, a line each.
func (a attacker) attack() []byte {
	switch a.what {
	case "threads":
		return a.startThreads()
	case "memory":
		return takeMemory()
	}
	var could strings.Builder
	try := func(name string, err error) {
		switch err, _ := errors.AsType[syscall.Errno](err); err {
		case unix.EPERM, unix.ENOSYS, unix.EACCES: // the filter, its host, Landlock
		case unix.EXDEV: // Landlock, of a rename
		case 0:
			fmt.Fprintln(&could, name)
		default:
			fmt.Fprintf(&could, "%s comes as far as %v\n", name, err)
		}
	}
	if a.what == "above" || a.what == "swap" {
		a.hidden(try)
		return []byte(could.String())
	}
	a.metadata(try)
	a.files(try)
	a.processes(try)
	a.descriptors(try)
	a.system(try)
	return []byte(could.String())
}

// takeMemory returns how many pieces of memory it gets, of attackPiece bytes each.
func takeMemory() []byte {
	n := 0
	for ; n < 1024; n++ {
		if _, err := unix.Mmap(-1, 0, attackPiece, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE); err != nil {
			break
		}
	}
	return strconv.AppendInt(nil, int64(n), 10)
}

const attackPiece = 64 << 20

// AttackPiece is attackPiece, for the tests of the other package.
const AttackPiece = attackPiece

// startThreads starts as many threads as it can. Go ends the program when it
// gets none.
func (a attacker) startThreads() []byte {
	f, err := os.Create(filepath.Join(a.dir, "rw", "threads"))
	if err != nil {
		return nil
	}
	for i := range 4 * maxThreads {
		started := make(chan bool)
		go func() {
			runtime.LockOSThread()
			started <- true
			select {}
		}()
		<-started
		f.WriteAt([]byte(strconv.Itoa(i+1)), 0)
	}
	return nil
}

// call makes a system call. Its arguments are numbers and pointers.
func call(number uintptr, args ...any) error {
	var a [6]uintptr
	for i, arg := range args {
		switch arg := arg.(type) {
		case int:
			a[i] = uintptr(arg)
		case string:
			p, _ := unix.BytePtrFromString(arg)
			defer runtime.KeepAlive(p)
			a[i] = uintptr(unsafe.Pointer(p))
		case []byte:
			defer runtime.KeepAlive(arg)
			a[i] = uintptr(unsafe.Pointer(&arg[0]))
		}
	}
	_, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		return errno
	}
	return nil
}

const atCwd = unix.AT_FDCWD

// emptyMessage is more than a struct mmsghdr: to send nothing, and no descriptor.
var emptyMessage = make([]byte, 128)

// metadata changes what is known of files, which Landlock has no rights for.
func (a attacker) metadata(try func(string, error)) {
	names := []string{a.dir + "/outside/file", a.dir + "/ro/file", a.dir + "/rw/file", a.dir + "/cache", a.dir + "/outside"}
	buf := make([]byte, 512)
	for _, name := range names {
		in := func(what string) string {
			return what + " " + filepath.Base(filepath.Dir(name)) + "/" + filepath.Base(name)
		}
		try(in("fchmodat"), call(unix.SYS_FCHMODAT, atCwd, name, 0o777))
		try(in("fchmodat2"), call(unix.SYS_FCHMODAT2, atCwd, name, 0o4777, 0))
		try(in("fchownat"), call(unix.SYS_FCHOWNAT, atCwd, name, os.Getuid(), os.Getgid(), 0))
		try(in("setxattr"), call(unix.SYS_SETXATTR, name, "user.x", "x", 1, 0))
		try(in("lsetxattr"), call(unix.SYS_LSETXATTR, name, "user.x", "x", 1, 0))
		try(in("setxattrat"), call(unix.SYS_SETXATTRAT, atCwd, name, 0, "user.x", buf, 16))
		try(in("removexattr"), call(unix.SYS_REMOVEXATTR, name, "user.y"))
		try(in("getxattr"), call(unix.SYS_GETXATTR, name, "user.y", buf, 1))
		try(in("utimensat"), call(unix.SYS_UTIMENSAT, atCwd, name, 0, 0))
		try(in("utimensat of a link"), call(unix.SYS_UTIMENSAT, atCwd, name, 0, unix.AT_SYMLINK_NOFOLLOW))
		try(in("file_setattr"), call(unix.SYS_FILE_SETATTR, atCwd, name, buf, 24, 0))
		try(in("truncate"), call(unix.SYS_TRUNCATE, name, 0))
		fd, err := unix.Open(name, unix.O_RDONLY, 0)
		if err != nil {
			fd, err = unix.Open(name, unix.O_PATH, 0)
		}
		if err != nil {
			try(in("open"), nil)
			continue
		}
		try(in("fchmod"), call(unix.SYS_FCHMOD, fd, 0o777))
		try(in("fchown"), call(unix.SYS_FCHOWN, fd, os.Getuid(), os.Getgid()))
		try(in("fsetxattr"), call(unix.SYS_FSETXATTR, fd, "user.x", "x", 1, 0))
		try(in("fremovexattr"), call(unix.SYS_FREMOVEXATTR, fd, "user.y"))
		// FIFREEZE goes the same way.
		try(in("ioctl FS_IOC_GETFLAGS"), call(unix.SYS_IOCTL, fd, unix.FS_IOC_GETFLAGS, buf))
		unix.Close(fd)
	}
	for name, number := range oldMetadataCalls {
		try(name, call(number, names[0], 0, 0))
	}
}

// files reads and changes files that were not handed over, or not to be changed.
func (a attacker) files(try func(string, error)) {
	outside, ro, rw := a.dir+"/outside", a.dir+"/ro", a.dir+"/rw"
	_, err := os.ReadFile(outside + "/file")
	try("read outside", err)
	_, err = os.ReadDir(outside)
	try("list outside", err)
	_, err = os.ReadFile("/etc/passwd")
	try("read /etc/passwd", err)
	for _, dir := range []string{outside, ro, filepath.Dir(a.dir) + "/bin", a.dir + "/cache"} {
		in := filepath.Base(dir)
		try("write "+in, os.WriteFile(dir+"/new", nil, 0o600))
		try("overwrite "+in, os.WriteFile(dir+"/file", nil, 0o600))
		try("mkdir "+in, unix.Mkdir(dir+"/dir", 0o700))
		try("symlink "+in, unix.Symlink("x", dir+"/link"))
		try("unlink "+in, unix.Unlink(dir+"/file"))
		try("rename from "+in, unix.Rename(dir+"/file", rw+"/stolen"))
		try("link from "+in, unix.Link(dir+"/file", rw+"/linked"))
	}
	try("chdir", unix.Chdir(outside))
	for _, name := range []string{"self/mem", "self/environ", "PID/mem", "PID/environ", "PID/maps", "PID/fd", "PID/status"} {
		f, err := os.Open("/proc/" + strings.Replace(name, "PID", strconv.Itoa(a.victim), 1))
		try("open /proc/"+name, err)
		f.Close()
	}
	for _, name := range []string{"/dev/tty", "/dev/ptmx", "/dev/null", "/sys/kernel"} {
		_, err := unix.Open(name, unix.O_RDONLY, 0)
		try("open "+name, err)
	}
}

// hidden reaches for the cache, whose parent is handed over.
func (a attacker) hidden(try func(string, error)) {
	cache, rw := a.dir+"/cache", a.dir+"/rw"
	_, err := os.ReadFile(cache + "/key")
	try("read the key", err)
	_, err = os.ReadDir(cache)
	try("list the cache", err)
	for _, dir := range []string{cache, cache + "/entries"} {
		in := filepath.Base(dir)
		try("write "+in, os.WriteFile(dir+"/new", nil, 0o600))
		try("mkdir "+in, unix.Mkdir(dir+"/dir", 0o700))
		try("symlink "+in, unix.Symlink("x", dir+"/link"))
		try("rename into "+in, unix.Rename(rw+"/file", dir+"/file"))
		try("link into "+in, unix.Link(rw+"/file", dir+"/linked"))
	}
	for _, name := range []string{"key", "file"} {
		try("overwrite "+name, os.WriteFile(cache+"/"+name, nil, 0o600))
		try("link "+name, unix.Link(cache+"/"+name, rw+"/linked"))
		try("rename "+name, unix.Rename(cache+"/"+name, rw+"/stolen"))
		try("rename over "+name, unix.Rename(rw+"/file", cache+"/"+name))
		try("unlink "+name, unix.Unlink(cache+"/"+name))
	}
	try("rename the cache", unix.Rename(cache, rw+"/cache"))
}

// processes reaches for other processes, and for what they share.
func (a attacker) processes(try func(string, error)) {
	buf := make([]byte, 512)
	param, attr := make([]byte, 4), make([]byte, 48)
	attr[0], attr[4] = 48, unix.SCHED_IDLE
	set := make([]byte, 128)
	set[0] = 0xff
	try("sched_setscheduler", call(unix.SYS_SCHED_SETSCHEDULER, a.victim, 5, param))
	try("sched_setscheduler of itself", call(unix.SYS_SCHED_SETSCHEDULER, 0, 5, param))
	try("sched_setparam", call(unix.SYS_SCHED_SETPARAM, a.victim, param))
	try("sched_setattr", call(unix.SYS_SCHED_SETATTR, a.victim, attr, 0))
	try("sched_setaffinity", call(unix.SYS_SCHED_SETAFFINITY, a.victim, len(set), set))
	try("ioprio_set", call(unix.SYS_IOPRIO_SET, 1, a.victim, 3<<13))
	try("setpriority", call(unix.SYS_SETPRIORITY, 0, a.victim, 19))
	try("prlimit64", call(unix.SYS_PRLIMIT64, a.victim, unix.RLIMIT_CORE, 0, buf))
	try("prlimit64 of itself", call(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_CORE, buf, 0))
	try("kill", unix.Kill(a.victim, 0))
	try("kill all", unix.Kill(-1, 0))
	try("tkill", call(unix.SYS_TKILL, a.victim, 0))
	try("tgkill", unix.Tgkill(a.victim, a.victim, 0))
	try("rt_sigqueueinfo", call(unix.SYS_RT_SIGQUEUEINFO, a.victim, 0, buf))
	try("pidfd_open", call(unix.SYS_PIDFD_OPEN, a.victim, 0))
	try("ptrace", unix.PtraceAttach(a.victim))
	try("ptrace seize", unix.PtraceSeize(a.victim))
	local, remote := []unix.Iovec{{Base: &buf[0], Len: 1}}, []unix.RemoteIovec{{Base: 0x10000, Len: 1}}
	_, err := unix.ProcessVMReadv(a.victim, local, remote, 0)
	try("process_vm_readv", err)
	_, err = unix.ProcessVMWritev(a.victim, local, remote, 0)
	try("process_vm_writev", err)
	try("kcmp", call(unix.SYS_KCMP, a.victim, os.Getpid(), 0, 0, 0))
	try("migrate_pages", call(unix.SYS_MIGRATE_PAGES, a.victim, 64, buf, buf))
	try("move_pages", call(unix.SYS_MOVE_PAGES, a.victim, 0, 0, 0, 0, 0))
	try("setsid", call(unix.SYS_SETSID))
	try("setpgid", call(unix.SYS_SETPGID, 0, 0))

	try("msgget", call(unix.SYS_MSGGET, unix.IPC_PRIVATE, 0o600))
	try("msgsnd", call(unix.SYS_MSGSND, a.ids[0], buf, 1, unix.IPC_NOWAIT))
	try("msgrcv", call(unix.SYS_MSGRCV, a.ids[0], buf, 1, 0, unix.IPC_NOWAIT))
	try("msgctl", call(unix.SYS_MSGCTL, a.ids[0], unix.IPC_RMID, 0))
	try("shmget", call(unix.SYS_SHMGET, unix.IPC_PRIVATE, 4096, 0o600))
	try("shmat", call(unix.SYS_SHMAT, a.ids[1], 0, 0))
	try("shmctl", call(unix.SYS_SHMCTL, a.ids[1], unix.IPC_RMID, 0))
	try("semget", call(unix.SYS_SEMGET, unix.IPC_PRIVATE, 1, 0o600))
	try("semop", call(unix.SYS_SEMOP, a.ids[2], buf, 1))
	try("semctl", call(unix.SYS_SEMCTL, a.ids[2], 0, unix.IPC_RMID, 0))
	try("mq_open", call(unix.SYS_MQ_OPEN, "terrarium", unix.O_CREAT|unix.O_RDWR, 0o600, 0))
	try("mq_unlink", call(unix.SYS_MQ_UNLINK, "terrarium"))

	_, err = syscall.ForkExec("/bin/true", []string{"true"}, nil)
	try("fork and execve", err)
	try("clone", call(unix.SYS_CLONE, int(unix.SIGCHLD), 0))
	try("clone in a namespace", call(unix.SYS_CLONE, unix.CLONE_NEWUSER|int(unix.SIGCHLD), 0))
	try("clone3", call(unix.SYS_CLONE3, make([]byte, 88), 88))
	try("execve", syscall.Exec("/proc/self/exe", []string{"true"}, nil))
	try("execveat", call(unix.SYS_EXECVEAT, 0, "", 0, 0, unix.AT_EMPTY_PATH))
}

// descriptors makes some of other kinds, and has those it has do other things.
func (a attacker) descriptors(try func(string, error)) {
	var p [2]int
	try("no pipe", invert(unix.Pipe2(p[:], 0)))
	owner := make([]byte, 8)
	owner[0], *(*int32)(unsafe.Pointer(&owner[4])) = 1, int32(a.victim) // F_OWNER_PID
	try("fcntl F_SETOWN", call(unix.SYS_FCNTL, p[0], unix.F_SETOWN, a.victim))
	try("fcntl F_SETOWN_EX", call(unix.SYS_FCNTL, p[0], unix.F_SETOWN_EX, owner))
	try("fcntl F_SETSIG", call(unix.SYS_FCNTL, p[0], unix.F_SETSIG, int(unix.SIGUSR1)))
	try("fcntl F_SETLEASE", call(unix.SYS_FCNTL, p[0], unix.F_SETLEASE, unix.F_RDLCK))
	try("fcntl F_NOTIFY", call(unix.SYS_FCNTL, p[0], unix.F_NOTIFY, 4))
	try("fcntl F_SETPIPE_SZ", call(unix.SYS_FCNTL, p[0], unix.F_SETPIPE_SZ, 1<<20))
	for name, request := range map[string]int{"FIFREEZE": 0xc0045877, "TIOCSTI": unix.TIOCSTI, "TIOCSCTTY": unix.TIOCSCTTY, "FIOASYNC": 0x5452} {
		// It is tried on a pipe, where it does no harm.
		try("ioctl "+name, call(unix.SYS_IOCTL, p[0], request, owner))
	}
	for _, domain := range []int{unix.AF_INET, unix.AF_INET6, unix.AF_UNIX, unix.AF_NETLINK, unix.AF_PACKET, unix.AF_VSOCK, unix.AF_ALG} {
		_, err := unix.Socket(domain, unix.SOCK_STREAM, 0)
		try(fmt.Sprint("socket ", domain), err)
	}
	_, err := net.Dial("tcp", "127.0.0.1:1")
	try("dial", err)
	_, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	try("socketpair", err)
	address := []byte("\x01\x00/dev/log\x00")
	try("connect", call(unix.SYS_CONNECT, socket, address, len(address)))
	try("bind", call(unix.SYS_BIND, socket, address, len(address)))
	try("setsockopt", call(unix.SYS_SETSOCKOPT, socket, 1, 1, owner, 4))
	try("sendmsg", call(unix.SYS_SENDMSG, socket, emptyMessage, 0))
	try("sendmmsg", call(unix.SYS_SENDMMSG, socket, emptyMessage, 1, 0))
	try("inotify_init1", call(unix.SYS_INOTIFY_INIT1, 0))
	try("fanotify_init", call(unix.SYS_FANOTIFY_INIT, 0, 0))
	try("userfaultfd", call(unix.SYS_USERFAULTFD, 0))
	try("io_uring_setup", call(unix.SYS_IO_URING_SETUP, 1, make([]byte, 256)))
	try("io_setup", call(unix.SYS_IO_SETUP, 1, owner))
	try("bpf", call(unix.SYS_BPF, 0, make([]byte, 128), 128))
	try("perf_event_open", call(unix.SYS_PERF_EVENT_OPEN, make([]byte, 128), 0, -1, -1, 0))
	try("vmsplice", call(unix.SYS_VMSPLICE, p[1], 0, 0, 0))
	try("name_to_handle_at", call(unix.SYS_NAME_TO_HANDLE_AT, atCwd, a.dir, owner, owner, 0))
	try("open_by_handle_at", call(unix.SYS_OPEN_BY_HANDLE_AT, atCwd, owner, 0))
	try("memfd_secret", call(unix.SYS_MEMFD_SECRET, 0))
}

// system changes the system, or what the worker is.
func (a attacker) system(try func(string, error)) {
	buf := make([]byte, 512)
	for name, c := range map[string]struct {
		number uintptr
		args   []any
	}{
		"mlock": {unix.SYS_MLOCK, []any{buf, 1}}, "mlock2": {unix.SYS_MLOCK2, []any{buf, 1, 0}}, "mlockall": {unix.SYS_MLOCKALL, []any{1}},
		"vhangup": {unix.SYS_VHANGUP, nil}, "sysinfo": {unix.SYS_SYSINFO, []any{buf}}, "keyctl": {unix.SYS_KEYCTL, []any{0, -3, 0}}, "add_key": {unix.SYS_ADD_KEY, []any{"user", "x", "x", 1, -3}},
		"mount": {unix.SYS_MOUNT, []any{"none", a.dir + "/rw", "tmpfs", 0, 0}}, "umount2": {unix.SYS_UMOUNT2, []any{a.dir + "/rw", 0}},
		"fsopen": {unix.SYS_FSOPEN, []any{"tmpfs", 0}}, "open_tree": {unix.SYS_OPEN_TREE, []any{atCwd, "/", 0}}, "chroot": {unix.SYS_CHROOT, []any{a.dir}},
		"unshare": {unix.SYS_UNSHARE, []any{unix.CLONE_NEWUSER}}, "setns": {unix.SYS_SETNS, []any{0, 0}}, "personality": {unix.SYS_PERSONALITY, []any{0x0400000}},
		"setuid": {unix.SYS_SETUID, []any{os.Getuid()}}, "setgroups": {unix.SYS_SETGROUPS, []any{0, 0}}, "setfsuid": {unix.SYS_SETFSUID, []any{os.Getuid()}},
		"capset": {unix.SYS_CAPSET, []any{buf, buf}}, "prctl": {unix.SYS_PRCTL, []any{unix.PR_SET_DUMPABLE, 1}},
		"prctl of filters": {unix.SYS_PRCTL, []any{unix.PR_SET_SECCOMP, 2, 0}}, "seccomp": {unix.SYS_SECCOMP, []any{unix.SECCOMP_SET_MODE_FILTER, 8, buf}},
		"mknodat": {unix.SYS_MKNODAT, []any{atCwd, a.dir + "/rw/fifo", unix.S_IFIFO | 0o600, 0}}, "quotactl": {unix.SYS_QUOTACTL, []any{0, 0, 0, 0}},
		"quotactl_fd": {unix.SYS_QUOTACTL_FD, []any{0, 0}}, "syslog": {unix.SYS_SYSLOG, []any{10, 0, 0}}, "acct": {unix.SYS_ACCT, []any{a.dir + "/rw/file"}},
		"listmount": {unix.SYS_LISTMOUNT, []any{buf, buf, 1, 0}}, "statmount": {unix.SYS_STATMOUNT, []any{buf, buf, 1, 0}},
		"sethostname": {unix.SYS_SETHOSTNAME, []any{"x", -1}}, "swapoff": {unix.SYS_SWAPOFF, []any{a.dir + "/rw/file"}}, "sync": {unix.SYS_SYNC, nil},
		"clock_settime": {unix.SYS_CLOCK_SETTIME, []any{-1, buf}}, "reboot": {unix.SYS_REBOOT, []any{0, 0, 0}}, "finit_module": {unix.SYS_FINIT_MODULE, []any{-1, "", 0}},
		"timer_create": {unix.SYS_TIMER_CREATE, []any{0, 0, buf}}, "get_mempolicy": {unix.SYS_GET_MEMPOLICY, []any{0, 0, 0, 0, 0}},
		"mmap to write and execute":     {unix.SYS_MMAP, []any{0, 4096, unix.PROT_WRITE | unix.PROT_EXEC, unix.MAP_PRIVATE | unix.MAP_ANON, -1, 0}},
		"mprotect to write and execute": {unix.SYS_MPROTECT, []any{0x10000, 4096, unix.PROT_WRITE | unix.PROT_EXEC}},
		"pkey_mprotect":                 {unix.SYS_PKEY_MPROTECT, []any{0x10000, 4096, unix.PROT_READ, -1}},
		"no call of that number":        {1023, nil},
	} {
		try(name, call(c.number, c.args...))
	}
	fd, err := unix.MemfdCreate("code", unix.MFD_CLOEXEC)
	try("no memfd", invert(err))
	_, err = unix.Write(fd, make([]byte, 4096))
	try("no writing to a memfd", invert(err))
	for name, flags := range map[string]int{"private": unix.MAP_PRIVATE, "shared": unix.MAP_SHARED} {
		try("mmap of a file to execute, "+name, call(unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, flags, fd, 0))
	}
	try("mmap to execute", call(unix.SYS_MMAP, 0, 4096, unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON, -1, 0))
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var caps [2]unix.CapUserData
	try("capget", unix.Capget(&header, &caps[0]))
}

// invert is for what has to be possible.
func invert(err error) error {
	if err != nil {
		return nil
	}
	return unix.EPERM
}
