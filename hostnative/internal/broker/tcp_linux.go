package broker

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

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
	if refused := t.config.Net.Direct(to); refused != nil && !t.config.Open {
		if !to.Addr().Unmap().IsLoopback() {
			return refuse("connect to %v", refused)
		}
		switch who := t.listens(netip.AddrPortFrom(to.Addr().Unmap(), to.Port())); who {
		case ours:
			return t.connectOurs(to, waits)
		case nobody:
			return unix.ECONNREFUSED
		default:
			return refuse("connect to %v", refused)
		}
	}
	return connect(t.fd, t.sockaddr(to), waits)
}

// connectOurs connects to a server of the session. Where its queue is full the kernel
// would try again after a second and later, when somebody else may listen there: so what
// is not connected at once is taken back, and decided about anew.
func (t tcpSocket) connectOurs(to netip.AddrPort, waits func() bool) error {
	limit, err := unix.GetsockoptTimeval(t.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO)
	if err != nil {
		return err
	}
	defer unix.SetsockoptTimeval(t.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, limit)
	patience := time.Duration(limit.Nano())
	for begun := time.Now(); ; {
		tried := time.Now()
		err := t.connectAtOnce(to)
		if err != unix.EINPROGRESS && err != unix.EALREADY && err != unix.EINTR {
			return err
		}
		waiting := t.waitsForAnswer()
		if waiting {
			t.takeBack()
		}
		flags, flagsErr := unix.FcntlInt(uintptr(t.fd), unix.F_GETFL, 0)
		nonblocking := flags&unix.O_NONBLOCK != 0
		switch {
		case flagsErr != nil:
			return flagsErr
		case nonblocking && waiting:
			return unix.ECONNREFUSED
		case nonblocking:
			return err // the command asks how it ended: SO_ERROR
		case !waits():
			return unix.EINTR
		case !waiting:
			continue // to connect again says how it ended
		case patience > 0 && time.Since(begun) > patience:
			return unix.EINPROGRESS
		case t.listens(netip.AddrPortFrom(to.Addr().Unmap(), to.Port())) != ours:
			return unix.ECONNREFUSED
		}
		time.Sleep(atOnce - time.Since(tried))
	}
}

// connectAtOnce connects, and waits no longer than atOnce, whether the socket blocks or not.
func (t tcpSocket) connectAtOnce(to netip.AddrPort) error {
	begun := time.Now()
	limit := unix.NsecToTimeval(int64(atOnce))
	unix.SetsockoptTimeval(t.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &limit)
	err := unix.Connect(t.fd, t.sockaddr(to))
	if err != nil {
		unix.Poll([]unix.PollFd{{Fd: int32(t.fd), Events: unix.POLLOUT}}, int((atOnce - time.Since(begun)).Milliseconds()))
	}
	return err
}

// waitsForAnswer reports whether a connection is neither there nor given up.
func (t tcpSocket) waitsForAnswer() bool {
	info, err := unix.GetsockoptTCPInfo(t.fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	return err == nil && info.State == unix.BPF_TCP_SYN_SENT
}

// takeBack gives up a connection: connect(2), AF_UNSPEC.
func (t tcpSocket) takeBack() {
	var unspecified [unix.SizeofSockaddrInet4]byte
	unix.RawSyscall(unix.SYS_CONNECT, uintptr(t.fd), uintptr(unsafe.Pointer(&unspecified[0])), unsafe.Sizeof(unspecified))
}

// atOnce is how long a connection on loopback may take: less than the kernel waits before
// it sends again.
const atOnce = 50 * time.Millisecond

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
	if t.othersBeside(at) {
		return unix.EADDRINUSE
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

// listen listens with a socket that we have bound: to another one the kernel might give a
// port of all addresses. What getsockname(2) says is not enough, as an address that came
// from connecting goes when another thread shuts the socket down. One that is not bound
// at all is bound to loopback first.
func (t tcpSocket) listen(backlog int) error {
	var info unix.Stat_t
	if err := unix.Fstat(t.fd, &info); err != nil {
		return err
	}
	if !t.ownsTCP(info.Ino) {
		at := loopback4
		if t.domain == unix.AF_INET6 {
			at = t.everyLoopback()
		}
		if err := t.bindTo(netip.AddrPortFrom(at, 0)); err != nil {
			return err
		}
	}
	// It may not have had a port before, and somebody may have come since.
	if at, err := t.boundTo(); err != nil || t.othersBeside(at) {
		return cmp.Or(err, error(unix.EADDRINUSE))
	}
	return unix.Listen(t.fd, backlog)
}

// othersBeside reports whether a program that is not of the session listens at the same
// port of the other family's loopback address. Who connects to localhost tries both, so a
// browser that means that program could reach a command.
func (t tcpSocket) othersBeside(at netip.AddrPort) bool {
	switch at.Addr().Unmap() {
	case loopback4:
		return at.Port() != 0 && t.listens(netip.AddrPortFrom(loopback6, at.Port())) == others
	case loopback6:
		return at.Port() != 0 && t.listens(netip.AddrPortFrom(loopback4, at.Port())) == others
	}
	return false
}

// boundTo returns the address that the socket is bound to.
func (t tcpSocket) boundTo() (netip.AddrPort, error) {
	name, err := unix.Getsockname(t.fd)
	switch name := name.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(name.Addr), uint16(name.Port)), nil
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(name.Addr), uint16(name.Port)), nil
	}
	return netip.AddrPort{}, cmp.Or(err, error(unix.EINVAL))
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
