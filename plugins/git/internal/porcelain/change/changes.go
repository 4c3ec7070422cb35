// Package change finds what is different between two sets of files, renamed ones too, and prints it
// in all of git's forms.
package change

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A Change is what became of one file.
type Change struct {
	Status   byte // A, D, M, R or T, as --name-status has it
	Old, New string
	From, To repo.File
	Score    int // how much of a renamed file stayed, in percent
}

// Compare returns what makes b of a, in the order of names. read returns a file's bytes.
func Compare(a, b repo.Snapshot, paths repo.Paths) []Change {
	names := maps.Clone(a)
	maps.Copy(names, b)
	var out []Change
	for _, name := range names.Names() {
		from, was := a[name]
		to, is := b[name]
		if from == to || !paths.Match(name) {
			continue
		}
		ch := Change{'M', name, name, from, to, 0}
		switch {
		case !was:
			ch.Status = 'A'
		case !is:
			ch.Status = 'D'
		case Kind(from.Mode) != Kind(to.Mode):
			ch.Status = 'T'
		}
		out = append(out, ch)
	}
	return out
}

func Kind(m filemode.FileMode) filemode.FileMode { return m & 0o170000 }

// maxRenames bounds what is compared to find renamed files that changed: git's diff.renameLimit.
const maxRenames = 1000

// Renames joins removed files with added ones that are like them. Files are alike if half of the
// larger stays.
func Renames(changes []Change, read func(name string, f repo.File, new bool) []byte) []Change {
	var removed, added []int
	for i, ch := range changes {
		switch ch.Status {
		case 'D':
			removed = append(removed, i)
		case 'A':
			added = append(added, i)
		}
	}
	if len(removed) == 0 || len(added) == 0 {
		return changes
	}
	gone := map[int]bool{}
	join := func(d, a, score int) {
		changes[a] = Change{'R', changes[d].Old, changes[a].New, changes[d].From, changes[a].To, score}
		gone[d] = true
	}
	for _, a := range added {
		best := -1
		for _, d := range removed {
			if gone[d] || changes[d].From.Hash != changes[a].To.Hash || Kind(changes[d].From.Mode) != Kind(changes[a].To.Mode) {
				continue
			}
			if best < 0 || base(changes[d].Old) == base(changes[a].New) && base(changes[best].Old) != base(changes[a].New) {
				best = d
			}
		}
		if best >= 0 {
			join(best, a, 100)
		}
	}
	type pair struct{ d, a, score int }
	var pairs []pair
	if len(removed)*len(added) <= maxRenames*maxRenames {
		for _, a := range added {
			if changes[a].Status == 'R' || changes[a].To.Mode == filemode.Symlink {
				continue
			}
			text := read(changes[a].New, changes[a].To, true)
			for _, d := range removed {
				if gone[d] || changes[d].From.Mode == filemode.Symlink {
					continue
				}
				if s := similarity(read(changes[d].Old, changes[d].From, false), text); s >= 50 {
					pairs = append(pairs, pair{d, a, s})
				}
			}
		}
	}
	slices.SortStableFunc(pairs, func(x, y pair) int { return y.score - x.score })
	for _, p := range pairs {
		if !gone[p.d] && changes[p.a].Status == 'A' {
			join(p.d, p.a, p.score)
		}
	}
	var out []Change
	for i, ch := range changes {
		if !gone[i] {
			out = append(out, ch)
		}
	}
	return out
}

func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// similarity returns how much of the larger text is in the other, in percent, by lines of at most
// 64 bytes.
func similarity(a, b []byte) int {
	if len(a) == 0 || len(b) == 0 || min(len(a), len(b))*2 < max(len(a), len(b)) {
		return 0
	}
	count := map[string]int{}
	for c := range chunks(a) {
		count[string(c)] += len(c)
	}
	copied := 0
	for c := range chunks(b) {
		if n := min(count[string(c)], len(c)); n > 0 {
			count[string(c)] -= n
			copied += n
		}
	}
	return copied * 100 / max(len(a), len(b))
}

func chunks(text []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(text) > 0 {
			n := min(len(text), 64)
			if i := bytes.IndexByte(text[:n], '\n'); i >= 0 {
				n = i + 1
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// counts returns how many lines a change adds and removes.
func counts(a, b []byte, space diff.Space) (added, removed int) {
	for _, e := range diff.CompareSpace(diff.Lines(a), diff.Lines(b), space) {
		added += e.B1 - e.B0
		removed += e.A1 - e.A0
	}
	return added, removed
}
