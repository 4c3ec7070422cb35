package main

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/trypipe"
)

// handPipes gives a holder the pipes that we are connected with, and returns when it serves them no
// longer. It closes in and out. If we end before, the holder lets go of them.
func handPipes(conn *net.UnixConn, in, out int) error {
	_, _, err := conn.WriteMsgUnix([]byte{0}, unix.UnixRights(in, out), nil)
	unix.Close(in)
	unix.Close(out)
	if err != nil {
		return err
	}
	conn.Read(make([]byte, 1)) // nothing comes but the end
	return nil
}

var errNoPipes = errors.New("what was sent is not two pipes")

// takePipes returns the pipes that come over a connection as one stream.
func takePipes(conn *net.UnixConn) (*pipePair, error) {
	conn.SetReadDeadline(time.Now().Add(helloTime))
	defer conn.SetReadDeadline(time.Time{})
	oob := make([]byte, unix.CmsgSpace(2*4)) // the kernel closes what has no room
	n, oobn, flags, _, err := conn.ReadMsgUnix(make([]byte, 1), oob)
	if err != nil {
		return nil, err
	}
	var fds []int
	messages, _ := unix.ParseSocketControlMessage(oob[:oobn])
	for _, m := range messages {
		rights, _ := unix.ParseUnixRights(&m)
		fds = append(fds, rights...)
	}
	if n != 1 || flags&unix.MSG_CTRUNC != 0 || len(fds) != 2 || !isOpenPipe(fds[0], unix.O_RDONLY) || !isOpenPipe(fds[1], unix.O_WRONLY) {
		for _, fd := range fds {
			unix.Close(fd)
		}
		return nil, errNoPipes
	}
	c := &pipePair{in: os.NewFile(uintptr(fds[0]), "input"), Writer: trypipe.NewWriter(os.NewFile(uintptr(fds[1]), "output")), relay: conn}
	go func() { // ends with the relay, or by Close
		conn.Read(make([]byte, 1))
		c.Close()
	}()
	return c, nil
}

// isOpenPipe reports whether fd is a pipe that was opened so, and on which nobody has to wait.
func isOpenPipe(fd, access int) bool {
	var info unix.Stat_t
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&(unix.O_ACCMODE|unix.O_NONBLOCK) == access|unix.O_NONBLOCK &&
		unix.Fstat(fd, &info) == nil && info.Mode&unix.S_IFMT == unix.S_IFIFO
}

// A pipePair is the pipes of a relay as one stream. It ends with the relay, and the relay with it.
type pipePair struct {
	in *os.File
	trypipe.Writer
	relay   *net.UnixConn
	closing sync.Once
}

// Read implements io.Reader.
func (c *pipePair) Read(p []byte) (int, error) { return c.in.Read(p) }

// Close implements io.Closer. It ends Read and Write.
func (c *pipePair) Close() error {
	c.closing.Do(func() {
		c.in.Close()
		c.Writer.Close()
		c.relay.Close()
	})
	return nil
}
