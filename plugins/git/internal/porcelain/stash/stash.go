// Package stash puts changes aside, and brings them back.
package stash

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/checkout"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/reset"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/treemerge"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const (
	stashRef     = "refs/stash"
	stashOptions = "p,patch k,keep-index no-keep-index u,include-untracked no-include-untracked a,all q,quiet m,message= S,staged pathspec-from-file="
)

// A stash is a commit whose parents are HEAD as it was, the index, and perhaps the untracked files.
type stash struct {
	name             string // what the command line calls it
	number           int    // in the reflog; below zero if it is none of those
	H                plumbing.Hash
	base, index, all repo.Snapshot // all is what the working tree had
	untracked        repo.Snapshot // nil if it has none
}

func Command(c *cli.Call) error {
	verb := "push"
	if len(c.Args) > 0 && !strings.HasPrefix(c.Args[0], "-") {
		verb, c.Args = c.Args[0], c.Args[1:]
	}
	run, ok := map[string]func(*cli.Call) error{
		"push": stashPush, "save": stashSave, "list": stashList, "show": stashShow, "apply": stashApply, "pop": stashPop,
		"drop": stashDrop, "clear": stashClear, "branch": stashBranch, "create": stashCreate, "store": stashStore,
	}[verb]
	if !ok {
		return cli.Fatal("subcommand wasn't specified; 'push' can't be assumed due to unexpected token '%s'", verb)
	}
	return run(c)
}

func stashPush(c *cli.Call) error {
	o, err := c.Parse(stashOptions)
	if err != nil {
		return err
	}
	return pushStash(c, o, o.Arg("m"), o.Rest())
}

func stashSave(c *cli.Call) error {
	o, err := c.Parse(stashOptions)
	if err != nil {
		return err
	}
	message := o.Arg("m")
	if words := o.Rest(); len(words) > 0 {
		message = strings.Join(words, " ")
	}
	return pushStash(c, o, message, nil)
}

func pushStash(c *cli.Call, o *option.Result, message string, args []string) error {
	if o.Has("p") {
		return cli.Fatal("stash --patch: there is no dialogue in this sandbox")
	}
	paths, outside := c.Repo.Paths(args)
	if outside != "" {
		return c.Outside(outside)
	}
	if c.Repo.Head() == repo.Zero {
		return &cli.Failure{Status: 1, Text: "You do not have the initial commit yet"}
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	for _, name := range x.Unmerged() {
		c.Printf("%s: needs merge\n", name)
	}
	if len(x.Conflicts) > 0 {
		return cli.Quiet(1)
	}
	untracked, err := toStash(c, x, paths, o.Has("u") || o.Has("a"), o.Has("a"))
	if err != nil {
		return err
	}
	for i := range paths {
		if !cli.Matches(paths, i, x.Files.Names()) && !cli.Matches(paths, i, untracked) {
			return cli.Wrong("pathspec ':(,prefix:%d)%s' did not match any file(s) known to git\nDid you forget to 'git add'?", len(c.Repo.Prefix), args[i])
		}
	}
	if o.Has("u") || o.Has("a") {
		untracked = append([]string{}, untracked...) // there is a commit for them, even for none
	}
	s, title, err := Make(c, x, paths, message, untracked, o.Has("S"))
	if err != nil {
		return err
	}
	if s == nil {
		if !o.Has("q") {
			c.Printf("No local changes to save\n")
		}
		return nil
	}
	if err := Store(c, s.H, title); err != nil {
		return err
	}
	if !o.Has("q") {
		c.Printf("Saved working directory and index state %s\n", title)
	}
	keep, _ := o.Last("k", "no-keep-index")
	return afterStash(c, x, s, paths, untracked, keep == "k", o.Has("S"))
}

// toStash returns the files that a stash takes besides those of the index.
func toStash(c *cli.Call, x *repo.Index, paths repo.Paths, untracked, ignored bool) (names []string, err error) {
	if !untracked {
		return nil, nil
	}
	if names, err = x.Untracked(true); err != nil {
		return nil, err
	}
	if ignored {
		more, err := x.Ignored(true)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !paths.Match(name) || strings.HasSuffix(name, "/") })
	return names, nil
}

// Make makes the commits of a stash; nil if there is nothing to put aside. It changes no file.
// Without a list of untracked files there is no commit for them.
func Make(c *cli.Call, x *repo.Index, paths repo.Paths, message string, untracked []string, staged bool) (*stash, string, error) {
	head := c.Repo.Head()
	s := &stash{number: -1, index: maps.Clone(x.Files), all: maps.Clone(x.Files)}
	var err error
	if s.base, err = c.Repo.Tree(head); err != nil {
		return nil, "", err
	}
	names := maps.Clone(s.base)
	maps.Copy(names, x.Files)
	for name := range names {
		if staged || !paths.Match(name) {
			continue
		}
		f, ok := x.Disk(name)
		if !ok {
			delete(s.all, name)
			continue
		}
		if f != s.all[name] {
			if err := storeFile(c, name); err != nil {
				return nil, "", err
			}
		}
		s.all[name] = f
	}
	if len(change.Compare(s.base, s.index, paths))+len(change.Compare(s.base, s.all, paths))+len(untracked) == 0 {
		return nil, "", nil
	}
	commit, err := c.Repo.Commit(head)
	if err != nil {
		return nil, "", err
	}
	branch := c.Repo.Branch()
	if branch == "" {
		branch = "(no branch)"
	}
	at := fmt.Sprintf("%s: %s %s", branch, cli.Abbreviate(head), messages.Subject(commit.Message))
	title := "WIP on " + at
	if message != "" {
		title = "On " + branch + ": " + message
	}
	parents := []plumbing.Hash{head}
	h, err := stashCommit(c, s.index, parents, "index on "+at+"\n")
	if err != nil {
		return nil, "", err
	}
	parents = append(parents, h)
	if untracked != nil {
		s.untracked = repo.Snapshot{}
		for _, name := range untracked {
			f, ok := x.Disk(name)
			if !ok {
				continue
			}
			if err := storeFile(c, name); err != nil {
				return nil, "", err
			}
			s.untracked[name] = f
		}
		if h, err = stashCommit(c, s.untracked, nil, "untracked files on "+at+"\n"); err != nil {
			return nil, "", err
		}
		parents = append(parents, h)
	}
	s.H, err = stashCommit(c, s.all, parents, title)
	return s, title, err
}

// storeFile puts the bytes of a file of the working tree into the repository.
func storeFile(c *cli.Call, name string) error {
	b, err := c.Repo.ReadDisk(name)
	if err == nil {
		_, err = c.Repo.Write(plumbing.BlobObject, b)
	}
	return err
}

func stashCommit(c *cli.Call, files repo.Snapshot, parents []plumbing.Hash, message string) (plumbing.Hash, error) {
	author, err := c.Repo.Identity("AUTHOR")
	if errors.Is(err, repo.ErrNoIdentity) {
		author.Name, author.Email, err = "git stash", "git@stash", nil
	}
	if err != nil {
		return repo.Zero, err
	}
	committer, err := c.Repo.Identity("COMMITTER")
	if errors.Is(err, repo.ErrNoIdentity) {
		committer.Name, committer.Email, err = "git stash", "git@stash", nil
	}
	if err != nil {
		return repo.Zero, err
	}
	tree, err := c.Repo.WriteTree(files)
	if err != nil {
		return repo.Zero, err
	}
	return c.Repo.WriteCommit(tree, parents, author, committer, message)
}

func Store(c *cli.Call, h plumbing.Hash, title string) error {
	old := c.Repo.Ref(stashRef)
	return errors.Join(c.Repo.SetRef(stashRef, h), c.Repo.Log(stashRef, old, h, title))
}

// afterStash takes what is put aside out of the working tree and the index.
func afterStash(c *cli.Call, x *repo.Index, s *stash, paths repo.Paths, untracked []string, keep, staged bool) error {
	target := maps.Clone(s.base)
	if keep {
		target = maps.Clone(s.index)
	}
	for _, name := range untracked {
		if err := c.Repo.RemoveDisk(name); err != nil {
			return err
		}
	}
	if len(paths) == 0 && !staged {
		if err := checkout.Force(c, target); err != nil {
			return err
		}
		return reset.Note(c, c.Repo.Head(), "HEAD")
	}
	var changes []change.Change
	if staged { // only what is in the index goes
		changes = change.Compare(s.index, s.base, nil)
	} else {
		disk, err := x.OnDisk()
		if err != nil {
			return err
		}
		changes = change.Compare(disk, target, paths)
	}
	if err := checkout.Apply(c, x, changes); err != nil {
		return err
	}
	for name, f := range target {
		if paths.Match(name) && x.Files[name] != f {
			x.Put(name, f)
		}
	}
	return x.Save()
}

func stashList(c *cli.Call) error {
	list, err := c.Repo.Reflog(stashRef)
	if err != nil {
		return err
	}
	c.Page()
	for i, e := range list {
		c.Printf("stash@{%d}: %s\n", i, e.Message)
	}
	return nil
}

// Find finds the stash that the operands name, or the last one.
func Find(c *cli.Call, args []string) (*stash, error) {
	if len(args) > 1 {
		return nil, &cli.Failure{Status: 1, Text: "Too many revisions specified:" + " '" + strings.Join(args, "' '") + "'"}
	}
	list, err := c.Repo.Reflog(stashRef)
	if err != nil {
		return nil, err
	}
	s := &stash{name: stashRef + "@{0}", number: 0}
	if len(args) > 0 {
		s.name, s.number = args[0], -1
		if n, err := strconv.Atoi(args[0]); err == nil && n >= 0 {
			s.name = fmt.Sprintf("%s@{%d}", stashRef, n)
		}
		digits, ok := strings.CutPrefix(strings.TrimPrefix(s.name, "refs/"), "stash@{")
		if n, err := strconv.Atoi(strings.TrimSuffix(digits, "}")); ok && err == nil {
			s.number = n
			s.name = fmt.Sprintf("%s@{%d}", stashRef, n)
		} else if s.name == "stash" || s.name == stashRef {
			s.number = 0
			s.name = stashRef + "@{0}"
		}
	} else if len(list) == 0 {
		return nil, &cli.Failure{Status: 1, Text: "No stash entries found."}
	}
	switch {
	case s.number >= len(list) && s.number >= 0:
		if len(list) == 0 {
			return nil, cli.Wrong("%s is not a valid reference", s.name)
		}
		return nil, cli.Fatal("log for 'stash' only has %d entries", len(list))
	case s.number >= 0:
		s.H = list[s.number].NewHash
	default:
		if s.H, err = c.Repo.Resolve(s.name); err != nil {
			return nil, cli.Wrong("%s is not a valid reference", s.name)
		}
	}
	commit, err := c.Repo.Commit(s.H)
	if err != nil || len(commit.ParentHashes) < 2 || len(commit.ParentHashes) > 3 {
		return nil, cli.Fatal("'%s' is not a stash-like commit", s.name)
	}
	for i, to := range []*repo.Snapshot{&s.base, &s.index, &s.untracked} {
		if i < len(commit.ParentHashes) {
			if *to, err = c.Repo.Tree(commit.ParentHashes[i]); err != nil {
				return nil, err
			}
		}
	}
	s.all, err = c.Repo.Tree(s.H)
	return s, err
}

// namedStash reads the options of a verb that is about one stash, and finds that.
func namedStash(c *cli.Call, options string) (*option.Result, *stash, error) {
	o, err := c.Parse(options)
	if err != nil {
		return nil, nil, err
	}
	s, err := Find(c, o.Rest())
	return o, s, err
}

func stashShow(c *cli.Call) error {
	o, s, err := namedStash(c, "include-untracked no-include-untracked only-untracked "+change.Options)
	if err != nil {
		return err
	}
	c.Page()
	d, err := change.NewOutput(c, o, "stat")
	if err != nil {
		return err
	}
	a, b := s.base, maps.Clone(s.all)
	if o.Has("only-untracked") {
		a, b = repo.Snapshot{}, repo.Snapshot{}
	}
	if o.Has("include-untracked") || o.Has("only-untracked") || o.Has("u") && len(d.Forms) == 0 {
		maps.Copy(b, s.untracked)
	}
	d.Write(c.Stdout, d.Pick(change.Compare(a, b, nil)))
	return nil
}

func stashApply(c *cli.Call) error {
	o, s, err := namedStash(c, "index q,quiet")
	if err != nil {
		return err
	}
	return Apply(c, s, o.Has("index"), o.Has("q"))
}

func stashPop(c *cli.Call) error {
	o, s, err := namedStash(c, "index q,quiet")
	if err != nil {
		return err
	}
	if s.number < 0 {
		return cli.Wrong("'%s' is not a stash reference", s.name)
	}
	if err := Apply(c, s, o.Has("index"), o.Has("q")); err != nil {
		c.Printf("The stash entry is kept in case you need it again.\n")
		return err
	}
	return dropStash(c, s, o.Has("q"))
}

// Apply merges what was put aside into the working tree. It changes nothing if that would lose
// what is in no commit.
func Apply(c *cli.Call, s *stash, index, silent bool) error {
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	if len(x.Conflicts) > 0 {
		return cli.Wrong("cannot apply a stash in the middle of a merge")
	}
	ours := maps.Clone(x.Files)
	var staged *treemerge.Merge
	if index && len(change.Compare(s.base, s.index, nil)) > 0 && len(change.Compare(ours, s.index, nil)) > 0 {
		if staged, err = treemerge.Trees(c, s.base, ours, s.index, diff.Merging{}); err != nil {
			return err
		}
		if !staged.Clean() {
			return cli.Wrong("conflicts in index. Try without --index.")
		}
	}
	m, err := treemerge.Trees(c, s.base, ours, s.all, diff.Merging{Ours: "Updated upstream", Base: "Stash base", Theirs: "Stashed changes"})
	if err != nil {
		return err
	}
	failed := checkout.Advance(c, x, ours, m.Files, m.Conflicts, "merge")
	if failed == nil {
		if len(change.Compare(s.base, s.all, nil)) == 0 {
			c.Printf("Already up to date.\n")
		}
		m.Tell()
		if m.Clean() {
			failed = unstage(c, x, ours, staged)
		} else {
			failed = cli.Quiet(1)
			if index {
				fmt.Fprintln(c.Stderr, "Index was not unstashed.")
			}
		}
	} else {
		fmt.Fprintln(c.Stderr, failed)
		failed = cli.Quiet(1)
	}
	if err := restoreUntracked(c, s.untracked); err != nil {
		fmt.Fprintln(c.Stderr, err)
		failed = cli.Quiet(1)
	}
	if silent {
		return failed
	}
	now, err := status.Read(c, nil, false, false)
	if err != nil {
		return err
	}
	status.LongStatus(c, c.Stdout, now, nil, false, "No commits yet")
	return failed
}

// unstage makes the index as it was before a stash was applied but for new files, or as the stash
// has it.
func unstage(c *cli.Call, x *repo.Index, ours repo.Snapshot, staged *treemerge.Merge) error {
	target := maps.Clone(ours)
	if staged != nil {
		target = staged.Files
	} else {
		for name, f := range x.Files {
			if _, ok := ours[name]; !ok {
				target[name] = f
			}
		}
	}
	for _, ch := range change.Compare(x.Files, target, nil) {
		if ch.Status == 'D' {
			x.Remove(ch.New)
			continue
		}
		x.Put(ch.New, ch.To)
	}
	return x.Save()
}

// restoreUntracked writes files that were in no index. It writes none if one is there already.
func restoreUntracked(c *cli.Call, files repo.Snapshot) error {
	for _, name := range files.Names() {
		if _, err := os.Lstat(c.Repo.Path(name)); err == nil {
			return errors.New(name + " already exists, no checkout\nerror: could not restore untracked files from stash")
		}
	}
	for _, name := range files.Names() {
		if err := c.Repo.WriteDisk(name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

func stashDrop(c *cli.Call) error {
	o, s, err := namedStash(c, "q,quiet")
	if err != nil {
		return err
	}
	if s.number < 0 {
		return cli.Wrong("'%s' is not a stash reference", s.name)
	}
	return dropStash(c, s, o.Has("q"))
}

func dropStash(c *cli.Call, s *stash, silent bool) error {
	list, err := c.Repo.Reflog(stashRef)
	if err != nil {
		return err
	}
	list = slices.Delete(list, s.number, s.number+1)
	if len(list) == 0 {
		err = c.Repo.RemoveRef(stashRef)
	} else {
		old := repo.Zero
		for _, e := range slices.Backward(list) {
			e.OldHash, old = old, e.NewHash
		}
		err = errors.Join(c.Repo.SetReflog(stashRef, list), c.Repo.SetRef(stashRef, list[0].NewHash))
	}
	if err != nil || silent {
		return err
	}
	c.Printf("Dropped %s (%s)\n", s.name, s.H)
	return nil
}

func stashClear(c *cli.Call) error {
	if c.Repo.Ref(stashRef) == repo.Zero {
		return nil
	}
	return c.Repo.RemoveRef(stashRef)
}

func stashBranch(c *cli.Call) error {
	o, err := c.Parse("")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) == 0 {
		return &cli.Failure{Status: 1, Text: "No branch name specified"}
	}
	s, err := Find(c, args[1:])
	if err != nil {
		return err
	}
	commit, err := c.Repo.Commit(s.H)
	if err != nil {
		return err
	}
	if err := checkout.NewBranch(c, o, args[0], []string{commit.ParentHashes[0].String()}, false); err != nil {
		return err
	}
	if err := Apply(c, s, true, false); err != nil || s.number < 0 {
		return err
	}
	return dropStash(c, s, false)
}

func stashCreate(c *cli.Call) error {
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	if c.Repo.Head() == repo.Zero {
		return &cli.Failure{Status: 1, Text: "You do not have the initial commit yet"}
	}
	s, _, err := Make(c, x, nil, strings.Join(c.Args, " "), nil, false)
	if err == nil && s != nil {
		c.Printf("%s\n", s.H)
	}
	return err
}

func stashStore(c *cli.Call) error {
	o, err := c.Parse("m,message= q,quiet")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) != 1 {
		return &cli.Failure{Status: 1, Text: "\"git stash store\" requires one <commit> argument"}
	}
	commit, err := c.Repo.ResolveCommit(args[0])
	if err != nil || len(commit.ParentHashes) < 2 {
		return &cli.Failure{Status: 1, Text: "Cannot update refs/stash with " + args[0]}
	}
	title := o.Arg("m")
	if title == "" {
		title = "Created via \"git stash store\"."
	}
	return Store(c, commit.Hash, title)
}
