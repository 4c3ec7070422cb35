package repo

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Paths are the pathspecs of a command line, from the top of the working tree; none match all.
type Paths []string

// Paths reads pathspecs given in the current directory. It returns the first that lies outside the
// working tree.
func (r *Repo) Paths(args []string) (paths Paths, outside string) {
	for _, arg := range args {
		if rest, ok := strings.CutPrefix(arg, ":/"); ok {
			paths = append(paths, path.Clean(rest))
			continue
		}
		p := arg
		if filepath.IsAbs(arg) {
			rel, err := filepath.Rel(r.Top, arg)
			if err != nil {
				return nil, arg
			}
			p = rel
		} else {
			p = path.Join(r.Prefix, arg)
		}
		p = path.Clean(p)
		if p == ".." || strings.HasPrefix(p, "../") {
			return nil, arg
		}
		paths = append(paths, p)
	}
	return paths, ""
}

// Match reports whether a file's path is meant.
func (p Paths) Match(name string) bool {
	if len(p) == 0 {
		return true
	}
	for i := range p {
		if p.MatchOne(i, name) {
			return true
		}
	}
	return false
}

// MatchOne reports whether the pathspec number i means the path.
func (p Paths) MatchOne(i int, name string) bool {
	spec := p[i]
	if spec == "." || name == spec || strings.HasPrefix(name, spec+"/") || strings.TrimSuffix(name, "/") == spec {
		return true
	}
	return strings.ContainsAny(spec, "*?[") && Wild(spec, name)
}

// Names reports whether one of the pathspecs is just this path.
func (p Paths) Names(name string) bool { return slices.Contains(p, name) }

// Reaches reports whether files below the directory may be meant.
func (p Paths) Reaches(dir string) bool { return p.reaches(dir) }

// covers reports whether all files below the directory are meant.
func (p Paths) covers(dir string) bool {
	return len(p) == 0 || slices.ContainsFunc(p, func(spec string) bool {
		return spec == "." || dir == spec || strings.HasPrefix(dir, spec+"/")
	})
}

// reaches reports whether files below the directory may be meant.
func (p Paths) reaches(dir string) bool {
	return slices.ContainsFunc(p, func(spec string) bool {
		if end := strings.IndexAny(spec, "*?["); end >= 0 && strings.HasPrefix(dir+"/", spec[:end]) {
			return true
		}
		return strings.HasPrefix(spec, dir+"/")
	})
}

// Wild matches a pattern in which "*" stands for "/" too, in time len(pattern)*len(name).
func Wild(pattern, name string) bool {
	p, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, n
			p++
			continue
		}
		if width, ok := one(pattern[p:], name[n]); ok {
			p, n = p+width, n+1
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		p, n = star+1, mark
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// one matches one character and returns how long the pattern for it is.
func one(pattern string, c byte) (width int, ok bool) {
	if pattern == "" {
		return 0, false
	}
	if pattern[0] == '?' {
		return 1, true
	}
	end := strings.IndexByte(pattern, ']')
	if pattern[0] != '[' || end < 2 {
		return 1, pattern[0] == c
	}
	set := strings.TrimLeft(pattern[1:end], "!^")
	matched := false
	for i := 0; i < len(set); i++ {
		low, high := set[i], set[i]
		if i+2 < len(set) && set[i+1] == '-' {
			high = set[i+2]
			i += 2
		}
		matched = matched || low <= c && c <= high
	}
	return end + 1, matched != (len(set) < end-1)
}
