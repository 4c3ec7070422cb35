package hostnative_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A command can't have more processes than it may, and if it can't be kept
// from that, there is no host.
func TestMaxProcesses(t *testing.T) {
	const most = 20
	h := limitedHost(t, most)
	out, _ := run(t, h, line(`i=0; while test $i -lt 100; do sleep 1000 >/dev/null 2>&1 & i=$((i+1)); echo $i; done`))
	lines := strings.Fields(out)
	if len(lines) == 0 || lines[len(lines)-1] == "100" {
		t.Fatalf("got %q, want it to fail at about the %dth process", out, most)
	}
	run(t, h, line(`exit`)) // the limit is each command's
}

// limitedHost skips the test where there is no pids controller, and so no host.
func limitedHost(t *testing.T, most int) *hostnative.Host {
	t.Helper()
	h, err := hostnative.New(hostnative.Config{Limits: hostnative.Limits{Processes: most}})
	coretest.Supported(t, err)
	t.Cleanup(func() { h.Close() })
	return h
}

// bomb is a program that starts itself again and again, each time in a session
// of its own, and does not mind to be asked to end.
const bomb = `#!/bin/sh
trap "" HUP INT TERM
while :; do setsid "$0" & done
`

// A fork bomb does not outrun the one who kills it.
func TestForkBomb(t *testing.T) {
	const most = 200
	for _, config := range []hostnative.Config{{}, {NoKeeper: true}} {
		t.Run(fmt.Sprintf("keeper=%t", !config.NoKeeper), func(t *testing.T) {
			ownCgroup(t)
			room := processRoom(t, most)
			h := newHost(t, config)
			file := filepath.Join(t.TempDir(), "bomb")
			if err := os.WriteFile(file, []byte(bomb), 0o755); err != nil {
				t.Fatal(err)
			}
			p := start(t, h, line(`echo $$ >"$1/cgroup.procs" && exec "$2" >/dev/null 2>&1`, room, file))
			for late := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
				text, err := os.ReadFile(room + "/pids.current")
				if err != nil {
					t.Fatal(err)
				}
				if n, _ := strconv.Atoi(strings.TrimSpace(string(text))); n > most/2 {
					break
				}
				if time.Now().After(late) {
					t.Fatalf("after %v: got %s processes, want more", patience, text)
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if left, err := os.ReadFile(room + "/cgroup.procs"); err != nil || len(left) > 0 {
				t.Errorf("got processes %q, %v, want none", left, err)
			}
		})
	}
}

// processRoom makes a version 1 cgroup of at most so many processes: in which a
// bomb does no harm to the machine, and is not ours.
func processRoom(t *testing.T, most int) string {
	t.Helper()
	dir := fmt.Sprintf("/sys/fs/cgroup/pids/terrarium-test-%d", os.Getpid())
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		for late := time.Now().Add(patience); os.Remove(dir) != nil && time.Now().Before(late); {
			time.Sleep(time.Millisecond) // for zombies to be reaped
		}
	})
	if err := os.WriteFile(dir+"/pids.max", []byte(strconv.Itoa(most)), 0); err != nil {
		t.Fatal(err)
	}
	return dir
}
