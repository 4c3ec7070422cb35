package repo

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
)

// Zero is no object.
var Zero = plumbing.ZeroHash

// Branch returns the branch that HEAD is on, by its short name, or "" if it is detached. There may
// be no commit yet.
func (r *Repo) Branch() string {
	head, err := r.store.Reference(plumbing.HEAD)
	if err != nil || head.Type() != plumbing.SymbolicReference {
		return ""
	}
	return strings.TrimPrefix(string(head.Target()), "refs/heads/")
}

// Head returns HEAD's commit, Zero if there is none yet.
func (r *Repo) Head() plumbing.Hash {
	if b := r.Branch(); b != "" {
		return r.Ref("refs/heads/" + b)
	}
	return r.Ref("HEAD")
}

// Ref returns what the reference's full name stands for, Zero if there is none.
func (r *Repo) Ref(name string) plumbing.Hash {
	if name == "FETCH_HEAD" { // a list, of which the first counts
		line, _ := r.StateLine(name)
		id, _, _ := strings.Cut(line, "\t")
		h, _ := plumbing.FromHex(id)
		return h
	}
	for range 5 { // symbolic ones may be a ring
		ref, err := r.store.Reference(plumbing.ReferenceName(name))
		if err != nil {
			return Zero
		}
		if ref.Type() == plumbing.HashReference {
			return ref.Hash()
		}
		name = string(ref.Target())
	}
	return Zero
}

// SetRef makes the reference stand for h.
func (r *Repo) SetRef(name string, h plumbing.Hash) error {
	return r.store.SetReference(plumbing.NewHashReference(plumbing.ReferenceName(name), h))
}

// RemoveRef removes the reference, and what is noted of it.
func (r *Repo) RemoveRef(name string) error {
	if err := r.SetReflog(name, nil); err != nil {
		return err
	}
	return r.store.RemoveReference(plumbing.ReferenceName(name))
}

// SetHead moves HEAD's branch, or HEAD itself if it is on none, to h. The reflog says why.
func (r *Repo) SetHead(h plumbing.Hash, why string) error {
	old, name := r.Head(), "HEAD"
	if b := r.Branch(); b != "" {
		name = "refs/heads/" + b
	}
	err := r.SetRef(name, h)
	if err != nil || name == "HEAD" && h == old { // git notes what does not move only on a branch
		return err
	}
	if name != "HEAD" && h != old { // and there only in HEAD's reflog
		err = r.Log(name, old, h, why)
	}
	return errors.Join(err, r.LogHead(old, why))
}

// Attach puts HEAD on a branch.
func (r *Repo) Attach(branch string) error {
	return r.store.SetReference(plumbing.NewSymbolicReference(plumbing.HEAD, plumbing.NewBranchReferenceName(branch)))
}

// Detach puts HEAD on a commit.
func (r *Repo) Detach(h plumbing.Hash) error { return r.SetRef("HEAD", h) }

// Switch puts HEAD on a branch, or on the commit h if branch is "". The reflog calls that name.
func (r *Repo) Switch(branch string, h plumbing.Hash, name string) error {
	old, from := r.Head(), r.Branch()
	if from == "" {
		from = old.String()
	}
	to := plumbing.NewHashReference(plumbing.HEAD, h)
	if branch != "" {
		to = plumbing.NewSymbolicReference(plumbing.HEAD, plumbing.NewBranchReferenceName(branch))
	}
	if err := r.store.SetReference(to); err != nil {
		return err
	}
	return r.LogHead(old, "checkout: moving from "+from+" to "+name)
}

// Refs returns the references whose names begin so, sorted, without what they begin with.
func (r *Repo) Refs(prefix string) ([]string, error) {
	iter, err := r.store.IterReferences()
	if err != nil {
		return nil, err
	}
	var names []string
	err = iter.ForEach(func(ref *plumbing.Reference) error {
		if name, ok := strings.CutPrefix(string(ref.Name()), prefix); ok {
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return slices.Compact(names), err
}

// ErrUnknown says that a name stands for no object.
var ErrUnknown = errors.New("unknown revision")

// ValidName reports whether a branch or a tag may be called so: git-check-ref-format(1).
func ValidName(name string) bool {
	if name == "" || name == "@" || name == "HEAD" || strings.HasPrefix(name, "-") || strings.HasSuffix(name, ".") ||
		strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.Contains(name, "//") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return strings.IndexFunc(name, func(c rune) bool { return c <= ' ' || c == 0x7f || strings.ContainsRune("~^:?*[\\", c) }) < 0
}

// Target returns the reference that a symbolic one stands for, "" if it is none.
func (r *Repo) Target(name string) string {
	ref, err := r.store.Reference(plumbing.ReferenceName(name))
	if err != nil || ref.Type() != plumbing.SymbolicReference {
		return ""
	}
	return string(ref.Target())
}

// SetTarget makes a symbolic reference.
func (r *Repo) SetTarget(name, target string) error {
	return r.store.SetReference(plumbing.NewSymbolicReference(plumbing.ReferenceName(name), plumbing.ReferenceName(target)))
}
