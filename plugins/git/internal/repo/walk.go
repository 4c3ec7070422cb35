package repo

import (
	"container/heap"
	"slices"
	"time"

	"github.com/go-git/go-git/v6/plumbing"
)

// Walk gives the commits that can be reached from some and not from others, the youngest first,
// until visit returns false.
func (r *Repo) Walk(from, not []plumbing.Hash, visit func(*Commit) bool) error {
	return r.walk(from, not, func(c *Commit, _ map[plumbing.Hash]bool) ([]plumbing.Hash, bool, error) {
		return c.ParentHashes, visit(c), nil
	})
}

// A visitor is given a commit, and those that the walk leaves out. It returns where to go on, and
// whether to.
type visitor func(c *Commit, hidden map[plumbing.Hash]bool) (parents []plumbing.Hash, more bool, err error)

func (r *Repo) walk(from, not []plumbing.Hash, visit visitor) error {
	hidden := map[plumbing.Hash]bool{}
	if len(not) > 0 {
		if err := r.Walk(not, nil, func(c *Commit) bool { hidden[c.Hash] = true; return true }); err != nil {
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
		parents, more, err := visit(heap.Pop(q).(queued).commit, hidden)
		if err != nil || !more {
			return err
		}
		for _, p := range parents {
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
	commit *Commit
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

// WalkSince is Walk that does not go on behind commits that are older than since.
func (r *Repo) WalkSince(from, not []plumbing.Hash, since time.Time, visit func(*Commit) bool) error {
	return r.walk(from, not, func(c *Commit, _ map[plumbing.Hash]bool) ([]plumbing.Hash, bool, error) {
		if c.Committer.When.Before(since) {
			return nil, true, nil
		}
		return c.ParentHashes, visit(c), nil
	})
}

// WalkFirstParents is Walk that follows only the first parents of merges.
func (r *Repo) WalkFirstParents(from, not []plumbing.Hash, visit func(*Commit) bool) error {
	return r.walk(from, not, func(c *Commit, _ map[plumbing.Hash]bool) ([]plumbing.Hash, bool, error) {
		return c.ParentHashes[:min(1, len(c.ParentHashes))], visit(c), nil
	})
}

// WalkTopologically is Walk in an order in which no commit comes before one that follows it, and
// lines of history are not mixed.
func (r *Repo) WalkTopologically(from, not []plumbing.Hash, visit func(*Commit) bool) error {
	commits := map[plumbing.Hash]*Commit{}
	var order []plumbing.Hash
	err := r.Walk(from, not, func(c *Commit) bool {
		commits[c.Hash] = c
		order = append(order, c.Hash)
		return true
	})
	if err != nil {
		return err
	}
	for _, h := range Topological(order, func(h plumbing.Hash) []plumbing.Hash { return commits[h].ParentHashes }) {
		if !visit(commits[h]) {
			return nil
		}
	}
	return nil
}

// Topological sorts commits, which are given the youngest first, so that none comes before one that
// follows it, and lines of history are not mixed: git log --topo-order.
func Topological(order []plumbing.Hash, parents func(plumbing.Hash) []plumbing.Hash) (sorted []plumbing.Hash) {
	children := map[plumbing.Hash]int{}
	known := map[plumbing.Hash]bool{}
	for _, h := range order {
		known[h] = true
		for _, p := range parents(h) {
			children[p]++
		}
	}
	var stack []plumbing.Hash // what may come next, the last first
	for _, h := range slices.Backward(order) {
		if children[h] == 0 {
			stack = append(stack, h)
		}
	}
	for len(stack) > 0 {
		h := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		sorted = append(sorted, h)
		for _, p := range parents(h) {
			if children[p]--; children[p] == 0 && known[p] {
				stack = append(stack, p)
			}
		}
	}
	return sorted
}
