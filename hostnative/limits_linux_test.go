package hostnative_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// spin computes for ever.
const spin = `while :; do :; done`

// hoard takes memory, and more of it.
const hoard = `x=0123456789; while :; do x=$x$x; done`

// A limitTest is a command that goes beyond a limit, and what is said of it then.
type limitTest struct {
	name   string
	limits hostnative.Limits
	line   string
	reason core.Reason
	text   string
}

// What goes beyond a limit is killed, with all of its tree, and is told why.
func TestLimits(t *testing.T) {
	disk := t.TempDir()
	tests := []limitTest{
		{"wall", hostnative.Limits{Wall: 100 * time.Millisecond}, `sleep 1000`, core.ReasonTimeout, "killed: it ran for longer than 100ms"},
		{"idle", hostnative.Limits{Idle: 100 * time.Millisecond}, `sleep 1000`, core.ReasonIdle, "killed: nothing was written or typed for 100ms"},
		{"cpu", hostnative.Limits{CPU: 300 * time.Millisecond}, spin, core.ReasonCPU, "killed: it computed for longer than 300ms"},
		{"cpu of a child", hostnative.Limits{CPU: 300 * time.Millisecond}, `(` + spin + `) & wait`, core.ReasonCPU, "killed: it computed *"},
		{"cpu of many", hostnative.Limits{CPU: 300 * time.Millisecond}, `while :; do (i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done); done`, core.ReasonCPU, "killed: it computed *"},
		{"cpu of a daemon", hostnative.Limits{CPU: 300 * time.Millisecond}, `(setsid sh -c '` + spin + `' &); sleep 1000`, core.ReasonCPU, "killed: it computed *"},
		{"memory", hostnative.Limits{Memory: 64 << 20}, hoard, core.ReasonMemory, "killed: it had more memory than 64 MiB"},
		{"memory of children", hostnative.Limits{Memory: 64 << 20}, `for i in 1 2 3 4 5; do
			(x=0123456789; while [ ${#x} -lt 10000000 ]; do x=$x$x; done; sleep 1000; echo ${#x}) & done; wait`, core.ReasonMemory, "killed: it had *"},
		{"disk", hostnative.Limits{Disk: 1 << 20}, `head -c 1000000000 /dev/zero >` + disk + `/file; sleep 1000`, core.ReasonDisk, "killed: it wrote more to disks than 1 MiB"},
		{"output", hostnative.Limits{Output: 50_000}, `while :; do echo 123456789; done`, core.ReasonOutput, "killed: it wrote more output than 50000 bytes"},
	}
	if testing.Short() { // the same limits, and the same watch, on commands that make children
		tests = slices.DeleteFunc(tests, func(test limitTest) bool { return strings.Contains(test.name, " of ") })
	}
	for _, config := range []struct {
		name string
		hostnative.Config
	}{
		{"keeper", hostnative.Config{}},
		{"keeper,nocgroup", hostnative.Config{NoCgroup: true}},
		{"nokeeper,nocgroup", hostnative.Config{NoCgroup: true, NoKeeper: true}},
		{"sandbox", hostnative.Config{Sandbox: hostnative.Sandbox{
			Level: hostnative.SandboxWorkspace, Roots: []string{t.TempDir()}, Write: []string{disk}, Private: t.TempDir(),
		}}},
	} {
		for _, test := range tests {
			t.Run(config.name+"/"+test.name, func(t *testing.T) {
				if test.limits.Disk > 0 && isInMemory(t, disk) {
					t.Skip("NOT RUN: temporary files are in memory")
				}
				c := config.Config
				c.Limits = test.limits
				h := newHost(t, c)
				begun := time.Now()
				out, exit := run(t, h, line(test.line))
				if exit.Status.Signal != "SIGKILL" || exit.Reason != test.reason {
					t.Errorf("got %+v, want %q", exit, test.reason)
				}
				lines := outputLines(out)
				if last := lines[len(lines)-1]; !match("terrarium: "+test.text, last) {
					t.Errorf("got %q, want %q", last, test.text)
				}
				if n := test.limits.Output; n > 0 && strings.LastIndex(out, "terrarium: ") != int(n) {
					t.Errorf("got %d bytes, want %d", len(out), n)
				}
				if time.Since(begun) > patience {
					t.Errorf("took %v", time.Since(begun))
				}
			})
		}
	}
}

func isInMemory(t *testing.T, dir string) bool {
	t.Helper()
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	return fs.Type == unix.TMPFS_MAGIC
}

// What stays within its limits is not killed: memory that processes share counts once.
func TestWithinLimits(t *testing.T) {
	h := newHost(t, hostnative.Config{Limits: hostnative.Limits{
		Wall: time.Hour, Idle: patience, CPU: time.Minute, Memory: 64 << 20, Disk: 1 << 30, Output: 4, FileSize: 1 << 30, OpenFiles: 100,
	}})
	out, exit := run(t, h, line(`x=0123456789; while [ ${#x} -lt 10000000 ]; do x=$x$x; done
		for i in 1 2 3 4 5; do (sleep 1; :) & done; wait; echo abc`))
	if out != "abc\n" || exit.Status != (core.ExitStatus{}) || exit.Reason != core.ReasonNone {
		t.Errorf("got %q, %+v", out, exit)
	}
}

// A command has its limits when its start is answered, and so have those that it begins then. None
// can raise them, but who is root with CAP_SYS_RESOURCE. (TestLimitsFromTheStart is about what it
// has before.)
func TestLimitsOfEach(t *testing.T) {
	raise := "ulimit -n 60; ulimit -f unlimited; "
	if mayRaiseLimits(t) {
		raise = ""
	}
	for _, config := range []hostnative.Config{{}, {NoKeeper: true}} {
		t.Run(fmt.Sprintf("keeper=%t", !config.NoKeeper), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			config.Limits = hostnative.Limits{FileSize: 1 << 20, OpenFiles: 50}
			h := newHost(t, config)
			p := start(t, h, interactive(line(`read x; (ulimit -Sn; ulimit -Hn; ulimit -Hf; `+raise+`head -c 2000000 /dev/zero >"$1"; echo $?) 2>&1 & wait`, file)))
			if _, err := p.Write([]byte("\n")); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			p.Output(func(_ uint8, b []byte) { out.Write(b) })
			lines := outputLines(out.String())
			if len(lines) < 5 || lines[0] != "50" || lines[1] != "50" || lines[2] != "2048" {
				t.Errorf("got %q", lines)
			}
			if info, err := os.Stat(file); err != nil || info.Size() != 1<<20 {
				t.Errorf("got %v, %v", info, err)
			}
		})
	}
}

// mayRaiseLimits reports whether this program has CAP_SYS_RESOURCE.
func mayRaiseLimits(t *testing.T) bool {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "\nCapEff:\t")
	word, _, _ := strings.Cut(after, "\n")
	effective, err := strconv.ParseUint(word, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return effective&(1<<unix.CAP_SYS_RESOURCE) != 0
}

// Why a command was killed is a line of its own.
func TestLimitToldInLine(t *testing.T) {
	for _, mode := range modes {
		h := newHost(t, hostnative.Config{Limits: hostnative.Limits{Output: 1}})
		out, _ := run(t, h, mode.mode(line(`echo hello; sleep 1000`)))
		want := "h\nterrarium: killed: it wrote more output than 1 byte\n"
		if out = strings.ReplaceAll(out, "\r\n", "\n"); out != want {
			t.Errorf("%s: got %q, want %q", mode.name, out, want)
		}
	}
}

// Output is not cut without a word, also where the command ends before it is killed.
func TestOutputDropped(t *testing.T) {
	for range 20 {
		h := newHost(t, hostnative.Config{Limits: hostnative.Limits{Output: 10}})
		out, exit := run(t, h, line(`echo 012345678901234567890`))
		if !strings.HasPrefix(out, "0123456789\nterrarium: ") {
			t.Errorf("got %q, %+v", out, exit)
		}
	}
}

// Output that comes too fast waits.
func TestOutputRate(t *testing.T) {
	h := newHost(t, hostnative.Config{Limits: hostnative.Limits{OutputRate: 1_000_000}})
	begun := time.Now()
	out, _ := run(t, h, line(`head -c 1000000 /dev/zero`))
	if took := time.Since(begun); len(out) != 1_000_000 || took < 500*time.Millisecond {
		t.Errorf("got %d bytes in %v", len(out), took)
	}
}

func TestLimitsRefused(t *testing.T) {
	for _, l := range []hostnative.Limits{{Wall: -1}, {Memory: -1}, {OpenFiles: 3}} {
		if _, err := hostnative.New(hostnative.Config{Limits: l}); err == nil || errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%+v: got %v", l, err)
		}
	}
}

// The exit says that output was cut, also where the command ends by itself before it is killed.
func TestOutputCutIsTold(t *testing.T) {
	h := newHost(t, hostnative.Config{Limits: hostnative.Limits{Output: 10}})
	for i := range 20 {
		mode := modes[i%len(modes)]
		_, exit := run(t, h, mode.mode(line(`echo 012345678901234567890`)))
		if exit.Reason != core.ReasonOutput || exit.Status.Signal != "SIGKILL" {
			t.Errorf("%s: got %+v, want %q", mode.name, exit, core.ReasonOutput)
		}
	}
}

// Who hears of the exit has been given the line that says why.
func TestLimitToldBeforeExit(t *testing.T) {
	for name, test := range map[string]struct {
		limits hostnative.Limits
		line   string
	}{
		"wall": {hostnative.Limits{Wall: 20 * time.Millisecond}, `sleep 1000`},
		"idle": {hostnative.Limits{Idle: 20 * time.Millisecond}, `sleep 1000`},
		"cpu":  {hostnative.Limits{CPU: 20 * time.Millisecond}, spin},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t, hostnative.Config{Limits: test.limits})
			for range 10 {
				p := start(t, h, line(test.line))
				out := watchOutput(p)
				exit := waitExit(t, p)
				if got := out.output(); !strings.HasPrefix(got, "terrarium: killed: ") {
					t.Errorf("got %q after %+v", got, exit)
				}
				p.Close()
			}
		})
	}
}

// What a command leaves running is limited as it was itself, and its end is told.
func TestLimitsOfLeft(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	// The shell has to end before the limit does, also where many of these start at once.
	const outlived = 15 * time.Second
	// It waits for the shell itself.
	const ended = `until read -r pid name state rest </proc/$$/stat && [ "$state" = Z ]; do sleep 0.1; done; `
	for name, test := range map[string]struct {
		limits hostnative.Limits
		line   string
		text   string
	}{
		"wall":   {hostnative.Limits{Wall: outlived}, `sleep 1000 &`, "killed: it ran for longer than 15s"},
		"idle":   {hostnative.Limits{Idle: outlived}, `sleep 1000 &`, "killed: nothing was written or typed for 15s"},
		"cpu":    {hostnative.Limits{CPU: time.Second}, `(` + ended + spin + `) &`, "killed: it computed for longer than 1s"},
		"memory": {hostnative.Limits{Memory: 64 << 20}, `(` + ended + hoard + `) &`, "killed: it had more memory than 64 MiB"},
		"disk":   {hostnative.Limits{Disk: 1 << 20}, `(` + ended + `head -c 10000000 /dev/zero >$(mktemp -p ` + disk + `); sleep 1000) &`, "killed: it wrote more to disks than 1 MiB"},
	} {
		for _, config := range []hostnative.Config{{}, {NoKeeper: true}} {
			t.Run(fmt.Sprintf("%s,keeper=%t", name, !config.NoKeeper), func(t *testing.T) {
				t.Parallel()
				if test.limits.Disk > 0 && isInMemory(t, disk) {
					t.Skip("NOT RUN: temporary files are in memory")
				}
				config.Limits = test.limits
				out, exit := run(t, newHost(t, config), line(test.line))
				if want := "terrarium: " + test.text + "\n"; out != want {
					t.Errorf("got %q, want %q", out, want)
				}
				if exit.Status != (core.ExitStatus{}) || exit.Reason != core.ReasonNone {
					t.Errorf("got %+v", exit)
				}
			})
		}
	}
}

// What orphans have written counts when they have ended and were reaped.
func TestDiskOfOrphans(t *testing.T) {
	disk := t.TempDir()
	if isInMemory(t, disk) {
		t.Skip("NOT RUN: temporary files are in memory")
	}
	for name, config := range map[string]hostnative.Config{"keeper": {}, "keeper,nocgroup": {NoCgroup: true}} {
		t.Run(name, func(t *testing.T) {
			config.Limits = hostnative.Limits{Disk: 10 << 20}
			_, exit := run(t, newHost(t, config), line(`i=0; while [ $i -lt 20 ]; do
				(setsid head -c 2000000 /dev/zero >"$1$i" &); i=$((i+1)); done; sleep 1000`, filepath.Join(disk, "file")))
			if exit.Reason != core.ReasonDisk {
				t.Errorf("got %+v, want %q", exit, core.ReasonDisk)
			}
		})
	}
}

// A command whose output waits for its rate is not idle.
func TestOutputRateIsNotIdle(t *testing.T) {
	t.Parallel()
	h := newHost(t, hostnative.Config{Limits: hostnative.Limits{OutputRate: 30_000, Idle: 4 * time.Second}})
	out, exit := run(t, h, line(`printf %0300000d 0; echo`)) // no second program that has to start
	if len(out) != 300_001 || exit.Reason != core.ReasonNone {
		t.Errorf("got %d bytes, %+v", len(out), exit)
	}
}

// Nothing begins with more than it may have: not for a moment.
func TestLimitsFromTheStart(t *testing.T) {
	for name, config := range map[string]hostnative.Config{
		"keeper": {}, "sandbox": {Sandbox: hostnative.Sandbox{Level: hostnative.SandboxWorkspace, Roots: []string{t.TempDir()}, Private: t.TempDir()}},
	} {
		t.Run(name, func(t *testing.T) {
			config.Limits = hostnative.Limits{FileSize: 1 << 20, OpenFiles: 50}
			h := newHost(t, config)
			for range *starts {
				if out, _ := run(t, h, line(`ulimit -n; ulimit -f; ulimit -Hf`)); out != "50\n2048\n2048\n" {
					t.Fatalf("got %q", out)
				}
			}
		})
	}
}

var starts = flag.Int("starts", 30, "how often TestLimitsFromTheStart starts a command")

// A keeper that is stopped looks at no limits. It is noticed, and all of its commands end.
func TestStoppedKeeperIsNoticed(t *testing.T) {
	t.Parallel()
	h := newHost(t, hostnative.Config{Limits: hostnative.Limits{CPU: time.Hour}})
	// The command stops its keeper when that has answered the start.
	p := start(t, h, interactive(line(`read x; kill -STOP $PPID; sleep 1000`)))
	if _, err := p.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(2*time.Minute, func() { p.Close() })
	defer late.Stop()
	if exit, err := p.Wait(); exit.Reason != core.ReasonLost {
		t.Errorf("got %+v, %v, want %q", exit, err, core.ReasonLost)
	}
}
