package vfs_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// filesystems are those that guests may write to, empty.
func filesystems(t testing.TB) map[string]vfs.FS {
	quota := vfs.NewQuota(1<<40, 1<<30)
	return map[string]vfs.FS{
		"memory":   memory(),
		"host":     host(t, t.TempDir(), vfs.HostOptions{Quota: quota}),
		"free":     host(t, t.TempDir(), vfs.HostOptions{}),
		"stepwise": vfs.Stepwise(host(t, t.TempDir(), vfs.HostOptions{})),
	}
}
