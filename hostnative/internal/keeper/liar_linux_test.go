package keeper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// TestMain makes this test program a keeper that lies, in the way that $TERRARIUM_TEST_LIE
// says, if it is started as one.
func TestMain(m *testing.M) {
	if _, ok := os.LookupEnv(Env); ok {
		lie(os.Getenv("TERRARIUM_TEST_LIE"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func lie(way string) {
	s, err := takeSocket()
	if err != nil {
		os.Exit(1)
	}
	r := newReceiver(s, true)
	r.receive() // hello
	for range 2 {
		s.send(message{Kind: ready, Text: "{}"})
		s.send(message{Kind: swept})
	}
	huge := strings.Repeat("x", 20<<10)
	for {
		m, files, err := r.receive()
		if err != nil {
			return
		}
		closeAll(files)
		switch way {
		case "rubbish":
			unix.Write(int(s.file.Fd()), []byte("rubbish"))
		case "empty":
			unix.Sendmsg(int(s.file.Fd()), nil, nil, nil, 0)
		case "long":
			s.send(message{Kind: done, Text: strings.Repeat("x", 100_000)})
		case "unknown":
			for id := range uint64(20) {
				for k := range kind(80) {
					s.send(message{Kind: k, ID: id + 1000, Of: id})
				}
			}
			s.send(message{Kind: started, ID: m.ID, Number: 1})
			s.send(message{Kind: exited, ID: m.ID})
			s.send(message{Kind: done, ID: m.ID})
		case "twice":
			for n := range int64(50) {
				s.send(message{Kind: exited, ID: m.ID, Exit: core.Exit{Status: core.ExitStatus{Signal: huge, ExitCode: 1 << 31}}})
				s.send(message{Kind: started, ID: m.ID, Number: -n, Text: huge})
				s.send(message{Kind: failed, ID: m.ID, Number: 1 << 40, Text: huge})
				s.send(message{Kind: done, ID: m.ID})
				s.send(message{Kind: settled, ID: m.ID})
			}
		case "descriptors":
			var null []int
			for range 200 {
				null = append(null, 0)
			}
			s.send(message{Kind: started, ID: m.ID, Number: 1}, null[:4]...)
			s.send(message{Kind: done, ID: m.ID}, null...)
		case "wrong":
			s.send(message{Kind: done, ID: m.ID, Number: -5, Text: "x"})
		case "dies":
			return
		}
	}
}

// A keeper that lies is believed, but does no harm here: nobody waits for ever, nobody
// crashes, nothing is left.
func TestLiar(t *testing.T) {
	count := func() int {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(fds)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pair(t) // Go's poller has descriptors of its own from the first file on that it waits for
	for _, way := range []string{"rubbish", "empty", "long", "unknown", "twice", "descriptors", "wrong", "dies"} {
		t.Run(way, func(t *testing.T) {
			fds, goroutines := count(), runtime.NumGoroutine()
			for range 10 {
				k, err := Open(Config{Helper: self, Env: append(os.Environ(), "TERRARIUM_TEST_LIE="+way)})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				c, err := k.Start(ctx, Spec{Path: "/bin/true", Argv: []string{"true"}, Files: []int{0, 1, 2}}, func() {})
				if errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
				if err == nil {
					c.Signal(unix.SIGTERM)
					go c.Wait()
					c.End(func() {})
				}
				k.Report()
				k.kill()
				select {
				case <-k.reaped:
				case <-time.After(time.Minute):
					t.Fatal("not reaped")
				}
				cancel()
			}
			for late := time.Now().Add(time.Minute); count() > fds || runtime.NumGoroutine() > goroutines; {
				if time.Now().After(late) {
					t.Fatalf("got %d descriptors and %d goroutines, before %d and %d", count(), runtime.NumGoroutine(), fds, goroutines)
				}
				runtime.Gosched()
			}
		})
	}
}

// A helper that is none and hangs, and what it has started, holds nothing here.
func TestHelperThatHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits until the helper is given up")
	}
	goroutines := runtime.NumGoroutine()
	path := filepath.Join(t.TempDir(), "helper")
	pidFile := path + ".pid"
	if err := os.WriteFile(path, []byte(fmt.Sprintf("#!/bin/sh\nsleep 1000 &\necho $! >%s\necho rubbish\nwait\n", pidFile)), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Config{Helper: path, Env: os.Environ()}); err == nil || !strings.Contains(err.Error(), "has said nothing") {
		t.Errorf("got %v", err)
	}
	defer func() { // what it has left is not ours to know
		var pid int
		b, _ := os.ReadFile(pidFile)
		if fmt.Sscan(string(b), &pid); pid > 1 {
			unix.Kill(pid, unix.SIGKILL)
		}
	}()
	for late := time.Now().Add(time.Minute); runtime.NumGoroutine() > goroutines; {
		if time.Now().After(late) {
			t.Fatalf("got %d goroutines, before %d", runtime.NumGoroutine(), goroutines)
		}
		runtime.Gosched()
	}
}

// A keeper that says it is ready, and has not been confined, starts nothing.
func TestNotConfined(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k, err := Open(Config{
		Helper: self, Env: append(os.Environ(), "TERRARIUM_TEST_LIE=unknown"),
		Rules: &confine.Rules{Level: confine.Workspace, Roots: []string{t.TempDir()}},
	})
	if err == nil || !strings.Contains(err.Error(), "not confined") {
		t.Errorf("got %v, %v, want an error that it is not confined", k, err)
	}
}
