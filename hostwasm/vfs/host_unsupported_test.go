//go:build !linux && !darwin

package vfs_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

func host(t testing.TB, _ string, _ vfs.HostOptions) vfs.FS {
	t.Helper()
	t.Skip("needs OpenHost, which is for directories of Linux and macOS")
	return nil
}

func hosts(testing.TB) map[string]vfs.FS { return nil }
