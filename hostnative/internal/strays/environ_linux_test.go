package strays

import (
	"io"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// Processes that the kernel says nothing of keep nobody waiting for long, and
// take a bounded number of threads.
func TestTagsWithoutAnswer(t *testing.T) {
	stuck := make(chan bool)
	q := questions{open: make(map[int]bool), read: func(pid int) (string, bool, bool) {
		if pid%2 == 0 {
			<-stuck
		}
		return "tag", true, true
	}}
	for range 3 {
		for pid := range 100 {
			if tag, _, sure := q.ask(pid); pid%2 == 0 && (tag != "" || sure) {
				t.Fatalf("%d: got %q, %t, want no tag, not sure", pid, tag, sure)
			}
		}
	}
	if got := q.count(); got != maxStuck {
		t.Errorf("got %d questions without an answer, want %d", got, maxStuck)
	}
	close(stuck)
	for late := time.Now().Add(30 * time.Second); q.count() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("%d answers have not been taken", q.count())
		}
	}
	// An answer that takes longer than tagLimit, as on a busy machine, is not sure.
	tag, _, sure := q.ask(0)
	for late := time.Now().Add(30 * time.Second); !sure && time.Now().Before(late); {
		tag, _, sure = q.ask(0)
	}
	if tag != "tag" || !sure {
		t.Errorf("got %q, %t, want the tag, sure", tag, sure)
	}
}

func (q *questions) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.open)
}

// A process that was started without any variable has no tag, for sure: it is none
// that is executing a program and will have one.
func TestTagOfEmptyEnvironment(t *testing.T) {
	cmd := exec.Command("cat")
	cmd.Env = []string{}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	late := time.Now().Add(time.Minute)
	for {
		tag, sure := ReadTag(cmd.Process.Pid)
		if sure && tag == "" && !executes(cmd.Process.Pid) {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("got %q, %v, want to be sure that there is none", tag, sure)
		}
		time.Sleep(Pause) // it may still execute cat
	}
}

func TestIsBare(t *testing.T) {
	for _, test := range []struct {
		env  []string
		want bool
	}{
		{[]string{}, true},
		{[]string{"A=b"}, false},
	} {
		cmd := exec.Command("cat")
		cmd.Env = test.env
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// It has begun, and then waits for more.
		if _, err := io.WriteString(in, "x"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		pid := cmd.Process.Pid
		for s, err := ReadStat(pid); err == nil && !s.Asleep; s, err = ReadStat(pid) {
			runtime.Gosched()
		}
		if got := IsBare(pid); got != test.want {
			t.Errorf("with %q: got %v, want %v", test.env, got, test.want)
		}
		in.Close()
		cmd.Wait()
	}
}
