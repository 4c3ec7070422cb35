package harness

import (
	"context"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// mixed is a Host whose processes are of more than one type.
type mixed struct{ process driver.Process }

func (m *mixed) Resolve(context.Context, core.Command) (core.Exec, error) { return core.Exec{}, nil }
func (m *mixed) Start(context.Context, core.Exec) (driver.Process, error) { return m.process, nil }

type one struct{ driver.Process }

func (one) Raw() bool            { return true }
func (one) Foreground() bool     { return true }
func (one) Reading() (a, b bool) { return }

type other struct{ one }

func TestKeeperOfMixedHost(t *testing.T) {
	host := new(mixed)
	k := &keeper{Host: host}
	if k.tty() != nil {
		t.Error("there is a process before any was started")
	}
	for _, p := range []driver.Process{one{}, other{}, one{}} {
		host.process = p
		if _, err := k.Start(t.Context(), core.Exec{}); err != nil {
			t.Fatal(err)
		}
		if got, _ := k.tty().(driver.Process); got != p {
			t.Errorf("got %T, want %T", k.tty(), p)
		}
	}
}

// A printer is a shell that waits at its prompt and has printed what nobody has read.
type printer struct {
	one
	pending int
}

func (printer) Reading() (reading, known bool) { return true, true }
func (p *printer) OutputPending() int          { return p.pending }

func TestPendingOutputIsWaitedFor(t *testing.T) {
	p := &printer{pending: 1}
	shell := tty(p)
	r := &run{host: &keeper{}, began: time.Now().Add(-time.Hour)}
	r.host.process.Store(&shell)
	s := settling{taken: true, idle: r.began}
	if s.settled(r, time.Now()) {
		t.Error("got it settled, with output that is not read")
	}
	p.pending = 0
	if !s.settled(r, time.Now()) {
		t.Error("got it not settled, with all output read")
	}
}
