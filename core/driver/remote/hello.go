package remote

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver/wire"
)

// Versions of the protocol: the one that is spoken, and the oldest that is understood. There is
// none before the first.
const (
	version       = 1
	oldestVersion = 1
)

// magic begins each hello. Like PNG's it has a byte that no text has, and both ends of line, which
// something between us that is made for text would change.
const magic = "\x89TRM\r\n\x1a\n"

const (
	maxHello   = 1 << 10                // bytes, without magic and length
	maxBanner  = 512                    // bytes that are quoted of what is no hello
	helloLimit = 2 * time.Minute        // a login on a busy machine takes long
	bannerWait = 500 * time.Millisecond // for the rest of what is no hello
)

// A sessionID names a session, and only its near side knows it.
type sessionID [16]byte

// A nearHello is what the near side says first.
type nearHello struct {
	Oldest, Newest int // versions of the protocol
	Session        sessionID
	Attempt        uint64 // counts the hellos of the session, from 1: none is used twice
	Resume         bool   // the far side knows the session
	Taken          uint64 // the number of the last frame that came
	Lease          time.Duration
}

// A farHello is the answer to it.
type farHello struct {
	Version   int
	Refusal   string // why there will be no session; empty if there is
	Forgotten bool   // with Refusal: the session was to be resumed, and is none any longer
	Taken     uint64
	Lease     time.Duration // for which the session outlives its connection
}

func (id *sessionID) Wire(c *wire.Codec) {
	p := id[:]
	if c.Bytes(&p); c.Reading() && copy(id[:], p) != len(id) {
		c.Fail(errors.New("a session's id that is too short"))
	}
}

// The direction comes first in a hello: who hears their own has an echo on the other end.
const (
	fromNear = 1
	fromFar  = 2
)

func (h *nearHello) Wire(c *wire.Codec) {
	wire.Number(c, &h.Oldest)
	wire.Number(c, &h.Newest)
	h.Session.Wire(c)
	wire.Number(c, &h.Attempt)
	c.Flag(&h.Resume)
	wire.Number(c, &h.Taken)
	wire.Number(c, &h.Lease)
}

func (h *farHello) Wire(c *wire.Codec) {
	wire.Number(c, &h.Version)
	wire.Text(c, &h.Refusal)
	c.Flag(&h.Forgotten)
	wire.Number(c, &h.Taken)
	wire.Number(c, &h.Lease)
}

// writeHello writes a hello from one side. conn is closed if that takes too long.
func writeHello[T any, M wire.Message[T]](conn io.WriteCloser, from byte, h M) error {
	defer time.AfterFunc(helloLimit, func() { conn.Close() }).Stop()
	p := wire.Append(append([]byte(magic), 0, 0, from), h)
	binary.BigEndian.PutUint16(p[len(magic):], uint16(len(p)-len(magic)-2))
	_, err := conn.Write(p)
	return err
}

// A stranger is what does not begin with a hello.
type stranger struct{ said []byte }

func (s *stranger) Error() string {
	if len(s.said) == 0 {
		return "the other side ended without a word"
	}
	return "the other side is no terrarium; it says " + strconv.Quote(string(bytes.TrimSpace(s.said)))
}

func (s *stranger) Unwrap() error {
	if len(s.said) == 0 {
		return io.EOF
	}
	return nil
}

// readHello reads a hello from the other side. It reads no byte behind it. conn is closed if that
// takes too long.
func readHello[T any, M wire.Message[T]](conn io.ReadWriteCloser, from byte, h M) error {
	var late atomic.Bool
	timer := time.AfterFunc(helloLimit, func() {
		late.Store(true)
		conn.Close()
	})
	defer timer.Stop()
	err := readHelloBody(conn, timer, from, h)
	if err != nil && late.Load() && !errors.As(err, new(*stranger)) {
		return fmt.Errorf("the other side says no hello within %v", helloLimit)
	}
	return err
}

func readHelloBody[T any, M wire.Message[T]](conn io.Reader, timer *time.Timer, from byte, h M) error {
	var head [len(magic) + 3]byte
	n := 0
	for n < len(head) {
		more, err := conn.Read(head[n:])
		n += more
		if known := min(n, len(magic)); string(head[:known]) != magic[:known] {
			timer.Reset(bannerWait)
			said := append(make([]byte, 0, maxBanner), head[:n]...)
			more, _ := io.ReadFull(conn, said[n:maxBanner])
			return &stranger{said[:n+more]}
		}
		switch {
		case err == io.EOF && n == 0:
			return &stranger{}
		case err != nil && n == 0:
			return err // which knows more
		case err != nil && n < len(head):
			return fmt.Errorf("the other side ended in its hello: %w", err)
		}
	}
	size := int(binary.BigEndian.Uint16(head[len(magic):])) - 1
	switch {
	case size < 0 || size > maxHello:
		return broken("a hello of %d bytes", size)
	case head[len(magic)+2] != from:
		return errors.New("the other side sends back what it is sent, as cat does")
	}
	p := make([]byte, size)
	if _, err := io.ReadFull(conn, p); err != nil {
		return fmt.Errorf("the other side ended in its hello: %w", err)
	}
	if _, err := wire.DecodePart(p, 0, h); err != nil { // a later version may say more
		return broken("in its hello, %v", err)
	}
	return nil
}
