package remote

import (
	"sync/atomic"
	"testing"

	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

func TestHost(t *testing.T) {
	coretest.TestHost(t, func(t *testing.T) driver.Host {
		return newFar(t, remote.ServerConfig{}).overPipe().connect(t)
	})
}

// What the suite asks of a host holds while its connection breaks all the time.
func TestHostCut(t *testing.T) {
	var made atomic.Int64
	coretest.TestHost(t, func(t *testing.T) driver.Host {
		f := newFar(t, remote.ServerConfig{})
		c := cuts{server: f.server, most: 256 << 10, made: &made}
		return f.overSocket(t, c.wrap).connect(t)
	})
	if n := made.Load(); n < 200 {
		t.Errorf("got %d cuts, want 200 at least", n)
	} else {
		t.Logf("%d cuts", n)
	}
}
