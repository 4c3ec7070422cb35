package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A wire turns messages into bytes and back: what a type's wire method names
// is written or, if reading, read. It is small since a worker lives for
// milliseconds, of which a package that looks at types would take one.
type wire struct {
	reading bool
	buf     []byte // what was written, or is left to read
	err     error  // of reading
}

var errShort = errors.New("a message that ends too soon")

// wired is a type that can be part of a message.
type wired[T any] interface {
	*T
	wire(*wire)
}

func (w *wire) fail(err error) {
	w.buf = nil
	if w.err == nil {
		w.err = err
	}
}

// bytes is a length and so many bytes, which are kept.
func (w *wire) bytes(p *[]byte) {
	n := len(*p)
	if w.count(&n); w.reading {
		*p, w.buf = w.buf[:n:n], w.buf[n:]
		return
	}
	w.buf = append(w.buf, *p...)
}

// count is the length of something of which each element takes a byte at least.
func (w *wire) count(n *int) {
	v := int64(*n)
	if number(w, &v); w.reading {
		if v < 0 || v > int64(len(w.buf)) {
			w.fail(errShort)
			v = 0
		}
		*n = int(v)
	}
}

// number is an integer that int64 can hold.
func number[T ~int | ~int64 | ~uint32 | ~uint64](w *wire, v *T) {
	if !w.reading {
		w.buf = binary.AppendVarint(w.buf, int64(*v))
		return
	}
	n, size := binary.Varint(w.buf)
	switch {
	case size <= 0:
		w.fail(errShort)
	case int64(T(n)) != n:
		w.fail(fmt.Errorf("a number that is too large: %d", n))
	default:
		*v, w.buf = T(n), w.buf[size:]
	}
}

func text[T ~string](w *wire, s *T) {
	p := []byte(*s)
	if w.bytes(&p); w.reading {
		*s = T(p)
	}
}

func (w *wire) flag(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	if number(w, &n); w.reading {
		*b = n != 0
	}
}

// list is a number of elements.
func list[T any](w *wire, all *[]T, one func(*wire, *T)) {
	n := len(*all)
	if w.count(&n); w.reading {
		*all = nil
		if n > 0 {
			*all = make([]T, n)
		}
	}
	for i := range *all {
		one(w, &(*all)[i])
	}
}

// optional is something, or nothing.
func optional[T any, P wired[T]](w *wire, v **T) {
	there := *v != nil
	if w.flag(&there); !there {
		*v = nil
		return
	}
	if w.reading {
		*v = new(T)
	}
	P(*v).wire(w)
}

// encode returns m's bytes.
func encode(m *message) []byte {
	w := &wire{buf: make([]byte, 4, 512)}
	m.wire(w)
	binary.BigEndian.PutUint32(w.buf, uint32(len(w.buf)-4))
	return w.buf
}

// decode returns the message that p is, and keeps p.
func decode(p []byte) (*message, error) {
	w, m := &wire{reading: true, buf: p}, new(message)
	if m.wire(w); w.err == nil && len(w.buf) > 0 {
		w.err = fmt.Errorf("%d bytes after a message", len(w.buf))
	}
	return m, w.err
}
