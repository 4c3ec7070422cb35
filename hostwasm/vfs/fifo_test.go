//go:build linux || darwin

package vfs_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A guest that opens a FIFO lets nobody go on who waits for its other end: a
// program of the host would go on by itself, and lose what it writes.
func TestFIFOWaitsOn(t *testing.T) {
	for name, beneath := range beneaths {
		for _, test := range []struct {
			name  string
			flags int     // of the host's program
			how   vfs.How // of the guest
		}{
			{"writer", unix.O_WRONLY, vfs.How{Read: true}},
			{"reader", unix.O_RDONLY, vfs.How{Write: true}},
			{"writer and both", unix.O_WRONLY, vfs.How{Read: true, Write: true, Create: true}},
			{"reader and truncate", unix.O_RDONLY, vfs.How{Write: true, Truncate: true, Append: true}},
		} {
			t.Run(name+" "+test.name, func(t *testing.T) {
				dir := t.TempDir()
				fifo := filepath.Join(dir, "sub", "fifo")
				must(t, os.Mkdir(filepath.Dir(fifo), 0o777))
				must(t, unix.Mkfifo(fifo, 0o666))
				fs := beneath(host(t, dir, vfs.HostOptions{}))

				opened := make(chan error, 1)
				waits := make(chan struct{})
				go func() { // ends below
					close(waits)
					fd, err := unix.Open(fifo, test.flags|unix.O_CLOEXEC, 0)
					unix.Close(fd)
					opened <- err
				}()
				<-waits
				for range 100 { // the other may only now be about to wait
					_, err := fs.Open("sub/fifo", test.how)
					is(t, "open", err, errno.PERM)
					select {
					case err := <-opened:
						t.Fatalf("the host's program went on: %v", err)
					case <-time.After(time.Millisecond):
					}
				}
				end, err := unix.Open(fifo, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
				must(t, err)
				defer unix.Close(end)
				if err := <-opened; err != nil {
					t.Error(err)
				}
			})
		}
	}
}
