// Package wire turns messages into bytes and back: what the two ends of a stream of ours tell each
// other, where one of them may be hostile.
//
// A message is a type with a Wire method, which names its fields in order. The same method writes
// and reads, so what is written is what is read:
//
//	func (s *size) Wire(c *wire.Codec) {
//		wire.Number(c, &s.Rows)
//		wire.Number(c, &s.Cols)
//	}
//
// A number is a varint of zigzag form, as encoding/binary has it: at most 10 bytes. A flag is a
// number, 0 or 1. Text and bytes are a number of bytes, and those. A list is a number of elements,
// and those. Something optional is a flag that says whether it is there, and it if so.
//
// The package is small and looks at no types, since a worker of the sandbox lives for milliseconds,
// of which reflection would take one.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A Codec writes a message, or reads one. It keeps the first error, and what is read after it is
// zero. It is for one goroutine.
type Codec struct {
	reading bool
	buf     []byte // what was written, or is left to read
	maxList int
	err     error // of reading
}

// A Message is a type that can be written and read, or be a part of one.
type Message[T any] interface {
	*T
	Wire(*Codec)
}

var errShort = errors.New("a message that ends too soon")

// Append appends m's bytes to dst.
func Append[T any, M Message[T]](dst []byte, m M) []byte {
	c := Codec{buf: dst}
	m.Wire(&c)
	return c.buf
}

// Decode reads m from p, of which it keeps what [Codec.Bytes] has read. No list may have more than
// maxList elements, or than p has bytes; if maxList is 0, only p counts. The error says what p has
// too much or too little of.
func Decode[T any, M Message[T]](p []byte, maxList int, m M) error {
	rest, err := DecodePart(p, maxList, m)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes after a message", len(rest))
	}
	return err
}

// DecodePart is Decode for a message that others may continue: it returns what of p is left.
func DecodePart[T any, M Message[T]](p []byte, maxList int, m M) (rest []byte, err error) {
	c := Codec{reading: true, buf: p, maxList: maxList}
	m.Wire(&c)
	return c.buf, c.err
}

// Reading reports whether a message is read, and not written.
func (c *Codec) Reading() bool { return c.reading }

// Fail ends the reading of a message that can't be.
func (c *Codec) Fail(err error) {
	c.buf = nil
	if c.err == nil {
		c.err = err
	}
}

// Bytes is a length and so many bytes. Those that are read are a part of what was given to Decode.
func (c *Codec) Bytes(p *[]byte) {
	n := len(*p)
	if c.count(&n); c.reading {
		*p, c.buf = c.buf[:n:n], c.buf[n:]
		return
	}
	c.buf = append(c.buf, *p...)
}

// Rest is all bytes to the end of the message. Those that are read are a part of what was given to
// Decode.
func (c *Codec) Rest(p *[]byte) {
	if c.reading {
		*p, c.buf = c.buf[:len(c.buf):len(c.buf)], nil
		return
	}
	c.buf = append(c.buf, *p...)
}

// count is the length of something of which each element takes a byte at least.
func (c *Codec) count(n *int) {
	v := int64(*n)
	if Number(c, &v); c.reading {
		if v < 0 || v > int64(len(c.buf)) {
			c.Fail(errShort)
			v = 0
		}
		*n = int(v)
	}
}

// Number is an integer that int64 can hold, or a uint64 as the int64 of the same bits.
func Number[T ~int | ~int64 | ~uint8 | ~uint32 | ~uint64](c *Codec, v *T) {
	if !c.reading {
		c.buf = binary.AppendVarint(c.buf, int64(*v))
		return
	}
	n, size := binary.Varint(c.buf)
	switch {
	case size <= 0:
		c.Fail(errShort)
	case int64(T(n)) != n:
		c.Fail(fmt.Errorf("a number that is too large: %d", n))
	default:
		*v, c.buf = T(n), c.buf[size:]
	}
}

// Text is a length and so many bytes, which are copied.
func Text[T ~string](c *Codec, s *T) {
	p := []byte(*s)
	if c.Bytes(&p); c.reading {
		*s = T(p)
	}
}

// Flag is a number: 0 is false, and all else true.
func (c *Codec) Flag(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	if Number(c, &n); c.reading {
		*b = n != 0
	}
}

// List is a number of elements. Reading one of none gives nil.
func List[T any](c *Codec, all *[]T, one func(*Codec, *T)) {
	n := len(*all)
	if c.count(&n); c.reading {
		if c.maxList > 0 && n > c.maxList {
			c.Fail(fmt.Errorf("a list of %d", n))
			n = 0
		}
		*all = nil
		if n > 0 {
			*all = make([]T, n)
		}
	}
	for i := range *all {
		one(c, &(*all)[i])
	}
}

// Optional is something, or nothing.
func Optional[T any, M Message[T]](c *Codec, v **T) {
	there := *v != nil
	if c.Flag(&there); !there {
		*v = nil
		return
	}
	if c.reading {
		*v = new(T)
	}
	M(*v).Wire(c)
}
