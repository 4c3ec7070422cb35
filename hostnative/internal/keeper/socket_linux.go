package keeper

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A socket is an end of a socket pair that carries messages and descriptors
// (SOCK_SEQPACKET of unix(7)). It is safe for one receiver and any number of senders.
type socket struct{ file *os.File }

// newSocket takes over fd.
func newSocket(fd int) (socket, error) {
	if err := unix.SetNonblock(fd, true); err != nil { // Go's poller waits
		unix.Close(fd)
		return socket{}, err
	}
	return socket{os.NewFile(uintptr(fd), "keeper")}, nil
}

// hasSocket reports whether standard input may be a host's.
func hasSocket() bool {
	kind, err := unix.GetsockoptInt(0, unix.SOL_SOCKET, unix.SO_TYPE)
	return err == nil && kind == unix.SOCK_SEQPACKET
}

// maxPacket is how long a message may be that goes in a packet, in bytes. A longer
// one goes through a pipe, whose end to read is the packet's first descriptor; the
// packet is empty but for the byte long. Only hosts send such. (A file in memory would
// be bounded by RLIMIT_FSIZE, as ulimit -f sets it.)
const (
	maxPacket = 32 << 10
	long      = 0
)

// maxFiles is how many descriptors come with a message at the most: three streams, a
// directory, a cgroup and a pipe.
const maxFiles = 6

// send sends m and copies of files.
func (s socket) send(m message, files ...int) error {
	b := m.append(make([]byte, 0, 1<<10))
	if len(b) > maxPacket {
		if len(b) > maxMessage {
			return unix.E2BIG
		}
		pipe, err := piped(b)
		if err != nil {
			return err
		}
		defer unix.Close(pipe)
		b, files = []byte{long}, append([]int{pipe}, files...)
	}
	var rights []byte
	if len(files) > 0 {
		rights = unix.UnixRights(files...)
	}
	conn, err := s.file.SyscallConn()
	if err != nil {
		return err
	}
	var sendErr error
	err = conn.Write(func(fd uintptr) bool {
		for {
			sendErr = unix.Sendmsg(int(fd), b, rights, nil, unix.MSG_NOSIGNAL)
			if sendErr != unix.EINTR {
				return sendErr != unix.EAGAIN
			}
		}
	})
	if err != nil {
		return os.ErrClosed
	}
	return sendErr
}

// piped returns the end to read of a pipe that b comes out of. b is not changed from then on.
func piped(b []byte) (fd int, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return -1, os.NewSyscallError("pipe2", err)
	}
	if err := unix.SetNonblock(ends[1], true); err != nil { // Go's poller waits
		closeAll(ends[:])
		return -1, os.NewSyscallError("fcntl", err)
	}
	w := os.NewFile(uintptr(ends[1]), "message")
	go func() { // ends when all is read, or nobody is left to read it
		defer w.Close()
		w.Write(b)
	}()
	return ends[0], nil
}

// A receiver has what receive needs each time.
type receiver struct {
	socket
	takesLong bool // messages in files, too
	packet    [maxPacket]byte
	rights    []byte
}

func newReceiver(s socket, takesLong bool) *receiver {
	return &receiver{socket: s, takesLong: takesLong, rights: make([]byte, unix.CmsgSpace(maxFiles*4))}
}

// receive returns the next message and the descriptors that came with it, which are
// the caller's to close. The error is io.EOF when the other end is closed.
func (r *receiver) receive() (m message, files []int, err error) {
	conn, err := r.file.SyscallConn()
	if err != nil {
		return m, nil, err
	}
	var (
		n, nRights, flags int
		recvErr           error
	)
	err = conn.Read(func(fd uintptr) bool {
		for {
			n, nRights, flags, _, recvErr = unix.Recvmsg(int(fd), r.packet[:], r.rights, unix.MSG_CMSG_CLOEXEC)
			if recvErr != unix.EINTR {
				return recvErr != unix.EAGAIN
			}
		}
	})
	if err != nil {
		return m, nil, os.ErrClosed
	}
	if recvErr != nil {
		return m, nil, recvErr
	}
	files = received(r.rights[:nRights])
	switch {
	case n == 0 && nRights == 0:
		return m, nil, io.EOF
	case flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0:
		err = errMessage
	case n == 1 && r.packet[0] == long && r.takesLong:
		m, files, err = fromPipe(files)
	default:
		m, err = parse(r.packet[:n])
	}
	if err != nil {
		closeAll(files)
		return message{}, nil, err
	}
	return m, files, nil
}

// received returns the descriptors of a control message.
func received(rights []byte) (files []int) {
	list, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for i := range list {
		if fds, err := unix.ParseUnixRights(&list[i]); err == nil {
			files = append(files, fds...)
		}
	}
	return files
}

// fromPipe returns the message that comes out of the first of files, and the others.
func fromPipe(files []int) (m message, rest []int, err error) {
	if len(files) == 0 {
		return m, nil, errMessage
	}
	file, rest := files[0], files[1:]
	defer unix.Close(file)
	var info unix.Stat_t
	if err := unix.Fstat(file, &info); err != nil {
		return m, rest, err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFIFO {
		return m, rest, errMessage
	}
	var b []byte
	for page := make([]byte, maxPacket); ; {
		n, err := unix.Read(file, page)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return m, rest, err
		case n == 0:
			m, err = parse(b)
			return m, rest, err
		case len(b)+n > maxMessage:
			return m, rest, errMessage
		}
		b = append(b, page[:n]...)
	}
}

func closeAll(files []int) {
	for _, fd := range files {
		unix.Close(fd)
	}
}

// isEnd reports whether err says that the other end is gone.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET)
}
