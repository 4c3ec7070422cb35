package broker

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// A pathSocket is a command's socket of AF_UNIX.
type pathSocket struct {
	*Session
	fd int
}

// parsePath reads struct sockaddr_un. A name that is not in the file system (abstract
// sockets) is refused: everybody on the machine shares those.
func parsePath(what string, b []byte) (string, error) {
	const family, longest = 2, 108 // UNIX_PATH_MAX
	path := b[family:]
	switch {
	case len(path) > longest:
		return "", unix.EINVAL
	case len(path) == 0 || path[0] == 0:
		return "", refuse("%s an abstract unix socket is refused: all programs share their names", what)
	}
	if end := bytes.IndexByte(path, 0); end >= 0 {
		path = path[:end]
	}
	return string(path), nil
}

func (p pathSocket) connect(asker caller, address []byte, waits func() bool) error {
	path, err := parsePath("connect to", address)
	if err != nil {
		return err
	}
	cwd, err := asker.openCwd()
	if err != nil {
		return err
	}
	defer unix.Close(cwd)
	// What is a magic link of the command's in /proc would be one of ours.
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	to, err := unix.Openat2(cwd, path, &how)
	if err != nil {
		return err
	}
	defer unix.Close(to)
	name := "/proc/self/fd/" + strconv.Itoa(to)
	found, err := fileOf(to, "", unix.AT_EMPTY_PATH)
	if err != nil {
		return err
	}
	if !p.owns(found) && !p.lists(found) {
		if real, err := os.Readlink(name); err == nil {
			path = real
		}
		hint := ""
		if isPlain(path) { // else who pastes it would run it
			hint = "; to allow it, add --socket " + path
		}
		return refuse("connect to %q is refused: no command in this sandbox has bound it%s", path, hint)
	}
	return connect(p.fd, &unix.SockaddrUnix{Name: name}, waits)
}

// isPlain reports whether a shell takes a path for itself.
func isPlain(path string) bool {
	return strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%,:") == ""
}

func (p pathSocket) owns(f file) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.own.paths.has[f]
}

// lists reports whether f is at one of the listed paths now. A command that may write there
// could have a link lead to any socket, so none is followed that was not there before.
func (p pathSocket) lists(f file) bool {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	for _, path := range p.config.Sockets {
		fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
		if err != nil {
			continue
		}
		listed, err := fileOf(fd, "", unix.AT_EMPTY_PATH)
		unix.Close(fd)
		if err == nil && listed == f {
			return true
		}
	}
	return false
}

// fileOf returns what is at a path, as statx(2) has it. What is no socket is refused as
// connect(2) refuses it.
func fileOf(dir int, path string, flags int) (file, error) {
	var x unix.Statx_t
	if err := unix.Statx(dir, path, flags, unix.STATX_TYPE|unix.STATX_INO|unix.STATX_BTIME, &x); err != nil {
		return file{}, err
	}
	if x.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return file{}, unix.ECONNREFUSED
	}
	f := file{major: x.Dev_major, minor: x.Dev_minor, inode: x.Ino}
	if x.Mask&unix.STATX_BTIME != 0 {
		f.born = x.Btime
	}
	return f, nil
}

// bind binds the socket as the command would, but for who it is: with its directory and
// umask. It passes the path as it is, which getsockname(2) returns.
func (p pathSocket) bind(asker caller, address []byte) error {
	path, err := parsePath("bind to", address)
	if err != nil {
		return err
	}
	binder, err := p.bindingPaths()
	if err != nil {
		return err
	}
	cwd, err := asker.openCwd()
	if err != nil {
		return err
	}
	defer unix.Close(cwd)
	mask := asker.umask()
	return onOwnThread(func() error {
		if err := unix.Unshare(unix.CLONE_FS); err != nil {
			return err
		}
		if err := unix.Fchdir(cwd); err != nil {
			return err
		}
		unix.Umask(mask)
		if err := binder.Restrict(); err != nil {
			return err
		}
		// As it was copied: to x/sys an '@' in front means an abstract socket.
		_, _, errno := unix.Syscall(unix.SYS_BIND, uintptr(p.fd), uintptr(unsafe.Pointer(&address[0])), uintptr(len(address)))
		if errno != 0 {
			return errno
		}
		p.remember(path)
		return nil
	})
}

// remember says that what was bound at a path is the session's. By now something else may
// be there, which a command has moved: the kernel says which file the socket has. Where
// it does not, or the file system has no time of birth, nothing can be connected to:
// without one a later file of the same number would count as the session's.
func (p pathSocket) remember(path string) {
	found, err := fileOf(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil || found.born == (unix.StatxTimestamp{}) {
		return
	}
	var info unix.Stat_t
	if unix.Fstat(p.fd, &info) != nil {
		return
	}
	dev, inode, err := boundFile(uint32(info.Ino))
	if err != nil || inode != uint32(found.inode) || dev != found.major<<20|found.minor {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.own.paths.add(found)
}

// bindingPaths returns what keeps a thread to where commands may make sockets.
func (s *Session) bindingPaths() (*confine.Binder, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.binder == nil {
		b, err := confine.NewBinder(s.config.Rules)
		if err != nil {
			return nil, err
		}
		s.binder = b
	}
	return s.binder, nil
}

// listen does not listen with an abstract name, which the kernel gives some sockets by
// itself (unix(7), autobind).
func (p pathSocket) listen(backlog int) error {
	var name [maxAddress]byte
	n := uint32(len(name))
	_, _, errno := unix.Syscall(unix.SYS_GETSOCKNAME, uintptr(p.fd), uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&n)))
	if errno != 0 {
		return errno
	}
	if n > 2 && name[2] == 0 {
		return unix.EACCES
	}
	return unix.Listen(p.fd, backlog)
}

// onOwnThread calls f on a thread that ends with it, and is not the process's first: what
// is done to that one, /proc shows as the process's, and it never ends.
func onOwnThread(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		if unix.Gettid() == unix.Getpid() {
			err := onOwnThread(f) // on another one, as this one is locked
			runtime.UnlockOSThread()
			done <- err
			return
		}
		done <- f()
	}()
	return <-done
}
