package main

import (
	"cmp"
	"net"

	"golang.org/x/sys/unix"
)

// peerUser returns the user whose process is at the other end.
func peerUser(conn *net.UnixConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	if failed := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); failed != nil || err != nil {
		return 0, cmp.Or(failed, err)
	}
	return int(cred.Uid), nil
}
