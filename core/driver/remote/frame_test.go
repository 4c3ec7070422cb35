package remote

import (
	"bytes"
	"testing"
)

// The buffer of a large frame is somebody else's once it was asked for: the frame behind it, whose
// first bytes came with it, does not depend on what becomes of that buffer.
func TestKeptBuffer(t *testing.T) {
	// Two large ones, since a reader's first buffer is a small one, which nobody is given.
	large := frame{kindOutput, bytes.Repeat([]byte{1}, maxData)}
	last := frame{kindCredit, []byte("last")}
	stream := large.appendTo(nil, 1, 0)
	stream = large.appendTo(stream, 2, 0)
	stream = last.appendTo(stream, 3, 0)

	r := &frameReader{r: bytes.NewReader(stream)}
	kept := 0
	for number := uint64(1); number <= 3; number++ {
		f, err := r.next()
		if err != nil {
			t.Fatal(err)
		}
		want := large
		if number == 3 {
			want = last
		}
		if f.number != number || f.kind != want.kind || !bytes.Equal(f.body, want.body) {
			t.Fatalf("got frame %d of kind %d with %d bytes, want %d of kind %d with %d",
				f.number, f.kind, len(f.body), number, want.kind, len(want.body))
		}
		if b := f.keep(); b != nil {
			kept++
			clear(b)
		}
	}
	if kept == 0 {
		t.Error("no buffer was kept")
	}
}
