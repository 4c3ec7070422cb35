//go:build linux || darwin

package worker

import (
	"encoding/binary"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/cache"
)

// A worker that says of more and more modules that they can't be loaded has its host
// keep no more than so many of them.
func TestCompileAgainBounded(t *testing.T) {
	h := &Host{again: make(map[cache.Key]bool)}
	for i := range 3 * maxAgain {
		var key cache.Key
		binary.LittleEndian.PutUint64(key.Module[:], uint64(i))
		if !h.compileAgain(key) {
			t.Fatalf("module %d is not compiled again, want it once", i)
		}
		if h.compileAgain(key) && len(h.again) > 1 {
			t.Fatalf("module %d is compiled again twice", i)
		}
	}
	if got := len(h.again); got > maxAgain {
		t.Errorf("got %d modules that are kept, want at most %d", got, maxAgain)
	}
}
