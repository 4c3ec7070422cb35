package tree

import (
	"os/exec"
	"runtime"
	"sync"
	"testing"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// Who wants a census while another one is being taken shares the next, which has all
// that was there when they came.
func TestTakeCensus(t *testing.T) {
	first := startTagged(t, "one")
	if n := count(takeCensus(), first, "one"); n != 1 {
		t.Errorf("got %d, want 1", n)
	}
	censuses.taking.Lock() // as if one were being taken
	const takers = 20
	got := make([][]person, takers)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() { got[i] = takeCensus() })
	}
	for waiting := false; !waiting; runtime.Gosched() { // the first of them
		censuses.mu.Lock()
		waiting = censuses.next != nil
		censuses.mu.Unlock()
	}
	second := startTagged(t, "two")
	all.Go(func() {
		if n := count(takeCensus(), second, "two"); n != 1 {
			t.Errorf("got %d of a process that was there before, want 1", n)
		}
	})
	censuses.taking.Unlock()
	all.Wait()
	different := map[*person]bool{}
	for _, people := range got {
		if n := count(people, first, "one"); n != 1 {
			t.Errorf("got %d, want 1", n)
		}
		different[&people[0]] = true
	}
	if len(different) == takers {
		t.Error("nobody shares a census")
	}
	first.Process.Kill()
	first.Wait()
	if n := count(takeCensus(), first, "one"); n != 0 {
		t.Errorf("got %d of one that has ended and was reaped, want none", n)
	}
}

// startTagged starts a process that has a tag, and kills it at the end.
func startTagged(t *testing.T, tag string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	cmd.Env = []string{strays.Env + "=" + tag}
	if err := cmd.Start(); err != nil { // returns when it has executed the program
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

// count counts a process in a census. Its tag may be unknown, as on a busy machine it is when it
// takes longer than tagLimit to read.
func count(people []person, cmd *exec.Cmd, tag string) (n int) {
	for _, p := range people {
		if p.pid == cmd.Process.Pid && (p.tag == tag || !p.known) {
			n++
		}
	}
	return n
}
