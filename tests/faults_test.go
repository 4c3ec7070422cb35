package tests

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A fault is something that goes wrong, or is done wrong, with a real command. The numbers are
// those of FAULTS.md.
type fault struct {
	number int
	name   string
	modes  []string // of the command's terminal; both if nil
	config core.Config
	test   func(f *faultTest)
}

// A faultTest is a driver to try a fault on. At its end nothing may be left of what it ran.
type faultTest struct {
	*testing.T
	ctx context.Context
	d   *driver.Driver
	pty bool

	mu      sync.Mutex
	written map[core.TerminalID]int64 // bytes of output so far, as the command wrote them
}

func TestFaults(t *testing.T) {
	faults := slices.Concat(startFaults, outputFaults, killFaults)
	for _, f := range faults {
		for _, mode := range []string{"pipe", "pty"} {
			if f.modes != nil && !slices.Contains(f.modes, mode) {
				continue
			}
			t.Run(fmt.Sprintf("%02d_%s/%s", f.number, f.name, mode), func(t *testing.T) {
				test := &faultTest{T: t, ctx: limited(t), pty: mode == "pty", written: map[core.TerminalID]int64{}}
				test.d = driver.New(driver.Config{Host: nativeHost(t), Core: f.config, OnOutput: test.count})
				defer test.close()
				f.test(test)
			})
		}
	}
}

// close demands that the driver ends, and with it everything that it ran.
func (t *faultTest) close() {
	closed := make(chan struct{})
	go func() {
		t.d.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-t.ctx.Done():
		t.Fatal("the driver does not close")
	}
}

func (t *faultTest) count(id core.TerminalID, _ uint8, p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written[id] += int64(len(p))
}

// untilWritten waits until a command has written n bytes.
func (t *faultTest) untilWritten(id core.TerminalID, n int64) {
	t.Helper()
	for ; ; runtime.Gosched() {
		t.mu.Lock()
		got := t.written[id]
		t.mu.Unlock()
		if got >= n {
			return
		}
		if t.ctx.Err() != nil {
			t.Fatalf("got %d bytes of output, want %d", got, n)
		}
	}
}

// sh is a command that runs a line in /bin/sh.
func (t *faultTest) sh(line string, args ...string) core.Command {
	return core.Command{Command: "/bin/sh", Args: append([]string{"-c", line, "sh"}, args...), Pty: t.pty}
}

// create waits for its turn where many were released and are not yet freed.
func (t *faultTest) create(c core.Command) core.TerminalID {
	t.Helper()
	term, err := t.d.Create(t.ctx, "s", c)
	for t.ctx.Err() == nil && tooMany(err) {
		runtime.Gosched()
		term, err = t.d.Create(t.ctx, "s", c)
	}
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return term.ID()
}

// refused creates a terminal that must be refused, and returns why.
func (t *faultTest) refused(c core.Command) error {
	t.Helper()
	c.Pty = t.pty
	term, err := t.d.Create(t.ctx, "s", c)
	if err == nil {
		t.Fatalf("create %.100q: got terminal %s, want an error", c.Command, term.ID())
	}
	return err
}

func (t *faultTest) wait(id core.TerminalID) core.Exit {
	t.Helper()
	exit, err := t.d.Terminal(id).Wait(t.ctx)
	if err != nil {
		t.Fatalf("wait: %v", err)
	}
	return exit
}

// run runs c to its end.
func (t *faultTest) run(c core.Command) (output string, exit core.Exit) {
	t.Helper()
	id := t.create(c)
	exit = t.wait(id)
	out, _ := t.d.Terminal(id).AppendOutput(nil)
	return string(out), exit
}

// until waits until the output has text in it.
func (t *faultTest) until(id core.TerminalID, text string) {
	t.Helper()
	for ; ; runtime.Gosched() {
		out, _ := t.d.Terminal(id).AppendOutput(nil)
		if strings.Contains(string(out), text) {
			return
		}
		if t.ctx.Err() != nil {
			t.Fatalf("got output %.200q, want %q in it", out, text)
		}
	}
}

func (t *faultTest) wantStatus(got core.Exit, want core.ExitStatus) {
	t.Helper()
	if got.Status != want {
		t.Errorf("got %v, want %v", got.Status, want)
	}
}

// healthy demands that what goes wrong with one terminal does no harm to others.
func (t *faultTest) healthy() {
	t.Helper()
	out, exit := t.run(t.sh("echo well"))
	if out != "well\n" || exit.Status != (core.ExitStatus{}) {
		t.Errorf("another command: got %q and %v, want %q and exit 0", out, exit.Status, "well\n")
	}
}

// alive reports whether there is a process of that number that is no zombie.
func alive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}

// gone waits until there is none.
func (t *faultTest) gone(pid string) {
	t.Helper()
	if _, err := strconv.Atoi(pid); err != nil {
		t.Fatalf("got process %q, want a number", pid)
	}
	for ; alive(pid); runtime.Gosched() {
		if t.ctx.Err() != nil {
			t.Fatalf("process %s lives on", pid)
		}
	}
}

// few is n, or less where tests must be short.
func few(n int) int {
	if testing.Short() || raceDetector() {
		return n / 10
	}
	return n
}

// within is how long a test allows for what has a limit of its own: times are kept, but machines
// are slow.
const within = 20 * time.Second

// TestFaultsTable holds FAULTS.md against the tests: it has every case, and the tests of this table
// are in it.
func TestFaultsTable(t *testing.T) {
	text, err := os.ReadFile("FAULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| .* \| (.*) \|$`).FindAllStringSubmatch(string(text), -1)
	if len(rows) != 50 {
		t.Fatalf("got %d cases, want 50", len(rows))
	}
	for i, row := range rows {
		if row[1] != strconv.Itoa(i+1) {
			t.Errorf("got case %s after %d", row[1], i)
		}
		if strings.TrimSpace(row[2]) == "" {
			t.Errorf("case %s has neither a test nor a reason", row[1])
		}
	}
	for _, f := range slices.Concat(startFaults, outputFaults, killFaults) {
		if !strings.Contains(rows[f.number-1][2], "TestFaults/"+f.name) {
			t.Errorf("case %d: got %q, want TestFaults/%s in it", f.number, rows[f.number-1][2], f.name)
		}
	}
}
