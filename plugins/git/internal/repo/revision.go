package repo

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
)

// Resolve returns the object that a name stands for: gitrevisions(7), without searching. Of what
// the reflog gives it knows only @{-N}.
func (r *Repo) Resolve(name string) (plumbing.Hash, error) {
	if text, ok := strings.CutPrefix(name, ":/"); ok {
		return r.message(r.allTips(), text)
	}
	if path, ok := strings.CutPrefix(name, ":"); ok {
		return r.inIndex(path)
	}
	if rev, path, ok := strings.Cut(name, ":"); ok && rev != "" {
		return r.inTree(rev, path)
	}
	end := strings.IndexAny(name, "~^")
	if end < 0 {
		return r.base(name)
	}
	h, err := r.base(name[:end])
	for rest := name[end:]; err == nil && rest != ""; {
		h, rest, err = r.step(h, rest)
	}
	return h, err
}

// ResolveCommit returns the commit that a name stands for.
func (r *Repo) ResolveCommit(name string) (*Commit, error) {
	h, err := r.Resolve(name)
	if err != nil {
		return nil, err
	}
	if h, err = r.peel(h); err != nil {
		return nil, err
	}
	return r.Commit(h)
}

// peel follows tag objects to what they mean.
func (r *Repo) peel(h plumbing.Hash) (plumbing.Hash, error) {
	for range 10 {
		t, b, err := r.Object(h)
		if err != nil || t != plumbing.TagObject {
			return h, nil
		}
		if h, err = tagged(b); err != nil {
			return h, err
		}
	}
	return h, ErrUnknown
}

func (r *Repo) base(name string) (plumbing.Hash, error) {
	if ref, what, ok := strings.Cut(name, "@{"); ok && strings.HasSuffix(what, "}") && !strings.HasPrefix(what, "-") {
		return r.noted(ref, strings.TrimSuffix(what, "}"))
	}
	if prior, ok := r.Prior(name); ok {
		if h := r.Ref("refs/heads/" + prior); h != Zero {
			return h, nil
		}
		name = prior
	}
	if name == "@" || name == "HEAD" {
		if h := r.Head(); h != Zero {
			return h, nil
		}
		return Zero, ErrUnknown
	}
	for _, prefix := range []string{"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"} {
		if prefix == "" && !strings.HasPrefix(name, "refs/") && strings.ToUpper(name) != name {
			continue
		}
		if h := r.Ref(prefix + name); h != Zero {
			return h, nil
		}
	}
	return r.abbreviated(name)
}

// inIndex returns the file at PATH in the index, or at N:PATH one side of a file in conflict.
func (r *Repo) inIndex(name string) (plumbing.Hash, error) {
	x, err := r.Index()
	if err != nil {
		return Zero, err
	}
	stage := 0
	if len(name) > 2 && name[1] == ':' && '0' <= name[0] && name[0] <= '3' {
		stage, name = int(name[0]-'0'), name[2:]
	}
	if rest, ok := strings.CutPrefix(name, "./"); ok {
		name = r.Prefix + rest
	}
	f := x.Files[name]
	if stage > 0 {
		f = x.Conflicts[name][stage-1]
	}
	if f == (File{}) {
		return Zero, ErrUnknown
	}
	return f.Hash, nil
}

// allTips returns the commits that references stand for.
func (r *Repo) allTips() (tips []plumbing.Hash) {
	names, err := r.Refs("refs/")
	if err != nil {
		return nil
	}
	for _, name := range names {
		if c, err := r.ResolveCommit("refs/" + name); err == nil {
			tips = append(tips, c.Hash)
		}
	}
	if h := r.Head(); h != Zero {
		tips = append(tips, h)
	}
	return tips
}

// message returns the youngest commit whose message matches a pattern.
func (r *Repo) message(from []plumbing.Hash, pattern string) (plumbing.Hash, error) {
	re, err := regexp.Compile(pattern)
	if err != nil || pattern == "" {
		return Zero, ErrUnknown
	}
	found := Zero
	err = r.Walk(from, nil, func(c *Commit) bool {
		if re.MatchString(c.Message) {
			found = c.Hash
		}
		return found == Zero
	})
	if found == Zero {
		return Zero, ErrUnknown
	}
	return found, err
}

// noted returns what REF@{WHAT} stands for: where a reference was WHAT moves ago, or what a branch
// follows. An empty name is HEAD's branch.
func (r *Repo) noted(name, what string) (plumbing.Hash, error) {
	if what == "u" || what == "upstream" || what == "push" {
		return r.upstream(name)
	}
	n, err := strconv.Atoi(what)
	if err != nil || n < 0 {
		return Zero, ErrUnknown
	}
	full := r.FullName(name)
	list, err := r.Reflog(full)
	switch {
	case err != nil || len(list) == 0:
		return Zero, ErrUnknown
	case n > len(list):
		return Zero, &ShortLogError{strings.TrimPrefix(full, "refs/heads/"), len(list)}
	case n == len(list):
		if h := list[n-1].OldHash; h != Zero {
			return h, nil
		}
		return Zero, ErrUnknown
	}
	return list[n].NewHash, nil
}

// A ShortLogError says that a reflog does not go back as far as was asked.
type ShortLogError struct {
	Name    string
	Entries int
}

func (e *ShortLogError) Error() string {
	return fmt.Sprintf("log for '%s' only has %d entries", e.Name, e.Entries)
}

func (r *Repo) upstream(branch string) (plumbing.Hash, error) {
	if branch == "" || branch == "HEAD" {
		branch = r.Branch()
	}
	remote, _ := r.Config.Get("branch." + branch + ".remote")
	merge, _ := r.Config.Get("branch." + branch + ".merge")
	short, ok := strings.CutPrefix(merge, "refs/heads/")
	h := r.Ref("refs/remotes/" + remote + "/" + short)
	if remote == "." {
		h = r.Ref(merge)
	}
	if !ok || h == Zero {
		return Zero, ErrUnknown
	}
	return h, nil
}

// FullName returns the reference that a name stands for; "" is HEAD's branch, or HEAD if it is on
// none.
func (r *Repo) FullName(name string) string {
	switch {
	case name == "" && r.Branch() != "":
		return "refs/heads/" + r.Branch()
	case name == "" || name == "@":
		return "HEAD"
	}
	for _, prefix := range []string{"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"} {
		if prefix == "" && !strings.HasPrefix(name, "refs/") && strings.ToUpper(name) != name {
			continue
		}
		if r.Ref(prefix+name) != Zero {
			return prefix + name
		}
	}
	return ""
}

// abbreviated returns the only object whose name begins so.
func (r *Repo) abbreviated(name string) (plumbing.Hash, error) {
	name = strings.ToLower(name)
	if len(name) < 4 || len(name) > 40 {
		return Zero, ErrUnknown
	}
	prefix, err := hex.DecodeString(name[:len(name)&^1])
	if err != nil {
		return Zero, ErrUnknown
	}
	all, err := r.store.HashesWithPrefix(prefix)
	if err != nil {
		return Zero, err
	}
	found := Zero
	for _, h := range all {
		if !strings.HasPrefix(h.String(), name) || h == found {
			continue
		}
		if found != Zero {
			return Zero, ErrUnknown
		}
		found = h
	}
	if found == Zero {
		return Zero, ErrUnknown
	}
	return found, nil
}

// step follows one of ~N, ^N and ^{TYPE} from h.
func (r *Repo) step(h plumbing.Hash, suffix string) (next plumbing.Hash, rest string, err error) {
	kind := suffix[0]
	rest = suffix[1:]
	if kind == '^' && strings.HasPrefix(rest, "{") {
		what, rest, ok := strings.Cut(rest[1:], "}")
		if !ok {
			return Zero, "", ErrUnknown
		}
		if h, err = r.peel(h); err != nil || what == "" || what == "commit" {
			return h, rest, err
		}
		if text, ok := strings.CutPrefix(what, "/"); ok {
			h, err = r.message([]plumbing.Hash{h}, text)
			return h, rest, err
		}
		c, err := r.Commit(h)
		if err != nil || what != "tree" {
			return Zero, "", ErrUnknown
		}
		return c.TreeHash, rest, nil
	}
	digits := 0
	for digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '9' {
		digits++
	}
	n := 1
	if digits > 0 {
		if n, err = strconv.Atoi(rest[:digits]); err != nil {
			return Zero, "", ErrUnknown
		}
	}
	rest = rest[digits:]
	if h, err = r.peel(h); err != nil {
		return Zero, "", err
	}
	times, parent := 1, n-1
	if kind == '~' {
		times, parent = n, 0
	}
	if kind == '^' && n == 0 {
		return h, rest, nil
	}
	for range times {
		c, err := r.Commit(h)
		if err != nil || parent >= len(c.ParentHashes) {
			return Zero, "", ErrUnknown
		}
		h = c.ParentHashes[parent]
	}
	return h, rest, nil
}

// inTree returns the file or directory at path in rev.
func (r *Repo) inTree(rev, path string) (plumbing.Hash, error) {
	c, err := r.ResolveCommit(rev)
	if err != nil {
		return Zero, err
	}
	if path == "" {
		return c.TreeHash, nil
	}
	f, ok := r.FileAt(c.TreeHash, strings.TrimSuffix(path, "/"))
	if !ok {
		return Zero, ErrUnknown
	}
	return f.Hash, nil
}
