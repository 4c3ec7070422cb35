package tests

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// What goes over a connection takes no way through the process that has made it: that is stopped
// here. The connection ends with it all the same.
func TestHostKeptHandedOver(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t)
	c, links := states()
	d, _, r := k.connect(c)
	r.cmd.Process.Signal(syscall.SIGSTOP)
	if got := run(t, d, core.Command{Command: "seq 100000 | tail -n 1"}); got != "100000\n" {
		t.Errorf("got %q, want the last line", got)
	}
	select {
	case s := <-links:
		t.Errorf("got %v (%v), want the connection to be the same", s.Link, s.Err)
	default:
	}
	r.cmd.Process.Kill()
	await(t, links, remote.Resumed)
	r = <-k.relays
	if got := run(t, d, core.Command{Command: "echo well"}); got != "well\n" {
		t.Errorf("got %q, want it to be well", got)
	}
	pid := k.one().PID
	k.terrarium("host", "stop", "host")
	r.exits(t, 0) // as the holder has let go
	k.nothing(pid)
}

// A holder has none of the descriptors that whoever has started it left open: they might wait for
// the end of one, as a shell does for that of a pipe.
func TestHostKeptInherited(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	// The lowest numbers would be others' in the holder anyway.
	k.files = []*os.File{write, write, write, write}
	c, links := states()
	_, _, r := k.connect(c)
	pid := k.one().PID
	k.mu.Lock()
	k.files = nil
	k.mu.Unlock()
	write.Close()
	r.cmd.Process.Kill()
	late, _ := limited(t).Deadline()
	read.SetReadDeadline(late)
	if n, err := read.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("got %d bytes and %v, want the end", n, err)
	}
	await(t, links, remote.Resumed)
	if got := k.one(); got.PID != pid {
		t.Errorf("got %+v, want process %d, which has lived on", got, pid)
	}
}

// Who has the directory of the sockets locked, as any command of the user's may, holds up nobody
// for long.
func TestHostKeptLocked(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t)
	if err := os.Mkdir(k.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.Open(k.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	k.refused(k.dir + " is locked by another program for 10s: end it, or set TMPDIR to another directory\n")
}

// A holder that has as many connections as it takes is not held for one that has ended.
func TestHostKeptCrowded(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t)
	k.connect(remote.Config{})
	socket := filepath.Join(k.dir, "host.sock")
	ctx, cancel := context.WithCancel(limited(t))
	var crowd sync.WaitGroup
	defer crowd.Wait()
	defer cancel()
	for range 255 { // and the connection that there is
		crowd.Go(func() {
			for ctx.Err() == nil {
				conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
				if err != nil {
					continue
				}
				stop := context.AfterFunc(ctx, func() { conn.Close() })
				bufio.NewReader(conn).ReadString('\n') // it is given up after a while
				stop()
				conn.Close()
			}
		})
	}
	eventually(t, func() bool {
		l := k.list()
		if len(l) != 1 || l[0].Name != "host" {
			t.Fatalf("got %+v, want the host", l)
		}
		return strings.Contains(l[0].Error, "it has too many connections")
	})
	// Who comes for the host is told the same, and starts no other.
	sockets, _ := filepath.Glob(filepath.Join(k.dir, "*"))
	if len(sockets) != 1 || sockets[0] != socket {
		t.Errorf("got %v in %s, want the socket only", sockets, strconv.Quote(k.dir))
	}
}
