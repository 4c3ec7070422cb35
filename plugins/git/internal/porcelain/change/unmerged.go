package change

import (
	"cmp"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A standing is how a file in conflict is called: by two letters, and in words.
type standing struct{ Short, Long string }

// standings are those of all conflicts, by which of base (1), ours (2) and theirs (4) there are.
var standings = [8]standing{
	1: {"DD", "both deleted:    "},
	2: {"AU", "added by us:     "},
	3: {"UD", "deleted by them: "},
	4: {"UA", "added by them:   "},
	5: {"DU", "deleted by us:   "},
	6: {"AA", "both added:      "},
	7: {"UU", "both modified:   "},
}

func StandingOf(conflict repo.Conflict) standing {
	which := 0
	for i, f := range conflict {
		if f != (repo.File{}) {
			which |= 1 << i
		}
	}
	return standings[which]
}

// Without returns the changes but for those of files in conflict, which are told of apart.
func Without(changes []Change, conflicts map[string]repo.Conflict) []Change {
	if len(conflicts) == 0 {
		return changes
	}
	var out []Change
	for _, ch := range changes {
		if _, open := conflicts[ch.New]; !open {
			out = append(out, ch)
		}
	}
	return out
}

// WithUnmerged adds what diff shows of files in conflict: that they are, and how the working tree
// differs from ours or from the commit that is asked for.
func WithUnmerged(c *cli.Call, d *Output, changes []Change, paths repo.Paths) []Change {
	x, out := d.Index, changes
	if !d.Disk || d.AgainstIndex {
		out = Without(changes, x.Conflicts)
	}
	for _, name := range x.Unmerged() {
		if !paths.Match(name) {
			continue
		}
		out = append(out, Change{Status: 'U', Old: name, New: name})
		ours := x.Conflicts[name][1]
		if !d.AgainstIndex || ours == (repo.File{}) {
			continue
		}
		now, ok := x.Disk(name)
		switch {
		case !ok:
			out = append(out, Change{'D', name, name, ours, repo.File{}, 0})
		case now != ours:
			out = append(out, Change{'M', name, name, ours, now, 0})
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.New, b.New), cmp.Compare(rank(a), rank(b)))
	})
	return out
}

// rank puts what is in conflict in front of how it differs.
func rank(ch Change) int {
	if ch.Status == 'U' {
		return 0
	}
	return 1
}
