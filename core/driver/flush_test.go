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
			term, err := d.Create(t.Context(), "s", core.Command{Command: command, Interactive: true})
			if err != nil {
				t.Fatal(err)
			}
			return term.ID()
		}
		reads := create("echo")
		for range 3 {
			if _, err := d.Terminal(reads).Write([]byte("x")); err != nil {
				t.Error(err)
			}
		}
		if err := d.Terminal(reads).Flush(t.Context()); err != nil {
			t.Errorf("got %v, want nil", err)
		}
		synctest.Wait()
		if out, _ := d.Terminal(reads).AppendOutput(nil); string(out) != "xxx" {
			t.Errorf("after Flush: got output %q, want %q", out, "xxx")
		}

		ignores := create("sleep")
		if err := d.Terminal(ignores).Flush(t.Context()); err != nil {
			t.Errorf("with nothing to take: got %v, want nil", err)
		}
		if _, err := d.Terminal(ignores).Write([]byte("x")); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := d.Terminal(ignores).Flush(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		d.Terminal(ignores).Kill()
		if err := d.Terminal(ignores).Flush(t.Context()); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("after the exit: got %v, want %v", err, io.ErrClosedPipe)
		}
		if err := d.Terminal("no-such-terminal").Flush(t.Context()); !errors.Is(err, core.ErrUnknownTerminal) {
			t.Errorf("got %v, want %v", err, core.ErrUnknownTerminal)
		}
	})
}
