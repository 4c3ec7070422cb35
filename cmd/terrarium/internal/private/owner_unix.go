//go:build unix

package private

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// checkOwner says whose a directory is, if it is not ours.
func checkOwner(dir string, info fs.FileInfo) error {
	if owner := info.Sys().(*syscall.Stat_t).Uid; int(owner) != os.Geteuid() {
		return fmt.Errorf("%s: it belongs to user %d, and we are user %d", dir, owner, os.Geteuid())
	}
	return nil
}

// isGiven reports whether a file is root's, and a group of ours may read it, and nobody else may do
// anything with it. What is root's own is not given to root.
func isGiven(info fs.FileInfo) bool {
	stat := info.Sys().(*syscall.Stat_t)
	if stat.Uid != 0 || os.Geteuid() == 0 || info.Mode().Perm()&0o037 != 0 {
		return false
	}
	if int(stat.Gid) == os.Getegid() {
		return true
	}
	groups, err := os.Getgroups()
	return err == nil && slices.Contains(groups, int(stat.Gid))
}
