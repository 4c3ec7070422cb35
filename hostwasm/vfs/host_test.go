//go:build linux || darwin

package vfs_test

import (
	"os"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// host is a directory of this system.
func host(t testing.TB, dir string, o vfs.HostOptions) vfs.FS {
	t.Helper()
	fs, err := vfs.OpenHost(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return fs
}

// hosts are directories of this system that guests may write to, empty.
func hosts(t testing.TB) map[string]vfs.FS {
	quota := vfs.NewQuota(1<<40, 1<<30)
	asked := t.TempDir()
	return map[string]vfs.FS{
		"host":     host(t, t.TempDir(), vfs.HostOptions{Quota: quota}),
		"free":     host(t, t.TempDir(), vfs.HostOptions{}),
		"stepwise": vfs.Stepwise(host(t, t.TempDir(), vfs.HostOptions{})),
		"asked":    host(t, asked, vfs.HostOptions{Quota: quota, Names: names{host(t, asked, vfs.HostOptions{})}}),
	}
}

// names does what takes a name in another FS of the same directory.
type names struct{ vfs.FS }

func (n names) Open(name string, how vfs.How) (*os.File, error) {
	f, err := n.FS.Open(name, how)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return vfs.Descriptor(f)
}
