package porcelain

import (
	"fmt"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// joins reports whether the next commit ends a merge, a cherry-pick or a revert.
func (c *call) joins() bool {
	return c.repo.HasState("MERGE_HEAD") || c.repo.HasState("CHERRY_PICK_HEAD")
}

// inProgress tells what was begun and not ended, as wt-status.c puts it.
func (p printer) inProgress(c *call, s *state) {
	open := len(s.unmerged) > 0
	switch {
	case c.repo.HasState("MERGE_HEAD"):
		p.rebasing(c, open)
		if !open {
			p.printf("All conflicts fixed but you are still merging.\n  (use \"git commit\" to conclude merge)\n\n")
			return
		}
		p.printf("You have unmerged paths.\n  (fix conflicts and run \"git commit\")\n  (use \"git merge --abort\" to abort the merge)\n\n")
	case c.repo.HasState("rebase-apply/applying"):
		p.printf("You are in the middle of an am session.\n")
		if text, _ := c.repo.State("rebase-apply/patch"); text == "" {
			p.printf("The current patch is empty.\n")
		} else {
			p.printf("  (fix conflicts and then run \"git am --continue\")\n")
		}
		p.printf("  (use \"git am --skip\" to skip this patch)\n  (use \"git am --abort\" to restore the original branch)\n\n")
	case c.repo.HasState("rebase-merge"):
		p.rebasing(c, open)
	case c.repo.HasState("CHERRY_PICK_HEAD"):
		p.picking(c, "cherry-pick", "cherry-picking", "CHERRY_PICK_HEAD", open)
	case c.repo.HasState("REVERT_HEAD"):
		p.picking(c, "revert", "reverting", "REVERT_HEAD", open)
	case c.repo.HasState("sequencer"):
		command := "cherry-pick"
		if todo, _ := c.repo.State("sequencer/todo"); strings.HasPrefix(todo, "revert") {
			command = "revert"
		}
		p.picking(c, command, "", "", open)
	}
}

// picking tells of a cherry-pick or a revert; head is the note that names the commit. Of several
// commits, only that they are being picked.
func (p printer) picking(c *call, command, doing, head string, open bool) {
	if head == "" || c.repo.HasState("sequencer") {
		p.printf("%s%s currently in progress.\n", strings.ToUpper(command[:1]), command[1:])
	} else {
		p.printf("You are currently %s commit %s.\n", doing, abbreviate(c.repo.StateHash(head)))
	}
	switch {
	case open:
		p.printf("  (fix conflicts and run \"git %s --continue\")\n", command)
	case head == "":
		p.printf("  (run \"git %s --continue\" to continue)\n", command)
	default:
		p.printf("  (all conflicts fixed: run \"git %s --continue\")\n", command)
	}
	p.printf("  (use \"git %[1]s --skip\" to skip this patch)\n  (use \"git %[1]s --abort\" to cancel the %[1]s operation)\n\n", command)
}

// rebasing tells how far a rebase is.
func (p printer) rebasing(c *call, open bool) {
	if !c.repo.HasState("rebase-merge") {
		return
	}
	p.commands(c, "rebase-merge/done", true)
	p.commands(c, "rebase-merge/git-rebase-todo", false)
	branch, _ := c.repo.StateLine("rebase-merge/head-name")
	onto := abbreviate(c.repo.StateHash("rebase-merge/onto"))
	p.printf("You are currently rebasing")
	if short, ok := strings.CutPrefix(branch, "refs/heads/"); ok {
		p.printf(" branch '%s' on '%s'", short, onto)
	}
	p.printf(".\n")
	if open {
		p.printf("  (fix conflicts and then run \"git rebase --continue\")\n  (use \"git rebase --skip\" to skip this patch)\n" +
			"  (use \"git rebase --abort\" to check out the original branch)\n\n")
		return
	}
	p.printf("  (all conflicts fixed: run \"git rebase --continue\")\n\n")
}

// commands lists what a rebase has done last or does next, at most two of each.
func (p printer) commands(c *call, file string, last bool) {
	text, _ := c.repo.State(file)
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '#' {
			list = append(list, shortCommand(line))
		}
	}
	n := len(list)
	switch {
	case n == 0 && last:
		p.printf("No commands done.\n")
		return
	case n == 0:
		p.printf("No commands remaining.\n")
		return
	}
	s := ""
	if n > 1 {
		s = "s"
	}
	if last {
		p.printf("Last command%s done (%d command%s done):\n", s, n, s)
		list = list[max(0, n-2):]
	} else {
		p.printf("Next command%s to do (%d remaining command%s):\n", s, n, s)
		list = list[:min(n, 2)]
	}
	for _, line := range list {
		p.printf("   %s\n", line)
	}
	if last && n > 2 {
		p.printf("  (see more in file .git/rebase-merge/done)\n")
	}
	if !last {
		p.printf("  (use \"git rebase --edit-todo\" to view and edit)\n")
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
func (c *call) where(s *state) string {
	if c.repo.HasState("rebase-merge") {
		return s.paint(red, "interactive rebase in progress; onto ") + abbreviate(c.repo.StateHash("rebase-merge/onto"))
	}
	if b := c.repo.Branch(); b != "" {
		return "On branch " + b
	}
	name, at := c.detached()
	if _, was := c.repo.LastSwitch(); was == repo.Zero {
		return s.paint(red, "Not currently on any branch.")
	}
	if at == c.repo.Head() {
		return fmt.Sprintf("%s%s", s.paint(red, "HEAD detached at "), name)
	}
	return fmt.Sprintf("%s%s", s.paint(red, "HEAD detached from "), name)
}

// detached returns what HEAD was put on when it left its last branch, and the commit that was.
func (c *call) detached() (name string, at plumbing.Hash) {
	target, at := c.repo.LastSwitch()
	if at == repo.Zero {
		at = c.repo.Head()
	}
	for _, prefix := range []string{"refs/tags/", "refs/heads/", "refs/remotes/"} {
		if c.repo.Ref(prefix+target) == repo.Zero {
			continue
		}
		if commit, err := c.repo.ResolveCommit(prefix + target); err == nil && commit.Hash == at {
			return target, at
		}
	}
	return abbreviate(at), at
}
