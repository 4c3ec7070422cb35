package worker_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

func init() { modes["tracer"] = beTracer }

// beTracer traces a process until its input ends, and pays no attention to it.
func beTracer() {
	pid, _ := strconv.Atoi(os.Getenv("PID"))
	runtime.LockOSThread() // which is the tracer
	fmt.Println(unix.PtraceSeize(pid))
	io.Copy(io.Discard, os.Stdin)
}

// hold has a process not be reaped when it is killed, as one is not that waits
// in the kernel: not before it was reaped by who traces it. The test's end
// releases it.
func hold(t *testing.T, pid int) {
	t.Helper()
	tracer := exec.Command("/proc/self/exe")
	tracer.Env = []string{testMode + "=tracer", "PID=" + strconv.Itoa(pid)}
	in, err := tracer.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := tracer.StdoutPipe()
	if err == nil {
		err = tracer.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		tracer.Wait()
	})
	var answer string
	fmt.Fscanln(out, &answer)
	if answer != "<nil>" {
		t.Skip("we may not trace: ", answer)
	}
}

// within calls f, which must return soon.
func within(t *testing.T, name string, f func()) {
	t.Helper()
	withinTimes(t, 1, name, f)
}

// withinTimes is within for an f that does much: it has so many times the patience.
func withinTimes(t *testing.T, times time.Duration, name string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(times * patience):
		t.Fatalf("%s does not return", name)
	}
}

// A worker that was killed and has not ended yet, as it does not on a busy machine, is not left
// behind.
func TestSlowToEnd(t *testing.T) {
	worker.SetStuckLimit(t, 1)
	// One that has ended, and whose end is not noted yet, looks like one that can't end.
	worker.SetLookAgain(t, 5*time.Second)
	for range 10 {
		h, err := worker.New(worker.Config{Commands: commands(), CacheDir: cacheDir, TmpDir: t.TempDir(), Pool: -1})
		if err != nil {
			t.Fatal(err)
		}
		e, err := h.Resolve(context.Background(), command("block"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := h.Start(context.Background(), e)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Close(); err != nil {
			t.Errorf("got %v, want it to end", err)
		}
		p.Close()
	}
}

// A worker that does not end when it is killed holds up nobody, and what is
// closed says that it is left behind.
func TestStuckWorker(t *testing.T) {
	worker.SetStuckLimit(t, 100*time.Millisecond)
	worker.SetKillLimits(t, 100*time.Millisecond, time.Minute)
	h, err := worker.New(worker.Config{Commands: commands(), CacheDir: cacheDir, TmpDir: t.TempDir(), Pool: -1})
	if err != nil {
		t.Fatal(err)
	}
	e, err := h.Resolve(context.Background(), command("block"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	pid := only(t)
	// So that it does not end the command itself.
	unix.Kill(pid, unix.SIGSTOP)
	if err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED, nil); err != nil {
		t.Fatal(err)
	}
	hold(t, pid)
	waited := make(chan struct{})
	go func() { p.Wait(); close(waited) }()
	within(t, "Process.Close", func() {
		if p.Close() == nil {
			t.Error("Process.Close: got no error")
		}
	})
	within(t, "Wait", func() { <-waited })
	within(t, "Host.Close", func() {
		if h.Close() == nil {
			t.Error("Host.Close: got no error")
		}
	})
}
