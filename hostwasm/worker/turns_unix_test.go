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

// Sessions take turns, and who gives up waits no longer.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all turns
		sessions := map[string]*tmp{"a": {}, "b": {}, "c": {}}
		var order []string
		leave, err := all.take(t.Context(), sessions["a"])
		if err != nil {
			t.Fatal(err)
		}
		for name := range strings.FieldsSeq("a1 a2 a3 b1 c1 b2") {
			go func() { // ends when its turn came, below
				leave, err := all.take(t.Context(), sessions[name[:1]])
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
			_, err := all.take(gone, sessions["c"])
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
		leave, err = all.take(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		leave()
	})
}
