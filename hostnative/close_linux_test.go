package hostnative_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A Host that is closed ends its keeper, unless there is a command left, and then with
// that.
func TestHostClose(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = hostEnv("closing")
	out, err := cmd.CombinedOutput()
	want := "new false, used true, closed false, used again true, closed with a command true, without false"
	if got := strings.TrimSpace(string(out)); err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// beClosing opens a host and closes it, and says whether it has a keeper.
func beClosing() {
	var said []string
	say := func(when string) { said = append(said, fmt.Sprintf("%s %t", when, kept())) }
	h, err := hostnative.New(hostnative.Config{})
	if err != nil {
		os.Exit(1)
	}
	start := func(s string) driver.Process {
		e, err := h.Resolve(context.Background(), line(s))
		if err != nil {
			os.Exit(1)
		}
		p, err := h.Start(context.Background(), e)
		if err != nil {
			os.Exit(1)
		}
		return p
	}
	say("new")
	start("exit").Close()
	say("used")
	h.Close()
	h.Close()
	awaitNoKeeper() // Close gives it a second, and that is little on a busy machine
	say("closed")
	p := start("sleep 1000")
	say("used again")
	h.Close()
	say("closed with a command")
	p.Close()
	awaitNoKeeper()
	say("without")
	fmt.Println(strings.Join(said, ", "))
	os.Exit(0)
}

// awaitNoKeeper waits for a keeper that ends by itself.
func awaitNoKeeper() {
	for late := time.Now().Add(patience); kept() && time.Now().Before(late); {
		time.Sleep(time.Millisecond)
	}
}

// kept reports whether this program has a keeper, dead ones included.
func kept() bool {
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, task := range tasks {
		list, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		for _, pid := range strings.Fields(string(list)) {
			line, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			stat, _ := os.ReadFile("/proc/" + pid + "/stat")
			if strings.HasPrefix(string(line), "terrarium-helper") || strings.Contains(string(stat), " (exe) ") {
				return true
			}
		}
	}
	return false
}
