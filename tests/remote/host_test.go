package remote

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

func TestHost(t *testing.T) {
	native := native(t) // one for all: with the race detector each end of a keeper takes a second
	coretest.TestHost(t, func(t *testing.T) driver.Host {
		return newFar(t, remote.ServerConfig{Host: native}).overPipe().connect(t)
	})
}

// What the suite asks of a host holds while its connection breaks all the time.
func TestHostCut(t *testing.T) {
	native := native(t)
	c := &cuts{most: 256 << 10}
	coretest.TestHost(t, func(t *testing.T) driver.Host {
		return newFar(t, remote.ServerConfig{Host: native}).overSocket(t, c).connect(t)
	})
	if n := c.made.Load(); n < 200 {
		t.Errorf("got %d cuts, want 200 at least", n)
	} else {
		t.Logf("%d cuts", n)
	}
}
