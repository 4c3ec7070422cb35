package remote

import (
	"encoding/binary"
	"fmt"
	"io"
)

// A kind says what a frame's body is.
type kind uint8

const (
	kindAlive kind = iota // nothing; such a frame has no number

	// From the near side.

	kindResolve
	kindStart
	kindCancel
	kindWrite
	kindCloseInput
	kindResize
	kindSignal
	kindClose

	// From the far side.

	kindResolved
	kindStarted
	kindWritten
	kindDone
	kindOutput
	kindOutputEnd
	kindExited
	kindPassed

	// From either.

	kindCredit
	kindEnd
)

const (
	frameHead = 4 + 1 + 8 + 8 // bytes: length, kind, number, the highest number taken

	// maxFrame is the most bytes of a frame, its length left out. The largest is a Resolve with
	// all that core.MaxCommand allows.
	maxFrame = 12 << 20

	// maxData is how many bytes of input or output a frame has at the most.
	maxData = 64 << 10
)

// A frame is what one side tells the other at once. Its number is not here: it is the one after
// that of the frame before it.
type frame struct {
	kind kind
	body []byte
}

// frameCost is what a frame costs in memory besides its body, about, in bytes.
const frameCost = 64

func (f *frame) cost() int64 { return int64(len(f.body)) + frameCost }

// appendTo appends the frame as it is sent.
func (f *frame) appendTo(dst []byte, number, taken uint64) []byte {
	return append(appendHead(dst, f.kind, len(f.body), number, taken), f.body...)
}

// appendHead appends the head of a frame with a body of that size.
func appendHead(dst []byte, k kind, size int, number, taken uint64) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(frameHead-4+size))
	dst = append(dst, byte(k))
	dst = binary.BigEndian.AppendUint64(dst, number)
	return binary.BigEndian.AppendUint64(dst, taken)
}

// A queued is a frame that is to be sent, and kept until it was taken.
type queued struct {
	kind kind
	lent bool   // it is just being written, so its bytes must stay as they are
	buf  []byte // room for the head, and the body
}

// newQueued returns one whose body has room for n bytes.
func newQueued(k kind, n int) queued {
	return queued{kind: k, buf: newBuffer(frameHead + n)[:frameHead]}
}

func (q *queued) cost() int64 { return int64(len(q.buf)) - frameHead + frameCost }

func (q *queued) appendTo(dst []byte, number, taken uint64) []byte {
	return append(appendHead(dst, q.kind, len(q.buf)-frameHead, number, taken), q.buf[frameHead:]...)
}

// lend returns the frame as it is sent, without copying it. Whoever has written it gives it back.
func (q *queued) lend(number, taken uint64) []byte {
	q.lent = true
	appendHead(q.buf[:0], q.kind, len(q.buf)-frameHead, number, taken)
	return q.buf
}

// free lets go of the frame's bytes.
func (q *queued) free() {
	if !q.lent { // or who writes them is the last to have them
		freeBuffer(q.buf)
	}
	q.buf = nil
}

// A received is a frame that has come.
type received struct {
	frame
	number, taken uint64
	reader        *frameReader // that lends the body, if any
}

// keep returns the buffer that the body is in, which is the caller's from then on, or nil if the
// body is to be copied.
func (f *received) keep() []byte {
	if f.reader == nil || len(f.body) < maxData/2 || cap(f.reader.buf) != largeSize {
		return nil
	}
	return f.reader.giveBuffer()
}

// A frameReader reads frames. Its buffer grows with what has come, not with what was announced.
type frameReader struct {
	r        io.Reader
	buf      []byte
	from, to int // what of buf is not used yet
}

const (
	smallBuffer = 4 << 10
	usualBuffer = largeSize // that it grows to where frames come fast
)

// next returns the next frame, which is lent until the next call.
func (r *frameReader) next() (received, error) {
	for {
		have := r.buf[r.from:r.to]
		size := frameHead
		if len(have) >= 4 {
			n := binary.BigEndian.Uint32(have)
			if n < frameHead-4 || n > maxFrame {
				return received{}, fmt.Errorf("a frame of %d bytes: %w", n, errBroken)
			}
			size = 4 + int(n)
			if len(have) >= size {
				r.from += size
				return received{
					frame{kind(have[4]), have[frameHead:size]},
					binary.BigEndian.Uint64(have[5:]), binary.BigEndian.Uint64(have[13:]), r,
				}, nil
			}
		}
		if err := r.fill(size); err != nil {
			return received{}, err
		}
	}
}

// giveBuffer gives the reader's buffer away. What is not used yet is copied first: with the next
// frame it would be too late, since others may write into the buffer by then.
func (r *frameReader) giveBuffer() []byte {
	given := r.buf
	r.buf = newBuffer(largeSize)[:largeSize]
	r.from, r.to = 0, copy(r.buf, given[r.from:r.to])
	return given
}

// fill reads more of a frame of size bytes.
func (r *frameReader) fill(size int) error {
	full := r.to == len(r.buf) // what was read
	have := copy(r.buf, r.buf[r.from:r.to])
	r.from, r.to = 0, have
	switch {
	case len(r.buf) == 0:
		r.buf = make([]byte, smallBuffer)
	case have == len(r.buf) && have >= usualBuffer: // the frame does not fit
		r.buf = append(r.buf, make([]byte, min(len(r.buf), size-have))...)
	case have == len(r.buf), // likewise
		full && len(r.buf) < usualBuffer,               // more is there than was read
		len(r.buf) > usualBuffer && size < usualBuffer: // after a frame of unusual size
		r.buf = append(newBuffer(usualBuffer), r.buf[:have]...)[:usualBuffer]
	}
	// Of a large frame not much more than its end is read, so that little is moved afterwards.
	most := len(r.buf)
	if size > maxData/2 {
		most = min(most, size+frameHead)
	}
	n, err := r.r.Read(r.buf[have:most])
	r.to += n
	if n > 0 || err == nil {
		return nil // io.Reader may return nothing at all
	}
	if err == io.EOF && have > 0 {
		err = io.ErrUnexpectedEOF
	}
	return err
}
