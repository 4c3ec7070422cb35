package main

import (
	"errors"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// connected returns both ends of a unix socket.
func connected(t *testing.T) (a, b *net.UnixConn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	var conns [2]*net.UnixConn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "socket")
		conn, err := net.FileConn(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conns[i] = conn.(*net.UnixConn)
	}
	return conns[0], conns[1]
}

// A holder takes two pipes on which nobody waits, the first to be read and the other to be written,
// and nothing else. What it does not take it closes.
func TestNotPipes(t *testing.T) {
	var in, out [2]int
	for _, ends := range []*[2]int{&in, &out} {
		if err := unix.Pipe2(ends[:], unix.O_NONBLOCK|unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
	}
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var blocking [2]int
	if err := unix.Pipe2(blocking[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	for name, fds := range map[string][]int{
		"none":              nil,
		"one":               {in[0]},
		"three":             {in[0], out[1], out[1]},
		"the wrong ends":    {in[1], out[0]},
		"no pipes":          {null, null},
		"one that may wait": {blocking[0], out[1]},
	} {
		relay, holder := connected(t)
		var oob []byte
		if fds != nil {
			oob = unix.UnixRights(fds...)
		}
		if _, _, err := relay.WriteMsgUnix([]byte{0}, oob, nil); err != nil {
			t.Fatal(err)
		}
		if c, err := takePipes(holder); !errors.Is(err, errNoPipes) {
			t.Errorf("%s: got %v and %v, want %v", name, c, err, errNoPipes)
		}
	}

	// Nobody else has what was closed.
	unix.Close(out[1])
	if n, err := unix.Read(out[0], make([]byte, 1)); n != 0 || err != nil {
		t.Errorf("got %d and %v from a pipe that all have closed, want its end", n, err)
	}
}
