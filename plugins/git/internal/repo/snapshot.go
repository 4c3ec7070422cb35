package repo

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"
)

// A File is what a snapshot knows of one file.
type File struct {
	Mode filemode.FileMode
	Hash plumbing.Hash
}

// A Snapshot has the files of a commit, of the index or of the working tree, by path.
type Snapshot map[string]File

// Names returns the paths in git's order.
func (s Snapshot) Names() []string { return slices.Sorted(maps.Keys(s)) }

// HasDir reports whether there is a file below dir.
func (s Snapshot) HasDir(dir string) bool {
	for name := range s {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// Tree returns the files of a commit or a tree; none for Zero.
func (r *Repo) Tree(h plumbing.Hash) (Snapshot, error) {
	s := Snapshot{}
	if h == Zero {
		return s, nil
	}
	h, err := r.peel(h)
	if err != nil {
		return nil, err
	}
	if c, err := r.Commit(h); err == nil {
		h = c.TreeHash
	}
	return s, r.addTree(s, h, "", 0)
}

// maxDepth bounds the directories in directories of a tree.
const maxDepth = 500

func (r *Repo) addTree(s Snapshot, h plumbing.Hash, prefix string, depth int) error {
	b, err := r.read(plumbing.TreeObject, h)
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return fmt.Errorf("tree %s: too deep", h)
	}
	for len(b) > 0 {
		var e entry
		if e, b, err = nextEntry(b, h.Size()); err != nil {
			return fmt.Errorf("tree %s: %v", h, err)
		}
		name := string(e.name)
		if !validPart(name) {
			return fmt.Errorf("invalid path '%s'", prefix+name)
		}
		if e.mode != filemode.Dir {
			s[prefix+name] = File{e.mode, e.hash}
			continue
		}
		if err := r.addTree(s, e.hash, prefix+name+"/", depth+1); err != nil {
			return err
		}
	}
	return nil
}

// normal returns the mode without the group's right to write, which old commits have.
func normal(m filemode.FileMode) filemode.FileMode {
	if m == filemode.Deprecated {
		return filemode.Regular
	}
	return m
}

// validPart reports whether a path may have such a part: none may lead out of the tree or into
// .git.
func validPart(s string) bool {
	return s != "" && s != "." && s != ".." && !isGit(s) && !strings.ContainsAny(s, "/\x00")
}

// isGit reports whether a file system of a host, which we don't know, may take a name for .git:
// HFS+ passes over what is not seen, and Windows has short names.
func isGit(s string) bool {
	if s == "" || s[0] != '.' && s[0]|0x20 != 'g' && s[0] < utf8.RuneSelf {
		return false
	}
	seen := strings.Map(func(c rune) rune {
		if 0x200c <= c && c <= 0x200f || 0x202a <= c && c <= 0x202e || 0x206a <= c && c <= 0x206f || c == 0xfeff {
			return -1
		}
		return c
	}, s)
	return strings.EqualFold(seen, ".git") || strings.EqualFold(s, "git~1")
}

// ValidPath reports whether a file may be at the path, which is one from the top of the tree.
func ValidPath(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if !validPart(part) {
			return false
		}
	}
	return true
}

// WriteTree stores the snapshot's directories and returns the top one.
func (r *Repo) WriteTree(s Snapshot) (plumbing.Hash, error) {
	dirs := map[string][]Entry{".": nil}
	above := func(name string) {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, ok := dirs[dir]; !ok {
				dirs[dir] = nil
			}
		}
	}
	add := func(name string, f File) {
		dir := path.Dir(name)
		dirs[dir] = append(dirs[dir], Entry{Name: path.Base(name), Mode: f.Mode, Hash: f.Hash})
	}
	for name, f := range s {
		add(name, f)
		above(name)
	}
	// The deepest first: a directory's hash is in the one above it.
	names := slices.SortedFunc(maps.Keys(dirs), func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
	for _, dir := range names {
		if dir == "." {
			continue
		}
		h, err := r.writeDir(dirs[dir])
		if err != nil {
			return h, err
		}
		add(dir, File{filemode.Dir, h})
	}
	return r.writeDir(dirs["."])
}

func (r *Repo) writeDir(entries []Entry) (plumbing.Hash, error) {
	key := func(e Entry) string {
		if e.Mode == filemode.Dir {
			return e.Name + "/"
		}
		return e.Name
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(key(a), key(b)) })
	var b []byte
	for _, e := range entries {
		b = fmt.Appendf(b, "%o %s\x00", uint32(e.Mode), e.Name)
		b = append(b, e.Hash.Bytes()...)
	}
	return r.Write(plumbing.TreeObject, b)
}
