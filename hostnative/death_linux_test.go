package hostnative_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/helper"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
	"github.com/terrarium-dev/terrarium/hostnative/internal/keeper"
)

// kills is how often a host is killed in each way, and a keeper.
var kills = flag.Int("kills", usualKills(), "how often a host or a keeper is killed")

func usualKills() int {
	if os.Getenv("TERRARIUM_LONG") != "" {
		return 20
	}
	return 8
}

// hostMode says in the environment that this test program is to be a host.
const hostMode = "TERRARIUM_TEST_HOST"

func TestMain(m *testing.M) {
	switch os.Getenv(hostMode) {
	case "kept":
		helper.Main()
		beHost(hostnative.Config{})
	case "alone":
		beHost(hostnative.Config{})
	case "confined":
		helper.Main()
		beHost(confinedTo(os.Getenv(confinedRoot)))
	case "hanging":
		helper.Main()
		beHanging()
	case "closing":
		helper.Main()
		beClosing()
	case "childless":
		if os.Getenv(keeper.Env) != "" {
			hideChildren()
		}
		helper.Main()
		beChildless()
	case "long":
		helper.Main()
		beLong()
	case "signals":
		helper.Main()
		beSignals()
	case "headless":
		beHeadless()
	case "sockets":
		beSockets()
		os.Exit(0)
	case "reporting":
		beReporting()
	case "next":
		hostnative.New(hostnative.Config{})
		os.Exit(0)
	}
	helper.Main()
	coretest.HeedSignals()
	flag.Parse()
	flag.Set("test.parallel", "16") // those tests wait, and compute nothing
	os.Exit(m.Run())
}

// beHost starts commands that do what they can to outlive us, until it is
// killed. It says when a few are there.
func beHost(config hostnative.Config) {
	h, err := hostnative.New(config)
	if err != nil {
		os.Exit(1)
	}
	for i := 0; ; i++ {
		// Nobody reads the FIFO: descriptor 3, which all inherit, is what tells.
		m := modes[i%2]
		c := m.mode(line(`trap "" HUP INT TERM; setsid sh -c 'cd /; (setsid sh -c "while :; do sleep 1000; done" &)' & sleep 1000`))
		if len(config.Sandbox.Roots) > 0 {
			c.Cwd = config.Sandbox.Roots[0]
		}
		e, err := h.Resolve(context.Background(), c)
		if err != nil {
			os.Exit(1)
		}
		p, err := h.Start(context.Background(), e)
		if err != nil {
			os.Exit(1)
		}
		if i%3 == 2 {
			p.Close()
		}
		os.Stdout.WriteString("started\n")
		if i == 20 {
			select {}
		}
	}
}

// confinedRoot names the directory that a confined host's commands are handed over.
const confinedRoot = "TERRARIUM_TEST_ROOT"

// confinedTo confines commands to root.
func confinedTo(root string) hostnative.Config {
	return hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxWorkspace, Required: true, Roots: []string{root}, Private: filepath.Join(root, "private"),
	}}
}

// hideChildren makes the kernel one that does not list this process's children: any
// empty directory hides the lists.
func hideChildren() {
	err := unix.Mount("none", fmt.Sprintf("/proc/%d/task", os.Getpid()), "tmpfs", 0, "")
	if err != nil {
		os.Exit(1)
	}
}

// beChildless says whether a keeper is a subreaper where the kernel does not list
// children.
func beChildless() {
	h, err := hostnative.New(hostnative.Config{})
	if err != nil {
		os.Exit(1)
	}
	for _, m := range h.Report() {
		if m.Name == "subreaper" {
			fmt.Print(m.Used, ": ", m.Detail)
		}
	}
	h.Close()
	os.Exit(0)
}

// beReporting tells of the keeper of a program that has no helper.Main.
func beReporting() {
	for _, helper := range []string{"", "/bin/true", "/proc/self/exe"} {
		h, err := hostnative.New(hostnative.Config{Helper: helper})
		if err != nil {
			os.Exit(1)
		}
		for _, m := range h.Report() {
			if m.Name == "keeper" {
				fmt.Println(m.Used, m.Detail)
			}
		}
		h.Close()
	}
	os.Exit(0)
}

// A kernel that does not list children leaves orphans to init, and Report says
// so.
func TestSubreaperWithoutChildren(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = hostEnv("childless")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.Output()
	if _, ran := errors.AsType[*exec.ExitError](err); err != nil && (!ran || os.Geteuid() != 0) {
		t.Skipf("no mount namespace of our own: %v", err)
	}
	if got, want := string(out), "false: the kernel does not list children: "; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q and why", got, want)
	}
}

// startHost starts this test program as a host, with env beside ours. Whoever lives of it, its
// commands and its keeper has the other end of alive open.
func startHost(t *testing.T, mode string, env ...string) (cmd *exec.Cmd, alive *os.File, started *bufio.Reader) {
	t.Helper()
	alive, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	t.Cleanup(func() { alive.Close() })
	cmd = exec.Command("/proc/self/exe")
	cmd.Env = append(hostEnv(mode), env...)
	cmd.ExtraFiles = []*os.File{w}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, alive, bufio.NewReader(out)
}

// hostEnv makes this test program a host. The race detector would have it stay
// for a second when it ends, and go on after a race.
func hostEnv(mode string) []string {
	return append(os.Environ(), hostMode+"="+mode, "GORACE=atexit_sleep_ms=0 halt_on_error=1")
}

// A host that is killed at any moment has no survivors: after the next start,
// or at once if it has a keeper.
func TestKilledHost(t *testing.T) {
	if testing.Short() {
		t.Skip("what a killed host does cannot be told from its end")
	}
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	for _, mode := range []string{"alone", "kept", "confined"} {
		t.Run(mode, func(t *testing.T) {
			if mode == "confined" {
				if err := confine.Available().Err(); err != nil {
					t.Skip("NOT RUN: ", err)
				}
				t.Setenv(confinedRoot, t.TempDir())
			}
			for i := range *kills {
				cmd, alive, started := startHost(t, mode)
				for range rand.IntN(12) { // any moment after so many commands
					started.ReadString('\n')
				}
				timer := time.NewTimer(rand.N(3 * time.Millisecond))
				<-timer.C
				cmd.Process.Kill()
				cmd.Wait()
				if mode == "alone" {
					next := exec.Command("/proc/self/exe")
					next.Env = hostEnv("next")
					if err := next.Run(); err != nil {
						t.Fatal(err)
					}
				}
				alive.SetReadDeadline(time.Now().Add(patience))
				if _, err := io.ReadAll(alive); err != nil {
					t.Fatalf("kill %d: after %v some of its processes live: %v", i, patience, err)
				}
				alive.Close()
			}
		})
	}
}

// A program that does not begin with helper.Main is not started again unasked,
// and if it is asked for, we find out, and it does not go on to do the same.
func TestNoSilentHelper(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = hostEnv("reporting")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := `false no Config.Helper, and the program's main does not begin with helper.Main()
false /bin/true is no helper: its main does not begin with helper.Main()
false /proc/self/exe is no helper: its main does not begin with helper.Main()
`
	if got := string(out); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
