package driver_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// busy is a host on a machine where we get a turn to read only long after the
// command has ended: 210 ms, for the drain looks every 20, and what happens at
// one instant happens in any order.
type busy struct{ host }

func (busy) Start(context.Context, core.Exec) (driver.Process, error) {
	return &busyProcess{process: &process{exited: make(chan struct{}), closed: make(chan struct{})}, turn: time.Now().Add(210 * time.Millisecond)}, nil
}

type busyProcess struct {
	*process
	turn time.Time
}

func (p *busyProcess) Output(sink func(uint8, []byte)) error {
	p.end(core.ExitStatus{})
	time.Sleep(time.Until(p.turn))
	sink(1, []byte("late"))
	<-p.closed // somebody holds the output open
	return nil
}

func (p *busyProcess) OutputPending() bool { return time.Now().Before(p.turn) }

// TestPendingOutput: as long as there is output to be read, our silence is not
// the command's.
func TestPendingOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := driver.New(driver.Config{Host: busy{}})
		defer d.Close()
		id, err := d.Create(t.Context(), "", core.Command{Command: "late"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.WaitForExit(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if out, _ := d.AppendOutput(nil, id); string(out) != "late" {
			t.Errorf("got output %q, want %q", out, "late")
		}
	})
}
