//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// A peer has the turns of one, however many sessions it has.
func TestAskers(t *testing.T) {
	if a, b := askerOf("one@peer"), askerOf("another@peer"); a != b {
		t.Errorf("sessions of one peer: got %q and %q", a, b)
	}
	if a, b := askerOf("one@peer"), askerOf("one@other"); a == b {
		t.Errorf("sessions of two peers: got %q for both", a)
	}
	if a, b := askerOf("one"), askerOf("another"); a == b {
		t.Errorf("sessions without peers: got %q for both", a)
	}
}

// Who asks takes turns, and who gives up waits no longer.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all turns
		askers := map[string]asker{"a": askerOf("1@peer"), "b": askerOf("b"), "c": askerOf("c@other")}
		var order []string
		leave, err := all.take(t.Context(), askers["a"])
		if err != nil {
			t.Fatal(err)
		}
		for name := range strings.FieldsSeq("a1 a2 a3 b1 c1 b2") {
			go func() { // ends when its turn came, below
				leave, err := all.take(t.Context(), askers[name[:1]])
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, name)
				leave()
			}()
			synctest.Wait()
		}
		gone, cancel := context.WithCancel(t.Context())
		given := make(chan error, 1)
		go func() { // ends with gone
			_, err := all.take(gone, askers["c"])
			given <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-given; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		leave()
		synctest.Wait()
		if want := strings.Fields("b1 a1 c1 b2 a2 a3"); !slices.Equal(order, want) {
			t.Errorf("got %q, want %q", order, want)
		}
		leave, err = all.take(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		leave()
	})
}
