package worker_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

func init() { modes["host"] = beHost }

// workers returns the workers that process pid has started.
func workers(t testing.TB, pid int) (pids []int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil || len(tasks) == 0 {
		t.Skip("this system does not tell of children")
	}
	for _, task := range tasks {
		children, _ := os.ReadFile(task) // an error means that the thread has ended
		for _, child := range strings.Fields(string(children)) {
			n, _ := strconv.Atoi(child)
			if line, _ := os.ReadFile("/proc/" + child + "/cmdline"); strings.HasPrefix(string(line), "terrarium-worker") {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

// only returns the worker that there is.
func only(t *testing.T) int {
	t.Helper()
	pids := workers(t, os.Getpid())
	if len(pids) != 1 {
		t.Fatalf("got workers %v, want one", pids)
	}
	return pids[0]
}

// in returns c in a session.
func in(session core.SessionID, c core.Command) core.Command {
	c.Session = session
	return c
}

// A worker that is killed by somebody else ends its command, and no other session's.
func TestWorkerKilled(t *testing.T) {
	h := newHost(t, worker.Config{Pool: -1})
	victim := start(t, h, command("block"))
	pid := only(t)
	other := start(t, h, in("other", command("exit", "7")))
	unix.Kill(pid, unix.SIGKILL)
	if err := victim.Output(func(uint8, []byte) {}); err != nil {
		t.Errorf("Output: %v", err)
	}
	exit, err := victim.Wait()
	if want := (core.Exit{Status: core.ExitStatus{Signal: "SIGKILL"}, Reason: core.ReasonMemory}); err != nil || exit != want {
		t.Errorf("got %+v, %v, want %+v", exit, err, want)
	}
	if exit, err := other.Wait(); err != nil || exit.Status.ExitCode != 7 {
		t.Errorf("the other: got %+v, %v, want exit 7", exit, err)
	}
}

// A worker that ends in another way has lost its command.
func TestWorkerLost(t *testing.T) {
	h := newHost(t, worker.Config{Pool: -1})
	p := start(t, h, command("block"))
	unix.Kill(only(t), unix.SIGSEGV)
	exit, err := p.Wait()
	if want := (core.Exit{Status: core.ExitStatus{Unknown: true}, Reason: core.ReasonLost}); err != nil || exit != want {
		t.Errorf("got %+v, %v, want %+v", exit, err, want)
	}
}

// beHost is a host with commands of three sessions and two warm workers, until it is
// killed.
func beHost() {
	c := worker.Config{
		Commands: map[string]*hostwasm.Module{"guest": fileModule(os.Getenv("GUEST"))},
		CacheDir: os.Getenv("CACHE"), TmpDir: os.Getenv("TMP"),
	}
	h, err := worker.New(c)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, session := range []core.SessionID{"a", "b", "c"} {
		e, err := h.Resolve(context.Background(), in(session, command("block")))
		if err == nil {
			_, err = h.Start(context.Background(), e)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println("started")
	select {}
}

// Nothing survives a host that is killed, and what it has left in files goes
// with the next one.
func TestHostKilled(t *testing.T) {
	tmp := t.TempDir()
	wasm := filepath.Join(t.TempDir(), "guest.wasm")
	bytes, err := guest.Read()
	if err == nil {
		err = os.WriteFile(wasm, bytes, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{testMode + "=host", "GUEST=" + wasm, "CACHE=" + cacheDir, "TMP=" + tmp}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "started\n" {
		t.Fatalf("got %q, want started", line)
	}
	pids := workers(t, cmd.Process.Pid)
	if len(pids) < 3 {
		t.Fatalf("got workers %v, want three that run commands at least", pids)
	}
	var ends []unix.PollFd
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		ends = append(ends, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	dirs, _ := filepath.Glob(tmp + "/terrarium-*/*")
	if len(dirs) != 1 {
		t.Fatalf("got %q, want one directory", dirs)
	}
	lock, err := os.Open(filepath.Join(dirs[0], "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	cmd.Process.Kill()
	for i := range ends {
		n, err := unix.Poll(ends[i:i+1], int(patience/time.Millisecond))
		for err == unix.EINTR {
			n, err = unix.Poll(ends[i:i+1], int(patience/time.Millisecond))
		}
		if n != 1 {
			t.Errorf("worker %d lives: %v", pids[i], err)
		}
	}
	// Until then it may have the lock: workers go when its first thread does. So may a worker that
	// was just being started, which is not among pids: it has what the host had until it executes.
	cmd.Wait()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	lock.Close()
	h := newHost(t, worker.Config{TmpDir: tmp, Pool: -1})
	run(t, h, command("exit", "0"))
	var left []string // they are removed beside what else goes on
	for late := time.Now().Add(patience); ; runtime.Gosched() {
		if left, _ = filepath.Glob(tmp + "/terrarium-*/*"); len(left) == 1 {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("got %q, want one directory: the new one's", left)
		}
	}
}
