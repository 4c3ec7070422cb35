package wasi

import "sync/atomic"

// A Quota is an amount that processes draw from: bytes of output, say. A
// child's quota draws from its parent's too. A nil Quota has no end. Methods
// are safe for concurrent use.
type Quota struct {
	parent *Quota
	left   atomic.Int64
}

// NewQuota returns a quota of n, of which no more can be drawn than what
// parent has; parent may be nil.
func NewQuota(n int64, parent *Quota) *Quota {
	q := &Quota{parent: parent}
	q.left.Store(n)
	return q
}

// Take draws n, or what there is if that is less, and returns how much.
func (q *Quota) Take(n int64) int64 {
	if q == nil {
		return n
	}
	for {
		left := q.left.Load()
		got := min(n, left)
		if !q.left.CompareAndSwap(left, left-got) {
			continue
		}
		fromParent := q.parent.Take(got)
		q.left.Add(got - fromParent)
		return fromParent
	}
}

// Return gives back n of what was taken.
func (q *Quota) Return(n int64) {
	for ; q != nil; q = q.parent {
		q.left.Add(n)
	}
}

// Left returns how much can be drawn: what the smallest of q and those above
// it has.
func (q *Quota) Left() (n int64, limited bool) {
	for ; q != nil; q = q.parent {
		if left := q.left.Load(); !limited || left < n {
			n, limited = left, true
		}
	}
	return n, limited
}
