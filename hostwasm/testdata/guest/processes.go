package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// What programs do with the table of processes.
func init() {
	for name, run := range map[string]func(args []string) error{
		"ps":      func([]string) error { return printProcesses() },
		"family":  family,
		"defunct": defunct,
		"foreign": foreign,
		"signal":  func(args []string) error { return proc.Signal(number(args[0]), number(args[1])) },
	} {
		commands[name] = run
	}
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

func printProcesses() error {
	list, err := proc.List()
	for _, p := range list {
		state := "runs"
		switch p.State {
		case proc.StateWaiting:
			state = "waits"
		case proc.StateEnded:
			state = "ended"
		}
		fmt.Println(p.PID, p.Parent, state, strings.Join(p.Args, " "))
	}
	return err
}

// until waits until the list is as ok says.
func until(ok func([]proc.Process) bool) error {
	for {
		list, err := proc.List()
		if err != nil || ok(list) {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// state tells until to wait for a process's.
func state(pid int, want proc.State) func([]proc.Process) bool {
	return func(list []proc.Process) bool {
		for _, p := range list {
			if p.PID == pid && p.State == want {
				return true
			}
		}
		return false
	}
}

// family starts a child that waits, with the number that comes before another's,
// which has a child that waits; and ends them, and at last itself, by their
// numbers.
func family([]string) error {
	pid, err := proc.Reserve()
	if err != nil {
		return err
	}
	r, w, err := proc.Pipe()
	if err != nil {
		return err
	}
	parent := &proc.Cmd{Name: "guest", Args: []string{"guest", "tree"}, Stdout: w}
	child := &proc.Cmd{Name: "guest", Args: []string{"guest", "block"}, PID: pid}
	for _, c := range []*proc.Cmd{parent, child} {
		if err := c.Start(); err != nil {
			return err
		}
	}
	w.Close()
	if _, err := io.ReadFull(r, make([]byte, len("ready\n"))); err != nil {
		return err
	}
	for _, pid := range []int{2, 3, 4} {
		if err := until(state(pid, proc.StateWaiting)); err != nil {
			return err
		}
	}
	if err := printProcesses(); err != nil {
		return err
	}
	again := &proc.Cmd{Name: "guest", Args: []string{"guest", "exit", "0"}, PID: pid}
	fmt.Println("taken:", again.Start())
	again.PID = 1000
	fmt.Println("not reserved:", again.Start())
	for _, s := range [][2]int{{2, 0}, {2, 28}, {2, 77}, {2, -1}, {5, 9}, {0, 9}, {-1, 9}, {1 << 30, 9}} {
		fmt.Println("signal", s[1], "to", s[0], proc.Signal(s[0], s[1]))
	}
	for _, s := range [][2]int{{4, 15}, {2, 9}} {
		if err := proc.Signal(s[0], s[1]); err != nil {
			return err
		}
	}
	if err := until(state(2, proc.StateEnded)); err != nil {
		return err
	}
	fmt.Println("to one that has ended:", proc.Signal(2, 9))
	for _, c := range []*proc.Cmd{parent, child} {
		status, err := c.Wait()
		fmt.Println(status.Kind, status.Code, status.ExitStatus(), err)
	}
	fmt.Println("to one that is gone:", proc.Signal(2, 9))
	if err := printProcesses(); err != nil {
		return err
	}
	self, err := proc.Self()
	if err != nil {
		return err
	}
	proc.Signal(self, int(syscall.SIGTERM))
	fmt.Println("unreachable")
	return nil
}

// defunct has as many children as it is told that have ended without being
// waited for, and says what the list tells of them before and after.
func defunct(args []string) error {
	var children []*proc.Cmd
	for n := number(args[0]); len(children) < n; {
		c := &proc.Cmd{Name: "nothing", Args: []string{"nothing", strings.Repeat("x", 5000)}}
		switch err := c.Start(); {
		case err == nil:
			children = append(children, c)
		case !strings.Contains(err.Error(), syscall.EAGAIN.Error()):
			return err
		default: // 32 run
			time.Sleep(time.Millisecond)
		}
	}
	err := until(func(list []proc.Process) bool {
		ended := 0
		for _, p := range list {
			if p.State == proc.StateEnded && len(p.Args) == 1 && p.Args[0] == "nothing" && p.Memory == 0 {
				ended++
			}
		}
		return ended == len(children) && len(list) == ended+1
	})
	if err != nil {
		return err
	}
	for _, c := range children {
		if _, err := c.Wait(); err != nil {
			return err
		}
	}
	return printProcesses()
}

// foreign lists what there is, and then kills whatever has a number.
func foreign([]string) error {
	if err := printProcesses(); err != nil {
		return err
	}
	hit := 0
	for pid := range 100_000 {
		if pid != 1 && proc.Signal(pid, 9) == nil {
			hit++
		}
	}
	fmt.Println(hit, "hit")
	os.Exit(hit)
	return nil
}
