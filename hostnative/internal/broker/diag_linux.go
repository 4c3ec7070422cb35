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
	// It is in the answer, after struct inet_diag_msg's id and counters.
	diagInodeAt = unix.SizeofNlMsghdr + 68
)

// listenerOf asks the kernel which socket listens for connections to an address, by
// sock_diag(7), and returns its inode. The error is unix.ENOENT if there is none. Any
// other says that the kernel has no answer.
func listenerOf(at netip.AddrPort) (inode uint64, err error) {
	var b [1 << 10]byte
	n, err := askDiag(diagRequest(at), b[:])
	switch {
	case err != nil:
		return 0, err
	case n < diagInodeAt+4 || b[unix.SizeofNlMsghdr+1] != diagListen:
		return 0, unix.EPROTO
	}
	return uint64(binary.NativeEndian.Uint32(b[diagInodeAt:])), nil
}

// boundFile asks the kernel which file a unix socket is bound to, of which it has the
// inode: the device, as the kernel has it, and the lower half of the file's inode.
func boundFile(socket uint32) (dev, inode uint32, err error) {
	const (
		requestSize = unix.SizeofNlMsghdr + 24 // and struct unix_diag_req
		showVFS     = 2                        // UDIAG_SHOW_VFS
		attributeAt = unix.SizeofNlMsghdr + 16 // after struct unix_diag_msg
	)
	request := make([]byte, requestSize)
	binary.NativeEndian.PutUint32(request, requestSize)
	binary.NativeEndian.PutUint16(request[4:], sockDiagByFamily)
	binary.NativeEndian.PutUint16(request[6:], unix.NLM_F_REQUEST)
	r := request[unix.SizeofNlMsghdr:]
	r[0] = unix.AF_UNIX
	binary.NativeEndian.PutUint32(r[4:], ^uint32(0)) // in any state
	binary.NativeEndian.PutUint32(r[8:], socket)
	binary.NativeEndian.PutUint32(r[12:], showVFS)
	binary.NativeEndian.PutUint64(r[16:], ^uint64(0)) // any cookie
	var b [1 << 10]byte
	n, err := askDiag(request, b[:])
	if err != nil {
		return 0, 0, err
	}
	for at := attributeAt; at+12 <= n; {
		size := int(binary.NativeEndian.Uint16(b[at:]))
		if kind := binary.NativeEndian.Uint16(b[at+2:]); kind == 1 && size == 12 { // UNIX_DIAG_VFS
			return binary.NativeEndian.Uint32(b[at+8:]), binary.NativeEndian.Uint32(b[at+4:]), nil
		}
		if size < 4 {
			break
		}
		at += (size + 3) &^ 3
	}
	return 0, 0, unix.EPROTO
}

// askDiag sends a request of sock_diag(7), and reads the one answer.
func askDiag(request, b []byte) (n int, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0, err
	}
	n, _, err = unix.Recvfrom(fd, b, unix.MSG_DONTWAIT) // the answer is there when Sendto returns
	if err != nil {
		return 0, err
	}
	if n < unix.SizeofNlMsghdr+4 {
		return 0, unix.EPROTO
	}
	switch kind := binary.NativeEndian.Uint16(b[4:]); kind {
	case unix.NLMSG_ERROR:
		return 0, unix.Errno(-int32(binary.NativeEndian.Uint32(b[unix.SizeofNlMsghdr:])))
	case sockDiagByFamily:
		return n, nil
	}
	return 0, unix.EPROTO
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
