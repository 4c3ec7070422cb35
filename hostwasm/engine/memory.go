package engine

// A Memory is a guest's linear memory during one call of a [Func]. It is valid
// until the call returns. Addresses and lengths come from the guest: what does
// not lie in the memory is told by ok, and nothing is touched.
//
// Most engines lend the memory itself: see [Lent]. Then In and Out return parts
// of it, and Store does nothing. Where the memory is out of Go's reach, as in a
// page, In copies what is read and Store what was written: see [Away]. Code that
// keeps to the comments below does the same in both.
type Memory struct {
	lent []byte
	away Remote
}

// Lent returns a Memory whose bytes are those of mem.
func Lent(mem []byte) *Memory { return &Memory{lent: mem} }

// Lend makes m what Lent returns, for an engine that has one Memory for all calls
// of a guest.
func (m *Memory) Lend(mem []byte) { m.lent = mem }

// Away returns a Memory whose bytes are r's.
func Away(r Remote) *Memory { return &Memory{away: r} }

// A Remote is a linear memory that Go can only copy from and to. Ptr and the
// bytes behind it are always within Size.
type Remote interface {
	// Size is how large it is now, in bytes.
	Size() uint64
	// Buffer returns n bytes with any content, for one part of this call.
	Buffer(n uint32) []byte
	// Read fills b from ptr on, Write copies b to there.
	Read(b []byte, ptr uint32)
	Write(ptr uint32, b []byte)
}

// Size returns how many bytes there are.
func (m *Memory) Size() uint64 {
	if m.away != nil {
		return m.away.Size()
	}
	return uint64(len(m.lent))
}

// In returns the n bytes at ptr, to be read. They may be the memory itself, so
// writing to them is not allowed, and a later Store may change them.
func (m *Memory) In(ptr, n uint32) (b []byte, ok bool) {
	end := uint64(ptr) + uint64(n)
	if end <= uint64(len(m.lent)) {
		return m.lent[ptr:end:end], true
	}
	return m.far(ptr, n, true)
}

// Out returns room for the n bytes at ptr, to be written and then handed to
// Store. What it holds before that is not defined.
func (m *Memory) Out(ptr, n uint32) (b []byte, ok bool) {
	end := uint64(ptr) + uint64(n)
	if end <= uint64(len(m.lent)) {
		return m.lent[ptr:end:end], true
	}
	return m.far(ptr, n, false)
}

// Store makes b, the first bytes of what Out returned for ptr, what is in the
// memory there. The other bytes stay as they are; where the memory is lent they
// are as the caller has left them.
func (m *Memory) Store(ptr uint32, b []byte) {
	if m.away != nil && len(b) > 0 {
		m.away.Write(ptr, b)
	}
}

// Holds reports whether there are n bytes at ptr.
func (m *Memory) Holds(ptr, n uint32) bool {
	return uint64(ptr)+uint64(n) <= m.Size()
}

// far is In and Out of what is not lent.
func (m *Memory) far(ptr, n uint32, read bool) ([]byte, bool) {
	if m.away == nil || uint64(ptr)+uint64(n) > m.away.Size() {
		return nil, false
	}
	b := m.away.Buffer(n)
	if read && n > 0 {
		m.away.Read(b, ptr)
	}
	return b, true
}
