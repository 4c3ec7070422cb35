package worker

import (
	"encoding/binary"

	"github.com/terrarium-dev/terrarium/core/driver/wire"
)

// encode returns m's bytes, with their length before them.
func encode(m *message) []byte {
	frame := wire.Append(make([]byte, 4, 512), m)
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame
}

// decode returns the message that p is, and keeps p.
func decode(p []byte) (*message, error) {
	m := new(message)
	err := wire.Decode(p, 0, m)
	return m, err
}
