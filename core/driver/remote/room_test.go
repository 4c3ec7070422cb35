package remote

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
)

// Who comes first is let in first, who gives up is not waited for, and all room is there again.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &room{free: 10}
		var order []int
		enter := func(ctx context.Context, n int) {
			go func() { // ends when it is let in, or gives up
				if r.enter(ctx, int64(n)) == nil {
					order = append(order, n)
				}
			}()
			synctest.Wait()
		}
		enter(t.Context(), 8)
		given, giveUp := context.WithCancel(t.Context())
		enter(given, 9)
		enter(t.Context(), 2) // there is room, but another came before
		enter(t.Context(), 10)
		if want := []int{8}; !slices.Equal(order, want) {
			t.Errorf("got %v let in, want %v", order, want)
		}
		giveUp()
		synctest.Wait()
		r.leave(8)
		synctest.Wait()
		r.leave(2)
		synctest.Wait()
		if want := []int{8, 2, 10}; !slices.Equal(order, want) {
			t.Errorf("got %v let in, want %v", order, want)
		}
		if err := r.enter(given, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		r.leave(10)
		if r.free != 10 || len(r.waiting) != 0 {
			t.Errorf("got room of %d and %d who wait, want 10 and 0", r.free, len(r.waiting))
		}
	})
}
