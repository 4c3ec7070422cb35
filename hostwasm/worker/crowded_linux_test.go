package worker_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

func init() { modes["crowded"] = beCrowded }

// beCrowded starts a worker while more descriptors of its user are on their way
// than a worker may have open. They are few, so that other tests of the same user,
// which may have more open, can send theirs.
func beCrowded() {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(make([]int, 200)...), nil, 0)
	}
	if err == nil {
		err = unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 128, Max: 128})
	}
	var h *worker.Host
	if err == nil {
		h, err = worker.New(worker.Config{CacheDir: os.Getenv("CACHE"), TmpDir: os.Getenv("TMP"), Pool: -1})
	}
	if err == nil {
		defer h.Close()
		_, err = h.Report(context.Background())
	}
	fmt.Print(err)
}

// A worker that can't begin says why.
func TestSaysWhyItCannotBegin(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{testMode + "=crowded", "CACHE=" + cacheDir, "TMP=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := string(out); !strings.Contains(got, "its filter's file can't be sent: sendmsg: too many references") {
		t.Errorf("got %s, want an error about sendmsg", got)
	}
}
