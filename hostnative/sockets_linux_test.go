package hostnative_test

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// beSockets is a command that does what its arguments say with sockets, and prints how
// each has ended: "ok", what is asked for, or an error's name. It makes system calls
// itself, so that nothing of a library's comes between.
func beSockets() {
	for _, arg := range os.Args[1:] {
		verb, rest, _ := strings.Cut(arg, " ")
		did, ok := socketVerbs[verb]
		if !ok {
			fmt.Println("no such verb:", verb)
			os.Exit(2)
		}
		text, err := did(rest)
		if errno, ok := err.(unix.Errno); ok && errno != 0 {
			text = unix.ErrnoName(errno)
		} else if err != nil {
			text = err.Error()
		} else if text == "" {
			text = "ok"
		}
		fmt.Println(text)
	}
}

var socketVerbs map[string]func(string) (string, error)

func init() {
	socketVerbs = map[string]func(string) (string, error){
		"connect":    func(to string) (string, error) { return "", withSocket(to, rawConnect) },
		"again":      connectWhenThere,
		"poll":       connectLater,
		"serve":      serveThere,
		"serveboth":  serveBoth,
		"bind":       func(at string) (string, error) { return "", withSocket(at, rawBind) },
		"name":       nameOf,
		"listen":     listenUnbound,
		"unspec":     connectUnspec,
		"bad":        badCalls,
		"undumpable": func(string) (string, error) { return "", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) },
		"chdir":      func(dir string) (string, error) { return "", os.Chdir(dir) },
		"quietly":    func(string) (string, error) { unix.Umask(0o077); return "", nil },
		"race":       raceAddress,
		"racelink":   raceLink,
		"racebind":   raceBind,
		"exhaust":    exhaust,
		"at":         bindAt,
		"options":    setOptions,
		"socket":     makeSocket,
		"send":       sendTo,
		"ask":        askServer,
		"udpbind":    bindDatagram,
		"udplisten":  listenDatagram,
		"fastopen":   fastOpen,
		"pair":       func(kind string) (string, error) { return "", makePair(kind) },
		"wait":       func(string) (string, error) { select {} },
	}
}

// rawAddress is struct sockaddr_in, sockaddr_in6 or sockaddr_un of "1.2.3.4:5",
// "[::1]:5", "/path", "./path" or "@abstract".
func rawAddress(text string) (domain int, b []byte) {
	if to, err := netip.ParseAddrPort(text); err == nil {
		domain = unix.AF_INET
		b = make([]byte, 16)
		if to.Addr().Is6() {
			domain = unix.AF_INET6
			b = make([]byte, 28)
			copy(b[8:], to.Addr().AsSlice())
		} else {
			copy(b[4:], to.Addr().AsSlice())
		}
		binary.NativeEndian.PutUint16(b, uint16(domain))
		binary.BigEndian.PutUint16(b[2:], to.Port())
		return domain, b
	}
	b = binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX)
	if name, ok := strings.CutPrefix(text, "@"); ok {
		return unix.AF_UNIX, append(append(b, 0), name...)
	}
	return unix.AF_UNIX, append(append(b, text...), 0)
}

func rawCall(number uintptr, fd int, address []byte) error {
	_, _, errno := unix.Syscall(number, uintptr(fd), uintptr(unsafe.Pointer(&address[0])), uintptr(len(address)))
	if errno != 0 {
		return errno
	}
	return nil
}

func rawConnect(fd int, address []byte) error { return rawCall(unix.SYS_CONNECT, fd, address) }
func rawBind(fd int, address []byte) error    { return rawCall(unix.SYS_BIND, fd, address) }

func withSocket(text string, do func(fd int, address []byte) error) error {
	domain, address := rawAddress(text)
	fd, err := unix.Socket(domain, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return do(fd, address)
}

// connectWhenThere waits for a server.
func connectWhenThere(to string) (string, error) {
	for late := time.Now().Add(patience); ; {
		err := withSocket(to, rawConnect)
		if err != unix.ECONNREFUSED && err != unix.ENOENT || time.Now().After(late) {
			return "", err
		}
	}
}

// connectLater connects a socket that does not block, and waits for that.
func connectLater(to string) (string, error) {
	return "", withSocket(to, func(fd int, address []byte) error {
		unix.SetNonblock(fd, true)
		if err := rawConnect(fd, address); err != unix.EINPROGRESS {
			return err
		}
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, -1); err != nil {
			return err
		}
		errno, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
		if err == nil && errno != 0 {
			err = unix.Errno(errno)
		}
		return err
	})
}

// serveThere listens, says where, and takes connections for ever in the background.
func serveThere(at string) (string, error) {
	domain, address := rawAddress(at)
	fd, err := unix.Socket(domain, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	if err := rawBind(fd, address); err != nil {
		return "", err
	}
	if err := unix.Listen(fd, 10); err != nil {
		return "", err
	}
	go func() {
		for {
			if to, _, err := unix.Accept(fd); err == nil {
				unix.Write(to, []byte("hello"))
				unix.Close(to)
			}
		}
	}()
	return socketName(fd)
}

// serveBoth serves one port of ::1 and 127.0.0.1: the one that the kernel gives for ::1, or
// the next that it gives where a program beside the tests has that of 127.0.0.1.
func serveBoth(string) (string, error) {
	var err error
	for range 20 {
		var at string
		if at, err = serveThere("[::1]:0"); err != nil {
			continue
		}
		if _, err = serveThere("127.0.0.1" + strings.TrimPrefix(at, "[::1]")); err == nil {
			return "", nil
		}
	}
	return "", err
}

func socketName(fd int) (string, error) {
	name, err := unix.Getsockname(fd)
	switch name := name.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(name.Addr), uint16(name.Port)).String(), nil
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(name.Addr), uint16(name.Port)).String(), nil
	case *unix.SockaddrUnix:
		return name.Name, nil
	}
	return "", err
}

func nameOf(at string) (name string, _ error) {
	return name, withSocket(at, func(fd int, address []byte) (err error) {
		if err = rawBind(fd, address); err == nil {
			name, err = socketName(fd)
		}
		return err
	})
}

// listenUnbound listens with a socket that is not bound.
func listenUnbound(like string) (name string, _ error) {
	err := withSocket(like, func(fd int, _ []byte) (err error) {
		if err = unix.Listen(fd, 1); err == nil {
			name, err = socketName(fd)
		}
		return err
	})
	name, _, _ = strings.Cut(strings.TrimSuffix(name, "]"), ":")
	return name, err
}

// connectUnspec would undo what a socket is bound to.
func connectUnspec(at string) (string, error) {
	return "", withSocket(at, func(fd int, address []byte) error {
		if err := rawBind(fd, address); err != nil {
			return err
		}
		return rawConnect(fd, make([]byte, 16))
	})
}

// badCalls makes calls whose arguments are no good, and says what the kernel, or who
// answers for it, has to say.
func badCalls(to string) (string, error) {
	var all []string
	call := func(fd int, at unsafe.Pointer, n uintptr) {
		_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(at), n)
		all = append(all, unix.ErrnoName(errno))
	}
	err := withSocket(to, func(fd int, address []byte) error {
		here := unsafe.Pointer(&address[0])
		call(-1, here, 16)
		call(1<<20, here, 16)
		call(fd, nil, 16)
		call(fd, here, 0)
		call(fd, here, 1)
		call(fd, here, 3)
		call(fd, here, 129)
		call(fd, here, ^uintptr(0))
		pipe := make([]int, 2)
		if err := unix.Pipe(pipe); err != nil {
			return err
		}
		call(pipe[0], here, 16)
		return nil
	})
	return strings.Join(all, " "), err
}

// bindAt binds a path that begins with an '@', which is no abstract socket.
func bindAt(string) (string, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	if err := rawBind(fd, append(binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX), "@here\x00"...)); err != nil {
		return "", err
	}
	_, err = os.Stat("@here")
	return "", err
}

// setOptions sets what would have a connection go elsewhere, or later.
func setOptions(string) (string, error) {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	for _, o := range [][2]int{
		{unix.IPPROTO_TCP, unix.TCP_FASTOPEN_CONNECT}, {unix.IPPROTO_TCP, unix.TCP_FASTOPEN_NO_COOKIE},
		{unix.SOL_SOCKET, unix.SO_REUSEPORT}, {unix.SOL_SOCKET, unix.SO_BINDTOIFINDEX},
		{unix.IPPROTO_IP, unix.IP_OPTIONS}, {unix.IPPROTO_IP, unix.IP_UNICAST_IF}, {unix.IPPROTO_IP, unix.IP_LOCAL_PORT_RANGE},
		{unix.IPPROTO_IPV6, unix.IPV6_RTHDR}, {unix.IPPROTO_IPV6, unix.IPV6_DSTOPTS}, {unix.IPPROTO_IPV6, unix.IPV6_UNICAST_IF},
	} {
		if err := unix.SetsockoptInt(fd, o[0], o[1], 0); err != unix.ENOPROTOOPT {
			return "", fmt.Errorf("option %d of %d: %v", o[1], o[0], err)
		}
	}
	return "", unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
}

// raceAddress connects again and again while the address changes between two, and
// returns when it has met the first as often as asked for: "3 1.2.3.4:5 6.7.8.9:10".
func raceAddress(args string) (string, error) {
	f := strings.Fields(args)
	times, _ := strconv.Atoi(f[0])
	domain, first := rawAddress(f[1])
	_, second := rawAddress(f[2])
	both := [2][8]byte{[8]byte(first), [8]byte(second)}
	shared := (*atomic.Uint64)(unsafe.Pointer(&first[0]))
	var stop atomic.Bool
	go func() {
		for i := 0; !stop.Load(); i++ {
			shared.Store(binary.NativeEndian.Uint64(both[i%2][:]))
		}
	}()
	defer stop.Store(true)
	for n := 0; n < times; {
		fd, err := unix.Socket(domain, unix.SOCK_STREAM, 0)
		if err != nil {
			return "", err
		}
		if rawConnect(fd, first) == nil {
			n++
		}
		unix.Close(fd)
	}
	return "", nil
}

// racing has a link lead to one of two paths at a time, while f is called until it has
// worked so many times. args are the number, the link and the paths.
func racing(args string, f func(link string, n int) error) (string, error) {
	words := strings.Fields(args)
	times, _ := strconv.Atoi(words[0])
	link := words[1]
	os.Symlink(words[2], link)
	var stop atomic.Bool
	go func() {
		for i := 0; !stop.Load(); i++ {
			os.Symlink(words[2+i%2], link+".new")
			os.Rename(link+".new", link)
		}
	}()
	defer stop.Store(true)
	for n := 0; n < times; {
		if f(link, n) == nil {
			n++
		}
	}
	return "", nil
}

func raceLink(args string) (string, error) {
	return racing(args, func(link string, _ int) error { return withSocket(link, rawConnect) })
}

func raceBind(args string) (string, error) {
	return racing(args, func(link string, n int) error { return withSocket(fmt.Sprint(link, "/", n), rawBind) })
}

// exhaust has many threads wait for a server that answers none of them.
func exhaust(to string) (string, error) {
	ended := make(chan error)
	for range 200 {
		go func() { ended <- withSocket(to, rawConnect) }()
	}
	var count [2]int
	for range 136 { // the others may wait for as long as they like
		switch err := <-ended; err {
		case unix.EAGAIN:
			count[0]++
		default:
			count[1]++
		}
	}
	return fmt.Sprint(count[0] >= 100), nil
}

// outputLines splits what was printed into lines.
func outputLines(out string) []string {
	return strings.Split(strings.TrimRight(out, "\n"), "\n")
}
