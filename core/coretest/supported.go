package coretest

import (
	"errors"
	"testing"
)

// Supported ends the test if err is not nil, which is what the making of a
// host returned. The test is skipped only where err is errors.ErrUnsupported:
// this system can't have such a host. Any other error is a fault of the host
// and fails the test; as a reason to skip it would hide that nothing was
// tested.
func Supported(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	t.Fatal(err)
}
