//go:build linux || darwin

package hostnative_test

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// Whoever holds the writing end of a FIFO lives: its reader sees the end of
// file when the last of them has died.
func TestCloseKillsGroup(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	for _, test := range []struct {
		name    string
		command string
	}{
		{"running", `exec 3>"$1"; trap '' TERM HUP; sleep 1000 & echo ready; sleep 1000`},
		{"exited", `exec 3>"$1"; trap '' TERM HUP; sleep 1000 & echo ready`},
		{"stopped", `exec 3>"$1"; trap '' TERM HUP; sleep 1000 & echo ready; kill -STOP 0`},
	} {
		for _, pty := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/pty=%t", test.name, pty), func(t *testing.T) {
				fifo := filepath.Join(t.TempDir(), "fifo")
				if err := unix.Mkfifo(fifo, 0o600); err != nil {
					t.Fatal(err)
				}
				c := line(test.command, fifo)
				if pty {
					c = onPty(c)
				}
				p := start(t, h, c)
				r := openFIFO(t, fifo)
				watchOutput(p).wait(t, "ready")
				if test.name == "exited" {
					waitExit(t, p)
				}
				if err := p.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
				if _, err := io.ReadAll(r); err != nil {
					t.Errorf("the group's end: %v", err)
				}
			})
		}
	}
}

// What a daemon that left the group holds open does not keep our ends waiting,
// also where it survives Close.
func TestCloseDespiteDaemon(t *testing.T) {
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip(err)
	}
	h := newHost(t, hostnative.Config{})
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			c := line(`"$1" sh -c 'echo $$; exec sleep 1000' & wait`, setsid)
			p := start(t, h, interactive(mode.mode(c)))
			w := watchOutput(p)
			w.wait(t, "\n")
			daemon, err := strconv.Atoi(strings.TrimSpace(w.output()))
			if err != nil || daemon <= 1 {
				t.Fatalf("got output %q, want the daemon's id", w.output())
			}
			defer unix.Kill(daemon, unix.SIGKILL)

			if err := p.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			select {
			case <-w.end:
			case <-time.After(patience):
				t.Errorf("after %v: Output has not ended", patience)
			}
		})
	}
}

// A stopped process takes SIGTERM when it continues; that it stopped is not
// its end.
func TestSignalStopped(t *testing.T) {
	p := start(t, newHost(t, hostnative.Config{}), line(`echo ready; exec sleep 1000`))
	watchOutput(p).wait(t, "ready")
	for _, name := range []string{"SIGSTOP", "SIGTERM", "SIGCONT"} {
		if err := p.Signal(name); err != nil {
			t.Fatalf("Signal(%q): %v", name, err)
		}
	}
	if got, want := waitExit(t, p).Status, (core.ExitStatus{Signal: "SIGTERM"}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// What the pipe has room for was taken, also when Close ends the Write.
func TestWriteCountsWhatWasTaken(t *testing.T) {
	p := start(t, newHost(t, hostnative.Config{}), interactive(line(`head -c 1000 >/dev/null; echo ready; exec sleep 1000`)))
	var wg sync.WaitGroup
	wg.Go(func() {
		n, err := p.Write(make([]byte, 4<<20))
		if n < 1000 || n >= 4<<20 || err == nil {
			t.Errorf("got %d, %v, want 1000 at least and an error", n, err)
		}
	})
	watchOutput(p).wait(t, "ready")
	p.Close()
	wg.Wait()
}

// A command that has closed its input makes Write fail, not us.
func TestWriteBrokenPipe(t *testing.T) {
	p := start(t, newHost(t, hostnative.Config{}), interactive(line(`exec <&-; echo ready; exec sleep 1000`)))
	watchOutput(p).wait(t, "ready")
	if n, err := p.Write([]byte("x")); n != 0 || !errors.Is(err, unix.EPIPE) {
		t.Errorf("got %d, %v, want 0, %v", n, err, unix.EPIPE)
	}
}

func TestOutputTwice(t *testing.T) {
	p := start(t, newHost(t, hostnative.Config{}), line(`exit`))
	sink := func(uint8, []byte) {}
	if err := p.Output(sink); err != nil {
		t.Fatal(err)
	}
	if err := p.Output(sink); err == nil {
		t.Error("second Output: got nil, want an error")
	}
}
