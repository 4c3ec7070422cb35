//go:build !linux && !darwin

package vfs_test

import (
	"os"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/internal/pagetests"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

func TestMain(m *testing.M) {
	pagetests.Skip("hostwasm/vfs")
	os.Exit(m.Run())
}

// host fails: a test that needs it is left out, because it is on pagetests' list.
func host(t testing.TB, _ string, _ vfs.HostOptions) vfs.FS {
	t.Helper()
	t.Fatal("there is no OpenHost here")
	return nil
}

func hosts(testing.TB) map[string]vfs.FS { return nil }
