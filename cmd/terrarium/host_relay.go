package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
)

// relay connects our standard input and output with a kept host, which is started if need be. Where
// they are pipes the host is given them, and we only wait: what goes over them then takes no way
// through this process.
func (f *hostServeFlags) relay() error {
	dir, err := keptParent()
	if err != nil {
		return err
	}
	if in, out := reopenPipe(syscall.Stdin, syscall.O_RDONLY), reopenPipe(syscall.Stdout, syscall.O_WRONLY); in >= 0 && out >= 0 {
		conn, err := reachHolder(dir, f.keep, askTake)
		if err != nil {
			return err
		}
		defer conn.Close()
		return handPipes(conn, in, out)
	}
	conn, err := reachHolder(dir, f.keep, askServe)
	if err != nil {
		return err
	}
	defer conn.Close()
	go func() { // ends with the input, or is left behind in a Read
		io.Copy(conn, peerInput())
		conn.CloseWrite()
	}()
	_, err = io.Copy(os.Stdout, conn)
	return err
}

// reachTries is how often a holder may be just ending when it is reached. None of them had anything
// that was kept.
const reachTries = 10

// reachHolder returns a connection to the holder of that name, which says that it does what it is
// asked for.
func reachHolder(dir, name, question string) (conn *net.UnixConn, err error) {
	for range reachTries {
		conn, err = dialKept(dir, name, question+flagsID())
		if !errors.Is(err, errNotKept) {
			return conn, err
		}
		if err := ensureHolder(dir, name); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: who listens there ends each connection", keptSocket(dir, name))
}

// ensureHolder starts a holder of that name if there is none.
func ensureHolder(dir, name string) error {
	unlock, err := lockKept(dir)
	if err != nil {
		return err
	}
	defer unlock()
	conn, err := connectKept(dir, name)
	if err == nil {
		conn.Close()
	}
	if !errors.Is(err, errNotKept) {
		return err
	}
	removeStale(dir)
	path := keptSocket(dir, name)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	defer l.Close()
	l.SetUnlinkOnClose(false) // the holder does, which has it, too
	if err = os.Chmod(path, 0o600); err == nil {
		err = startHolder(l)
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// flagsID names our flags and where they hold. A host that is kept with others is another one, with
// another sandbox say.
func flagsID() string {
	dir, _ := os.Getwd()
	sum := sha256.Sum256([]byte(strings.Join(append(slices.Clip(os.Args[1:]), dir), "\x00")))
	return hex.EncodeToString(sum[:])
}
