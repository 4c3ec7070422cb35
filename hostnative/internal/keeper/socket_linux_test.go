package keeper

import (
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func pair(t *testing.T) (a, b socket) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	a, errA := newSocket(fds[0])
	b, errB := newSocket(fds[1])
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.file.Close()
		b.file.Close()
	})
	return a, b
}

// Messages of any length arrive whole, with their descriptors.
func TestSocket(t *testing.T) {
	a, b := pair(t)
	r := newReceiver(b, true)
	for _, size := range []int{0, 1, maxPacket - 30, maxPacket, 1 << 20, 9 << 20} {
		for files := range maxFiles {
			fds := slices.Repeat([]int{0}, files)
			text := strings.Repeat("x", size)
			if err := a.send(message{Kind: start, Text: text}, fds...); err != nil {
				t.Fatal(err)
			}
			m, got, err := r.receive()
			if err != nil || m.Text != text || len(got) != files {
				t.Fatalf("%d bytes, %d descriptors: got %d, %d, %v", size, files, len(m.Text), len(got), err)
			}
			closeAll(got)
		}
	}
	if err := a.send(message{Text: strings.Repeat("x", maxMessage)}); err != unix.E2BIG {
		t.Errorf("got %v, want %v", err, unix.E2BIG)
	}
	a.file.Close()
	if _, _, err := r.receive(); err != io.EOF {
		t.Errorf("got %v, want %v", err, io.EOF)
	}
	if err := b.send(message{}); !isEnd(err) {
		t.Errorf("got %v, want the end", err)
	}
}

// A keeper, which may be in the hands of its commands, sends no long message.
func TestSocketLongFromKeeper(t *testing.T) {
	a, b := pair(t)
	if err := a.send(message{Text: strings.Repeat("x", maxPacket)}); err != nil {
		t.Fatal(err)
	}
	if m, _, err := newReceiver(b, false).receive(); err != errMessage {
		t.Errorf("got %+v, %v, want %v", m, err, errMessage)
	}
}

// Nonsense is an error, and its descriptors are closed.
func TestSocketNonsense(t *testing.T) {
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	huge, err := unix.MemfdCreate("huge", unix.MFD_CLOEXEC)
	if err == nil {
		err = unix.Ftruncate(huge, 1<<40)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(huge)
	for name, send := range map[string]func(fd int) error{
		"text":       func(fd int) error { return unix.Sendmsg(fd, []byte("hello"), nil, nil, 0) },
		"long alone": func(fd int) error { return unix.Sendmsg(fd, []byte{long}, nil, nil, 0) },
		"a directory": func(fd int) error {
			return unix.Sendmsg(fd, []byte{long}, unix.UnixRights(int(dir.Fd()), 0), nil, 0)
		},
		"a terabyte": func(fd int) error { return unix.Sendmsg(fd, []byte{long}, unix.UnixRights(huge), nil, 0) },
		"a pipe without end": func(fd int) error {
			pipe, err := piped(make([]byte, maxMessage+1))
			if err != nil {
				return err
			}
			defer unix.Close(pipe)
			return unix.Sendmsg(fd, []byte{long}, unix.UnixRights(pipe), nil, 0)
		},
		"too long": func(fd int) error { return unix.Sendmsg(fd, make([]byte, maxPacket+1), nil, nil, 0) },
		"too many descriptors": func(fd int) error {
			return unix.Sendmsg(fd, message{}.append(nil), unix.UnixRights(slices.Repeat([]int{0}, 100)...), nil, 0)
		},
	} {
		a, b := pair(t)
		before := descriptors(t)
		conn, _ := a.file.SyscallConn()
		var err error
		conn.Control(func(fd uintptr) { err = send(int(fd)) })
		if err != nil {
			t.Fatal(name, err)
		}
		if m, _, err := newReceiver(b, true).receive(); err == nil || err == io.EOF {
			t.Errorf("%s: got %+v, %v, want an error", name, m, err)
		}
		// Who writes has to hear of it, here and in the tests before.
		for late := time.Now().Add(time.Minute); descriptors(t) > before; runtime.Gosched() {
			if time.Now().After(late) {
				t.Fatalf("%s: got %d descriptors, before %d", name, descriptors(t), before)
			}
		}
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
