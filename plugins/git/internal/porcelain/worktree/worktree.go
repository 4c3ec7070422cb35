// Package worktree has worktree: working trees beside the first one.
package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/checkout"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/refs"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
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

func Command(c *cli.Call) error {
	if len(c.Args) == 0 {
		fmt.Fprint(c.Stderr, "error: need a subcommand\n"+worktreeUsage)
		return cli.Quiet(129)
	}
	verb := c.Args[0]
	c.Args = c.Args[1:]
	run, ok := map[string]func(*cli.Call) error{
		"add": worktreeAdd, "list": worktreeList, "lock": worktreeLock, "unlock": worktreeUnlock, "move": worktreeMove, "prune": worktreePrune, "remove": worktreeRemove,
	}[verb]
	if !ok {
		fmt.Fprintf(c.Stderr, "error: unknown subcommand: `%s'\n%s", verb, worktreeUsage)
		return cli.Quiet(129)
	}
	return run(c)
}

func worktreeAdd(c *cli.Call) error {
	o, err := c.Parse("f,force d,detach b= B= checkout no-checkout lock reason= q,quiet track no-track guess-remote no-guess-remote")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) < 1 || len(args) > 2 {
		fmt.Fprint(c.Stderr, worktreeUsage)
		return cli.Quiet(129)
	}
	top, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	start := "HEAD"
	if len(args) > 1 {
		start = c.Prior(args[1])
	}
	branch := o.Arg("b") + o.Arg("B")
	made := branch != ""
	base := filepath.Base(top)
	switch {
	case made || o.Has("d"):
	case len(args) > 1:
		if c.Repo.Ref("refs/heads/"+start) != repo.Zero {
			branch = start
		}
	case c.Repo.Ref("refs/heads/"+base) != repo.Zero:
		branch, start = base, base
	default:
		branch, made = base, true
	}
	commit, err := c.Repo.ResolveCommit(start)
	if err != nil {
		return cli.Fatal("invalid reference: %s", start)
	}
	if err := prepareWorktree(c, branch, start, made, o.Has("B"), o.Has("q"), commit.Hash); err != nil {
		return err
	}
	if dir := refs.Elsewhere(c)[branch]; branch != "" && !made && !o.Has("f") {
		if branch == c.Repo.Branch() {
			dir = c.Repo.Top
		}
		if dir != "" {
			return cli.Fatal("'%s' is already checked out at '%s'", branch, dir)
		}
	}
	if entries, err := os.ReadDir(top); err == nil && len(entries) > 0 {
		return cli.Fatal("'%s' already exists", args[0])
	} else if _, err2 := os.Lstat(top); err != nil && err2 == nil {
		return cli.Fatal("'%s' already exists", args[0])
	}
	other, err := c.Repo.AddWorktree(top, branch, commit.Hash)
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
	if err := checkout.Force(c.In(other), files); err != nil {
		return err
	}
	if !o.Has("q") {
		c.Printf("HEAD is now at %s %s\n", cli.Abbreviate(commit.Hash), messages.Subject(commit.Message))
	}
	return nil
}

// prepareWorktree tells what is about to be checked out, and makes the branch if it is new.
func prepareWorktree(c *cli.Call, branch, start string, made, force, silent bool, h plumbing.Hash) error {
	what := "detached HEAD " + cli.Abbreviate(h)
	switch {
	case made:
		what = fmt.Sprintf("new branch '%s'", branch)
		if old := c.Repo.Ref("refs/heads/" + branch); old != repo.Zero && force {
			what = fmt.Sprintf("resetting branch '%s'; was at %s", branch, cli.Abbreviate(old))
		}
	case branch != "":
		what = fmt.Sprintf("checking out '%s'", branch)
	}
	if !silent {
		fmt.Fprintf(c.Stderr, "Preparing worktree (%s)\n", what)
	}
	if !made {
		return nil
	}
	_, err := refs.CreateBranch(c, branch, start, force)
	return err
}

func worktreeList(c *cli.Call) error {
	o, err := c.Parse("porcelain z v,verbose expire=")
	if err != nil {
		return err
	}
	list, err := c.Repo.Worktrees()
	if err != nil {
		return err
	}
	width := 0
	for _, w := range list {
		width = max(width, len(w.Top))
	}
	for _, w := range list {
		if o.Has("porcelain") {
			c.Printf("worktree %s\nHEAD %s\n", w.Top, w.Head)
			if w.Branch != "" {
				c.Printf("branch refs/heads/%s\n", w.Branch)
			} else {
				c.Printf("detached\n")
			}
			if w.Lock != "" {
				c.Printf("%s\n", strings.TrimSuffix("locked "+w.Lock, " locked"))
			}
			if w.Gone {
				c.Printf("prunable gitdir file points to non-existent location\n")
			}
			c.Printf("\n")
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
		c.Printf("%-*s  %s %s\n", width, w.Top, cli.Abbreviate(w.Head), at)
	}
	return nil
}

// worktreeAt returns the working tree that an operand names.
func worktreeAt(c *cli.Call, arg string) (repo.Worktree, error) {
	list, err := c.Repo.Worktrees()
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
			return w, cli.Fatal("'%s' is a main working tree", arg)
		}
		return w, nil
	}
	return repo.Worktree{}, cli.Fatal("'%s' is not a working tree", arg)
}

// oneWorktree parses options and the only operand.
func oneWorktree(c *cli.Call, description string, operands int) (w repo.Worktree, forced int, args []string, err error) {
	o, err := c.Parse(description)
	if err != nil {
		return w, 0, nil, err
	}
	if args = o.Rest(); len(args) != operands {
		fmt.Fprint(c.Stderr, worktreeUsage)
		return w, 0, nil, cli.Quiet(129)
	}
	w, err = worktreeAt(c, args[0])
	if err == nil && !w.Gone && !w.Back {
		err = cli.Fatal("validation failed: '%s' does not point back to '%s'", filepath.Join(w.Top, ".git"), w.Dir)
	}
	if o.Has("reason") {
		args = append(args, o.Arg("reason"))
	}
	return w, len(o.All("f")), args, err
}

func worktreeRemove(c *cli.Call) error {
	w, forced, args, err := oneWorktree(c, "f,force", 1)
	if err != nil {
		return err
	}
	if w.Lock != "" && forced < 2 {
		return cli.Fatal("cannot remove a locked working tree;\nuse 'remove -f -f' to override or unlock first")
	}
	if !w.Gone {
		if forced == 0 {
			other, err := repo.Open(w.Top, w.Dir, "")
			if err != nil {
				return err
			}
			s, err := status.Read(c.In(other), nil, false, false)
			if err != nil {
				return err
			}
			if len(s.Staged)+len(s.Unstaged)+len(s.Unmerged)+len(s.Untracked) > 0 {
				return cli.Fatal("'%s' contains modified or untracked files, use --force to delete it", args[0])
			}
		}
		if err := os.RemoveAll(w.Top); err != nil {
			return cli.Fatal("failed to delete '%s': %s", w.Top, cli.Reason(err))
		}
	}
	return os.RemoveAll(w.Dir)
}

func worktreeMove(c *cli.Call) error {
	w, forced, args, err := oneWorktree(c, "f,force", 2)
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
		return cli.Fatal("target '%s' already exists", args[1])
	case w.Lock != "" && forced < 2:
		return cli.Fatal("cannot move a locked working tree;\nuse 'move -f -f' to override or unlock first")
	}
	if err := os.Rename(w.Top, top); err != nil {
		return cli.Fatal("failed to move '%s' to '%s': %s", w.Top, top, cli.Reason(err))
	}
	return os.WriteFile(filepath.Join(w.Dir, "gitdir"), []byte(filepath.Join(top, ".git")+"\n"), 0o666)
}

func worktreeLock(c *cli.Call) error {
	w, _, args, err := oneWorktree(c, "reason=", 1)
	if err != nil {
		return err
	}
	if w.Lock != "" {
		return cli.Fatal("'%s' is already locked", args[0])
	}
	text := ""
	if len(args) > 1 {
		text = args[1]
	}
	return os.WriteFile(filepath.Join(w.Dir, "locked"), []byte(text), 0o666)
}

func worktreeUnlock(c *cli.Call) error {
	w, _, args, err := oneWorktree(c, "", 1)
	if err != nil {
		return err
	}
	if w.Lock == "" {
		return cli.Fatal("'%s' is not locked", args[0])
	}
	return os.Remove(filepath.Join(w.Dir, "locked"))
}

func worktreePrune(c *cli.Call) error {
	o, err := c.Parse("n,dry-run v,verbose expire=")
	if err != nil {
		return err
	}
	list, err := c.Repo.Worktrees()
	if err != nil {
		return err
	}
	for _, w := range list[1:] {
		if !w.Gone || w.Lock != "" {
			continue
		}
		if o.Has("n") || o.Has("v") {
			fmt.Fprintf(c.Stderr, "Removing worktrees/%s: gitdir file points to non-existent location\n", w.Name)
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
