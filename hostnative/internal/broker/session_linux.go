package broker

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// A Config says what the commands of a session may connect to besides each other.
type Config struct {
	// Addresses that are listed. Rules that have names do not count here.
	Net egress.List
	// Open has all addresses count as listed, for datagrams too.
	Open bool
	// Sockets are paths of unix sockets, which need not be there yet. They are without
	// links, and none is followed.
	Sockets []string
	// Rules are what the commands are confined to: they say where a path may be bound.
	Rules confine.Rules

	// Proxied says that names are reached through a proxy, whose variables programs have.
	Proxied bool

	// Refused, if not nil, is told of what is refused, and why, by which process. It
	// may be called by several goroutines at once.
	Refused func(pid int, why string)
}

// A Session makes the calls of commands that may reach each other. It is safe for
// concurrent use.
type Session struct {
	config Config
	busy   chan struct{} // holds a value for each call that is being made

	mu      sync.Mutex
	own     owned
	binder  *confine.Binder // made with the first path that is bound
	serving int             // Serve calls
	closed  bool
}

// maxCalls is how many calls are made at once. One that connects may wait for
// minutes, and takes a thread for as long.
const maxCalls = 64

// New returns a Session.
func New(c Config) *Session {
	return &Session{config: c, busy: make(chan struct{}, maxCalls)}
}

// Serve answers the questions that fd has, and takes it over. It returns when nobody
// is left who could ask, and all calls are made.
//
// A thread that mayEnter allows may call clone3, which makes children in cgroups: that is
// one of the keeper's, while it starts a command. What it hands to the kernel is in its
// memory, and not looked at: whoever is its master may change it until the kernel reads it.
// mayEnter may be nil.
func (s *Session) Serve(fd int, mayEnter func(thread int) bool) error {
	l, err := newListener(fd)
	if err != nil {
		return err
	}
	defer l.file.Close()
	s.mu.Lock()
	s.serving++
	s.mu.Unlock()
	defer s.leave()
	var calls sync.WaitGroup
	defer calls.Wait()
	for {
		q, ok := l.next()
		switch {
		case !ok:
			return nil
		case q.call == unix.SYS_CLONE3 && mayEnter != nil && mayEnter(int(q.pid)):
			l.goOn(q)
			continue
		case q.call == unix.SYS_CLONE3:
			l.answer(q, unix.ENOSYS) // then clone is called, whose flags the filter sees
			continue
		case isOfThread(q.call):
			l.answerThread(q)
			continue
		}
		select {
		case s.busy <- struct{}{}:
		default:
			l.answer(q, unix.EAGAIN)
			continue
		}
		calls.Go(func() { // ends with the call
			defer func() { <-s.busy }()
			l.answer(q, s.call(l, q))
		})
	}
}

// Close lets go of what the Session holds when no Serve needs it any longer.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.release()
}

func (s *Session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serving--
	s.release()
}

// release closes the binder if it is the last to leave. mu is held.
func (s *Session) release() {
	if s.closed && s.serving == 0 && s.binder != nil {
		s.binder.Close()
		s.binder = nil
	}
}

// call makes a call and returns how it has ended.
func (s *Session) call(l *listener, q question) unix.Errno {
	asker := caller{int(q.pid)}
	if q.call == unix.SYS_SOCKET {
		s.tellOfNames(l, q, asker)
		return unix.EACCES
	}
	fd, err := asker.take(int(int32(q.args[0])))
	if err == nil {
		defer unix.Close(fd)
		err = s.callWith(l, q, asker, fd)
	} else if err == unix.EPERM {
		err = refuse("%s is refused: the program lets nobody take its sockets (it is undumpable)", nameOf(q.call))
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		if s.config.Refused != nil {
			s.config.Refused(asker.process(), r.Error())
		}
		return unix.EACCES
	}
	if errno, ok := errors.AsType[unix.Errno](err); ok {
		return errno
	}
	if err != nil {
		return unix.EACCES
	}
	return 0
}

// tellOfNames tells why a program that wants to look up a name can't: it gets no socket for
// datagrams.
func (s *Session) tellOfNames(l *listener, q question, asker caller) {
	if domain := q.args[0]; domain != unix.AF_INET && domain != unix.AF_INET6 || s.config.Refused == nil {
		return
	}
	process := asker.process()
	if !l.waits(q) { // then that is another
		return
	}
	why := "to reach a host by its name, add --net HOST[:PORT]"
	if s.config.Proxied {
		why = "programs that use the proxy of HTTPS_PROXY and ALL_PROXY reach the names of --net"
	}
	s.config.Refused(process, "a datagram socket is refused, and so no name is looked up: "+why)
}

// callWith makes a call with the socket fd, which is a copy of the caller's.
func (s *Session) callWith(l *listener, q question, asker caller, fd int) error {
	domain, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return err
	}
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil {
		return err
	}
	isInet := domain == unix.AF_INET || domain == unix.AF_INET6
	var sock socket
	switch {
	case domain == unix.AF_UNIX && kind == unix.SOCK_STREAM:
		sock = pathSocket{s, fd}
	case isInet && kind == unix.SOCK_STREAM:
		sock = tcpSocket{s, fd, domain}
	case isInet && kind == unix.SOCK_DGRAM && s.config.Open:
		sock = udpSocket{tcpSocket{s, fd, domain}}
	default: // the filter lets no other be made, but a command may have inherited one
		return unix.EACCES
	}
	if q.call == unix.SYS_LISTEN {
		if !l.waits(q) { // then the socket may be another process's
			return unix.EINTR
		}
		return sock.listen(int(int32(q.args[1])))
	}
	address, err := asker.copyAddress(q.args[1], q.args[2])
	if err != nil {
		return err
	}
	if !l.waits(q) { // then the memory, too
		return unix.EINTR
	}
	switch q.call {
	case unix.SYS_CONNECT:
		return sock.connect(asker, address, func() bool { return l.waits(q) })
	case unix.SYS_BIND:
		return sock.bind(asker, address)
	}
	return unix.ENOSYS
}

// A socket is a command's, and what it does with it.
type socket interface {
	// connect gives up when nobody waits for it any longer.
	connect(asker caller, address []byte, waits func() bool) error
	bind(asker caller, address []byte) error
	listen(backlog int) error
}

// A refusal is an error that the host is told of.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

func nameOf(call int32) string {
	switch call {
	case unix.SYS_CONNECT:
		return "connect"
	case unix.SYS_BIND:
		return "bind"
	}
	return "listen"
}
