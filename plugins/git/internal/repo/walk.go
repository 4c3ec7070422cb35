package repo

import (
	"container/heap"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/object"
)

// Walk gives the commits that can be reached from some and not from others, the youngest first, until visit returns
// false.
func (r *Repo) Walk(from, not []plumbing.Hash, visit func(*object.Commit) bool) error {
	hidden := map[plumbing.Hash]bool{}
	if len(not) > 0 {
		if err := r.Walk(not, nil, func(c *object.Commit) bool { hidden[c.Hash] = true; return true }); err != nil {
			return err
		}
	}
	q := &queue{}
	seen := map[plumbing.Hash]bool{}
	push := func(h plumbing.Hash) error {
		if seen[h] || hidden[h] {
			return nil
		}
		seen[h] = true
		c, err := r.Commit(h)
		if err != nil {
			return err
		}
		heap.Push(q, queued{c, len(seen)})
		return nil
	}
	for _, h := range from {
		if err := push(h); err != nil {
			return err
		}
	}
	for q.Len() > 0 {
		c := heap.Pop(q).(queued).commit
		if !visit(c) {
			return nil
		}
		for _, p := range c.ParentHashes {
			if err := push(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// A queue has commits by date, those of one second in the order they came.
type queue []queued

type queued struct {
	commit *object.Commit
	order  int
}

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	a, b := q[i].commit.Committer.When.Unix(), q[j].commit.Committer.When.Unix()
	if a != b {
		return a > b
	}
	return q[i].order < q[j].order
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(queued)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}
