//go:build amd64 || arm64

package worker_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

func init() {
	modes["attack"], modes["deny"], modes["hog"] = worker.Attack, worker.Deny, hog
	modes["keep in threads"] = worker.KeepFilesInThreads
}

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
	capabilities := "0000000000000000"
	if os.Getuid() == 0 {
		capabilities = "000000000000000a" // to use files of others
	}
	for _, want := range []string{
		"NoNewPrivs:\t1\n", "Seccomp:\t2\n",
		"CapInh:\t0000000000000000\n", "CapPrm:\t" + capabilities + "\n", "CapEff:\t" + capabilities + "\n", "CapAmb:\t0000000000000000\n",
	} {
		if !strings.Contains(string(status), want) {
			t.Errorf("got status %s, want %q in it", status, want)
		}
	}
	environ, err := os.ReadFile(proc + "environ")
	wantEnv := "TERRARIUM_WORKER=1\x00GOMAXPROCS=1\x00"
	if raceDetector {
		wantEnv += "GORACE=atexit_sleep_ms=0 halt_on_error=1\x00"
	}
	if got := string(environ); err != nil || got != wantEnv {
		t.Errorf("got environment %q, %v, want %q", got, err, wantEnv)
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
	// The root that was handed over, the session's /tmp, /dev/null thrice, what was compiled, as
	// far as it is mapped when it is needed, Go's poller, the socket, three streams.
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

// attacked is where an attacker has been.
type attacked struct{ dir, log string }

// read returns what the attacker has left in a file.
func (a attacked) read(t *testing.T, name string) string {
	t.Helper()
	p, err := os.ReadFile(filepath.Join(a.dir, "rw", name))
	if err != nil {
		t.Errorf("%v, and the host says:\n%s", err, a.log)
	}
	return string(p)
}

// attack has a guest attack that has broken out, of a host that is run by uid.
func attack(t *testing.T, uid int, what string) attacked {
	t.Helper()
	top, err := os.MkdirTemp("", "attack") // t.TempDir is below a directory of root's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	dir := filepath.Join(top, "all")
	for _, name := range []string{"bin", "all/outside", "all/ro", "all/rw", "all/cache"} {
		if err := os.MkdirAll(filepath.Join(top, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, name, "file"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir+"/cache", 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(top, "bin", "program")
	for name, p := range map[string][]byte{"program": self, "plan": fmt.Append(nil, dir, " ", what, " 0 0 0 0")} {
		if err := os.WriteFile(filepath.Join(top, "bin", name), p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := filepath.WalkDir(top, func(name string, _ os.DirEntry, _ error) error { return os.Chown(name, uid, uid) }); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Dir, cmd.Env = "/", []string{testMode + "=attack"}
	if uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	log, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	return attacked{dir, string(log)}
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

// A guest that has broken out, while it runs or while it is compiled, reaches
// nothing but what its worker needs, and its host learns what it has tried.
func TestAttack(t *testing.T) {
	onEachUser(t, func(t *testing.T, uid int) {
		a := attack(t, uid, "everything")
		for _, who := range []string{"worker", "compiler"} {
			if got := a.read(t, who); got != "" {
				t.Errorf("the %s could:\n%s", who, got)
			}
		}
		// Once in the compiler and once in the worker, and fchmodat2 of five files.
		for _, want := range []string{"ended exit 0 ", "refused io_uring_setup times 2", "refused fchmodat2 times 10"} {
			if strings.Count(a.log, want+"\n") != 1 {
				t.Errorf("got %s, want %q once", a.log, want)
			}
		}
		if strings.Contains(a.log, "refused sysinfo") {
			t.Errorf("got %s, want no word of sysinfo", a.log)
		}
		for _, want := range []string{"refused fcntl times ", "refused without a name times "} {
			if strings.Count(a.log, want) != 1 {
				t.Errorf("got %s, want %q once", a.log, want)
			}
		}
		if strings.Contains(a.log, "counted but not told of") {
			t.Errorf("got %s, want what was counted to be told", a.log)
		}
		if strings.Contains(a.log, "lacks") {
			t.Errorf("got %s, want a system that lacks nothing", a.log)
		}
	})
}

// A guest that has broken out does not reach the cache where a directory above
// it was handed over: with the key it would make entries that hosts run.
func TestAttackAbove(t *testing.T) {
	onEachUser(t, func(t *testing.T, uid int) {
		a := attack(t, uid, "above")
		if got := a.read(t, "worker"); got != "" {
			t.Errorf("the worker could:\n%s", got)
		}
		if !strings.Contains(a.log, "ended exit 0") {
			t.Errorf("got %s, want an attack that has ended", a.log)
		}
	})
}

// Nor does it where another guest swaps a directory for a link to one above the
// cache, between the host's look at it and the worker's.
func TestAttackSwapped(t *testing.T) {
	onEachUser(t, func(t *testing.T, uid int) {
		a := attack(t, uid, "swap")
		if got, err := os.ReadFile(filepath.Join(a.dir, "rw", "worker")); err == nil {
			t.Errorf("it ran, and could:\n%s", got)
		}
		if want := "/rw/sub\": another directory has come in its place"; !strings.Contains(a.log, want) {
			t.Errorf("got %s, want %s", a.log, want)
		}
	})
}

// Threads have a bound, for root as well.
func TestThreads(t *testing.T) {
	onEachUser(t, func(t *testing.T, uid int) {
		a := attack(t, uid, "threads")
		if n, err := strconv.Atoi(a.read(t, "threads")); err != nil || n < 900 || n > 1024 {
			t.Errorf("got %d threads, %v, want about 1,000", n, err)
		}
		if !strings.Contains(a.log, "lost") {
			t.Errorf("got %s, want a worker that is lost", a.log)
		}
	})
}

// Memory has a bound, which is for what runs in the worker.
func TestMemoryOfWorker(t *testing.T) {
	if raceDetector {
		t.Skip("which takes most of that memory")
	}
	a := attack(t, os.Getuid(), "memory")
	// It is as much as the one command may have.
	const most = (worker.WorkerMemory + 512<<20) / worker.AttackPiece
	if n, err := strconv.Atoi(a.read(t, "worker")); err != nil || n < most/4 || n > most {
		t.Errorf("got %d pieces of memory, %v, want %d at most", n, err, most)
	}
}

// Root can use what others own, if it is handed over: a terrarium in a container
// has directories from outside.
func TestFilesOfOthers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can use files of others")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, dir} {
		if err := os.Chown(name, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	h := newHost(t, worker.Config{Pool: -1})
	for _, args := range [][]string{{"read", file}, {"write", file, "new"}, {"touch", file}, {"write", dir + "/other", "x"}} {
		c := command(args...)
		c.Roots = []string{dir}
		if r := run(t, h, c); r.exit.Status != (core.ExitStatus{}) {
			t.Errorf("%s: got %v, %q, want success", args[0], r.exit.Status, r.stderr)
		}
	}
	info, err := os.Stat(file)
	if err != nil || info.ModTime().Unix() != 2 || info.Size() != 3 {
		t.Errorf("got %v, %v, want three bytes of two seconds after 1970", info, err)
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
