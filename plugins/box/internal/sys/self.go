//go:build !wasip1

package sys

import "os"

// Self returns the user and the group that we are.
func Self() (uid, gid uint32) { return uint32(max(os.Getuid(), 0)), uint32(max(os.Getgid(), 0)) }
