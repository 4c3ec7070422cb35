package status

import (
	"fmt"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// joins reports whether the next commit ends a merge, a cherry-pick or a revert.
func joins(c *cli.Call) bool {
	return c.Repo.HasState("MERGE_HEAD") || c.Repo.HasState("CHERRY_PICK_HEAD")
}

// inProgress tells what was begun and not ended, as wt-status.c puts it.
func inProgress(p cli.Printer, c *cli.Call, s *State) {
	open := len(s.Unmerged) > 0
	switch {
	case c.Repo.HasState("MERGE_HEAD"):
		rebasing(p, c, open)
		if !open {
			p.Printf("All conflicts fixed but you are still merging.\n  (use \"git commit\" to conclude merge)\n\n")
			return
		}
		p.Printf("You have unmerged paths.\n  (fix conflicts and run \"git commit\")\n  (use \"git merge --abort\" to abort the merge)\n\n")
	case c.Repo.HasState("rebase-apply/applying"):
		p.Printf("You are in the middle of an am session.\n")
		if text, _ := c.Repo.State("rebase-apply/patch"); text == "" {
			p.Printf("The current patch is empty.\n")
		} else {
			p.Printf("  (fix conflicts and then run \"git am --continue\")\n")
		}
		p.Printf("  (use \"git am --skip\" to skip this patch)\n  (use \"git am --abort\" to restore the original branch)\n\n")
	case c.Repo.HasState("rebase-merge"):
		rebasing(p, c, open)
	case c.Repo.HasState("CHERRY_PICK_HEAD"):
		picking(p, c, "cherry-pick", "cherry-picking", "CHERRY_PICK_HEAD", open)
	case c.Repo.HasState("REVERT_HEAD"):
		picking(p, c, "revert", "reverting", "REVERT_HEAD", open)
	case c.Repo.HasState("sequencer"):
		command := "cherry-pick"
		if todo, _ := c.Repo.State("sequencer/todo"); strings.HasPrefix(todo, "revert") {
			command = "revert"
		}
		picking(p, c, command, "", "", open)
	}
}

// picking tells of a cherry-pick or a revert; head is the note that names the commit. Of several
// commits, only that they are being picked.
func picking(p cli.Printer, c *cli.Call, command, doing, head string, open bool) {
	if head == "" || c.Repo.HasState("sequencer") {
		p.Printf("%s%s currently in progress.\n", strings.ToUpper(command[:1]), command[1:])
	} else {
		p.Printf("You are currently %s commit %s.\n", doing, cli.Abbreviate(c.Repo.StateHash(head)))
	}
	switch {
	case open:
		p.Printf("  (fix conflicts and run \"git %s --continue\")\n", command)
	case head == "":
		p.Printf("  (run \"git %s --continue\" to continue)\n", command)
	default:
		p.Printf("  (all conflicts fixed: run \"git %s --continue\")\n", command)
	}
	p.Printf("  (use \"git %[1]s --skip\" to skip this patch)\n  (use \"git %[1]s --abort\" to cancel the %[1]s operation)\n\n", command)
}

// rebasing tells how far a rebase is.
func rebasing(p cli.Printer, c *cli.Call, open bool) {
	if !c.Repo.HasState("rebase-merge") {
		return
	}
	commands(p, c, "rebase-merge/done", true)
	commands(p, c, "rebase-merge/git-rebase-todo", false)
	branch, _ := c.Repo.StateLine("rebase-merge/head-name")
	onto := cli.Abbreviate(c.Repo.StateHash("rebase-merge/onto"))
	p.Printf("You are currently rebasing")
	if short, ok := strings.CutPrefix(branch, "refs/heads/"); ok {
		p.Printf(" branch '%s' on '%s'", short, onto)
	}
	p.Printf(".\n")
	if open {
		p.Printf("  (fix conflicts and then run \"git rebase --continue\")\n  (use \"git rebase --skip\" to skip this patch)\n" +
			"  (use \"git rebase --abort\" to check out the original branch)\n\n")
		return
	}
	p.Printf("  (all conflicts fixed: run \"git rebase --continue\")\n\n")
}

// commands lists what a rebase has done last or does next, at most two of each.
func commands(p cli.Printer, c *cli.Call, file string, last bool) {
	text, _ := c.Repo.State(file)
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '#' {
			list = append(list, shortCommand(line))
		}
	}
	n := len(list)
	switch {
	case n == 0 && last:
		p.Printf("No commands done.\n")
		return
	case n == 0:
		p.Printf("No commands remaining.\n")
		return
	}
	s := ""
	if n > 1 {
		s = "s"
	}
	if last {
		p.Printf("Last command%s done (%d command%s done):\n", s, n, s)
		list = list[max(0, n-2):]
	} else {
		p.Printf("Next command%s to do (%d remaining command%s):\n", s, n, s)
		list = list[:min(n, 2)]
	}
	for _, line := range list {
		p.Printf("   %s\n", line)
	}
	if last && n > 2 {
		p.Printf("  (see more in file .git/rebase-merge/done)\n")
	}
	if !last {
		p.Printf("  (use \"git rebase --edit-todo\" to view and edit)\n")
	}
}

// shortCommand shortens the commit's name in a line such as "pick HASH SUBJECT".
func shortCommand(line string) string {
	parts := strings.SplitN(line, " ", 3)
	if len(parts) > 1 && len(parts[1]) == 40 {
		parts[1] = parts[1][:7]
	}
	return strings.Join(parts, " ")
}

// where is the first line of long status.
func where(c *cli.Call, s *State) string {
	if c.Repo.HasState("rebase-merge") {
		return s.paint(cli.Red, "interactive rebase in progress; onto ") + cli.Abbreviate(c.Repo.StateHash("rebase-merge/onto"))
	}
	if b := c.Repo.Branch(); b != "" {
		return "On branch " + b
	}
	name, at := Detached(c)
	if _, was := c.Repo.LastSwitch(); was == repo.Zero {
		return s.paint(cli.Red, "Not currently on any branch.")
	}
	if at == c.Repo.Head() {
		return fmt.Sprintf("%s%s", s.paint(cli.Red, "HEAD detached at "), name)
	}
	return fmt.Sprintf("%s%s", s.paint(cli.Red, "HEAD detached from "), name)
}

// Detached returns what HEAD was put on when it left its last branch, and the commit that was.
func Detached(c *cli.Call) (name string, at plumbing.Hash) {
	target, at := c.Repo.LastSwitch()
	if at == repo.Zero {
		at = c.Repo.Head()
	}
	for _, prefix := range []string{"refs/tags/", "refs/heads/", "refs/remotes/"} {
		if c.Repo.Ref(prefix+target) == repo.Zero {
			continue
		}
		if commit, err := c.Repo.ResolveCommit(prefix + target); err == nil && commit.Hash == at {
			return target, at
		}
	}
	return cli.Abbreviate(at), at
}

const RebaseDir = "rebase-merge"
