package driver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// TestScripts runs the machine's scripts against the driver on a fake host:
// goroutines, locks and the timer must not change a single answer.
func TestScripts(t *testing.T) {
	for _, file := range coretest.Scripts(t, "../testdata") {
		t.Run(coretest.Name(file), func(t *testing.T) { coretest.RunDriven(t, file) })
	}
}

// bubble runs a test in virtual time. At its end no goroutine may be left.
func bubble(t *testing.T, config driver.Config, test func(t *testing.T, d *driver.Driver)) {
	synctest.Test(t, func(t *testing.T) {
		d := driver.New(config)
		defer d.Close()
		test(t, d)
	})
}

func TestCreateAndWait(t *testing.T) {
	bubble(t, driver.Config{Host: host{}}, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", core.Command{Command: "print", Args: []string{"hello\n", "3"}})
		if err != nil {
			t.Fatal(err)
		}
		var waiters sync.WaitGroup
		for range 3 {
			waiters.Go(func() {
				exit, err := term.Wait(t.Context())
				if err != nil || exit.Status.ExitCode != 0 {
					t.Errorf("got %v, %v, want exit 0", exit, err)
				}
			})
		}
		waiters.Wait()
		if out, truncated := term.AppendOutput(nil); string(out) != "hello\nhello\nhello\n" || truncated {
			t.Errorf("got %q, %v", out, truncated)
		}
		if err := term.Release(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if out, _ := term.AppendOutput(nil); len(out) == 0 {
			t.Error("a released terminal shows no output")
		}
		if exit, err := term.Wait(t.Context()); err != nil || exit.Status.ExitCode != 0 {
			t.Errorf("after release: got %v, %v, want exit 0", exit, err)
		}
		if err := term.Kill(); !errors.Is(err, core.ErrReleased) {
			t.Errorf("kill after release: got %v, want %v", err, core.ErrReleased)
		}
		d.CloseSession("s")
		if _, err := term.Wait(t.Context()); !errors.Is(err, core.ErrUnknownTerminal) {
			t.Errorf("after the session: got %v, want %v", err, core.ErrUnknownTerminal)
		}
		if out, _ := term.AppendOutput(nil); out != nil {
			t.Errorf("after the session: got output %q", out)
		}
	})
}

// TestOutputInPieces: a terminal's lock is given back after 4 KiB, however much
// a command writes at a time. A line of the trace is what one hold of it took.
func TestOutputInPieces(t *testing.T) {
	const limit = 4 << 10
	var mu sync.Mutex
	handled := 0
	trace := func(line string) {
		rest, output := strings.CutPrefix(line, "output t1 1 ")
		if !output {
			return
		}
		piece, err := strconv.Unquote(rest)
		if err != nil || len(piece) > limit {
			t.Errorf("%d bytes in one piece (%v), want at most %d", len(piece), err, limit)
		}
		mu.Lock()
		handled += len(piece)
		mu.Unlock()
	}
	bubble(t, driver.Config{Host: host{}, Core: core.Config{Trace: trace}}, func(t *testing.T, d *driver.Driver) {
		text := strings.Repeat("0123456789", 10_000)
		term, err := d.Create(t.Context(), "s", core.Command{Command: "print", Args: []string{text, "2"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := term.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if out, _ := term.AppendOutput(nil); string(out) != text+text {
			t.Errorf("got %d bytes of output, want %d, as written", len(out), 2*len(text))
		}
	})
	if handled != 200_000 {
		t.Errorf("the trace has %d bytes, want 200000", handled)
	}
}

// TestWaitersOutliveTerminal: who waits is told the exit, although the terminal
// is forgotten at that moment. It tries often, since it may be heard in time.
func TestWaitersOutliveTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		config core.Config
		end    func(d *driver.Driver, id core.TerminalID)
	}{
		"closed session":      {core.Config{}, func(d *driver.Driver, _ core.TerminalID) { d.CloseSession("s") }},
		"released, none kept": {core.Config{KeepTerminals: -1}, func(d *driver.Driver, id core.TerminalID) { d.Terminal(id).Release() }},
	} {
		for range 100 {
			bubble(t, driver.Config{Host: host{}, Core: c.config}, func(t *testing.T, d *driver.Driver) {
				term, err := d.Create(t.Context(), "s", core.Command{Command: "sleep"})
				if err != nil {
					t.Fatal(err)
				}
				var waiter sync.WaitGroup
				waiter.Go(func() {
					exit, err := term.Wait(context.Background())
					if err != nil || exit.Status.Signal != "SIGTERM" {
						t.Errorf("%s: got %v, %v, want SIGTERM", name, exit, err)
					}
				})
				synctest.Wait()
				c.end(d, term.ID())
				waiter.Wait()
			})
			if t.Failed() {
				return
			}
		}
	}
}

// TestTimeoutOfStuck: a wall limit ends the wait although nothing ends the
// process.
func TestTimeoutOfStuck(t *testing.T) {
	bubble(t, driver.Config{Host: host{}}, func(t *testing.T, d *driver.Driver) {
		begin := time.Now()
		term, err := d.Create(t.Context(), "s", core.Command{Command: "stuck", Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		exit, err := term.Wait(ctx)
		if took := time.Since(begin); err != nil || !exit.Status.Unknown || exit.Reason != core.ReasonTimeout || took != 16*time.Second {
			t.Errorf("got %v, %v after %v, want an unknown status because of the timeout after 16s", exit, err, took)
		}
	})
}

// TestInputIsCopiedOnce: a mebibyte that is written takes one, and not two.
func TestInputIsCopiedOnce(t *testing.T) {
	const size = 1 << 20
	bubble(t, driver.Config{Host: host{}}, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", core.Command{Command: "sleep", Interactive: true})
		if err != nil {
			t.Fatal(err)
		}
		p := bytes.Repeat([]byte("a"), size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := term.Write(p); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > size*3/2 {
			t.Errorf("got %d KiB allocated for %d KiB of input", got>>10, size>>10)
		}
	})
}

func TestWaitForExitHeedsContext(t *testing.T) {
	bubble(t, driver.Config{Host: host{}}, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", core.Command{Command: "sleep"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := term.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
	})
}

func TestCreateFails(t *testing.T) {
	bubble(t, driver.Config{Host: host{}}, func(t *testing.T, d *driver.Driver) {
		for _, tt := range []struct {
			command string
			want    error
		}{
			{"", &core.InvalidError{}},
			{"unresolved", errNotFound},
			{"unstartable", errNoProcess},
		} {
			_, err := d.Create(t.Context(), "s", core.Command{Command: tt.command})
			var invalid *core.InvalidError
			if !errors.Is(err, tt.want) && !errors.As(err, &invalid) {
				t.Errorf("%q: got %v, want %v", tt.command, err, tt.want)
			}
		}
	})
}

// TestCreateCancelled gives up a command at each stage of its start. Nothing
// may run afterwards, also where the host started it all the same.
func TestCreateCancelled(t *testing.T) {
	for _, command := range []string{"slow-resolve", "slow-start", "stubborn-start"} {
		bubble(t, driver.Config{Host: host{}}, func(t *testing.T, d *driver.Driver) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			begin := time.Now()
			if _, err := d.Create(ctx, "s", core.Command{Command: command}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: got %v, want %v", command, err, context.DeadlineExceeded)
			}
			if took := time.Since(begin); took != time.Second {
				t.Errorf("%s: Create returned after %v, want 1s", command, took)
			}
		})
	}
}

func TestDecide(t *testing.T) {
	decide := func(_ context.Context, e core.Exec) core.Decision {
		return core.Decision{Allow: e.Command.Command == "print", Reason: "only print may run"}
	}
	bubble(t, driver.Config{Host: host{}, Decide: decide}, func(t *testing.T, d *driver.Driver) {
		if _, err := d.Create(t.Context(), "s", core.Command{Command: "print", Args: []string{"", "0"}}); err != nil {
			t.Error(err)
		}
		_, err := d.Create(t.Context(), "s", core.Command{Command: "sleep"})
		var denied *core.DeniedError
		if !errors.As(err, &denied) || denied.Reason != "only print may run" {
			t.Errorf("got %v, want a DeniedError with its reason", err)
		}
	})
}

// TestOutputComesBeforeExit collects what is told in the order it is told.
func TestOutputComesBeforeExit(t *testing.T) {
	var mu sync.Mutex
	var told []string
	note := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprintf(format, args...))
	}
	config := driver.Config{
		Host: host{}, Core: core.Config{LiveBytes: 1 << 10},
		OnNews:   func(e *core.Effect) { note("%v %s", e.Kind, e.Data) },
		OnOutput: func(_ core.TerminalID, stream uint8, p []byte) { note("stream %d %s", stream, p) },
	}
	bubble(t, config, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", core.Command{Command: "print", Args: []string{"x", "1"}})
		if err != nil {
			t.Fatal(err)
		}
		term.Wait(t.Context())
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		got := strings.Join(told, ", ")
		for _, before := range [][2]string{
			{"stream 1 x", "exited"}, {"started", "exited"}, {"output_changed x", "exited"},
		} {
			i, j := strings.Index(got, before[0]), strings.Index(got, before[1])
			if i < 0 || j < 0 || i > j {
				t.Errorf("got %s; want %q before %q", got, before[0], before[1])
			}
		}
	})
}

// TestSlowListener floods a listener that does not keep up: it hears the
// newest bytes and how many it missed, and costs no more than LiveBytes.
func TestSlowListener(t *testing.T) {
	const live, chunks = 1000, 5000
	var heard, lost uint64
	onNews := func(e *core.Effect) {
		if e.Kind != core.OutputChanged {
			return
		}
		if len(e.Data) > live {
			t.Errorf("got %d bytes at once, want at most %d", len(e.Data), live)
		}
		heard += uint64(len(e.Data))
		lost += e.Lost
		time.Sleep(time.Second)
	}
	bubble(t, driver.Config{Host: host{}, Core: core.Config{LiveBytes: live}, OnNews: onNews}, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", core.Command{Command: "print", Args: []string{"0123456789", fmt.Sprint(chunks)}})
		if err != nil {
			t.Fatal(err)
		}
		term.Wait(t.Context())
		d.Close()
		if heard+lost != 10*chunks {
			t.Errorf("heard %d bytes and missed %d, want %d together", heard, lost, 10*chunks)
		}
	})
}

func TestClose(t *testing.T) {
	bubble(t, driver.Config{Host: host{}}, func(t *testing.T, d *driver.Driver) {
		var ids []core.TerminalID
		for _, command := range []string{"sleep", "stubborn", "stuck"} {
			term, err := d.Create(t.Context(), "s", core.Command{Command: command})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, term.ID())
		}
		begin := time.Now()
		var closers sync.WaitGroup
		for range 3 {
			closers.Go(func() { d.Close() })
		}
		closers.Wait()
		// The grace, and what a process that SIGKILL does not end is waited for.
		if took := time.Since(begin); took != 15*time.Second {
			t.Errorf("Close took %v, want 15s", took)
		}
		if _, err := d.Create(t.Context(), "s", core.Command{Command: "sleep"}); !errors.Is(err, driver.ErrClosed) {
			t.Errorf("got %v, want %v", err, driver.ErrClosed)
		}
		if _, err := d.Terminal(ids[0]).Wait(t.Context()); !errors.Is(err, core.ErrUnknownTerminal) {
			t.Errorf("got %v, want %v", err, core.ErrUnknownTerminal)
		}
	})
}

// TestHammer does everything at once from many goroutines, for -race.
func TestHammer(t *testing.T) {
	config := driver.Config{
		Host: host{}, Core: core.Config{LiveBytes: 100, KillGrace: 20 * time.Millisecond, KeepTerminals: 3},
		OnNews:   func(*core.Effect) {},
		OnOutput: func(core.TerminalID, uint8, []byte) {},
	}
	d := driver.New(config)
	var hammers sync.WaitGroup
	for i := range 8 {
		hammers.Go(func() {
			session := core.SessionID(fmt.Sprint(i % 3))
			for n := range 60 {
				command := []string{"print", "sleep", "stubborn", "echo", "unresolved", "unstartable"}[(n+i)%6]
				term, err := d.Create(t.Context(), session, core.Command{
					Command: command, Args: []string{"x\r\n", "20"}, Pty: n%2 == 0, Interactive: true,
				})
				if err != nil {
					continue
				}
				var others sync.WaitGroup
				others.Go(func() { term.Wait(t.Context()) })
				others.Go(func() { term.AppendOutput(nil); term.Status() })
				others.Go(func() { term.Write([]byte("abc")); term.Resize(10, 20); term.CloseInput() })
				others.Go(func() { term.Kill(); term.Release(); term.AppendOutput(nil) })
				others.Wait()
				if n%20 == 19 {
					d.CloseSession(session)
				}
			}
		})
	}
	hammers.Wait()
	d.Close()
}

// TestBackPressure: a slow OnOutput holds up its own command only.
func TestBackPressure(t *testing.T) {
	release := make(chan struct{})
	var out bytes.Buffer
	config := driver.Config{Host: host{}, OnOutput: func(_ core.TerminalID, _ uint8, p []byte) {
		if bytes.HasPrefix(p, []byte("slow")) {
			<-release
			return
		}
		out.Write(p)
	}}
	synctest.Test(t, func(t *testing.T) {
		release = make(chan struct{})
		d := driver.New(config)
		defer d.Close()
		slow, err := d.Create(t.Context(), "s", core.Command{Command: "print", Args: []string{"slow", "10"}})
		if err != nil {
			t.Fatal(err)
		}
		fast, err := d.Create(t.Context(), "s", core.Command{Command: "print", Args: []string{"fast", "3"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fast.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		if got := out.String(); got != "fastfastfast" {
			t.Errorf("got %q", got)
		}
		if s, _ := slow.Status(); s.State == core.StateExited {
			t.Error("the slow one has ended although nobody took its output")
		}
		close(release)
	})
}
