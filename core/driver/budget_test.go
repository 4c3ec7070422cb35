package driver_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// TestBudget: what one driver holds another can't have, and what it keeps for
// display neither. All of it comes back.
func TestBudget(t *testing.T) {
	live := &driver.Budget{Terminals: 2, Bytes: 2500}
	kept := &driver.Budget{Terminals: 1, Bytes: 2500}
	synctest.Test(t, func(t *testing.T) {
		open := func() *driver.Driver {
			return driver.New(driver.Config{Host: host{}, Core: core.Config{Budget: live, KeptBudget: kept}})
		}
		a, b := open(), open()
		refused := func(d *driver.Driver, bytes int64, want string) {
			t.Helper()
			_, err := d.Create(t.Context(), "s", core.Command{Command: "print", Args: []string{"x", "1"}, OutputByteLimit: bytes})
			if limit, ok := errors.AsType[*core.LimitError](err); !ok || limit.Limit != want {
				t.Errorf("got %v, want a LimitError about %s", err, want)
			}
		}
		finished := func(d *driver.Driver, bytes int64) core.TerminalID {
			t.Helper()
			term, err := d.Create(t.Context(), "s", core.Command{Command: "print", Args: []string{"x", "1"}, OutputByteLimit: bytes})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := term.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			return term.ID()
		}
		ofA, ofB := finished(a, 1000), finished(b, 1000)
		refused(a, 1, "terminals")
		b.Terminal(ofB).Release()
		synctest.Wait()
		refused(a, 1500, "output_bytes")
		if out, _ := b.Terminal(ofB).AppendOutput(nil); len(out) == 0 {
			t.Error("what was released first is not kept")
		}
		a.Terminal(ofA).Release()
		synctest.Wait()
		if _, ok := a.Terminal(ofA).Status(); ok {
			t.Error("there was no room to keep this")
		}
		again := finished(b, 1000)
		b.Terminal(again).Release()
		synctest.Wait()
		if out, _ := b.Terminal(again).AppendOutput(nil); len(out) == 0 {
			t.Error("what a driver itself has kept longest makes no room")
		}
		a.Close()
		b.Close()
		for _, budget := range []*driver.Budget{live, kept} {
			if terminals, bytes := budget.Taken(); terminals != 0 || bytes != 0 {
				t.Errorf("%d terminals and %d bytes were not given back", terminals, bytes)
			}
		}
	})
}
