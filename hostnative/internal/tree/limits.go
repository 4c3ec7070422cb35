package tree

import "time"

// Limits are what each tree may use. The zero value of each is no limit.
type Limits struct {
	// A tree is killed that computes for longer than CPU, has more than Memory bytes in memory
	// and swap, or writes more than Disk bytes to disks.
	CPU    time.Duration
	Memory int64
	Disk   int64
	// Processes is how many processes and threads it may have: fork(2) fails with EAGAIN.
	Processes int
	// RoomMemory is Memory for what is in a Room, which nobody here watches: only the kernel
	// keeps to it, where it can.
	RoomMemory int64
	// FileSize is how many bytes a file may have that one of its processes writes (SIGXFSZ,
	// EFBIG), and OpenFiles how many descriptors each may have (EMFILE): setrlimit(2).
	FileSize  int64
	OpenFiles int
}

// Watched reports whether somebody has to look at what a tree uses.
func (l Limits) Watched() bool { return l.CPU > 0 || l.Memory > 0 || l.Disk > 0 }

// ofEach reports whether there are limits of each process.
func (l Limits) ofEach() bool { return l.FileSize > 0 || l.OpenFiles > 0 }
