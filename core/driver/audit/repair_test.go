package audit_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/audit"
)

// A meddlersHost has commands that change files at each of their ends.
type meddlersHost struct{ host }

func (h meddlersHost) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	p, err := h.host.Start(ctx, e)
	return &meddler{Process: p}, err
}

type meddler struct {
	driver.Process
	list []driver.Repair
}

func (m *meddler) Wait() (core.Exit, error) {
	m.list = []driver.Repair{{Path: "/a", Change: "created", Outcome: driver.TakenAway, Kept: "/kept/a"}}
	return m.Process.Wait()
}

func (m *meddler) Close() error {
	m.list = append(m.list, driver.Repair{Path: "/b", Change: "mode", Outcome: driver.Failed, Why: "no"})
	return m.Process.Close()
}

func (m *meddler) Repairs() []driver.Repair {
	list := m.list
	m.list = nil
	return list
}

// What was put back after a command is recorded before its end, and what was later before its
// release.
func TestRepairs(t *testing.T) {
	var got, heard []string
	synctest.Test(t, func(t *testing.T) {
		r, err := audit.New(audit.Config{OnEvent: func(e *audit.Event) {
			s := string(e.Event)
			if e.Event == audit.Repair {
				s += " " + e.Path + " " + e.Change + " " + e.Outcome + " " + e.Kept + " " + e.Reason
			}
			got = append(got, s)
		}})
		if err != nil {
			t.Fatal(err)
		}
		d := driver.New(r.Wrap(driver.Config{
			Host:       meddlersHost{},
			OnRepaired: func(_ core.TerminalID, list []driver.Repair) { heard = append(heard, list[0].Path) },
		}))
		term, err := d.Create(t.Context(), "s", core.Command{Command: "true"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := term.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // until the exit is told: Close does not wait for that
		d.Close()
		r.Close()
	})
	want := []string{
		"host_start", "create", "start", "repair /a created taken_away /kept/a ", "exit", "repair /b mode failed  no", "release", "host_stop",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := []string{"/a", "/b"}; !slices.Equal(heard, want) {
		t.Errorf("OnRepaired: got %q, want %q", heard, want)
	}
}
