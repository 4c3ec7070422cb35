package workspace

import "slices"

// A Change is what becomes of a path.
type Change struct {
	Path     string
	Was, Now Entry
}

// A Plan is what has to be done for both sides to have the same.
type Plan struct {
	Changes   []Change // in the order of their paths
	Conflicts []string // paths that both sides have changed, each in another way
}

// HandOver returns what to change on the far side. base is what was handed over last. What the far
// side alone has changed is left as it is.
func HandOver(base, near, far Listing) Plan {
	return plan(base, near, far)
}

// Pull returns what to change on the near side.
func Pull(base, near, far Listing) Plan {
	return plan(base, far, near)
}

// plan returns what to change in to, for it to have what from has changed.
func plan(base, from, to Listing) (p Plan) {
	for _, path := range allPaths(base, from) {
		was, now := to[path], from[path]
		switch {
		case now == base[path] || now == was:
		case was != base[path]:
			p.Conflicts = append(p.Conflicts, path)
		default:
			p.Changes = append(p.Changes, Change{path, was, now})
		}
	}
	return p
}

// Drop returns what to change on the far side for it to have nothing of its own any more.
func Drop(base, near, far Listing) (changes []Change) {
	for _, path := range allPaths(base, far) {
		if was, now := far[path], near[path]; was != base[path] && was != now {
			changes = append(changes, Change{path, was, now})
		}
	}
	return changes
}

// allPaths returns the paths that are in one of the listings, or in both.
func allPaths(a, b Listing) []string {
	paths := a.Paths()
	for p := range b {
		if _, ok := a[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}
