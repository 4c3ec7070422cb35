package repo

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"
)

// maxTransfer bounds how many objects are handed from one repository to another at once.
const maxTransfer = 1 << 22

// Closure visits the objects that wants are made of, each after those that it names, so that
// whoever keeps an object has all of it. What has reports is there is left out, with what is below
// it.
func (r *Repo) Closure(wants []plumbing.Hash, has func(plumbing.Hash) bool, visit func(h plumbing.Hash, t plumbing.ObjectType, b []byte) error) error {
	shallow, err := r.Shallow()
	if err != nil {
		return err
	}
	type step struct {
		h        plumbing.Hash
		expanded bool
	}
	seen := map[plumbing.Hash]bool{}
	for _, want := range wants {
		stack := []step{{h: want}}
		for len(stack) > 0 {
			s := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if !s.expanded && (seen[s.h] || has(s.h)) {
				continue
			}
			t, b, err := r.Object(s.h)
			if err != nil {
				return fmt.Errorf("object %s: %w", s.h, err)
			}
			if s.expanded {
				if err := visit(s.h, t, b); err != nil {
					return err
				}
				continue
			}
			if seen[s.h] = true; len(seen) > maxTransfer {
				return fmt.Errorf("more than %d objects", maxTransfer)
			}
			if shallow[s.h] {
				return fmt.Errorf("history ends at %s, whose parents are not here", s.h)
			}
			below, err := namedBy(t, b, s.h.Size())
			if err != nil {
				return fmt.Errorf("object %s: %w", s.h, err)
			}
			if len(below) == 0 {
				if err := visit(s.h, t, b); err != nil {
					return err
				}
				continue
			}
			stack = append(stack, step{s.h, true})
			for _, h := range below {
				stack = append(stack, step{h: h})
			}
		}
	}
	return nil
}

var errMalformed = errors.New("it is malformed")

// namedBy returns the objects that an object names, by hashes of size bytes.
func namedBy(t plumbing.ObjectType, b []byte, size int) (out []plumbing.Hash, err error) {
	switch t {
	case plumbing.TreeObject:
		for len(b) > 0 {
			e, rest, err := nextEntry(b, size)
			if err != nil {
				return nil, err
			}
			if b = rest; e.mode != filemode.Submodule { // that is another repository's commit
				out = append(out, e.hash)
			}
		}
	case plumbing.CommitObject, plumbing.TagObject:
		for line := range bytes.Lines(b) {
			word, value, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
			if len(line) == 1 {
				break
			}
			switch string(word) {
			case "tree", "parent", "object":
				h, ok := plumbing.FromHex(string(value))
				if !ok {
					return nil, errMalformed
				}
				out = append(out, h)
			}
		}
	}
	return out, nil
}

// CopyFrom copies the objects that wants are made of, and that are not here, from another
// repository. It fails where an object is not what its name says.
func (r *Repo) CopyFrom(from *Repo, wants []plumbing.Hash) error {
	return from.Closure(wants, r.Has, func(h plumbing.Hash, t plumbing.ObjectType, b []byte) error {
		got, err := r.Write(t, b)
		if err == nil && got != h {
			err = fmt.Errorf("object %s is damaged", h)
		}
		return err
	})
}

// SetShallow makes history end at these commits, too.
func (r *Repo) SetShallow(commits []plumbing.Hash) error {
	old, err := r.store.Shallow()
	if err != nil {
		return err
	}
	r.shallow = nil
	return r.store.SetShallow(append(old, commits...))
}
