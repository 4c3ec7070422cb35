package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/private"
)

// A proxy's socket is alone in a directory of a directory that only its user may enter: socketDir
// and the user's number. That one has the same name for all proxies, so that no command in a
// sandbox gets at the sockets of any of them: see ownDirs.
const (
	socketDir  = "terrarium-proxy-"
	socketName = "mcp"
	// maxSocket is how long a socket's path may be, in bytes: 108 on Linux and 104 on macOS, with
	// an end.
	maxSocket = 103
	// longestSocket is as long as what comes after socketBase.
	longestSocket = "/" + socketDir + "4294967295/4294967295/" + socketName
)

// privateSocket listens on a new socket that only programs of our user can connect to. remove
// removes it.
func privateSocket() (l *net.UnixListener, remove func(), err error) {
	parent := socketDirIn(socketBase(socketBases(), longestSocket), socketDir)
	if err := private.Mkdir(parent); err != nil {
		return nil, nil, fmt.Errorf("%w, or set XDG_RUNTIME_DIR to another", err)
	}
	sweepSockets(parent)
	dir, err := os.MkdirTemp(parent, "")
	if err != nil {
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

// socketBases returns the directories that are tried for the directories of sockets: first one that
// ends with the person's login, if there is one.
func socketBases() []string { return []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} }

// socketBase returns the first of bases that will do for what comes after it.
func socketBase(bases []string, longest string) string {
	for _, dir := range bases {
		info, err := os.Stat(dir)
		if filepath.IsAbs(dir) && len(dir)+len(longest) <= maxSocket && err == nil && info.IsDir() && syscall.Access(dir, 2) == nil {
			return dir
		}
	}
	return "/tmp"
}

// socketDirs returns where proxies and holders of our user may have their sockets, whatever is
// there.
func socketDirs() (dirs []string) {
	for _, base := range socketBases() {
		if filepath.IsAbs(base) {
			dirs = append(dirs, socketDirIn(base, socketDir))
		}
	}
	for _, base := range keptBases() {
		dirs = append(dirs, socketDirIn(base, keptDir))
	}
	return dirs
}

func socketDirIn(base, name string) string {
	return filepath.Join(base, name+strconv.Itoa(os.Geteuid()))
}

// How many sockets of others are looked at, and how long one may need from its directory to its
// listener.
const (
	maxSwept   = 256
	socketTime = time.Minute
)

// sweepSockets removes what proxies have left behind that were killed. Whoever listens is left
// alone.
func sweepSockets(parent string) {
	found, _ := filepath.Glob(filepath.Join(parent, "*"))
	for _, dir := range found[:min(len(found), maxSwept)] {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
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
