package hostnative_test

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What beSockets does with datagrams, and with sockets of other kinds.

// makeSocket makes a socket of a family, a type and a protocol: "2 2 17".
func makeSocket(kind string) (string, error) {
	var family, typ, protocol int
	if _, err := fmt.Sscan(kind, &family, &typ, &protocol); err != nil {
		return "", err
	}
	fd, err := unix.Socket(family, typ|unix.SOCK_CLOEXEC, protocol)
	if err == nil {
		unix.Close(fd)
	}
	return "", err
}

// makePair makes two sockets of AF_UNIX of a type.
func makePair(kind string) error {
	var typ int
	if _, err := fmt.Sscan(kind, &typ); err != nil {
		return err
	}
	_, err := unix.Socketpair(unix.AF_UNIX, typ, 0)
	return err
}

// withDatagrams is withSocket for a socket of datagrams.
func withDatagrams(text string, do func(fd int, address []byte) error) error {
	domain, address := rawAddress(text)
	fd, err := unix.Socket(domain, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return do(fd, address)
}

// sendRaw is sendto(2).
func sendRaw(fd int, text string, flags int, address []byte) error {
	b := []byte(text)
	_, _, errno := unix.Syscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), uintptr(flags),
		uintptr(unsafe.Pointer(&address[0])), uintptr(len(address)))
	if errno != 0 {
		return errno
	}
	return nil
}

// sendTo sends a datagram with a socket that is not connected.
func sendTo(to string) (string, error) {
	return "", withDatagrams(to, func(fd int, address []byte) error { return sendRaw(fd, "sent", 0, address) })
}

// askServer connects a socket of datagrams, gives that up and connects it anew, as who looks up a
// name does. It returns what comes back.
func askServer(at string) (answer string, _ error) {
	return answer, withDatagrams(at, func(fd int, address []byte) error {
		unspecified := make([]byte, unix.SizeofSockaddrInet4)
		for _, a := range [][]byte{address, unspecified, address} {
			if err := rawConnect(fd, a); err != nil {
				return err
			}
		}
		if _, err := unix.Write(fd, []byte("asked")); err != nil {
			return err
		}
		limit := unix.NsecToTimeval(int64(patience / time.Nanosecond))
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit)
		b := make([]byte, 100)
		n, err := unix.Read(fd, b)
		answer = string(b[:max(0, n)])
		return err
	})
}

func bindDatagram(at string) (string, error) { return "", withDatagrams(at, rawBind) }

// listenDatagram has what only servers of connections do.
func listenDatagram(at string) (string, error) {
	return "", withDatagrams(at, func(fd int, _ []byte) error { return unix.Listen(fd, 1) })
}

// fastOpen connects by sending.
func fastOpen(to string) (string, error) {
	return "", withSocket(to, func(fd int, address []byte) error { return sendRaw(fd, "x", unix.MSG_FASTOPEN, address) })
}
