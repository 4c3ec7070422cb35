package broker

import "golang.org/x/sys/unix"

// owned are the sockets that commands of a session have bound.
type owned struct {
	tcp   ring[uint64] // inodes of sockets
	paths ring[file]
}

// A file is a socket's, which has a path.
type file struct {
	major, minor uint32
	inode        uint64
	born         unix.StatxTimestamp // or an inode could come again
}

// maxOwned is how many of each kind are known. Of more, the oldest are forgotten.
const maxOwned = 1 << 12

// A ring has the last values that were added.
type ring[T comparable] struct {
	has  map[T]bool
	list []T
	next int
}

func (r *ring[T]) add(v T) {
	if r.has[v] {
		return
	}
	if r.has == nil {
		r.has = make(map[T]bool)
	}
	r.has[v] = true
	if len(r.list) < maxOwned {
		r.list = append(r.list, v)
		return
	}
	delete(r.has, r.list[r.next])
	r.list[r.next] = v
	r.next = (r.next + 1) % maxOwned
}
