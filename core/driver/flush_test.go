package driver_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// TestFlush: it returns when the command has taken its input, says when it
// never will, and heeds its context.
func TestFlush(t *testing.T) {
	bubble(t, driver.Config{Host: host{}}, func(t *testing.T, d *driver.Driver) {
		create := func(command string) core.TerminalID {
			id, err := d.Create(t.Context(), "s", core.Command{Command: command, Interactive: true})
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		reads := create("echo")
		for range 3 {
			if err := d.Write(reads, []byte("x")); err != nil {
				t.Error(err)
			}
		}
		if err := d.Flush(t.Context(), reads); err != nil {
			t.Errorf("got %v, want nil", err)
		}
		synctest.Wait()
		if out, _ := d.AppendOutput(nil, reads); string(out) != "xxx" {
			t.Errorf("after Flush: got output %q, want %q", out, "xxx")
		}

		ignores := create("sleep")
		if err := d.Flush(t.Context(), ignores); err != nil {
			t.Errorf("with nothing to take: got %v, want nil", err)
		}
		if err := d.Write(ignores, []byte("x")); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := d.Flush(ctx, ignores); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		d.Kill(ignores)
		if err := d.Flush(t.Context(), ignores); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("after the exit: got %v, want %v", err, io.ErrClosedPipe)
		}
		if err := d.Flush(t.Context(), "no-such-terminal"); !errors.Is(err, core.ErrUnknownTerminal) {
			t.Errorf("got %v, want %v", err, core.ErrUnknownTerminal)
		}
	})
}
