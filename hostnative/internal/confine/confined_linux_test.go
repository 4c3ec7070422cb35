//go:build amd64 || arm64

package confine

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The tests start their own program again, as what a mode says.
const modeVar = "CONFINE_TEST"

var modes = map[string]func(){"confine": confineSelf, "victim": beVictim, "attack": attack, "print": printOut}

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVar); mode != "" {
		modes[mode]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A plan says what a process is to be kept to, and what it is then.
type plan struct {
	Rules   Rules
	Version int // of Landlock; 0 is the kernel's
	Notify  bool
	Then    string
	Arena   arena
}

const planVar = "CONFINE_PLAN"

func planned() (p plan) {
	if err := json.Unmarshal([]byte(os.Getenv(planVar)), &p); err != nil {
		panic(err)
	}
	return p
}

// confineSelf does what a keeper does.
func confineSelf() {
	p := planned()
	runtime.LockOSThread()
	version, why := landlockVersion()
	if p.Version > 0 {
		version, why = p.Version, nil
	}
	report, fd, err := apply(p.Rules, p.Notify, version, why, nil)
	if err != nil {
		fmt.Println("apply:", err)
		os.Exit(1)
	}
	if p.Notify {
		if err := unix.Sendmsg(3, []byte("x"), unix.UnixRights(fd), nil, 0); err != nil {
			fmt.Println("send:", err)
			os.Exit(1)
		}
	}
	p.Arena.Report = report
	text, _ := json.Marshal(p)
	os.Setenv(planVar, string(text))
	os.Setenv(modeVar, p.Then)
	fmt.Println("execute:", syscall.Exec("/proc/self/exe", os.Args, os.Environ()))
	os.Exit(1)
}

// An arena is where commands work that attack: directories that are handed over
// and others, and a process of the same user, which is their victim.
type arena struct {
	Top    string
	Victim victim
	Report Report
}

func (a arena) path(name string) string { return filepath.Join(a.Top, name) }

func (a arena) rules(level Level) Rules {
	return Rules{
		Level: level, Roots: []string{a.path("root"), a.path("project/sub")}, Write: []string{a.path("write")}, Private: a.path("private"),
		Home: a.path("home"), Hide: []string{a.path("hide"), a.path("root/hide")},
	}
}

// newArena makes one for a user, with a victim that lives as long as the test.
func newArena(t *testing.T, uid int) arena {
	t.Helper()
	if _, err := landlockVersion(); err != nil {
		t.Skip("this kernel has no Landlock: ", err)
	}
	top, err := os.MkdirTemp("", "confine") // t.TempDir is below a directory of root's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	a := arena{Top: top}
	for _, name := range []string{
		"bin", "root/sub", "root/hide", "write", "private", "outside/empty", "outside/dir", "hide", "project/sub",
		"home/.ssh", "home/.config/gh", "home/.config/terrarium", "home/.config/visible", "home/.cache/terrarium", "home/seen",
	} {
		if err := os.MkdirAll(a.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	truth, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string][]byte{
		"bin/program": self, "home/.ssh/tool": truth, "home/.ssh/id": nil, "home/.config/gh/hosts.yml": nil, "home/.config/terrarium/policy.toml": nil,
		"home/.config/visible/file": nil, "home/seen/file": nil, "home/.gitconfig": []byte("[user]\nname = A\nemail = a@example.org\n"),
		"hide/file": nil, "root/hide/file": nil, "root/file": nil, "root/sub/file": nil, "write/file": nil, "outside/file": nil, "outside/dir/file": nil,
		"project/sub/file": nil, "project/file": nil,
	} {
		if p == nil {
			p = []byte("content")
		}
		if err := os.WriteFile(a.path(name), p, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"root/link": "../outside/file", "root/dirlink": "../outside", "root/sshlink": a.path("home/.ssh"), "home/idlink": ".ssh/id",
	} {
		if err := os.Symlink(target, a.path(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := filepath.WalkDir(top, func(name string, _ os.DirEntry, _ error) error { return os.Lchown(name, uid, uid) }); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		setuid, err := os.ReadFile("/usr/bin/id")
		if err == nil {
			err = os.WriteFile(a.path("bin/setuid"), setuid, 0o755)
		}
		if err == nil {
			err = os.Chmod(a.path("bin/setuid"), 0o755|os.ModeSetuid)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	a.Victim = startVictim(t, a, uid)
	return a
}

// command returns a process of a user's in a mode. All that it prints is to be read.
func (a arena) command(uid int, mode string, p plan) *exec.Cmd {
	p.Arena = a
	text, _ := json.Marshal(p)
	cmd := exec.Command(a.path("bin/program"))
	cmd.Dir = a.path("root")
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "HOME", "TMPDIR", "GOCACHE", "GOFLAGS", "GOPATH", modeVar, planVar:
		default:
			cmd.Env = append(cmd.Env, v)
		}
	}
	if root := os.Getenv("HOME"); os.Getenv("PYENV_ROOT") == "" {
		cmd.Env = append(cmd.Env, "PYENV_ROOT="+filepath.Join(root, ".pyenv"))
	}
	cmd.Env = append(cmd.Env, "HOME="+a.path("home"), "TMPDIR="+a.path("private"), "GOCACHE="+a.path("private/go-build"), "GOPATH="+a.path("private/go"),
		"GOTOOLCHAIN=local", modeVar+"="+mode, planVar+"="+string(text))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if uid != os.Getuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	return cmd
}

// run has a process of a user's be what a plan says, and returns what that prints.
func (a arena) run(t *testing.T, uid int, p plan) string {
	t.Helper()
	mode := "confine"
	if p.Rules.Level == Off {
		mode = p.Then
	}
	cmd := a.command(uid, mode, p)
	timer := time.AfterFunc(5*time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// onEachUser runs a test as who we are and, if that is root, as somebody else.
func onEachUser(t *testing.T, test func(t *testing.T, uid int)) {
	uids := []int{os.Getuid()}
	if uids[0] == 0 {
		uids = append(uids, 65534)
	}
	for _, uid := range uids {
		t.Run(fmt.Sprint("uid ", uid), func(t *testing.T) { test(t, uid) })
	}
}

// A victim is a process that is not confined, and what it has.
type victim struct {
	Pid, Tid               int
	TCP, TCP6, UDP         int // ports on loopback
	Stream, Datagram, Name string
	Memory                 uintptr
	Shared                 int
}

func startVictim(t *testing.T, a arena, uid int) (v victim) {
	t.Helper()
	cmd := a.command(uid, "victim", plan{})
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the victim has ended: %v", err)
		}
	})
	if err := json.NewDecoder(out).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

var victimMemory = []byte("the victim's memory")

// beVictim waits for the end of standard input.
func beVictim() {
	a := planned().Arena
	runtime.LockOSThread() // Tid
	v := victim{
		Pid: os.Getpid(), Tid: unix.Gettid(), Stream: a.path("outside/stream"), Datagram: a.path("outside/datagram"),
		Name: "@" + a.path("abstract"), Memory: addressOf(victimMemory),
	}
	v.TCP = port(listenOn(unix.AF_INET, unix.SOCK_STREAM, &unix.SockaddrInet4{Addr: loopback}))
	v.UDP = port(listenOn(unix.AF_INET, unix.SOCK_DGRAM, &unix.SockaddrInet4{Addr: loopback}))
	if fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0); err == nil {
		unix.Close(fd)
		v.TCP6 = port(listenOn(unix.AF_INET6, unix.SOCK_STREAM, &unix.SockaddrInet6{Addr: [16]byte{15: 1}}))
	}
	listenOn(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: v.Stream})
	listenOn(unix.AF_UNIX, unix.SOCK_DGRAM, &unix.SockaddrUnix{Name: v.Datagram})
	listenOn(unix.AF_UNIX, unix.SOCK_STREAM, &unix.SockaddrUnix{Name: v.Name})
	id, _, errno := unix.Syscall(unix.SYS_SHMGET, unix.IPC_PRIVATE, 4096, 0o600)
	if errno != 0 {
		panic(errno)
	}
	defer unix.Syscall(unix.SYS_SHMCTL, id, unix.IPC_RMID, 0)
	v.Shared = int(id)
	if err := json.NewEncoder(os.Stdout).Encode(v); err != nil {
		panic(err)
	}
	io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(victimMemory)
}

var loopback = [4]byte{127, 0, 0, 1}

func listenOn(family, kind int, address unix.Sockaddr) (fd int) {
	fd, err := unix.Socket(family, kind, 0)
	if err == nil {
		err = unix.Bind(fd, address)
	}
	if err == nil && kind == unix.SOCK_STREAM {
		err = unix.Listen(fd, 100)
	}
	if err != nil {
		panic(err)
	}
	return fd
}

func port(fd int) int {
	address, err := unix.Getsockname(fd)
	if err != nil {
		panic(err)
	}
	if a, ok := address.(*unix.SockaddrInet6); ok {
		return a.Port
	}
	return address.(*unix.SockaddrInet4).Port
}

func printOut() { fmt.Println("ran") }
