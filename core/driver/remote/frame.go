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
	maxData = 32 << 10
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
	dst = binary.BigEndian.AppendUint32(dst, uint32(frameHead-4+len(f.body)))
	dst = append(dst, byte(f.kind))
	dst = binary.BigEndian.AppendUint64(dst, number)
	dst = binary.BigEndian.AppendUint64(dst, taken)
	return append(dst, f.body...)
}

// A received is a frame that has come.
type received struct {
	frame
	number, taken uint64
}

// A frameReader reads frames. Its buffer grows with what has come, not with what was announced.
type frameReader struct {
	r        io.Reader
	buf      []byte
	from, to int // what of buf is not used yet
}

const (
	smallBuffer = 4 << 10
	usualBuffer = 128 << 10 // that it grows to where frames come fast
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
					binary.BigEndian.Uint64(have[5:]), binary.BigEndian.Uint64(have[13:]),
				}, nil
			}
		}
		if err := r.fill(size); err != nil {
			return received{}, err
		}
	}
}

// fill reads more of a frame of size bytes.
func (r *frameReader) fill(size int) error {
	full := r.to == len(r.buf)
	have := copy(r.buf, r.buf[r.from:r.to])
	r.from, r.to = 0, have
	switch {
	case len(r.buf) == 0:
		r.buf = make([]byte, smallBuffer)
	case have == len(r.buf): // the frame does not fit
		r.buf = append(r.buf, make([]byte, min(len(r.buf), size-have))...)
	case full && len(r.buf) < usualBuffer: // more is there than was read
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	case len(r.buf) > 2*usualBuffer && size < usualBuffer: // after a frame of unusual size
		r.buf = append(make([]byte, 0, usualBuffer), r.buf[:have]...)[:usualBuffer]
	}
	n, err := r.r.Read(r.buf[have:])
	r.to += n
	if n > 0 {
		return nil
	}
	if err == nil {
		return nil // io.Reader allows it
	}
	if err == io.EOF && have > 0 {
		err = io.ErrUnexpectedEOF
	}
	return err
}
