package inflate

// compressed decodes a block's symbols into dst, from dst[n] on, up to the one that ends the block.
// Nearly all time is spent here. What it needs is in local variables, and calls are few, since the
// compiler for WebAssembly keeps nothing in registers over a call.
func compressed(dst []byte, n int, in *input, symbols, distances *table) (int, error) {
	src, at, bits, count := in.src, in.at, in.bits, in.count
	for {
		if count < 0 {
			return n, ErrShort
		}
		if at+8 <= len(src) { // the same as fill: bits that are there already come once more
			bits |= load(src[at:at+8]) << (count & 63)
			at += (63 - count) >> 3
			count |= mostBits
		} else {
			for ; count < mostBits && at < len(src); at++ {
				bits |= uint64(src[at]) << (count & 63)
				count += 8
			}
		}
		e := symbols.root[bits&rootMask]
		if e&literal != 0 && n+2 <= len(dst) { // one is seldom alone
			dst[n] = byte(e >> valueShift)
			n++
			bits >>= e & lengthMask
			count -= int(e & lengthMask)
			e = symbols.root[bits&rootMask]
			if e&literal != 0 {
				dst[n] = byte(e >> valueShift)
				n++
				bits >>= e & lengthMask
				count -= int(e & lengthMask)
				continue
			}
			if count < 2*maxLength+5+13 { // of a length and a distance, and the bits behind them
				continue
			}
		}
		if e&deeper != 0 {
			bits >>= rootBits
			count -= rootBits
			e = symbols.rest[uint64(e>>valueShift)+bits&(1<<(e>>extraShift&extraMask)-1)]
		}
		bits >>= e & lengthMask
		count -= int(e & lengthMask)
		if e&(literal|end) != 0 || e == 0 {
			switch {
			case e == 0:
				return n, noSymbol(count)
			case count < 0:
				return n, ErrShort
			case e&end != 0:
				in.at, in.bits, in.count = at, bits, count
				return n, nil
			case n == len(dst):
				return n, ErrMore
			}
			dst[n] = byte(e >> valueShift)
			n++
			continue
		}
		extra := e >> extraShift & extraMask
		length := int(e>>valueShift) + int(bits&(1<<extra-1))
		bits >>= extra
		count -= int(extra)

		e = distances.root[bits&rootMask]
		if e&deeper != 0 {
			bits >>= rootBits
			count -= rootBits
			e = distances.rest[uint64(e>>valueShift)+bits&(1<<(e>>extraShift&extraMask)-1)]
		}
		if e == 0 {
			return n, noSymbol(count)
		}
		bits >>= e & lengthMask
		count -= int(e & lengthMask)
		extra = e >> extraShift & extraMask
		from := n - int(e>>valueShift) - int(bits&(1<<extra-1))
		bits >>= extra
		count -= int(extra)
		switch {
		case count < 0:
			return n, ErrShort
		case from < 0:
			return n, ErrCorrupt
		}
		to := n + length
		if n-from >= 8 && to+8 <= len(dst) {
			for n < to { // what is written too much is written again
				store(dst[n:n+8], load(dst[from:from+8]))
				n += 8
				from += 8
			}
			n = to
			continue
		}
		for part := dst[:min(to, len(dst))]; n < len(part); {
			n += copy(part[n:], part[from:n]) // each time twice as much, where they overlap
		}
		if n < to {
			return n, ErrMore
		}
	}
}
