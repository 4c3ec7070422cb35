package vfs

// wholeMounted reports whether all of the file system that a directory is in is
// mounted where it is: macOS has no bind mounts.
func wholeMounted(int) bool { return true }

// mountedBelow reports whether something is mounted below a directory that
// could be known by another name: see wholeMounted.
func mountedBelow(int) bool { return false }

// lastingBirth returns nothing: on macOS a file that is said to be older than its birth is given
// another one.
func lastingBirth(int, int64) birth { return birth{} }

func birthOf(int, string) birth { return birth{} }
