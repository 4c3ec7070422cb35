package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// A proxy's socket is alone in a directory that only its user may enter. The directory's name can't be guessed.
const (
	socketDir  = "terrarium-proxy-"
	socketName = "mcp"
	// maxSocket is how long a socket's path may be, in bytes: 108 on Linux and 104 on macOS, with an end.
	maxSocket = 103
)

// privateSocket listens on a new socket that only programs of our user can connect to. remove removes it.
func privateSocket() (l *net.UnixListener, remove func(), err error) {
	base := socketBase()
	sweepSockets(base)
	dir := filepath.Join(base, socketDir+rand.Text())
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	name := filepath.Join(dir, socketName)
	l, err = net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err == nil {
		err = os.Chmod(name, 0o600)
	}
	if err != nil {
		remove()
		return nil, nil, err
	}
	return l, remove, nil
}

// socketBase returns the directory where the directories of sockets are: one that ends with the person's login, if
// there is one.
func socketBase() string {
	longest := maxSocket - len(filepath.Join("/", socketDir+rand.Text(), socketName))
	for _, dir := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()} {
		info, err := os.Stat(dir)
		if filepath.IsAbs(dir) && len(dir) <= longest && err == nil && info.IsDir() && syscall.Access(dir, 2) == nil {
			return dir
		}
	}
	return "/tmp"
}

// How many sockets of others are looked at, and how long one may need from its directory to its listener.
const (
	maxSwept   = 256
	socketTime = time.Minute
)

// sweepSockets removes what proxies have left behind that were killed. Whoever listens is left alone.
func sweepSockets(base string) {
	found, _ := filepath.Glob(filepath.Join(base, socketDir+"*"))
	for _, dir := range found[:min(len(found), maxSwept)] {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Geteuid() {
			continue
		}
		conn, err := net.Dial("unix", filepath.Join(dir, socketName))
		switch {
		case err == nil:
			conn.Close()
		case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist) && time.Since(info.ModTime()) > socketTime:
			os.Remove(filepath.Join(dir, socketName))
			os.Remove(dir) // fails if there is more in it, which is not ours
		}
	}
}

// ofOurUser returns an error unless the process at the other end is of our user.
func ofOurUser(conn net.Conn) error {
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return errors.ErrUnsupported
	}
	uid, err := peerUser(unixConn)
	if err == nil && uid != os.Geteuid() {
		err = fmt.Errorf("it is of user %d", uid)
	}
	return err
}
