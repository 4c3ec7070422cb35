//go:build unix

package private

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkOwner says whose a directory is, if it is not ours.
func checkOwner(dir string, info fs.FileInfo) error {
	if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != os.Geteuid() {
		return fmt.Errorf("%s: it belongs to user %d, and we are user %d", dir, owner, os.Geteuid())
	}
	return nil
}
