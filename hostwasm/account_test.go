package hostwasm

import (
	"runtime"
	"sync"
	"testing"
)

// More lends in pieces. What is lent to one guest is enough for others that ask at
// the same time, even if it is the last piece.
func TestBorrow(t *testing.T) {
	const guests, piece = 12, 32
	left := int64(2 * piece)
	var mu sync.Mutex
	a := newAccount(nil, -1, 0, -1)
	a.memory.more = func(int64) int64 {
		for range 1000 { // while the others come to ask as well
			runtime.Gosched()
		}
		mu.Lock()
		defer mu.Unlock()
		n := min(left, piece)
		left -= n
		return n
	}
	var all sync.WaitGroup
	for range guests {
		all.Go(func() {
			if !a.takeMemory(1) {
				t.Error("refused, where there was more than enough for all")
			}
		})
	}
	all.Wait()
	if left != piece {
		t.Errorf("%d are left, want %d", left, piece)
	}
}
