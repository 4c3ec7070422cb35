//go:build linux || darwin

package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A conn is one end of the socket between a host and a worker. A message is its length, four bytes,
// and what package wire makes of it; files travel with the first byte (unix(7)).
// send is safe for concurrent use.
type conn struct {
	file  *os.File
	limit time.Duration // how long the other end may take to take a message; 0 is for ever

	sending sync.Mutex
	broken  error // why nothing more is sent: half a message was
}

// sendLimit is how long a worker may take to take a message, which one that is
// honest does as soon as it has a processor.
const sendLimit = 20 * time.Second

// Messages from a worker are small, whatever it has become; ours may have all
// of a command, core.MaxCommand twice over.
const (
	maxFromWorker = 64 << 10
	maxToWorker   = 32 << 20
	maxFiles      = 3
)

// socketpair returns two connected sockets, both of them close-on-exec: the host's
// and the worker's.
func socketpair() (ours *conn, theirs *os.File, err error) {
	fds, err := cloexecPair()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		unix.Close(fds[0])
		unix.Close(fds[1])
		return nil, nil, err
	}
	ours = newConn(fds[0])
	ours.limit = sendLimit
	return ours, os.NewFile(uintptr(fds[1]), "worker's socket"), nil
}

// newConn takes a non-blocking socket.
func newConn(fd int) *conn { return &conn{file: os.NewFile(uintptr(fd), "socket")} }

func (c *conn) close() error { return c.file.Close() }

// send sends m, and files that stay the caller's.
func (c *conn) send(m *message, files ...*os.File) error {
	frame := encode(m)
	c.sending.Lock()
	defer c.sending.Unlock()
	if c.broken != nil {
		return c.broken
	}
	n, err := c.sendFrame(frame, files)
	if err != nil && n > 0 {
		c.broken = err
	}
	return err
}

// sendFrame returns how much of frame was sent.
func (c *conn) sendFrame(frame []byte, files []*os.File) (n int, err error) {
	if c.limit > 0 {
		if err := c.file.SetWriteDeadline(time.Now().Add(c.limit)); err != nil {
			return 0, err
		}
	}
	if len(files) > 0 {
		if n, err = c.sendFiles(frame, files); err != nil {
			return n, err
		}
	}
	if n < len(frame) { // to write nothing fails too where the other end is done
		var more int
		more, err = c.file.Write(frame[n:])
		n += more
	}
	return n, err
}

// sendFiles sends files and the beginning of frame.
func (c *conn) sendFiles(frame []byte, files []*os.File) (n int, err error) {
	fds := make([]int, len(files))
	for i, f := range files {
		if fds[i], err = descriptor(f); err != nil {
			return 0, err
		}
	}
	rights := unix.UnixRights(fds...)
	raw, err := c.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	var sendErr error
	err = raw.Write(func(fd uintptr) bool {
		for {
			n, sendErr = unix.SendmsgN(int(fd), frame, rights, nil, 0)
			if sendErr != unix.EINTR {
				return sendErr != unix.EAGAIN
			}
		}
	})
	runtime.KeepAlive(files)
	return max(n, 0), errors.Join(err, os.NewSyscallError("sendmsg", sendErr))
}

// descriptor returns f's number, and leaves f as it is, unlike Fd.
func descriptor(f *os.File) (fd int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	err = raw.Control(func(n uintptr) { fd = int(n) })
	return fd, err
}

// receive returns the next message, of at most limit bytes, and the files that
// came with it.
func (c *conn) receive(limit int) (m *message, files []*os.File, err error) {
	defer func() {
		if err != nil {
			closeAll(files)
			files = nil
		}
	}()
	var head [4]byte
	for n := 0; n < len(head); {
		k, more, err := c.receiveSome(head[n:])
		files = append(files, more...)
		if err != nil {
			return nil, files, err
		}
		n += k
	}
	size := binary.BigEndian.Uint32(head[:])
	if int64(size) > int64(limit) || len(files) > maxFiles {
		return nil, files, fmt.Errorf("a message of %d bytes and %d files", size, len(files))
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(c.file, body); err != nil {
		return nil, files, err
	}
	m, err = decode(body)
	return m, files, err
}

// receiveSome reads what is there, and takes files.
func (c *conn) receiveSome(p []byte) (n int, files []*os.File, err error) {
	raw, err := c.file.SyscallConn()
	if err != nil {
		return 0, nil, err
	}
	rights := make([]byte, unix.CmsgSpace(maxFiles*4))
	var got int
	var recvErr error
	err = raw.Read(func(fd uintptr) bool {
		for {
			n, got, recvErr = recvmsg(int(fd), p, rights)
			if recvErr != unix.EINTR {
				return recvErr != unix.EAGAIN
			}
		}
	})
	if err = errors.Join(err, recvErr); err != nil {
		return 0, nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:got])
	if err != nil {
		return 0, nil, err
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			continue // not files
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			unix.SetNonblock(fd, true) // it may be a file, to which that means nothing
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	if n == 0 {
		return 0, files, io.EOF
	}
	return n, files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
