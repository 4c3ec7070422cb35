//go:build linux || darwin

package hostnative

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
)

// openPipes connects standard output and error to a pipe each, or both to one,
// and standard input to a third one, or to /dev/null if nobody is going to type.
// Config.Stdin and Stdout take the place of a pipe.
func (h *Host) openPipes(c core.Command) (_ *stdio, err error) {
	s := new(stdio)
	defer func() {
		if err != nil {
			s.close()
			s.closeChild()
			err = refuse(opPipe, "pipe", err)
		}
	}()
	streams := 2
	if c.OneStream {
		streams = 1
	}
	for stream := 1; stream <= streams; stream++ {
		if stream == 1 && h.stdout != nil {
			if s.child[1], err = duplicate(h.stdout); err != nil {
				return nil, err
			}
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		s.outs = append(s.outs, output{uint8(stream), r})
		s.child[stream] = w
	}
	if c.OneStream {
		s.child[2] = s.child[1]
	}
	switch {
	case !c.Interactive:
		s.child[0], err = os.Open(os.DevNull)
	case h.stdin != nil:
		s.child[0], err = duplicate(h.stdin)
	default:
		s.child[0], s.in, err = os.Pipe()
	}
	return s, err
}

// duplicate returns another descriptor of f's file, as dup(2).
func duplicate(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
