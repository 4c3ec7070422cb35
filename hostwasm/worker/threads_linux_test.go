//go:build amd64 || arm64

package worker

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// KeepFilesInThreads gives up all files, while there are many threads that wait
// or start others, and prints in how many of them files can be read all the same.
func KeepFilesInThreads() {
	// It holds for this thread, and so for those that it starts. Who is not root needs it in the
	// thread that sets the filter.
	runtime.LockOSThread()
	unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	err := syncFilter(noFilter)
	runtime.UnlockOSThread()
	if err != nil {
		fmt.Println(err)
		return
	}
	var readable, tried atomic.Int32
	read := func() {
		if _, err := os.ReadFile("/proc/self/exe"); err == nil {
			readable.Add(1)
		}
		tried.Add(1)
	}
	begun, kept := make(chan bool), make(chan bool)
	const waiting = 64
	for range waiting {
		go func() {
			runtime.LockOSThread()
			begun <- true
			<-kept
			read()
		}()
		<-begun
	}
	var blocked [2]int
	unix.Pipe2(blocked[:], 0)
	go func() { // in a system call
		runtime.LockOSThread()
		begun <- true
		unix.Read(blocked[0], make([]byte, 1))
		read()
	}()
	<-begun
	stop := make(chan bool)
	go func() { // starts a thread, and ends with it, which starts the next
		var next func()
		next = func() {
			runtime.LockOSThread() // the thread ends with us
			select {
			case <-stop:
				read()
				stop <- true
			default:
				go next()
			}
		}
		next()
	}()
	if err := keepFiles(nil); err != nil {
		fmt.Print("not kept: ", errors.Is(err, errors.ErrUnsupported), err)
		return
	}
	close(kept)
	unix.Write(blocked[1], []byte("x"))
	stop <- true
	<-stop
	for tried.Load() < waiting+2 {
		runtime.Gosched()
	}
	fmt.Print(readable.Load(), " can read")
}

// noFilter allows all; to be set it has no_new_privs set in all threads.
var noFilter = []unix.SockFilter{{Code: opReturn, K: filterAllow}}

// What is given up is given up in all threads, with cgo or without.
func TestAllThreads(t *testing.T) {
	for range 10 {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = []string{"TERRARIUM_TEST_MODE=keep in threads"}
		out, err := cmd.CombinedOutput()
		if strings.HasPrefix(string(out), "not kept: true") {
			t.Skip(string(out))
		}
		if err != nil || string(out) != "0 can read" {
			t.Fatalf("got %q, %v", out, err)
		}
	}
}
