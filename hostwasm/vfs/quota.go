package vfs

import "sync/atomic"

// A Quota bounds what guests may add to the file systems that share it: the net
// growth of files and the net number of new names. What they remove is given
// back. A nil *Quota is without limits. Methods are safe for concurrent use.
type Quota struct {
	parent *Quota
	bytes  account
	files  account
	open   account // files and directories of the host that are open
}

// NewQuota returns a Quota of so many bytes and names; 0 is without limit.
func NewQuota(bytes, files int64) *Quota {
	return &Quota{bytes: account{max: bytes}, files: account{max: files}}
}

// Growing returns a Quota of nothing, that bytes and names are asked for as they
// are needed. Each gets the least that is wanted, and returns by how much there
// is more: that or more, or 0. They are called by whoever writes.
func Growing(bytes, names func(n int64) int64) *Quota {
	return &Quota{bytes: account{more: bytes}, files: account{more: names}}
}

// Part returns a Quota within q: what is charged to it is charged to q too.
func (q *Quota) Part(bytes, files int64) *Quota {
	part := NewQuota(bytes, files)
	part.parent = q
	return part
}

// Used returns what has been charged and not given back. It is negative after
// more was removed than was added.
func (q *Quota) Used() (bytes, files int64) {
	if q == nil {
		return 0, 0
	}
	return q.bytes.used.Load(), q.files.used.Load()
}

// takeBytes charges up to n bytes and returns how many there were.
func (q *Quota) takeBytes(n int64) int64 {
	if q == nil || n <= 0 {
		return n
	}
	got := q.bytes.take(n)
	granted := q.parent.takeBytes(got)
	q.bytes.used.Add(granted - got)
	return granted
}

// takeAllBytes charges n bytes or none.
func (q *Quota) takeAllBytes(n int64) bool {
	got := q.takeBytes(n)
	if got == n {
		return true
	}
	q.giveBytes(got)
	return false
}

func (q *Quota) giveBytes(n int64) {
	for ; q != nil; q = q.parent {
		q.bytes.used.Add(-n)
	}
}

// settled reports whether there are all bytes that have been charged: what can't be
// known before, such as what a directory grows by, is charged also where there are
// none left.
func (q *Quota) settled() bool {
	return q == nil || q.bytes.settled() && q.parent.settled()
}

// takeFile charges a name, if there is one left and no bytes are owed.
func (q *Quota) takeFile() bool {
	if q == nil {
		return true
	}
	if !q.bytes.settled() {
		return false
	}
	if q.files.take(1) == 0 {
		return false
	}
	if !q.parent.takeFile() {
		q.files.used.Add(-1)
		return false
	}
	return true
}

// takeName charges a name and so many bytes, or nothing.
func (q *Quota) takeName(bytes int64) bool {
	if !q.takeFile() {
		return false
	}
	if !q.takeAllBytes(bytes) {
		q.giveFile()
		return false
	}
	return true
}

func (q *Quota) giveFile() {
	for ; q != nil; q = q.parent {
		q.files.used.Add(-1)
	}
}

// takeOpen charges a descriptor of the host, if there is one left.
func (q *Quota) takeOpen() bool {
	if q == nil {
		return true
	}
	if q.open.take(1) == 0 {
		return false
	}
	if !q.parent.takeOpen() {
		q.open.used.Add(-1)
		return false
	}
	return true
}

func (q *Quota) giveOpen() {
	for ; q != nil; q = q.parent {
		q.open.used.Add(-1)
	}
}

// An account is one number of a Quota.
type account struct {
	max  int64 // 0: without limit, unless more says how much there is
	more func(n int64) int64
	lent atomic.Int64 // by more
	used atomic.Int64
}

// take charges up to n and returns how much there was.
func (a *account) take(n int64) int64 {
	for {
		used := a.used.Load()
		got := n
		switch {
		case a.more != nil:
			got = min(n, max(a.lent.Load()-used, 0))
			if got < n {
				if lent := a.more(n - got); lent > 0 {
					a.lent.Add(lent)
					continue
				}
			}
		case a.max > 0:
			got = min(n, max(a.max-used, 0))
		}
		if a.used.CompareAndSwap(used, used+got) {
			return got
		}
	}
}

// settled reports whether no more is used than there is.
func (a *account) settled() bool {
	if a.more == nil {
		return a.max <= 0 || a.used.Load() <= a.max
	}
	owed := a.used.Load() - a.lent.Load()
	if owed <= 0 {
		return true
	}
	lent := a.more(owed)
	a.lent.Add(lent)
	return lent >= owed
}
