package tests

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// fullPipe returns the end of a pipe that has no room, and that nobody reads until the test ends.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	var ends [2]int
	syscall.ForkLock.RLock()
	err := syscall.Pipe(ends[:])
	if err == nil {
		syscall.CloseOnExec(ends[0])
		syscall.CloseOnExec(ends[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	// As a program has it that was not told otherwise: it waits for room.
	full := os.NewFile(uintptr(ends[1]), "pipe")
	t.Cleanup(func() {
		full.Close()
		syscall.Close(ends[0])
	})
	syscall.SetNonblock(ends[1], true)
	for err == nil {
		_, err = syscall.Write(ends[1], []byte("x"))
	}
	if !errors.Is(err, syscall.EAGAIN) {
		t.Fatal(err)
	}
	syscall.SetNonblock(ends[1], false)
	return full
}

// TestFleetUnread: a worker whose standard error nobody reads works, drains, and ends by a second
// signal, all the same.
func TestFleetUnread(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newFleetBox(t)
	cmd := exec.Command("terrarium", "fleet", "join", "--name", "one", "--slots", "1", "--creds", b.worker, b.url)
	cmd.Stderr = fullPipe(t)
	worker := b.startProgram(cmd)
	p := b.run("echo $$; sleep 600")
	b.pid(p)
	cmd.Process.Signal(syscall.SIGTERM)
	b.until("the worker drains", func() bool { return strings.Contains(p.errs.String(), "worker one is to end") })
	cmd.Process.Signal(syscall.SIGTERM)
	if status := b.status(worker); status != 128+int(syscall.SIGTERM) {
		t.Errorf("got %d, want %d", status, 128+int(syscall.SIGTERM))
	}
	if status := b.status(p); status != 125 {
		t.Errorf("its session: got %d and %q, want 125", status, &p.errs)
	}
}
