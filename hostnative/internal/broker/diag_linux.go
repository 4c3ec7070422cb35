package broker

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Constants of linux/sock_diag.h and linux/inet_diag.h.
const (
	sockDiagByFamily = 20
	diagRequestSize  = unix.SizeofNlMsghdr + 56 // and struct inet_diag_req_v2
	diagListen       = 10                       // TCP_LISTEN
	diagIDAt         = 8                        // of struct inet_diag_sockid in the request
	diagInodeAt      = unix.SizeofNlMsghdr + 68 // in the answer, after struct inet_diag_msg's id and counters
)

// listenerOf asks the kernel which socket listens for connections to an address, by
// sock_diag(7), and returns its inode. The error is unix.ENOENT if there is none. Any
// other says that the kernel has no answer.
func listenerOf(at netip.AddrPort) (inode uint64, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, diagRequest(at), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0, err
	}
	var b [1 << 10]byte
	n, _, err := unix.Recvfrom(fd, b[:], unix.MSG_DONTWAIT) // the answer is there when Sendto returns
	if err != nil {
		return 0, err
	}
	if n < unix.SizeofNlMsghdr+4 {
		return 0, unix.EPROTO
	}
	switch kind := binary.NativeEndian.Uint16(b[4:]); {
	case kind == unix.NLMSG_ERROR:
		errno := -int32(binary.NativeEndian.Uint32(b[unix.SizeofNlMsghdr:]))
		return 0, unix.Errno(errno)
	case kind != sockDiagByFamily || n < diagInodeAt+4 || b[unix.SizeofNlMsghdr+1] != diagListen:
		return 0, unix.EPROTO
	}
	return uint64(binary.NativeEndian.Uint32(b[diagInodeAt:])), nil
}

// diagRequest asks for the one socket that a connection from anywhere to at would reach.
func diagRequest(at netip.AddrPort) []byte {
	b := make([]byte, diagRequestSize)
	binary.NativeEndian.PutUint32(b, uint32(len(b)))
	binary.NativeEndian.PutUint16(b[4:], sockDiagByFamily)
	binary.NativeEndian.PutUint16(b[6:], unix.NLM_F_REQUEST)
	r := b[unix.SizeofNlMsghdr:]
	r[0], r[1] = unix.AF_INET, unix.IPPROTO_TCP
	if at.Addr().Is6() {
		r[0] = unix.AF_INET6
	}
	binary.NativeEndian.PutUint32(r[4:], 1<<diagListen)
	id := r[diagIDAt:]
	binary.BigEndian.PutUint16(id, at.Port())
	copy(id[4:], at.Addr().AsSlice())
	binary.NativeEndian.PutUint64(id[40:], ^uint64(0)) // INET_DIAG_NOCOOKIE
	return b
}
