package meter

import (
	"strconv"
	"unicode/utf8"
)

// A reader takes a module apart, strictly: numbers have the one meaning that
// the specification gives them, so no engine can read them differently
// (WebAssembly Core 2.0, section 5.2.2,
// https://www.w3.org/TR/wasm-core-2/#integers%E2%91%A4).
//
// The first failure sticks: it empties the reader, so that loops end, and
// everything read after it is zero.
type reader struct {
	p   []byte // up to the end of what may be read
	i   int    // offset of the next byte, from the start of the module
	err *Error
}

// sub returns a reader of the next n bytes and skips them.
func (r *reader) sub(n uint32) reader {
	if uint64(n) > uint64(r.left()) {
		r.fail(ErrMalformed, "unexpected end")
	}
	if r.err != nil {
		return reader{err: r.err}
	}
	s := reader{p: r.p[:r.i+int(n)], i: r.i}
	r.i += int(n)
	return s
}

func (r *reader) left() int  { return len(r.p) - r.i }
func (r *reader) done() bool { return r.i >= len(r.p) }

func (r *reader) fail(kind error, reason string) { r.failAt(r.i, kind, reason) }

func (r *reader) failAt(offset int, kind error, reason string) {
	if r.err == nil {
		r.err = &Error{Offset: offset, Func: -1, Reason: reason, Kind: kind}
	}
	r.i = len(r.p)
}

func (r *reader) byte() byte {
	if r.i >= len(r.p) {
		r.fail(ErrMalformed, "unexpected end")
		return 0
	}
	r.i++
	return r.p[r.i-1]
}

// u32 reads an unsigned LEB128 number of at most 32 bits and 5 bytes.
func (r *reader) u32() uint32 {
	if r.i < len(r.p) && r.p[r.i] < 0x80 {
		r.i++
		return uint32(r.p[r.i-1])
	}
	return r.longU32()
}

func (r *reader) longU32() uint32 {
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		if shift == 28 && b > 0x0f {
			r.i--
			break
		}
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.fail(ErrMalformed, "number too long")
	return 0
}

// s32 reads a signed LEB128 number of at most 32 bits and 5 bytes.
func (r *reader) s32() int32 { return int32(r.signed(32)) }

// s33 reads the number of a block type.
func (r *reader) s33() int64 { return r.signed(33) }

// s64 reads a signed LEB128 number of at most 64 bits and 10 bytes.
func (r *reader) s64() int64 { return r.signed(64) }

func (r *reader) signed(bits int) int64 {
	var v int64
	for shift := 0; shift < bits; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b >= 0x80 {
			continue
		}
		unused := 64 - (shift + 7)
		if unused > 0 {
			v = v << unused >> unused // extend the sign
		}
		// In the last byte the bits beyond the number must repeat its sign.
		if left := bits - shift; left < 7 {
			if top := int8(b<<1) >> left; top != 0 && top != -1 {
				break
			}
		}
		return v
	}
	r.fail(ErrMalformed, "number too long")
	return 0
}

func (r *reader) skip(n int) {
	if n > r.left() {
		r.fail(ErrMalformed, "unexpected end")
		return
	}
	r.i += n
}

// count reads how many of what follow, each at least one byte long, and holds
// that against both what is left and limit.
func (r *reader) count(what string, limit int) int {
	at := r.i
	n := r.u32()
	if uint64(n) > uint64(r.left()) {
		r.failAt(at, ErrMalformed, strconv.FormatUint(uint64(n), 10)+" "+what+" do not fit into what is left")
		return 0
	}
	if int(n) > limit {
		r.failAt(at, ErrLimit, strconv.Itoa(int(n))+" "+what+", at most "+strconv.Itoa(limit)+" are allowed")
		return 0
	}
	return int(n)
}

// maxNameLength is how many bytes a name may have; as in browsers.
const maxNameLength = 100_000

// name reads a name, which is UTF-8. It aliases the module.
func (r *reader) name() []byte {
	n := r.u32()
	if n > maxNameLength {
		r.fail(ErrLimit, "a name of "+utoa(n)+" bytes, at most "+utoa(maxNameLength)+" are allowed")
	}
	s := r.sub(n)
	if r.err != nil {
		return nil
	}
	name := s.p[s.i:]
	if !utf8.Valid(name) {
		r.failAt(s.i, ErrMalformed, "a name is not UTF-8")
		return nil
	}
	return name
}
