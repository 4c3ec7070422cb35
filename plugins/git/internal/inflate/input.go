package inflate

// An input is what is left of a stream: count bits, the lowest first, and src from at on. Beyond
// count, bits has zeros or what src[at:] begins with. Where more was used than there is, zeros were
// taken for it, and count is below zero.
type input struct {
	src   []byte
	at    int
	bits  uint64
	count int
}

// mostBits is how many bits fill makes sure of.
const mostBits = 56

// fill has count be mostBits at least, unless the stream ends before.
func (in *input) fill() {
	if in.count >= 0 && in.at+8 <= len(in.src) {
		in.bits |= load(in.src[in.at:in.at+8]) << (in.count & 63)
		in.at += (63 - in.count) >> 3
		in.count |= mostBits
		return
	}
	for ; in.count < mostBits && in.at < len(in.src); in.at++ {
		in.bits |= uint64(in.src[in.at]) << (in.count & 63)
		in.count += 8
	}
}

// take returns the next n bits, which are mostBits at most.
func (in *input) take(n int) (uint64, error) {
	if in.count < n {
		in.fill()
		if in.count < n {
			return 0, ErrShort
		}
	}
	b := in.bits & (1<<n - 1)
	in.bits >>= n
	in.count -= n
	return b, nil
}

// align leaves out what is left of a byte.
func (in *input) align() {
	in.at -= in.count >> 3
	in.bits, in.count = 0, 0
}

// bytes returns the next n bytes, of an input that is aligned.
func (in *input) bytes(n int) ([]byte, error) {
	if n > len(in.src)-in.at {
		return nil, ErrShort
	}
	b := in.src[in.at : in.at+n]
	in.at += n
	return b, nil
}
