package driver_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// busy is a host whose commands have written some chunks and ended when we get
// a turn to read the first of them. Their output is held open by somebody.
type busy struct {
	host
	turn   time.Duration // from the start to the first read
	chunks int           // of 4 bytes each
	chatty bool          // who holds it open keeps writing
}

func (h busy) Start(context.Context, core.Exec) (driver.Process, error) {
	p := &busyProcess{process: &process{exited: make(chan struct{}), closed: make(chan struct{})}, busy: h}
	p.pending.Store(int64(4 * h.chunks))
	return p, nil
}

type busyProcess struct {
	*process
	busy
	pending atomic.Int64 // bytes
}

func (p *busyProcess) Output(sink func(uint8, []byte)) error {
	p.end(core.ExitStatus{})
	time.Sleep(p.turn)
	for i := 0; i < p.chunks || p.chatty; i++ {
		text := "own "
		if i >= p.chunks {
			text = "its "
			time.Sleep(time.Millisecond)
		}
		select {
		case <-p.closed:
			return nil
		default:
			sink(1, []byte(text))
		}
		if !p.chatty {
			p.pending.Add(-4)
		}
	}
	<-p.closed
	return nil
}

func (p *busyProcess) OutputPending() int { return int(p.pending.Load()) }

// TestPendingOutput: what was written before the exit is told before it,
// however long we take to read it, and what others write after that delays it
// for 250 ms.
func TestPendingOutput(t *testing.T) {
	for _, test := range []struct {
		name   string
		host   busy
		sink   time.Duration // what OnOutput takes for a chunk
		after  time.Duration // when the exit is told
		others bool          // there may be output of others
	}{
		{"at once", busy{chunks: 3}, 0, 20 * time.Millisecond, false},
		{"no turn to read", busy{turn: time.Minute, chunks: 3}, 0, time.Minute + 20*time.Millisecond, false},
		{"slow to take it", busy{chunks: 3}, time.Second, 3*time.Second + 20*time.Millisecond, false},
		{"chatty", busy{chunks: 3, chatty: true}, 0, 250 * time.Millisecond, true},
		{"chatty and no turn", busy{turn: time.Minute, chunks: 3, chatty: true}, 0, time.Minute + 250*time.Millisecond, true},
		{"chatty and slow", busy{chunks: 3, chatty: true}, time.Second, 3*time.Second + 250*time.Millisecond, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := driver.New(driver.Config{
					Host:     test.host,
					OnOutput: func(core.TerminalID, uint8, []byte) { time.Sleep(test.sink) },
				})
				defer d.Close()
				begin := time.Now()
				term, err := d.Create(t.Context(), "", core.Command{Command: "x"})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := term.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				// The drain looks every 20 ms, and what happens at one instant in any order.
				if after := time.Since(begin); after < test.after-20*time.Millisecond || after > test.after+20*time.Millisecond {
					t.Errorf("got the exit after %v, want %v", after, test.after)
				}
				out, _ := term.AppendOutput(nil)
				own, others, _ := strings.Cut(string(out), "its ")
				if own != "own own own " || others != "" && !test.others {
					t.Errorf("got output %.40q, want what the command wrote", out)
				}
			})
		})
	}
}

// TestKillOfUnreadOutput: a sink that never returns holds up the exit, until
// somebody wants an end.
func TestKillOfUnreadOutput(t *testing.T) {
	for name, end := range map[string]func(*driver.Terminal) error{
		"kill": (*driver.Terminal).Kill, "release": (*driver.Terminal).Release,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stuck := make(chan struct{})
				d := driver.New(driver.Config{
					Host:     busy{chunks: 3},
					OnOutput: func(core.TerminalID, uint8, []byte) { <-stuck },
				})
				defer d.Close()
				defer close(stuck)
				term, err := d.Create(t.Context(), "", core.Command{Command: "x"})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Hour)
				if s, _ := term.Status(); s.State != core.StateDraining {
					t.Errorf("got state %v, want %v", s.State, core.StateDraining)
				}
				begin := time.Now()
				if err := end(term); err != nil {
					t.Fatal(err)
				}
				if _, err := term.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begin); took > 250*time.Millisecond {
					t.Errorf("got the exit after %v, want at most 250ms", took)
				}
			})
		})
	}
}
