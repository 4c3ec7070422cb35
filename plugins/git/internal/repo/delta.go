package repo

import "encoding/binary"

// applyDelta returns a byte of room, and what a delta makes of base:
// https://git-scm.com/docs/pack-format#_deltified_representation.
func applyDelta(base, delta []byte) ([]byte, error) {
	from, n := binary.Uvarint(delta)
	if n <= 0 || from != uint64(len(base)) {
		return nil, errPack
	}
	delta = delta[n:]
	size, n := binary.Uvarint(delta)
	if n <= 0 || size > maxObject {
		return nil, errPack
	}
	delta = delta[n:]
	// Room for more than this is made as it is needed: the size may be a lie.
	out := make([]byte, 1, 1+min(size, uint64(len(base)+len(delta))))
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		piece := delta
		switch {
		case op == 0:
			return nil, errPack
		case op&0x80 == 0: // so many bytes follow
			if int(op) > len(delta) {
				return nil, errPack
			}
			piece, delta = delta[:op], delta[op:]
		default: // a part of base
			var at, length uint32
			for i := range 7 {
				if op>>i&1 == 0 {
					continue
				}
				if len(delta) == 0 {
					return nil, errPack
				}
				if i < 4 {
					at |= uint32(delta[0]) << (8 * i)
				} else {
					length |= uint32(delta[0]) << (8 * (i - 4))
				}
				delta = delta[1:]
			}
			if length == 0 {
				length = 0x10000
			}
			if uint64(at)+uint64(length) > uint64(len(base)) {
				return nil, errPack
			}
			piece = base[at : at+length]
		}
		if uint64(len(out)-1+len(piece)) > size {
			return nil, errPack
		}
		out = append(out, piece...)
	}
	if uint64(len(out)-1) != size {
		return nil, errPack
	}
	return out, nil
}
