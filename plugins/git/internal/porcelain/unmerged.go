package porcelain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A standing is how a file in conflict is called: by two letters, and in words.
type standing struct{ short, long string }

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

func standingOf(conflict repo.Conflict) standing {
	which := 0
	for i, f := range conflict {
		if f != (repo.File{}) {
			which |= 1 << i
		}
	}
	return standings[which]
}

// without returns the changes but for those of files in conflict, which are told of apart.
func without(changes []change, conflicts map[string]repo.Conflict) []change {
	if len(conflicts) == 0 {
		return changes
	}
	var out []change
	for _, ch := range changes {
		if _, open := conflicts[ch.new]; !open {
			out = append(out, ch)
		}
	}
	return out
}

// withUnmerged adds what diff shows of files in conflict: that they are, and how the working tree
// differs from ours or from the commit that is asked for.
func (c *call) withUnmerged(d *diffOutput, changes []change, paths repo.Paths) []change {
	x, out := d.index, changes
	if !d.disk || d.againstIndex {
		out = without(changes, x.Conflicts)
	}
	for _, name := range x.Unmerged() {
		if !paths.Match(name) {
			continue
		}
		out = append(out, change{status: 'U', old: name, new: name})
		ours := x.Conflicts[name][1]
		if !d.againstIndex || ours == (repo.File{}) {
			continue
		}
		now, ok := x.Disk(name)
		switch {
		case !ok:
			out = append(out, change{'D', name, name, ours, repo.File{}, 0})
		case now != ours:
			out = append(out, change{'M', name, name, ours, now, 0})
		}
	}
	slices.SortStableFunc(out, func(a, b change) int {
		return cmp.Or(strings.Compare(a.new, b.new), cmp.Compare(rank(a), rank(b)))
	})
	return out
}

// rank puts what is in conflict in front of how it differs.
func rank(ch change) int {
	if ch.status == 'U' {
		return 0
	}
	return 1
}

// open prints what long status says of files in conflict.
func (p printer) open(c *call, s *state) {
	if len(s.unmerged) == 0 {
		return
	}
	p.printf("Unmerged paths:\n")
	if !s.joining {
		p.printf("  (use \"git restore --staged <file>...\" to unstage)\n")
	}
	deleted, half, kept := false, false, false // what conflicts there are: git's wt-status.c
	for _, name := range s.unmerged {
		switch standingOf(s.index.Conflicts[name]).short {
		case "DD":
			deleted = true
		case "UD", "DU":
			half = true
		default:
			kept = true
		}
	}
	switch {
	case half || deleted && kept:
		p.printf("  (use \"git add/rm <file>...\" as appropriate to mark resolution)\n")
	case deleted:
		p.printf("  (use \"git rm <file>...\" to mark resolution)\n")
	default:
		p.printf("  (use \"git add <file>...\" to mark resolution)\n")
	}
	for _, name := range s.unmerged {
		p.printf("\t%s\n", s.paint(red, standingOf(s.index.Conflicts[name]).long+c.show(name)))
	}
	p.printf("\n")
}
