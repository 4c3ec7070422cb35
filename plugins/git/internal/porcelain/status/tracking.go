package status

import (
	"fmt"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// Upstream returns the branch that another follows, by its short name, and how far they are apart;
// "" for none.
func Upstream(c *cli.Call, branch string) (name string, ahead, behind int) {
	remote, _ := c.Repo.Config.Get("branch." + branch + ".remote")
	merge, _ := c.Repo.Config.Get("branch." + branch + ".merge")
	short, ok := strings.CutPrefix(merge, "refs/heads/")
	if remote == "" || !ok {
		return "", 0, 0
	}
	name = remote + "/" + short
	full := "refs/remotes/" + name
	if remote == "." { // a branch of this repository
		name, full = short, merge
	}
	theirs, ours := c.Repo.Ref(full), c.Repo.Ref("refs/heads/"+branch)
	if theirs == repo.Zero || ours == repo.Zero {
		return "", 0, 0
	}
	return name, distance(c, ours, theirs), distance(c, theirs, ours)
}

// distance returns how many commits of a are not in b.
func distance(c *cli.Call, a, b plumbing.Hash) (n int) {
	if a == b {
		return 0
	}
	c.Repo.Walk([]plumbing.Hash{a}, []plumbing.Hash{b}, func(*repo.Commit) bool { n++; return true })
	return n
}

func AheadBehind(ahead, behind int) string {
	switch {
	case ahead > 0 && behind > 0:
		return fmt.Sprintf(" [ahead %d, behind %d]", ahead, behind)
	case ahead > 0:
		return fmt.Sprintf(" [ahead %d]", ahead)
	case behind > 0:
		return fmt.Sprintf(" [behind %d]", behind)
	}
	return ""
}

// Tracking tells how a branch stands to what it follows.
func Tracking(p cli.Printer, c *cli.Call, branch string) {
	up, ahead, behind := Upstream(c, branch)
	switch {
	case up == "":
	case ahead == 0 && behind == 0:
		p.Printf("Your branch is up to date with '%s'.\n\n", up)
	case behind == 0:
		p.Printf("Your branch is ahead of '%s' by %s.\n  (use \"git push\" to publish your local commits)\n\n", up, cli.Plural(ahead, "commit"))
	case ahead == 0:
		p.Printf("Your branch is behind '%s' by %s, and can be fast-forwarded.\n  (use \"git pull\" to update your local branch)\n\n", up, cli.Plural(behind, "commit"))
	default:
		p.Printf("Your branch and '%s' have diverged,\nand have %d and %d different commits each, respectively.\n"+
			"  (use \"git pull\" to merge the remote branch into yours)\n\n", up, ahead, behind)
	}
}
