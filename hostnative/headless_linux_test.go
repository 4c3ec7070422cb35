package hostnative_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

func init() {
	if os.Getenv(hostMode) == "headless" {
		runtime.LockOSThread() // main is called on the first thread, which is to end
	}
}

// beHeadless ends its first thread alone, as pthread_exit(3) does in main, says so, and then
// takes as many bytes of memory as its argument says.
func beHeadless() {
	go func() {
		for {
			if b, _ := os.ReadFile("/proc/self/stat"); bytes.Contains(b, []byte(") Z ")) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		os.Stdout.WriteString(strconv.Itoa(os.Getpid()) + "\n")
		n, _ := strconv.Atoi(os.Args[1])
		memory := make([]byte, n)
		for {
			for i := 0; i < n; i += os.Getpagesize() {
				memory[i]++
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	unix.Syscall(unix.SYS_EXIT, 0, 0, 0)
}

// headless runs a shell line whose $1 is a program that begins as beHeadless.
func headless(t *testing.T, text string, args ...string) core.Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := line(text, append([]string{self}, args...)...)
	c.Env = []core.EnvVariable{{Name: hostMode, Value: "headless"}}
	return c
}

// A process whose first thread alone has ended is no zombie: it is killed.
func TestHeadlessIsKilled(t *testing.T) {
	for name, config := range map[string]hostnative.Config{
		"keeper": {}, "keeper,nocgroup": {NoCgroup: true}, "nokeeper,nocgroup": {NoCgroup: true, NoKeeper: true},
	} {
		t.Run(name, func(t *testing.T) {
			fifo := filepath.Join(t.TempDir(), "fifo")
			if err := unix.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			p := start(t, newHost(t, config), headless(t, `setsid "$1" 0 >"$2" & wait`, fifo))
			said := bufio.NewReader(openFIFO(t, fifo))
			text, err := said.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				t.Fatal(err)
			}
			closeErr := p.Close()
			if _, err := said.ReadByte(); err != io.EOF {
				unix.Kill(pid, unix.SIGKILL)
				t.Errorf("Close: got %v, and process %d lives: %v", closeErr, pid, err)
			}
		})
	}
}

// What such a process has in memory counts.
func TestHeadlessMemory(t *testing.T) {
	for name, config := range map[string]hostnative.Config{
		"keeper": {}, "keeper,nocgroup": {NoCgroup: true}, "nokeeper,nocgroup": {NoCgroup: true, NoKeeper: true},
	} {
		t.Run(name, func(t *testing.T) {
			config.Limits.Memory = 128 << 20
			_, exit := run(t, newHost(t, config), headless(t, `exec "$1" 256000000`))
			if exit.Reason != core.ReasonMemory {
				t.Errorf("got %+v, want %q", exit, core.ReasonMemory)
			}
		})
	}
}
