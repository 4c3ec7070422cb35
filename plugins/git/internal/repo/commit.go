package repo

import (
	"fmt"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"
	"github.com/go-git/go-git/v6/plumbing/object"
)

// WriteCommit stores a commit.
func (r *Repo) WriteCommit(tree plumbing.Hash, parents []plumbing.Hash, author, committer object.Signature, message string) (plumbing.Hash, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", signature(author), signature(committer), message)
	return r.Write(plumbing.CommitObject, []byte(b.String()))
}

func signature(s object.Signature) string {
	return fmt.Sprintf("%s <%s> %d %s", crud(s.Name), crud(s.Email), s.When.Unix(), s.When.Format("-0700"))
}

// crud removes what would break the line.
func crud(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '<' || c == '>' || c == '\n' {
			return -1
		}
		return c
	}, s)
}

// WriteTag stores an annotated tag of a commit.
func (r *Repo) WriteTag(name string, target plumbing.Hash, tagger object.Signature, message string) (plumbing.Hash, error) {
	return r.Write(plumbing.TagObject,
		fmt.Appendf(nil, "object %s\ntype commit\ntag %s\ntagger %s\n\n%s", target, name, signature(tagger), message))
}

// IsAncestor reports whether old is h or comes before it.
func (r *Repo) IsAncestor(old, h plumbing.Hash) (bool, error) {
	found := false
	err := r.Walk([]plumbing.Hash{h}, nil, func(c *object.Commit) bool {
		found = c.Hash == old
		return !found
	})
	return found, err
}

// Tag returns the annotated tag.
func (r *Repo) Tag(h plumbing.Hash) (*object.Tag, error) { return object.GetTag(r.store, h) }

// List returns the names in a directory, those of directories with a "/".
func (r *Repo) List(h plumbing.Hash) ([]string, error) {
	tree, err := object.GetTree(r.store, h)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range tree.Entries {
		name := e.Name
		if e.Mode == filemode.Dir {
			name += "/"
		}
		names = append(names, name)
	}
	return names, nil
}

// An Entry is one name in a directory.
type Entry struct {
	Name string
	Mode filemode.FileMode
	Hash plumbing.Hash
}

// Entries returns what a directory has; h may be a commit or a tag too.
func (r *Repo) Entries(h plumbing.Hash) ([]Entry, error) {
	h, err := r.PeelTo(h, "tree")
	if err != nil {
		return nil, err
	}
	tree, err := object.GetTree(r.store, h)
	if err != nil {
		return nil, err
	}
	var list []Entry
	for _, e := range tree.Entries {
		list = append(list, Entry{e.Name, normal(e.Mode), e.Hash})
	}
	return list, nil
}

// PeelTo follows tags, and a commit to its tree, to an object of a kind: commit, tree, blob or tag.
func (r *Repo) PeelTo(h plumbing.Hash, kind string) (plumbing.Hash, error) {
	for range 10 {
		o, err := r.store.EncodedObject(plumbing.AnyObject, h)
		if err != nil {
			return h, err
		}
		switch {
		case o.Type().String() == kind:
			return h, nil
		case o.Type() == plumbing.TagObject:
			tag, err := r.Tag(h)
			if err != nil {
				return h, err
			}
			h = tag.Target
		case o.Type() == plumbing.CommitObject && kind == "tree":
			c, err := r.Commit(h)
			if err != nil {
				return h, err
			}
			h = c.TreeHash
		default:
			return h, ErrUnknown
		}
	}
	return h, ErrUnknown
}

// Size returns an object's size in bytes.
func (r *Repo) Size(h plumbing.Hash) (int64, error) { return r.store.EncodedObjectSize(h) }
