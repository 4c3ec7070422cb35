package fleet

import (
	"encoding/binary"
	"errors"
)

// A kind says what a message of a session is.
type kind byte

const (
	// kindOpen: the near side begins a connection. The first one also accepts the worker's claim.
	kindOpen kind = iota + 1
	// kindOpened: the worker has it.
	kindOpened
	// kindRefused: there will be no connection; the body says why.
	kindRefused
	// kindData: the body is bytes of the stream.
	kindData
	// kindAlive: the sender is there, and has sent and taken so much.
	kindAlive
	// kindClose: the sender has closed the connection.
	kindClose
	// kindDraining: the worker takes no new sessions; the body is how long this one may last.
	kindDraining
)

const (
	// messageHead is a kind and three numbers of 8 bytes, big endian.
	messageHead = 1 + 3*8
	// maxBody is how much of the stream one message carries. NATS takes 1 MiB unless somebody has
	// set less.
	maxBody = 64 << 10
	// maxWords is how long a reason may be.
	maxWords = 1 << 10
)

// A message is what goes over the two subjects of a session.
type message struct {
	kind kind
	conn uint64 // which connection of the session it is about: they count from 1
	sent uint64 // of kindData: what was sent before it; else what was sent so far, as cost counts
	took uint64 // what the sender has taken of the other direction
	body []byte
}

// cost is what a message with n bytes of the stream counts for, so that many small ones can't take
// more memory than a few large ones.
func cost(n int) uint64 { return uint64(n) + 64 }

// append appends the message's bytes.
func (m *message) append(b []byte) []byte {
	b = append(b, byte(m.kind))
	b = binary.BigEndian.AppendUint64(b, m.conn)
	b = binary.BigEndian.AppendUint64(b, m.sent)
	b = binary.BigEndian.AppendUint64(b, m.took)
	return append(b, m.body...)
}

var errMessage = errors.New("a message that can't be")

// parseMessage reads what has come. The body is part of b.
func parseMessage(b []byte) (m message, err error) {
	if len(b) < messageHead {
		return m, errMessage
	}
	m = message{
		kind: kind(b[0]),
		conn: binary.BigEndian.Uint64(b[1:]), sent: binary.BigEndian.Uint64(b[9:]), took: binary.BigEndian.Uint64(b[17:]),
		body: b[messageHead:],
	}
	most := 0
	switch m.kind {
	case kindData:
		if most = maxBody; len(m.body) == 0 {
			return m, errMessage
		}
	case kindRefused, kindDraining:
		most = maxWords
	case kindOpen, kindOpened, kindAlive, kindClose:
	default:
		return m, errMessage
	}
	if len(m.body) > most || m.conn == 0 {
		return m, errMessage
	}
	return m, nil
}
