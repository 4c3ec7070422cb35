package porcelain

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const worktreeUsage = `usage: git worktree add [-f] [--detach] [--checkout] [--lock [--reason <string>]]
                        [-b <new-branch>] <path> [<commit-ish>]
   or: git worktree list [-v | --porcelain [-z]]
   or: git worktree lock [--reason <string>] <worktree>
   or: git worktree move <worktree> <new-path>
   or: git worktree prune [-n] [-v] [--expire <expire>]
   or: git worktree remove [-f] <worktree>
   or: git worktree repair [<path>...]
   or: git worktree unlock <worktree>
` + "\n"

func worktreeCommand(c *call) error {
	if len(c.args) == 0 {
		fmt.Fprint(c.stderr, "error: need a subcommand\n"+worktreeUsage)
		return quiet(129)
	}
	verb := c.args[0]
	c.args = c.args[1:]
	run, ok := map[string]func(*call) error{
		"add": worktreeAdd, "list": worktreeList, "lock": worktreeLock, "unlock": worktreeUnlock, "move": worktreeMove, "prune": worktreePrune, "remove": worktreeRemove,
	}[verb]
	if !ok {
		fmt.Fprintf(c.stderr, "error: unknown subcommand: `%s'\n%s", verb, worktreeUsage)
		return quiet(129)
	}
	return run(c)
}

func worktreeAdd(c *call) error {
	o, err := c.parse("f,force d,detach b= B= checkout no-checkout lock reason= q,quiet track no-track guess-remote no-guess-remote")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) < 1 || len(args) > 2 {
		fmt.Fprint(c.stderr, worktreeUsage)
		return quiet(129)
	}
	top, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	start := "HEAD"
	if len(args) > 1 {
		start = c.prior(args[1])
	}
	branch := o.Arg("b") + o.Arg("B")
	made := branch != ""
	base := filepath.Base(top)
	switch {
	case made || o.Has("d"):
	case len(args) > 1:
		if c.repo.Ref("refs/heads/"+start) != repo.Zero {
			branch = start
		}
	case c.repo.Ref("refs/heads/"+base) != repo.Zero:
		branch, start = base, base
	default:
		branch, made = base, true
	}
	commit, err := c.repo.ResolveCommit(start)
	if err != nil {
		return fatal("invalid reference: %s", start)
	}
	if err := c.prepareWorktree(branch, start, made, o.Has("B"), o.Has("q"), commit.Hash); err != nil {
		return err
	}
	if dir := c.elsewhere()[branch]; branch != "" && !made && !o.Has("f") {
		if branch == c.repo.Branch() {
			dir = c.repo.Top
		}
		if dir != "" {
			return fatal("'%s' is already checked out at '%s'", branch, dir)
		}
	}
	if entries, err := os.ReadDir(top); err == nil && len(entries) > 0 {
		return fatal("'%s' already exists", args[0])
	} else if _, err2 := os.Lstat(top); err != nil && err2 == nil {
		return fatal("'%s' already exists", args[0])
	}
	other, err := c.repo.AddWorktree(top, branch, commit.Hash)
	if err != nil {
		return err
	}
	if o.Has("lock") {
		if err := other.SetState("locked", o.Arg("reason")); err != nil {
			return err
		}
	}
	if o.Has("no-checkout") {
		return nil
	}
	files, err := other.Tree(commit.Hash)
	if err != nil {
		return err
	}
	there := *c
	there.repo = other
	if err := there.force(files); err != nil {
		return err
	}
	if !o.Has("q") {
		c.printf("HEAD is now at %s %s\n", abbreviate(commit.Hash), subject(commit.Message))
	}
	return nil
}

// prepareWorktree tells what is about to be checked out, and makes the branch if it is new.
func (c *call) prepareWorktree(branch, start string, made, force, silent bool, h plumbing.Hash) error {
	what := "detached HEAD " + abbreviate(h)
	switch {
	case made:
		what = fmt.Sprintf("new branch '%s'", branch)
		if old := c.repo.Ref("refs/heads/" + branch); old != repo.Zero && force {
			what = fmt.Sprintf("resetting branch '%s'; was at %s", branch, abbreviate(old))
		}
	case branch != "":
		what = fmt.Sprintf("checking out '%s'", branch)
	}
	if !silent {
		fmt.Fprintf(c.stderr, "Preparing worktree (%s)\n", what)
	}
	if !made {
		return nil
	}
	_, err := c.createBranch(branch, start, force)
	return err
}

func worktreeList(c *call) error {
	o, err := c.parse("porcelain z v,verbose expire=")
	if err != nil {
		return err
	}
	list, err := c.repo.Worktrees()
	if err != nil {
		return err
	}
	width := 0
	for _, w := range list {
		width = max(width, len(w.Top))
	}
	for _, w := range list {
		if o.Has("porcelain") {
			c.printf("worktree %s\nHEAD %s\n", w.Top, w.Head)
			if w.Branch != "" {
				c.printf("branch refs/heads/%s\n", w.Branch)
			} else {
				c.printf("detached\n")
			}
			if w.Lock != "" {
				c.printf("%s\n", strings.TrimSuffix("locked "+w.Lock, " locked"))
			}
			if w.Gone {
				c.printf("prunable gitdir file points to non-existent location\n")
			}
			c.printf("\n")
			continue
		}
		at := "(detached HEAD)"
		if w.Branch != "" {
			at = "[" + w.Branch + "]"
		}
		if w.Lock != "" {
			at += " locked"
		}
		if w.Gone {
			at += " prunable"
		}
		c.printf("%-*s  %s %s\n", width, w.Top, abbreviate(w.Head), at)
	}
	return nil
}

// worktreeAt returns the working tree that an operand names.
func (c *call) worktreeAt(arg string) (repo.Worktree, error) {
	list, err := c.repo.Worktrees()
	if err != nil {
		return repo.Worktree{}, err
	}
	top, err := filepath.Abs(arg)
	if err != nil {
		return repo.Worktree{}, err
	}
	for i, w := range list {
		if w.Top != top && (i == 0 || filepath.Base(w.Top) != arg) {
			continue
		}
		if i == 0 {
			return w, fatal("'%s' is a main working tree", arg)
		}
		return w, nil
	}
	return repo.Worktree{}, fatal("'%s' is not a working tree", arg)
}

// oneWorktree parses options and the only operand.
func (c *call) oneWorktree(description string, operands int) (w repo.Worktree, forced int, args []string, err error) {
	o, err := c.parse(description)
	if err != nil {
		return w, 0, nil, err
	}
	if args = o.Rest(); len(args) != operands {
		fmt.Fprint(c.stderr, worktreeUsage)
		return w, 0, nil, quiet(129)
	}
	w, err = c.worktreeAt(args[0])
	if err == nil && !w.Gone && !w.Back {
		err = fatal("validation failed: '%s' does not point back to '%s'", filepath.Join(w.Top, ".git"), w.Dir)
	}
	if o.Has("reason") {
		args = append(args, o.Arg("reason"))
	}
	return w, len(o.All("f")), args, err
}

func worktreeRemove(c *call) error {
	w, forced, args, err := c.oneWorktree("f,force", 1)
	if err != nil {
		return err
	}
	if w.Lock != "" && forced < 2 {
		return fatal("cannot remove a locked working tree;\nuse 'remove -f -f' to override or unlock first")
	}
	if !w.Gone {
		if forced == 0 {
			other, err := repo.Open(w.Top, w.Dir, "")
			if err != nil {
				return err
			}
			there := *c
			there.repo = other
			s, err := there.state(nil, false, false)
			if err != nil {
				return err
			}
			if len(s.staged)+len(s.unstaged)+len(s.unmerged)+len(s.untracked) > 0 {
				return fatal("'%s' contains modified or untracked files, use --force to delete it", args[0])
			}
		}
		if err := os.RemoveAll(w.Top); err != nil {
			return fatal("failed to delete '%s': %s", w.Top, reason(err))
		}
	}
	return os.RemoveAll(w.Dir)
}

func worktreeMove(c *call) error {
	w, forced, args, err := c.oneWorktree("f,force", 2)
	if err != nil {
		return err
	}
	top, err := filepath.Abs(args[1])
	if err != nil {
		return err
	}
	if info, err := os.Stat(top); err == nil && info.IsDir() {
		top = filepath.Join(top, filepath.Base(w.Top))
	}
	switch _, err := os.Lstat(top); {
	case err == nil:
		return fatal("target '%s' already exists", args[1])
	case w.Lock != "" && forced < 2:
		return fatal("cannot move a locked working tree;\nuse 'move -f -f' to override or unlock first")
	}
	if err := os.Rename(w.Top, top); err != nil {
		return fatal("failed to move '%s' to '%s': %s", w.Top, top, reason(err))
	}
	return os.WriteFile(filepath.Join(w.Dir, "gitdir"), []byte(filepath.Join(top, ".git")+"\n"), 0o666)
}

func worktreeLock(c *call) error {
	w, _, args, err := c.oneWorktree("reason=", 1)
	if err != nil {
		return err
	}
	if w.Lock != "" {
		return fatal("'%s' is already locked", args[0])
	}
	text := ""
	if len(args) > 1 {
		text = args[1]
	}
	return os.WriteFile(filepath.Join(w.Dir, "locked"), []byte(text), 0o666)
}

func worktreeUnlock(c *call) error {
	w, _, args, err := c.oneWorktree("", 1)
	if err != nil {
		return err
	}
	if w.Lock == "" {
		return fatal("'%s' is not locked", args[0])
	}
	return os.Remove(filepath.Join(w.Dir, "locked"))
}

func worktreePrune(c *call) error {
	o, err := c.parse("n,dry-run v,verbose expire=")
	if err != nil {
		return err
	}
	list, err := c.repo.Worktrees()
	if err != nil {
		return err
	}
	for _, w := range list[1:] {
		if !w.Gone || w.Lock != "" {
			continue
		}
		if o.Has("n") || o.Has("v") {
			fmt.Fprintf(c.stderr, "Removing worktrees/%s: gitdir file points to non-existent location\n", w.Name)
		}
		if o.Has("n") {
			continue
		}
		if err := os.RemoveAll(w.Dir); err != nil {
			return err
		}
	}
	return nil
}
