package tests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/acp-go-sdk"
)

// verifyRecord runs "terrarium audit verify" and returns what it prints.
func verifyRecord(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command(terrariumPath(t), "audit", "verify", name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestAuditKilled kills a server at random moments, while it starts and ends commands as fast as it
// can. What it leaves verifies, but for the event in flight, and the next one goes on.
func TestAuditKilled(t *testing.T) {
	kills := 10
	if os.Getenv("TERRARIUM_LONG") != "" {
		kills = 200
	}
	dir := t.TempDir()
	record := filepath.Join(dir, "record")
	var requests strings.Builder
	for i := range 500 {
		fmt.Fprintf(&requests, `{"jsonrpc":"2.0","id":%d,"method":"terminal/create","params":{"sessionId":"s","command":"true"}}`+"\n", i)
	}
	before := children()
	defer reapOthers(t, before)
	for range kills {
		cmd := exec.Command(terrariumPath(t), "serve", "--stdio", "--pipe", "--audit", record)
		in, out := startPiped(t, cmd)
		go io.WriteString(in, requests.String()) // ends with the server
		io.ReadFull(out, make([]byte, 1))
		go io.Copy(io.Discard, out) // so does this
		// A moment that depends on nothing in the server: that is what this is about.
		time.Sleep(time.Duration(rand.Int64N(int64(50 * time.Millisecond))))
		cmd.Process.Kill()
		cmd.Wait()
		verifyRecord(t, record)
	}
	p, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if got := bytes.Count(p, []byte(`"event":"host_start"`)); got != kills {
		t.Errorf("got %d starts on record, want %d", got, kills)
	}
	t.Logf("%d kills: %s", kills, verifyRecord(t, record))
}

// reapOthers waits until this process has no children but before. What a killed server leaves is
// ours if we are a subreaper, as another test makes us. Its keeper ends it and then itself.
func reapOthers(t *testing.T, before map[string]bool) {
	t.Helper()
	ctx := limited(t)
	for more := true; more; runtime.Gosched() {
		more = false
		for pid := range children() {
			if !before[pid] {
				more = true
				number, _ := strconv.Atoi(pid)
				syscall.Wait4(number, nil, syscall.WNOHANG, nil)
			}
		}
		if ctx.Err() != nil {
			t.Fatalf("processes %v are left of killed servers", children())
		}
	}
}

// TestAuditShared has ten programs write to a record at once.
func TestAuditShared(t *testing.T) {
	var record string
	inTime(t, 5, func() bool {
		record = filepath.Join(t.TempDir(), "record")
		var programs sync.WaitGroup
		var late atomic.Bool
		for range 10 {
			programs.Go(func() {
				out, err := exec.Command(terrariumPath(t), "run", "--audit", record, "--", "true").CombinedOutput()
				if err != nil {
					t.Errorf("%v\n%s", err, out)
				}
				// On a busy machine a turn may not come in the time that is waited for.
				if strings.Contains(string(out), "another program keeps it locked") {
					late.Store(true)
				}
			})
		}
		programs.Wait()
		return !late.Load()
	})
	// Each has its start and stop, and create, start, exit and release of its command.
	if got, want := verifyRecord(t, record), "60 events in 1 file, 1 to 60\n"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want it to begin with %q", got, want)
	}
}

// smallDisk has a server run on a file system of a few pages of its own, with its record there.
func smallDisk(t *testing.T, args ...string) (s *sdkTest, disk, outside string) {
	needMounts(t)
	disk, outside = t.TempDir(), t.TempDir()
	line := fmt.Sprintf(`unshare -m --propagation private sh -c 'mount -t tmpfs -o size=16k none %s && exec "$@"' "$0" "$@"`, disk)
	return serveWith(t, line, append([]string{"--pipe", "--audit", filepath.Join(disk, "record")}, args...)...), disk, outside
}

// fill fills the disk until free is called, which returns when there is room again.
func (t *sdkTest) fill(disk, outside string) (free func()) {
	goFile := filepath.Join(outside, "go")
	if out, err := exec.Command("mkfifo", goFile).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	id := t.create(acp.CreateTerminalRequest{Command: "cat /dev/zero > fill 2> /dev/null; echo full; cat " + goFile + "; rm fill; echo free", Cwd: &disk})
	t.until(id, "full\n")
	return func() {
		if err := os.WriteFile(goFile, nil, 0); err != nil {
			t.Fatal(err)
		}
		t.until(id, "full\nfree\n")
	}
}

// A full disk: nothing starts that is not on record, if that is required; when there is room again,
// it does.
func TestAuditRequiredFullDisk(t *testing.T) {
	s, disk, outside := smallDisk(t, "--audit-required")
	free := s.fill(disk, outside)
	ran := filepath.Join(outside, "ran")
	touch := acp.CreateTerminalRequest{SessionId: "s", Command: "touch", Args: []string{ran}}
	for range 50 { // the last page has room for some
		os.Remove(ran)
		created, err := s.conn.CreateTerminal(s.ctx, touch)
		if err != nil {
			s.wantError(err, -32603, "not_recorded")
			break
		}
		s.wantExit(created.TerminalId, acp.WaitForTerminalExitResponse{ExitCode: new(0)})
	}
	for range 3 {
		_, err := s.conn.CreateTerminal(s.ctx, touch)
		s.wantError(err, -32603, "not_recorded")
		if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a command ran that is not on record: %v", err)
		}
	}
	free()
	copied := filepath.Join(outside, "record")
	s.wantExit(s.create(touch), acp.WaitForTerminalExitResponse{ExitCode: new(0)})
	s.wantExit(s.create(acp.CreateTerminalRequest{Command: "cp record " + copied, Cwd: &disk}), acp.WaitForTerminalExitResponse{ExitCode: new(0)})
	checkGap(t, copied)
}

// A full disk, where a record is not required: commands go on, and the gap is on record.
func TestAuditFullDisk(t *testing.T) {
	s, disk, outside := smallDisk(t)
	free := s.fill(disk, outside)
	for range 20 {
		s.wantExit(s.create(acp.CreateTerminalRequest{Command: "true"}), acp.WaitForTerminalExitResponse{ExitCode: new(0)})
	}
	free()
	copied := filepath.Join(outside, "record")
	s.wantExit(s.create(acp.CreateTerminalRequest{Command: "cp record " + copied, Cwd: &disk}), acp.WaitForTerminalExitResponse{ExitCode: new(0)})
	checkGap(t, copied)
}

func checkGap(t *testing.T, record string) {
	t.Helper()
	verifyRecord(t, record)
	p, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(p, []byte(`"event":"recover"`)) || !bytes.Contains(p, []byte("events were not written: audit: write")) {
		t.Errorf("the record does not tell of what is missing:\n%s", p)
	}
}
