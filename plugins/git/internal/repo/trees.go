package repo

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"
)

// trees compares directories of commits where they may have the paths. Two of the same hash are
// equal, whatever is in them.
type trees struct {
	repo  *Repo
	paths Paths

	from, to Snapshot // the files that differ; nil if it is only asked whether there are any
}

// read returns the directory as it is stored; nothing for Zero.
func (t *trees) read(h plumbing.Hash) ([]byte, error) {
	if h == Zero {
		return nil, nil
	}
	return t.repo.read(plumbing.TreeObject, h)
}

// Differences returns the files of two commits that are not the same in both; Zero has none.
func (r *Repo) Differences(a, b plumbing.Hash, paths Paths) (from, to Snapshot, err error) {
	t := &trees{repo: r, paths: paths, from: Snapshot{}, to: Snapshot{}}
	var roots [2]plumbing.Hash
	for i, h := range []plumbing.Hash{a, b} {
		if h == Zero {
			continue
		}
		c, err := r.Commit(h)
		if err != nil {
			return nil, nil, err
		}
		roots[i] = c.TreeHash
	}
	_, err = t.differ(roots[0], roots[1], "", 0)
	return t.from, t.to, err
}

// differ reports whether the paths differ between two directories, which are at prefix in their
// commits. Where files are noted that differ, it goes through all and reports false.
func (t *trees) differ(a, b plumbing.Hash, prefix string, depth int) (bool, error) {
	if a == b {
		return false, nil
	}
	if depth > maxDepth {
		return false, fmt.Errorf("tree %s: too deep", a)
	}
	left, err := t.read(a)
	if err != nil {
		return false, err
	}
	right, err := t.read(b)
	if err != nil {
		return false, err
	}
	var x, y entry
	for len(left)+len(right) > 0 {
		restLeft, restRight := left, right
		if x, restLeft, err = nextEntry(left, a.Size()); err == nil {
			y, restRight, err = nextEntry(right, b.Size())
		}
		if err != nil {
			return false, fmt.Errorf("tree %s or %s: %v", a, b, err)
		}
		// What one side lacks is compared with nothing.
		order := x.compare(y)
		if order <= 0 {
			left = restLeft
		} else {
			x = entry{mode: y.mode, name: y.name}
		}
		if order >= 0 {
			right = restRight
		} else {
			y = entry{mode: x.mode, name: x.name}
		}
		if x.hash == y.hash && x.mode == y.mode {
			continue
		}
		name := prefix + string(x.name)
		whole := t.paths.covers(name)
		switch {
		case x.mode != filemode.Dir && !t.paths.Match(name):
			continue
		case x.mode != filemode.Dir && t.from != nil:
			t.add(name, x, y)
		case x.mode != filemode.Dir || whole && t.from == nil:
			return true, nil
		case whole || t.paths.reaches(name):
			found, err := t.differ(x.hash, y.hash, name+"/", depth+1)
			if found || err != nil {
				return found, err
			}
		}
	}
	return false, nil
}

// add notes a file that differs; it has no hash on the side that lacks it.
func (t *trees) add(name string, x, y entry) {
	if x.hash != Zero {
		t.from[name] = File{x.mode, x.hash}
	}
	if y.hash != Zero {
		t.to[name] = File{y.mode, y.hash}
	}
}

// An entry is one name in a directory.
type entry struct {
	mode filemode.FileMode
	name []byte
	hash plumbing.Hash
}

// compare is git's order: that of names, those of directories with a "/" at their ends. Nothing
// comes last.
func (e entry) compare(f entry) int {
	if len(e.name) == 0 || len(f.name) == 0 {
		return cmp.Compare(len(f.name), len(e.name))
	}
	n := min(len(e.name), len(f.name))
	return cmp.Or(bytes.Compare(e.name[:n], f.name[:n]), cmp.Compare(e.at(n), f.at(n)))
}

// at returns the character of the name, or what stands for its end.
func (e entry) at(i int) byte {
	switch {
	case i < len(e.name):
		return e.name[i]
	case e.mode == filemode.Dir:
		return '/'
	}
	return 0
}

// nextEntry reads one entry, MODE NAME\0HASH, and returns what follows it. Of nothing it reads an
// entry without a name. A hash has size bytes, as the name of the directory itself.
func nextEntry(b []byte, size int) (e entry, rest []byte, err error) {
	if len(b) == 0 {
		return e, nil, nil
	}
	mode, rest, _ := bytes.Cut(b, []byte(" "))
	name, rest, ok := bytes.Cut(rest, []byte("\x00"))
	if !ok || len(name) == 0 || len(rest) < size {
		return e, nil, errors.New("malformed entry")
	}
	m := filemode.Empty
	for _, c := range mode {
		if c < '0' || c > '7' || m >= 1<<24 {
			return e, nil, errors.New("malformed mode")
		}
		m = m<<3 | filemode.FileMode(c-'0')
	}
	h, _ := plumbing.FromBytes(rest[:size])
	return entry{normal(m), name, h}, rest[size:], nil
}

const hashSize = 20 // bytes of SHA-1
