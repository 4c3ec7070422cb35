package status

import (
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
)

// open prints what long status says of files in conflict.
func open(p cli.Printer, c *cli.Call, s *State) {
	if len(s.Unmerged) == 0 {
		return
	}
	p.Printf("Unmerged paths:\n")
	if !s.joining {
		p.Printf("  (use \"git restore --staged <file>...\" to unstage)\n")
	}
	deleted, half, kept := false, false, false // what conflicts there are: git's wt-status.c
	for _, name := range s.Unmerged {
		switch change.StandingOf(s.Index.Conflicts[name]).Short {
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
		p.Printf("  (use \"git add/rm <file>...\" as appropriate to mark resolution)\n")
	case deleted:
		p.Printf("  (use \"git rm <file>...\" to mark resolution)\n")
	default:
		p.Printf("  (use \"git add <file>...\" to mark resolution)\n")
	}
	for _, name := range s.Unmerged {
		p.Printf("\t%s\n", s.paint(cli.Red, change.StandingOf(s.Index.Conflicts[name]).Long+c.Show(name)))
	}
	p.Printf("\n")
}
