package vfs_test

import (
	"maps"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// filesystems are those that guests may write to, empty.
func filesystems(t testing.TB) map[string]vfs.FS {
	all := map[string]vfs.FS{"memory": memory()}
	maps.Copy(all, hosts(t))
	return all
}
