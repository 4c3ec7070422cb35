package strays

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// hidden says in the environment that this test program is to judge a process that
// /proc does not show, and to say what it takes it for.
const hidden = "TERRARIUM_TEST_HIDDEN"

func TestMain(m *testing.M) {
	if tag, ok := os.LookupEnv(hidden); ok {
		id, _, _ := ParseHostID(tag)
		if _, err := ReadStat(id.Pid); err == nil {
			os.Exit(77) // it does show it
		}
		if id.Dead() {
			os.Stdout.WriteString("dead")
		} else {
			os.Stdout.WriteString("alive")
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A process that /proc hides (hidepid) is not dead: what it keeps must not be swept.
func TestHiddenIsNotDead(t *testing.T) {
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	// To hide one from root takes more than hidepid: an empty directory over it.
	cmd := exec.Command("/bin/sh", "-c", `mount -t tmpfs none "/proc/$1" && exec /proc/self/fd/3`, "sh", strings.Split(self.String(), "-")[1])
	program, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	cmd.ExtraFiles = []*os.File{program}
	cmd.Env = append(os.Environ(), hidden+"="+self.String())
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	out, err := cmd.CombinedOutput()
	if exit, ran := errors.AsType[*exec.ExitError](err); err != nil && (!ran || os.Geteuid() != 0 || exit.ExitCode() == 77) {
		t.Skipf("no /proc of our own: %v: %s", err, out)
	}
	if got := string(out); err != nil || got != "alive" {
		t.Errorf("got %q, %v, want alive", got, err)
	}
}
