package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/dirlock"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/private"
)

// A kept host has a process of its own, its holder, and a socket that is named after it: in keptDir
// and the user's number, which only that user may enter. Whoever starts a holder or ends one has
// that directory locked, so that there is one of each name.
const (
	keptDir     = "terrarium-host-"
	keptSuffix  = ".sock"
	maxKeptName = 32
	// longestKept is as long as what comes after keptBases.
	longestKept = "/" + keptDir + "4294967295/01234567890123456789012345678901" + keptSuffix
)

// keptBases returns the directories of which the first that will do has that of the sockets. It is
// not XDG_RUNTIME_DIR, which ends with the person's last login: what is kept may not.
func keptBases() []string { return []string{os.TempDir(), "/tmp"} }

// keptParent returns the directory of the sockets. It is made if it is not there.
func keptParent() (string, error) {
	dir := socketDirIn(socketBase(keptBases(), longestKept), keptDir)
	if err := private.Mkdir(dir); err != nil {
		return "", fmt.Errorf("%w, or set TMPDIR to another", err)
	}
	return dir, nil
}

// checkKeptName says why a host can't be called so: it would be no name of a file, or one of
// another host on a system that does not tell small letters from large ones.
func checkKeptName(name string) error {
	odd := strings.IndexFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	})
	if name == "" || len(name) > maxKeptName || odd >= 0 || name[0] == '-' {
		return fmt.Errorf("%q is no name for a host: want 1 to %d of a to z, 0 to 9, _ and -, and no - first", cut(name, maxKeptName), maxKeptName)
	}
	return nil
}

func keptSocket(dir, name string) string { return filepath.Join(dir, name+keptSuffix) }

// errNotKept is why there is no connection to a host.
var errNotKept = errors.New("no host of that name is kept here")

// dialKept connects to the holder of that name, and asks it for something. The error is errNotKept
// if there is none, or it is just ending.
func dialKept(dir, name, question string) (*net.UnixConn, error) {
	conn, err := connectKept(dir, name)
	if err != nil {
		return nil, err
	}
	return conn, askHolder(conn, question)
}

func connectKept(dir, name string) (*net.UnixConn, error) {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: keptSocket(dir, name), Net: "unix"})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, errNotKept
	case err != nil:
		return nil, err
	}
	if err := ofOurUser(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// What a holder is asked and answers, a line each. After an answer to askServe the stream is the
// protocol's. After one to askTake the holder is sent two pipes, which are, and the stream is only
// there to end: with the process that has sent them, or when the holder serves them no longer.
const (
	holderHello   = "terrarium-host 1 "
	askServe      = "serve " // and which flags it has to have been started with
	askTake       = "take "  // likewise
	askState      = "state"
	askStop       = "stop"
	holderYes     = "yes"
	holderNo      = "no: " // and why
	maxHolderLine = 1024   // bytes
)

// askHolder sends a question, and returns when the holder has agreed. conn is closed if not.
func askHolder(conn net.Conn, question string) error {
	conn.SetDeadline(time.Now().Add(helloTime))
	// Who refuses at once has closed its end by now: what it has said is there all the same.
	io.WriteString(conn, holderHello+question+"\n")
	answer, err := readShortLine(conn, maxHolderLine)
	conn.SetDeadline(time.Time{})
	switch why, refused := strings.CutPrefix(answer, holderNo); {
	case refused:
		err = errors.New(why)
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("the process that keeps it does not answer within %v: is it stopped?", helloTime)
	case err != nil: // it has ended in between
		err = errNotKept
	case answer != holderYes:
		err = fmt.Errorf("the process that keeps it answers %q: it is of another version", answer)
	}
	if err != nil {
		conn.Close()
	}
	return err
}

// readShortLine reads a line, and no byte behind it.
func readShortLine(r io.Reader, most int) (string, error) {
	line := make([]byte, 0, most)
	for len(line) < most {
		n, err := r.Read(line[len(line) : len(line)+1])
		if n == 1 && line[:len(line)+1][len(line)] == '\n' {
			return string(line), nil
		}
		line = line[:len(line)+n]
		if err != nil {
			return "", err
		}
	}
	return "", errors.New("a line that is too long")
}

// lockTime is how long somebody may have the directory of the sockets locked. Only who starts a
// holder or ends one needs it, but any program of the user's may take it.
const lockTime = 10 * time.Second

// lockKept locks that directory.
func lockKept(dir string) (unlock func(), err error) {
	unlock, err = lockWithin(dir, lockTime)
	if errors.Is(err, errLocked) {
		err = fmt.Errorf("%w: end it, or set TMPDIR to another directory", err)
	}
	return unlock, err
}

// errLocked is why a directory can't be locked.
var errLocked = errors.New("locked by another program")

// lockWithin locks a directory. It waits no longer than limit.
func lockWithin(dir string, limit time.Duration) (unlock func(), err error) {
	unlock, err = dirlock.Within(dir, limit)
	if errors.Is(err, dirlock.ErrLocked) {
		err = fmt.Errorf("%s is %w for %v", dir, errLocked, limit)
	}
	return unlock, err
}

// removeStale removes sockets of holders that were killed. dir is locked.
func removeStale(dir string) {
	for _, name := range keptNames(dir) {
		conn, err := connectKept(dir, name)
		switch {
		case err == nil:
			conn.Close()
		case errors.Is(err, errNotKept):
			os.Remove(keptSocket(dir, name))
		}
	}
}

// keptNames returns the names of hosts that there may be.
func keptNames(dir string) (names []string) {
	found, _ := filepath.Glob(filepath.Join(dir, "*"+keptSuffix))
	for _, path := range found[:min(len(found), maxSwept)] {
		if name := strings.TrimSuffix(filepath.Base(path), keptSuffix); checkKeptName(name) == nil {
			names = append(names, name)
		}
	}
	return names
}
