package hostnative_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

func TestHost(t *testing.T) {
	coretest.TestHost(t, func(t *testing.T) driver.Host { return newHost(t, hostnative.Config{}) })
}

func newHost(t testing.TB, c hostnative.Config) *hostnative.Host {
	t.Helper()
	h, err := hostnative.New(c)
	coretest.Supported(t, err)
	t.Cleanup(func() { h.Close() })
	return h
}
