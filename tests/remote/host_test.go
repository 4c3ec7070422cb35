package remote

import (
	"strconv"
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
	// A connection lasts some milliseconds, so a quick machine has fewer of them in one round.
	for round := 1; c.made.Load() < 200 && !t.Failed(); round++ {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			coretest.TestHost(t, func(t *testing.T) driver.Host {
				return newFar(t, remote.ServerConfig{Host: native}).overSocket(t, c).connect(t)
			})
		})
	}
	t.Logf("%d cuts", c.made.Load())
}
