package broker

import (
	"encoding/binary"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// A tcpSocket is a command's socket of AF_INET or AF_INET6.
type tcpSocket struct {
	*Session
	fd     int
	domain int
}

var (
	loopback4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	loopback6 = netip.IPv6Loopback()
)

func (t tcpSocket) connect(_ caller, address []byte, waits func() bool) error {
	to, err := t.parse(address)
	if err != nil {
		return err
	}
	// Linux takes the unspecified address for loopback.
	switch a := to.Addr(); {
	case a.Unmap() == netip.IPv4Unspecified():
		to = netip.AddrPortFrom(t.mapped(loopback4), to.Port())
	case a == netip.IPv6Unspecified():
		to = netip.AddrPortFrom(loopback6, to.Port())
	}
	if refused := t.config.Net.Direct(to); refused != nil {
		if !to.Addr().Unmap().IsLoopback() {
			return refuse("connect to %v", refused)
		}
		switch who := t.listens(netip.AddrPortFrom(to.Addr().Unmap(), to.Port())); who {
		case ours:
		case nobody:
			return unix.ECONNREFUSED
		default:
			return refuse("connect to %v", refused)
		}
	}
	return connect(t.fd, t.sockaddr(to), waits)
}

func (t tcpSocket) bind(_ caller, address []byte) error {
	at, err := t.parse(address)
	if err != nil {
		return err
	}
	switch a := at.Addr(); {
	case a.Unmap() == netip.IPv4Unspecified():
		at = netip.AddrPortFrom(t.mapped(loopback4), at.Port())
	case a == netip.IPv6Unspecified():
		at = netip.AddrPortFrom(t.everyLoopback(), at.Port())
	case !a.Unmap().IsLoopback():
		return refuse("bind to %v is refused: servers in a sandbox listen on loopback", at)
	}
	if at.Port() != 0 && int(at.Port()) < firstFreePort() {
		return unix.EACCES // as for a user; and we may be root, who commands are not quite
	}
	if reuse, err := unix.GetsockoptInt(t.fd, unix.SOL_SOCKET, unix.SO_REUSEPORT); err != nil || reuse != 0 {
		// All sockets of a user that share a port get their part of what connects to
		// it. One of another program's must not lose its own to a command.
		if at.Port() != 0 && t.listens(netip.AddrPortFrom(at.Addr().Unmap(), at.Port())) == others {
			return unix.EADDRINUSE
		}
	}
	return t.bindTo(at)
}

// bindTo binds the socket and remembers that it is the session's.
func (t tcpSocket) bindTo(at netip.AddrPort) error {
	if err := unix.Bind(t.fd, t.sockaddr(at)); err != nil {
		return err
	}
	var info unix.Stat_t
	if err := unix.Fstat(t.fd, &info); err != nil {
		return nil // it can't be connected to
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.own.tcp.add(info.Ino)
	return nil
}

// listen binds a socket to loopback first that is not bound: the kernel would give it
// a port of all addresses.
func (t tcpSocket) listen(backlog int) error {
	name, err := unix.Getsockname(t.fd)
	if err != nil {
		return err
	}
	bound := false
	switch at := name.(type) {
	case *unix.SockaddrInet4:
		bound = at.Port != 0
	case *unix.SockaddrInet6:
		bound = at.Port != 0
	}
	if !bound {
		at := loopback4
		if t.domain == unix.AF_INET6 {
			at = t.everyLoopback()
		}
		if err := t.bindTo(netip.AddrPortFrom(at, 0)); err != nil {
			return err
		}
	}
	return unix.Listen(t.fd, backlog)
}

// everyLoopback returns what stands for all loopback addresses where a socket of IPv6
// is bound to all. There is none for both ::1 and 127.0.0.1, and most who connect to
// localhost try both.
func (t tcpSocket) everyLoopback() netip.Addr {
	if only, err := unix.GetsockoptInt(t.fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY); err == nil && only != 0 {
		return loopback6
	}
	return t.mapped(loopback4)
}

// mapped returns an IPv4 address as the socket's family has it.
func (t tcpSocket) mapped(a netip.Addr) netip.Addr {
	if t.domain == unix.AF_INET6 {
		return netip.AddrFrom16(a.As16())
	}
	return a
}

// parse reads struct sockaddr_in or sockaddr_in6, whichever the socket's is.
func (t tcpSocket) parse(b []byte) (netip.AddrPort, error) {
	size := unix.SizeofSockaddrInet4
	if t.domain == unix.AF_INET6 {
		size = 24 // without sin6_scope_id: SIN6_LEN_RFC2133 of linux/ipv6.h
	}
	switch family := binary.NativeEndian.Uint16(b); {
	case int(family) != t.domain: // AF_UNSPEC too, which would undo what was bound
		return netip.AddrPort{}, unix.EAFNOSUPPORT
	case len(b) < size:
		return netip.AddrPort{}, unix.EINVAL
	}
	port := binary.BigEndian.Uint16(b[2:])
	if t.domain == unix.AF_INET {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:])), port), nil
	}
	a := netip.AddrFrom16([16]byte(b[8:]))
	if len(b) >= unix.SizeofSockaddrInet6 {
		if scope := binary.NativeEndian.Uint32(b[24:]); scope != 0 && !a.Is4In6() {
			a = a.WithZone(strconv.FormatUint(uint64(scope), 10))
		}
	}
	return netip.AddrPortFrom(a, port), nil
}

func (t tcpSocket) sockaddr(a netip.AddrPort) unix.Sockaddr {
	if t.domain == unix.AF_INET {
		return &unix.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
	}
	scope, _ := strconv.ParseUint(a.Addr().Zone(), 10, 32)
	return &unix.SockaddrInet6{Addr: a.Addr().As16(), Port: int(a.Port()), ZoneId: uint32(scope)}
}

// firstFreePort is the first port that takes no privilege to bind.
var firstFreePort = sync.OnceValue(func() int {
	b, err := os.ReadFile("/proc/sys/net/ipv4/ip_unprivileged_port_start")
	if err != nil {
		return 1024
	}
	port, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 1024
	}
	return port
})
