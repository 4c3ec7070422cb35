package repo

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"
	format "github.com/go-git/go-git/v6/plumbing/format/config"
)

// A Commit is one of a repository's. It is without parents where history ends.
type Commit struct {
	Hash, TreeHash    plumbing.Hash
	ParentHashes      []plumbing.Hash
	Author, Committer Signature
	Message           string
}

// WriteCommit stores a commit.
func (r *Repo) WriteCommit(tree plumbing.Hash, parents []plumbing.Hash, author, committer Signature, message string) (plumbing.Hash, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", signature(author), signature(committer), message)
	return r.Write(plumbing.CommitObject, []byte(b.String()))
}

// decodeCommit reads a commit: its tree, its parents, who made it and the message. What else it
// says is passed over.
func decodeCommit(h plumbing.Hash, b []byte) (*Commit, error) {
	c := &Commit{Hash: h}
	field := func(key string) (value []byte, ok bool) {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		if len(line) <= len(key) || string(line[:len(key)]) != key || line[len(key)] != ' ' {
			return nil, false
		}
		b = rest
		return line[len(key)+1:], true
	}
	value, ok := field("tree")
	if ok {
		c.TreeHash, ok = hashOf(value)
	}
	if !ok {
		return nil, fmt.Errorf("commit %s names no tree", h)
	}
	for {
		value, ok := field("parent")
		if !ok {
			break
		}
		p, ok := hashOf(value)
		if !ok {
			return nil, fmt.Errorf("commit %s: malformed parent", h)
		}
		c.ParentHashes = append(c.ParentHashes, p)
	}
	if value, ok := field("author"); ok {
		c.Author = decodeSignature(value)
	}
	if value, ok := field("committer"); ok {
		c.Committer = decodeSignature(value)
	}
	for len(b) > 0 && b[0] != '\n' {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	if len(b) > 0 {
		c.Message = string(b[1:])
	}
	return c, nil
}

// hashOf reads the name of an object.
func hashOf(hex []byte) (plumbing.Hash, bool) {
	if len(hex) != format.SHA1HexSize && len(hex) != format.SHA256HexSize {
		return Zero, false
	}
	return plumbing.FromHex(string(hex))
}

// IsAncestor reports whether old is h or comes before it.
func (r *Repo) IsAncestor(old, h plumbing.Hash) (bool, error) {
	found := false
	err := r.Walk([]plumbing.Hash{h}, nil, func(c *Commit) bool {
		found = c.Hash == old
		return !found
	})
	return found, err
}

// List returns the names in a directory, those of directories with a "/".
func (r *Repo) List(h plumbing.Hash) (names []string, err error) {
	b, err := r.read(plumbing.TreeObject, h)
	for len(b) > 0 && err == nil {
		var e entry
		if e, b, err = nextEntry(b, h.Size()); err != nil {
			break
		}
		name := string(e.name)
		if e.mode == filemode.Dir {
			name += "/"
		}
		names = append(names, name)
	}
	return names, err
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
	var list []Entry
	b, err := r.read(plumbing.TreeObject, h)
	for len(b) > 0 && err == nil {
		var e entry
		if e, b, err = nextEntry(b, h.Size()); err == nil {
			list = append(list, Entry{string(e.name), e.mode, e.hash})
		}
	}
	return list, err
}

// MaxTags is how many tags of tags are followed.
const MaxTags = 10

// PeelTo follows tags, and a commit to its tree, to an object of a kind: commit, tree, blob or tag.
func (r *Repo) PeelTo(h plumbing.Hash, kind string) (plumbing.Hash, error) {
	for range MaxTags {
		t, b, err := r.Object(h)
		if err != nil {
			return h, err
		}
		switch {
		case t.String() == kind:
			return h, nil
		case t == plumbing.TagObject:
			if h, err = tagged(b); err != nil {
				return h, err
			}
		case t == plumbing.CommitObject && kind == "tree":
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
func (r *Repo) Size(h plumbing.Hash) (int64, error) {
	if _, err := r.statLoose(h); err == errNoFile {
		return 0, err
	}
	return r.store.EncodedObjectSize(h)
}
