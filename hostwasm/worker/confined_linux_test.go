package worker_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

func init() { modes["probe"], modes["hog"] = probe, hog }

// A worker has the descriptors that it needs, no environment, and the system
// refuses it the rest.
func TestConfined(t *testing.T) { onEachEngine(t, testConfined) }

func testConfined(t *testing.T, engine string) {
	inherited, err := unix.Open("/dev/zero", unix.O_RDONLY, 0) // without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(inherited)
	dir := t.TempDir()
	h := newHost(t, worker.Config{Engine: engine, Pool: -1})
	c := command("block")
	c.Roots = []string{dir}
	p := start(t, h, c)
	proc := fmt.Sprintf("/proc/%d/", workers(t, os.Getpid())[0])

	status, err := os.ReadFile(proc + "status")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NoNewPrivs:\t1\n", "Seccomp:\t2\n"} {
		if !strings.Contains(string(status), want) {
			t.Errorf("got status %s, want %q in it", status, want)
		}
	}
	environ, err := os.ReadFile(proc + "environ")
	if got, want := string(environ), "TERRARIUM_WORKER=1\x00GOMAXPROCS=1\x00"; err != nil || got != want {
		t.Errorf("got environment %q, %v, want %q", got, err, want)
	}
	var got []string
	files, _ := filepath.Glob(proc + "fd/*")
	for _, file := range files {
		target, _ := os.Readlink(file)
		if strings.HasPrefix(target, "/sys/fs/cgroup/") {
			continue // Go looks there for how many processors it has
		}
		if kind, _, ok := strings.Cut(target, ":["); ok {
			target = kind
		}
		got = append(got, target)
	}
	slices.Sort(got)
	// The root that was handed over, the session's /tmp, /dev/null thrice, what
	// was compiled, as far as it is mapped when it is needed, Go's poller, the socket, three streams.
	tmp := got[slices.IndexFunc(got, func(s string) bool { return strings.Contains(s, "/tmp-") })]
	data := got[max(0, slices.IndexFunc(got, func(s string) bool { return strings.HasPrefix(s, cacheDir) }))]
	want := []string{
		dir, tmp, "/dev/null", "/dev/null", "/dev/null", data,
		"anon_inode:[eventpoll]", "anon_inode:[eventfd]", "socket", "pipe", "pipe", "pipe",
	}
	for i, s := range want {
		want[i], _, _ = strings.Cut(s, ":[")
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got descriptors %q, want %q", got, want)
	}
	p.Close()
}

// probe does what a worker does before it runs a guest, and then what it must
// not be able to. It prints what it could.
func probe() {
	dir := os.Getenv("DIR")
	for _, m := range worker.GiveUpCalls() {
		if m.Name == "seccomp" && !m.Used {
			fmt.Print("no seccomp: ", m.Detail)
			return
		}
	}
	landlocked := worker.KeepFiles(dir) == nil
	allowed := func(name string, err error) {
		if err == nil {
			fmt.Println(name)
		}
	}
	_, err := syscall.ForkExec("/bin/true", []string{"true"}, nil)
	allowed("fork and execve", err)
	allowed("execve", syscall.Exec("/bin/true", []string{"true"}, nil))
	for _, domain := range []int{unix.AF_INET, unix.AF_UNIX, unix.AF_NETLINK} {
		_, err := unix.Socket(domain, unix.SOCK_STREAM, 0)
		allowed("socket", err)
	}
	allowed("kill", unix.Kill(os.Getppid(), 0))
	allowed("tgkill", unix.Tgkill(os.Getppid(), os.Getppid(), 0))
	allowed("ptrace", unix.PtraceAttach(os.Getppid()))
	allowed("unshare", unix.Unshare(unix.CLONE_NEWUSER))
	allowed("mount", unix.Mount("none", dir, "tmpfs", 0, ""))
	allowed("mknod", unix.Mknodat(unix.AT_FDCWD, dir+"/null", unix.S_IFCHR|0o666, 1<<8|3))
	allowed("setrlimit", unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}))
	_, err = unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false)
	allowed("keyctl", err)
	allowed("write to dir", os.WriteFile(dir+"/file", nil, 0o600))
	if landlocked {
		_, err = os.ReadFile("/etc/passwd")
		allowed("read /etc/passwd", err)
		_, err = os.ReadDir("/")
		allowed("list /", err)
		allowed("write to /tmp", os.WriteFile(dir+"/../file", nil, 0o600))
		allowed("rename out of dir", os.Rename(dir+"/file", dir+"/../file"))
	}
	done := make(chan bool) // threads can still be made
	go func() { done <- true }()
	<-done
}

func TestProbe(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{testMode + "=probe", "DIR=" + t.TempDir()}
	out, err := cmd.Output()
	if strings.HasPrefix(string(out), "no seccomp") {
		t.Skip(string(out))
	}
	if got, want := string(out), "write to dir\n"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q only", got, err, want)
	}
}

// hog takes as much memory as a compiler may have, and more.
func hog() {
	worker.LimitCompiler()
	var all [][]byte
	for i := range 40 {
		fmt.Println(i)
		p := make([]byte, 64<<20)
		for j := 0; j < len(p); j += 4096 {
			p[j] = 1
		}
		all = append(all, p)
	}
	fmt.Println(len(all), "are too many")
}

// The system ends a compiler that takes too much memory.
func TestCompilerMemory(t *testing.T) {
	if raceDetector {
		t.Skip("which takes most of that memory")
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{testMode + "=hog"}
	out, err := cmd.Output()
	if err == nil || len(strings.Fields(string(out))) < 8 {
		t.Errorf("got %q, %v, want an end after half a GiB", out, err)
	}
}

// All that holds a worker holds here, but where it can't.
func TestReport(t *testing.T) {
	measures, err := newHost(t, worker.Config{Pool: -1}).Report(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range measures {
		names[m.Name] = true
		if !m.Used {
			t.Logf("%s: %s", m.Name, m.Detail)
		}
		if m.Detail == "" {
			t.Errorf("got %+v, want a detail", m)
		}
	}
	for _, want := range []string{"rlimits", "seccomp", "landlock"} {
		if !names[want] {
			t.Errorf("got %v, want %s among them", measures, want)
		}
	}
}
