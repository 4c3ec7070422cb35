package tests

import (
	"context"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// What the suite asks of a host holds behind a real ssh.
func TestHostOverSSH(t *testing.T) {
	watchModule(t)
	b := newSSHBox(t)
	f := newFarEnd(t)
	f.via = []string{filepath.Join(b.dir, "bin", "ssh"), "-T", "box"}
	f.suite(t, f.dial)
}

// It holds in a container, too, while the connection breaks again and again.
func TestHostInRunc(t *testing.T) {
	watchModule(t)
	f := newFarEnd(t, "--keep", "host")
	f.via = newRuncBox(t).exec()
	var k killer
	for round := 1; k.made.Load() < 5 && !t.Failed(); round++ {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			f.suite(t, func(context.Context) (io.ReadWriteCloser, error) { return k.start(f) })
		})
	}
	t.Logf("%d cuts", k.made.Load())
}

// suite runs the suite over one link: a real one costs more than a test.
func (f *farEnd) suite(t *testing.T, dial func(context.Context) (io.ReadWriteCloser, error)) {
	t.Helper()
	h, err := remote.Connect(limited(t), remote.Config{Dial: dial})
	for range 20 { // the first connection may be cut too, which is no fault of it
		if err == nil {
			break
		}
		h, err = remote.Connect(limited(t), remote.Config{Dial: dial})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	coretest.TestHost(t, func(*testing.T) driver.Host { return h })
}

// A killer kills what connections go over: after some reads and not after some time, or a machine
// that is busy would never get on.
type killer struct {
	made atomic.Int64
}

func (k *killer) start(f *farEnd) (io.ReadWriteCloser, error) {
	r, err := f.start()
	if err != nil {
		return nil, err
	}
	return &killed{relay: r, killer: k, left: 1 + rand.IntN(100)}, nil
}

// A killed is a connection that is killed.
type killed struct {
	*relay
	killer *killer
	left   int // reads before that
}

func (k *killed) Read(p []byte) (int, error) {
	n, err := k.relay.Read(p)
	if k.left--; k.left == 0 && k.cmd.Process.Kill() == nil {
		k.killer.made.Add(1)
	}
	return n, err
}
