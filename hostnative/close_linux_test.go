package hostnative_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostnative"
)

// The last Host to be closed ends the watchdog, unless there is a command left.
func TestHostClose(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = hostEnv("closing")
	out, err := cmd.CombinedOutput()
	want := "one true, two true, first closed true, all closed false, another true, closed with a command true"
	if got := strings.TrimSpace(string(out)); err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// beClosing opens hosts and closes them, and says whether it has a watchdog.
func beClosing() {
	var said []string
	say := func(when string) { said = append(said, fmt.Sprintf("%s %t", when, watched())) }
	open := func() *hostnative.Host {
		h, err := hostnative.New(hostnative.Config{})
		if err != nil {
			os.Exit(1)
		}
		h.Report() // waits for the watchdog
		return h
	}
	one := open()
	say("one")
	two := open()
	say("two")
	one.Close()
	one.Close() // counts once
	say("first closed")
	two.Close()
	say("all closed")
	three := open()
	say("another")
	e, err := three.Resolve(context.Background(), line("sleep 1000"))
	if err != nil {
		os.Exit(1)
	}
	if _, err := three.Start(context.Background(), e); err != nil {
		os.Exit(1)
	}
	three.Close()
	say("closed with a command")
	fmt.Println(strings.Join(said, ", "))
	os.Exit(0)
}

// watched reports whether this program has a child that watches it, dead ones
// included.
func watched() bool {
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
