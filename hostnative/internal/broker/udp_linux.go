package broker

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// A udpSocket is a command's socket for datagrams of AF_INET or AF_INET6, where the network is
// open: there the kernel lets it send to any address anyway. It is no server: it gets a port that
// nobody has chosen.
type udpSocket struct{ tcpSocket }

func (u udpSocket) connect(_ caller, address []byte, _ func() bool) error {
	// A C library does so between two addresses when it looks up a name.
	if binary.NativeEndian.Uint16(address) == unix.AF_UNSPEC {
		u.takeBack()
		return nil
	}
	to, err := u.parse(address)
	if err != nil {
		return err
	}
	return unix.Connect(u.fd, u.sockaddr(to))
}

func (u udpSocket) bind(_ caller, address []byte) error {
	at, err := u.parse(address)
	if err != nil {
		return err
	}
	if at.Port() != 0 {
		return refuse("bind to %v is refused: a sandbox has no servers for datagrams", at)
	}
	return unix.Bind(u.fd, u.sockaddr(at))
}

func (udpSocket) listen(int) error { return unix.EOPNOTSUPP }
