package harness

import (
	"context"
	"testing"

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
