//go:build amd64 || arm64

package worker

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The names of system calls are those of x/sys.
func TestCallNames(t *testing.T) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "golang.org/x/sys/unix").Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(strings.TrimSpace(string(dir)), "zsysnum_linux_"+runtime.GOARCH+".go")
	numbers, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	matches := regexp.MustCompile(`SYS_(\w+) += (\d+)`).FindAllStringSubmatch(string(numbers), -1)
	if len(matches) < 300 {
		t.Fatalf("got %d system calls in %s", len(matches), file)
	}
	for _, m := range matches {
		var number int
		fmt.Sscan(m[2], &number)
		if got, want := callName(number), strings.ToLower(m[1]); got != want {
			t.Errorf("system call %d: got %s, want %s", number, got, want)
		}
	}
	if got, want := callName(1<<20), "without a name"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The host lets threads be started, and refuses all else that it is asked for.
func TestCallsDecided(t *testing.T) {
	const (
		goThread    = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD
		glibcThread = goThread | unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID
	)
	for _, test := range []struct {
		number int32
		arg    uint64
		want   syscall.Errno
		told   string
	}{
		{unix.SYS_CLONE, goThread, 0, ""},
		{unix.SYS_CLONE, glibcThread, 0, ""},
		{unix.SYS_CLONE, goThread | unix.CLONE_NEWNS, unix.EPERM, "clone"},
		{unix.SYS_CLONE, goThread | unix.CLONE_PIDFD, unix.EPERM, "clone"},
		{unix.SYS_CLONE, goThread &^ unix.CLONE_THREAD, unix.EPERM, "clone"},
		{unix.SYS_CLONE, uint64(unix.SIGCHLD), unix.EPERM, "clone"},
		{unix.SYS_FCNTL, 0, unix.EPERM, "fcntl"},
		{unix.SYS_EXECVE, 0, unix.ENOSYS, "execve"},
		{-1, 0, unix.ENOSYS, "without a name"},
	} {
		var told []string
		w := callsWatch{told: func(call string) { told = append(told, call) }}
		n := notification{}
		n.data.number, n.data.args[0] = test.number, test.arg
		if got := w.decide(&n); got != test.want || strings.Join(told, ",") != test.told {
			t.Errorf("%d with %x: got %v and told of %q, want %v and %q", test.number, test.arg, got, told, test.want, test.told)
		}
	}
}

// deny keeps this process to the list of what is denied, as on a system that we
// have no other list for, and attacks.
func deny() {
	runtime.LockOSThread()
	// Without it, root alone may have a filter.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		fmt.Println(err)
		return
	}
	missing := denyCalls(errNoList)
	fmt.Println(missing)
	if !strings.Contains(fmt.Sprint(missing), onlyDenied) {
		return // nothing would keep what follows from stopping the tests themselves
	}
	a := attacker{attackPlan{dir: os.Getenv("DIR"), victim: os.Getppid()}}
	try := func(name string, err error) {
		if err != unix.EPERM && err != unix.ENOSYS {
			fmt.Println(name, err)
		}
	}
	a.metadata(try)
	a.processes(try)
	try("sendmsg", call(unix.SYS_SENDMSG, 1, emptyMessage, 0))
}

// Deny is deny, for the tests of the other package.
var Deny = deny

var errNoList = fmt.Errorf("no list")

const onlyDenied = "all others allowed: no list"

// The list of what is denied, too, keeps from files that were not handed over,
// and from other processes, all that reading and asking does not do.
func TestDenied(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"outside", "ro", "rw", "cache"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{"TERRARIUM_TEST_MODE=deny", "DIR=" + dir}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if !strings.Contains(lines[0], onlyDenied) {
		t.Errorf("got %q, want what is missing", lines[0])
	}
	harmless := regexp.MustCompile(`^(getxattr|truncate|ioctl|setsid|setpgid)`)
	rest := slices.DeleteFunc(lines[1:], harmless.MatchString)
	if len(rest) > 0 {
		t.Errorf("could %q", rest)
	}
}
