package remote

// A piece is a part of the output on one stream, for which cost of the credit was spent. Its data
// is in a buffer.
type piece struct {
	stream uint8
	data   []byte
	cost   int64
	around []byte // the buffer that data is a part of; nil if it is one
}

// newPiece returns one with a copy of p, or with p itself if around is the buffer that p is in.
func newPiece(stream uint8, p []byte, cost int64, around []byte) piece {
	if around == nil {
		p = append(newBuffer(len(p)), p...)
	}
	return piece{stream, p, cost, around}
}

// free lets go of the data.
func (x *piece) free() {
	if x.around == nil {
		freeBuffer(x.data)
	} else {
		freeBuffer(x.around)
	}
	x.data, x.around = nil, nil
}

// join appends p, if it is of the same stream and there is room, and reports whether it did.
func (x *piece) join(stream uint8, p []byte, cost int64) bool {
	if stream != x.stream || x.around != nil || len(x.data)+len(p) > maxData {
		return false
	}
	x.data = appendBuffer(x.data, p)
	x.cost += cost
	return true
}
