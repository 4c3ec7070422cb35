package remote

// A piece is a part of the output on one stream, for which cost of the credit was spent. Its data
// is in a buffer.
type piece struct {
	stream uint8
	data   []byte
	cost   int64
}

// newPiece returns one with a copy of p.
func newPiece(stream uint8, p []byte, cost int64) piece {
	return piece{stream, append(newBuffer(len(p)), p...), cost}
}

// join appends p, if it is of the same stream and there is room, and reports whether it did.
func (x *piece) join(stream uint8, p []byte, cost int64) bool {
	if stream != x.stream || len(x.data)+len(p) > maxData {
		return false
	}
	x.data = appendBuffer(x.data, p)
	x.cost += cost
	return true
}
