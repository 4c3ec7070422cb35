package wazero

import (
	"bytes"
	"testing"
	"unsafe"
)

// A stack that was another guest's is as good as new.
func TestStackIsWiped(t *testing.T) {
	first, err := newStack(0)
	if err != nil {
		t.Fatal(err)
	}
	at := unsafe.SliceData(first.space)
	// What is below can't be touched.
	touched := []int{len(first.space) - 1, len(first.space) - kept - 1, len(first.space) - first.size}
	for _, i := range touched {
		first.space[i] = 1
	}
	first.release()
	var others []*stack // the spares before it
	for {
		again, err := newStack(0)
		if err != nil {
			t.Fatal(err)
		}
		others = append(others, again)
		if unsafe.SliceData(again.space) == at {
			break
		}
		if len(others) > cap(spares) {
			t.Fatal("it was not used again")
		}
	}
	space := others[len(others)-1].space
	for _, i := range touched {
		if space[i] != 0 {
			t.Errorf("byte %d of %d: got %d, want 0", i, len(space), space[i])
		}
	}
	if !bytes.Equal(space[len(space)-1<<20:], make([]byte, 1<<20)) {
		t.Error("the last mebibyte is not zero")
	}
	for _, s := range others {
		s.release()
	}
}
