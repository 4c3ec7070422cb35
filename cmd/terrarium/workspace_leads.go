package main

import (
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A protectedLeads is where symbolic links of a workspace lead that are in the place of files which
// programs run by themselves, as a .vscode does that leads to config/vscode. What is below counts,
// too: that marks more than what runs, and misses nothing.
type protectedLeads map[string]bool

// add looks for them in what lies there. protected are files of the workspace here, dir. It ends
// with ctx.
func (l protectedLeads) add(ctx context.Context, dir string, protected *hostnative.ProtectedFiles, there workspace.Listing) error {
	f := &follower{dir: dir, links: make(map[string]string), left: maxFollowed}
	for p, e := range there {
		if e.Kind == workspace.Link {
			f.links[p] = e.Target
		}
	}
	paths := slices.Sorted(maps.Keys(f.links)) // those of a directory stand together
	var todo []string
	for _, p := range paths {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if protected.Has(filepath.Join(dir, p)) || l.runs(p) {
			todo = append(todo, p)
		}
	}
	taken := make(map[string]bool)
	for len(todo) > 0 && !l["."] {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if taken[p] {
			continue
		}
		taken[p] = true
		to := f.follow(p)
		for _, link := range f.via {
			if link != p { // which is known to be one
				l[link] = true // who changes it changes what runs
			}
		}
		if to == "" || l[to] {
			continue
		}
		l[to] = true
		// The links below lead on.
		below := to + "/"
		first, _ := slices.BinarySearch(paths, below)
		for _, p := range paths[first:] {
			if f.left--; f.left < 0 || !strings.HasPrefix(p, below) {
				break
			}
			todo = append(todo, p)
		}
		if f.left < 0 {
			l["."] = true
		}
	}
	return nil
}

// runs reports whether a path is where one of them leads, or below.
func (l protectedLeads) runs(p string) bool {
	if len(l) == 0 || l["."] {
		return len(l) > 0
	}
	for ; p != "."; p = path.Dir(p) {
		if l[p] {
			return true
		}
	}
	return false
}

// A follower follows symbolic links by what a listing says of them.
type follower struct {
	dir   string            // the workspace here
	links map[string]string // what they say, by their paths
	left  int               // bytes of paths that may be looked up and checked
	looks int               // what back has looked for here
	via   []string          // the links that the last path led through
}

const (
	maxFollows  = 40 // links on the way of one, as for the kernel
	maxFollowed = 16 << 20
	maxLooks    = 2000 // in the directories here: a second
)

// follow returns where a path leads, or "" if that is nowhere in the workspace. Where there is too
// much to follow, or it turns back, it returns ".", so that all counts.
func (f *follower) follow(p string) string {
	f.via = f.via[:0]
	for range maxFollows {
		link := f.first(p)
		switch {
		case f.left < 0:
			return "."
		case link == "":
			return p
		}
		f.via = append(f.via, link)
		from, to := path.Dir(link), f.links[link]
		if turnsBack(to) {
			return "."
		}
		if rel, err := filepath.Rel(f.dir, to); err == nil && path.IsAbs(to) {
			from, to = ".", filepath.ToSlash(rel)
		}
		p = path.Join(from, to, p[len(link):])
		f.left -= len(p)
		if p != "." && workspace.CheckPath(p) != nil {
			if p = f.back(p); p == "" {
				return ""
			}
			if f.looks > maxLooks {
				return "."
			}
		}
	}
	return ""
}

// turnsBack reports whether a path goes up from something that it names: that may be a link, and
// then it goes up from where that leads. Who cleans such a path has another one.
func turnsBack(p string) bool {
	named := false
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "", ".":
		case "..":
			if named {
				return true
			}
		default:
			named = true
		}
	}
	return false
}

// back returns where in the workspace a path leads that leaves it, or "" if that is nowhere: by
// the name of its own directory, or by a link above it, it may come back. Where there is too much
// to look for it returns ".".
func (f *follower) back(p string) string {
	for rest := ""; ; {
		if f.looks++; f.looks > maxLooks {
			return "."
		}
		if dir, err := filepath.EvalSymlinks(filepath.Join(f.dir, p)); err == nil {
			rel, err := filepath.Rel(f.dir, filepath.Join(dir, rest))
			rel = filepath.ToSlash(rel)
			if err != nil || rel != "." && workspace.CheckPath(rel) != nil {
				return ""
			}
			return rel
		}
		up, last := path.Split(p)
		if last == "" || last == ".." {
			return ""
		}
		p, rest = path.Clean(up), path.Join(last, rest)
	}
}

// first returns the first symbolic link on the way of a path, which may be the path, or "".
func (f *follower) first(p string) string {
	for end := 0; end < len(p); end++ {
		i := strings.IndexByte(p[end:], '/')
		if i < 0 {
			i = len(p) - end
		}
		end += i
		f.left -= end
		if _, ok := f.links[p[:end]]; ok {
			return p[:end]
		}
	}
	return ""
}
