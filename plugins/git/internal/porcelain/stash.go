package porcelain

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
	h                plumbing.Hash
	base, index, all repo.Snapshot // all is what the working tree had
	untracked        repo.Snapshot // nil if it has none
}

func stashCommand(c *call) error {
	verb := "push"
	if len(c.args) > 0 && !strings.HasPrefix(c.args[0], "-") {
		verb, c.args = c.args[0], c.args[1:]
	}
	run, ok := map[string]func(*call) error{
		"push": stashPush, "save": stashSave, "list": stashList, "show": stashShow, "apply": stashApply, "pop": stashPop,
		"drop": stashDrop, "clear": stashClear, "branch": stashBranch, "create": stashCreate, "store": stashStore,
	}[verb]
	if !ok {
		return fatal("subcommand wasn't specified; 'push' can't be assumed due to unexpected token '%s'", verb)
	}
	return run(c)
}

func stashPush(c *call) error {
	o, err := c.parse(stashOptions)
	if err != nil {
		return err
	}
	return c.pushStash(o, o.Arg("m"), o.Rest())
}

func stashSave(c *call) error {
	o, err := c.parse(stashOptions)
	if err != nil {
		return err
	}
	message := o.Arg("m")
	if words := o.Rest(); len(words) > 0 {
		message = strings.Join(words, " ")
	}
	return c.pushStash(o, message, nil)
}

func (c *call) pushStash(o *option.Result, message string, args []string) error {
	if o.Has("p") {
		return fatal("stash --patch: there is no dialogue in this sandbox")
	}
	paths, outside := c.repo.Paths(args)
	if outside != "" {
		return c.outside(outside)
	}
	if c.repo.Head() == repo.Zero {
		return &failure{1, "You do not have the initial commit yet"}
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	for _, name := range x.Unmerged() {
		c.printf("%s: needs merge\n", name)
	}
	if len(x.Conflicts) > 0 {
		return quiet(1)
	}
	untracked, err := c.toStash(x, paths, o.Has("u") || o.Has("a"), o.Has("a"))
	if err != nil {
		return err
	}
	for i := range paths {
		if !matches(paths, i, x.Files.Names()) && !matches(paths, i, untracked) {
			return wrong("pathspec ':(,prefix:%d)%s' did not match any file(s) known to git\nDid you forget to 'git add'?", len(c.repo.Prefix), args[i])
		}
	}
	if o.Has("u") || o.Has("a") {
		untracked = append([]string{}, untracked...) // there is a commit for them, even for none
	}
	s, title, err := c.makeStash(x, paths, message, untracked, o.Has("S"))
	if err != nil {
		return err
	}
	if s == nil {
		if !o.Has("q") {
			c.printf("No local changes to save\n")
		}
		return nil
	}
	if err := c.storeStash(s.h, title); err != nil {
		return err
	}
	if !o.Has("q") {
		c.printf("Saved working directory and index state %s\n", title)
	}
	keep, _ := o.Last("k", "no-keep-index")
	return c.afterStash(x, s, paths, untracked, keep == "k", o.Has("S"))
}

// toStash returns the files that a stash takes besides those of the index.
func (c *call) toStash(x *repo.Index, paths repo.Paths, untracked, ignored bool) (names []string, err error) {
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

// makeStash makes the commits of a stash; nil if there is nothing to put aside. It changes no file.
// Without a list of untracked files there is no commit for them.
func (c *call) makeStash(x *repo.Index, paths repo.Paths, message string, untracked []string, staged bool) (*stash, string, error) {
	head := c.repo.Head()
	s := &stash{number: -1, index: maps.Clone(x.Files), all: maps.Clone(x.Files)}
	var err error
	if s.base, err = c.repo.Tree(head); err != nil {
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
			if err := c.storeFile(name); err != nil {
				return nil, "", err
			}
		}
		s.all[name] = f
	}
	if len(compare(s.base, s.index, paths))+len(compare(s.base, s.all, paths))+len(untracked) == 0 {
		return nil, "", nil
	}
	commit, err := c.repo.Commit(head)
	if err != nil {
		return nil, "", err
	}
	branch := c.repo.Branch()
	if branch == "" {
		branch = "(no branch)"
	}
	at := fmt.Sprintf("%s: %s %s", branch, abbreviate(head), subject(commit.Message))
	title := "WIP on " + at
	if message != "" {
		title = "On " + branch + ": " + message
	}
	parents := []plumbing.Hash{head}
	h, err := c.stashCommit(s.index, parents, "index on "+at+"\n")
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
			if err := c.storeFile(name); err != nil {
				return nil, "", err
			}
			s.untracked[name] = f
		}
		if h, err = c.stashCommit(s.untracked, nil, "untracked files on "+at+"\n"); err != nil {
			return nil, "", err
		}
		parents = append(parents, h)
	}
	s.h, err = c.stashCommit(s.all, parents, title)
	return s, title, err
}

// storeFile puts the bytes of a file of the working tree into the repository.
func (c *call) storeFile(name string) error {
	b, err := c.repo.ReadDisk(name)
	if err == nil {
		_, err = c.repo.Write(plumbing.BlobObject, b)
	}
	return err
}

func (c *call) stashCommit(files repo.Snapshot, parents []plumbing.Hash, message string) (plumbing.Hash, error) {
	author, err := c.repo.Identity("AUTHOR")
	if errors.Is(err, repo.ErrNoIdentity) {
		author.Name, author.Email, err = "git stash", "git@stash", nil
	}
	if err != nil {
		return repo.Zero, err
	}
	committer, err := c.repo.Identity("COMMITTER")
	if errors.Is(err, repo.ErrNoIdentity) {
		committer.Name, committer.Email, err = "git stash", "git@stash", nil
	}
	if err != nil {
		return repo.Zero, err
	}
	tree, err := c.repo.WriteTree(files)
	if err != nil {
		return repo.Zero, err
	}
	return c.repo.WriteCommit(tree, parents, author, committer, message)
}

func (c *call) storeStash(h plumbing.Hash, title string) error {
	old := c.repo.Ref(stashRef)
	return errors.Join(c.repo.SetRef(stashRef, h), c.repo.Log(stashRef, old, h, title))
}

// afterStash takes what is put aside out of the working tree and the index.
func (c *call) afterStash(x *repo.Index, s *stash, paths repo.Paths, untracked []string, keep, staged bool) error {
	target := maps.Clone(s.base)
	if keep {
		target = maps.Clone(s.index)
	}
	for _, name := range untracked {
		if err := c.repo.RemoveDisk(name); err != nil {
			return err
		}
	}
	if len(paths) == 0 && !staged {
		if err := c.force(target); err != nil {
			return err
		}
		return c.noteReset(c.repo.Head(), "HEAD")
	}
	var changes []change
	if staged { // only what is in the index goes
		changes = compare(s.index, s.base, nil)
	} else {
		disk, err := x.OnDisk()
		if err != nil {
			return err
		}
		changes = compare(disk, target, paths)
	}
	if err := c.apply(x, changes); err != nil {
		return err
	}
	for name, f := range target {
		if paths.Match(name) && x.Files[name] != f {
			x.Put(name, f)
		}
	}
	return x.Save()
}

func stashList(c *call) error {
	list, err := c.repo.Reflog(stashRef)
	if err != nil {
		return err
	}
	c.page()
	for i, e := range list {
		c.printf("stash@{%d}: %s\n", i, e.Message)
	}
	return nil
}

// stashOf finds the stash that the operands name, or the last one.
func (c *call) stashOf(args []string) (*stash, error) {
	if len(args) > 1 {
		return nil, &failure{1, "Too many revisions specified:" + " '" + strings.Join(args, "' '") + "'"}
	}
	list, err := c.repo.Reflog(stashRef)
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
		return nil, &failure{1, "No stash entries found."}
	}
	switch {
	case s.number >= len(list) && s.number >= 0:
		if len(list) == 0 {
			return nil, wrong("%s is not a valid reference", s.name)
		}
		return nil, fatal("log for 'stash' only has %d entries", len(list))
	case s.number >= 0:
		s.h = list[s.number].NewHash
	default:
		if s.h, err = c.repo.Resolve(s.name); err != nil {
			return nil, wrong("%s is not a valid reference", s.name)
		}
	}
	commit, err := c.repo.Commit(s.h)
	if err != nil || len(commit.ParentHashes) < 2 || len(commit.ParentHashes) > 3 {
		return nil, fatal("'%s' is not a stash-like commit", s.name)
	}
	for i, to := range []*repo.Snapshot{&s.base, &s.index, &s.untracked} {
		if i < len(commit.ParentHashes) {
			if *to, err = c.repo.Tree(commit.ParentHashes[i]); err != nil {
				return nil, err
			}
		}
	}
	s.all, err = c.repo.Tree(s.h)
	return s, err
}

func stashShow(c *call) error {
	o, err := c.parse("include-untracked no-include-untracked only-untracked " + diffOptions)
	if err != nil {
		return err
	}
	s, err := c.stashOf(o.Rest())
	if err != nil {
		return err
	}
	c.page()
	d, err := c.diffOutput(o, "stat")
	if err != nil {
		return err
	}
	a, b := s.base, maps.Clone(s.all)
	if o.Has("only-untracked") {
		a, b = repo.Snapshot{}, repo.Snapshot{}
	}
	if o.Has("include-untracked") || o.Has("only-untracked") || o.Has("u") && len(d.forms) == 0 {
		maps.Copy(b, s.untracked)
	}
	d.write(c.stdout, d.pick(compare(a, b, nil)))
	return nil
}

func stashApply(c *call) error {
	o, err := c.parse("index q,quiet")
	if err != nil {
		return err
	}
	s, err := c.stashOf(o.Rest())
	if err != nil {
		return err
	}
	return c.applyStash(s, o.Has("index"), o.Has("q"))
}

func stashPop(c *call) error {
	o, err := c.parse("index q,quiet")
	if err != nil {
		return err
	}
	s, err := c.stashOf(o.Rest())
	if err != nil {
		return err
	}
	if s.number < 0 {
		return wrong("'%s' is not a stash reference", s.name)
	}
	if err := c.applyStash(s, o.Has("index"), o.Has("q")); err != nil {
		c.printf("The stash entry is kept in case you need it again.\n")
		return err
	}
	return c.dropStash(s, o.Has("q"))
}

// applyStash merges what was put aside into the working tree. It changes nothing if that would lose
// what is in no commit.
func (c *call) applyStash(s *stash, index, silent bool) error {
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	if len(x.Conflicts) > 0 {
		return wrong("cannot apply a stash in the middle of a merge")
	}
	ours := maps.Clone(x.Files)
	var staged *treeMerge
	if index && len(compare(s.base, s.index, nil)) > 0 && len(compare(ours, s.index, nil)) > 0 {
		if staged, err = c.mergeTrees(s.base, ours, s.index, diff.Merging{}); err != nil {
			return err
		}
		if !staged.clean() {
			return wrong("conflicts in index. Try without --index.")
		}
	}
	m, err := c.mergeTrees(s.base, ours, s.all, diff.Merging{Ours: "Updated upstream", Base: "Stash base", Theirs: "Stashed changes"})
	if err != nil {
		return err
	}
	failed := c.advance(x, ours, m.files, m.conflicts, "merge")
	if failed == nil {
		if len(compare(s.base, s.all, nil)) == 0 {
			c.printf("Already up to date.\n")
		}
		m.tell()
		if m.clean() {
			failed = c.unstage(x, ours, staged)
		} else {
			failed = quiet(1)
			if index {
				fmt.Fprintln(c.stderr, "Index was not unstashed.")
			}
		}
	} else {
		fmt.Fprintln(c.stderr, failed)
		failed = quiet(1)
	}
	if err := c.restoreUntracked(s.untracked); err != nil {
		fmt.Fprintln(c.stderr, err)
		failed = quiet(1)
	}
	if silent {
		return failed
	}
	now, err := c.state(nil, false, false)
	if err != nil {
		return err
	}
	c.longStatus(c.stdout, now, nil, false, "No commits yet")
	return failed
}

// unstage makes the index as it was before a stash was applied but for new files, or as the stash
// has it.
func (c *call) unstage(x *repo.Index, ours repo.Snapshot, staged *treeMerge) error {
	target := maps.Clone(ours)
	if staged != nil {
		target = staged.files
	} else {
		for name, f := range x.Files {
			if _, ok := ours[name]; !ok {
				target[name] = f
			}
		}
	}
	for _, ch := range compare(x.Files, target, nil) {
		if ch.status == 'D' {
			x.Remove(ch.new)
			continue
		}
		x.Put(ch.new, ch.to)
	}
	return x.Save()
}

// restoreUntracked writes files that were in no index. It writes none if one is there already.
func (c *call) restoreUntracked(files repo.Snapshot) error {
	for _, name := range files.Names() {
		if _, err := os.Lstat(c.repo.Path(name)); err == nil {
			return errors.New(name + " already exists, no checkout\nerror: could not restore untracked files from stash")
		}
	}
	for _, name := range files.Names() {
		if err := c.repo.WriteDisk(name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

func stashDrop(c *call) error {
	o, err := c.parse("q,quiet")
	if err != nil {
		return err
	}
	s, err := c.stashOf(o.Rest())
	if err != nil {
		return err
	}
	if s.number < 0 {
		return wrong("'%s' is not a stash reference", s.name)
	}
	return c.dropStash(s, o.Has("q"))
}

func (c *call) dropStash(s *stash, silent bool) error {
	list, err := c.repo.Reflog(stashRef)
	if err != nil {
		return err
	}
	list = slices.Delete(list, s.number, s.number+1)
	if len(list) == 0 {
		err = c.repo.RemoveRef(stashRef)
	} else {
		old := repo.Zero
		for _, e := range slices.Backward(list) {
			e.OldHash, old = old, e.NewHash
		}
		err = errors.Join(c.repo.SetReflog(stashRef, list), c.repo.SetRef(stashRef, list[0].NewHash))
	}
	if err != nil || silent {
		return err
	}
	c.printf("Dropped %s (%s)\n", s.name, s.h)
	return nil
}

func stashClear(c *call) error {
	if c.repo.Ref(stashRef) == repo.Zero {
		return nil
	}
	return c.repo.RemoveRef(stashRef)
}

func stashBranch(c *call) error {
	o, err := c.parse("")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) == 0 {
		return &failure{1, "No branch name specified"}
	}
	s, err := c.stashOf(args[1:])
	if err != nil {
		return err
	}
	commit, err := c.repo.Commit(s.h)
	if err != nil {
		return err
	}
	if err := c.newBranch(o, args[0], []string{commit.ParentHashes[0].String()}, false); err != nil {
		return err
	}
	if err := c.applyStash(s, true, false); err != nil || s.number < 0 {
		return err
	}
	return c.dropStash(s, false)
}

func stashCreate(c *call) error {
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	if c.repo.Head() == repo.Zero {
		return &failure{1, "You do not have the initial commit yet"}
	}
	s, _, err := c.makeStash(x, nil, strings.Join(c.args, " "), nil, false)
	if err == nil && s != nil {
		c.printf("%s\n", s.h)
	}
	return err
}

func stashStore(c *call) error {
	o, err := c.parse("m,message= q,quiet")
	if err != nil {
		return err
	}
	args := o.Rest()
	if len(args) != 1 {
		return &failure{1, "\"git stash store\" requires one <commit> argument"}
	}
	commit, err := c.repo.ResolveCommit(args[0])
	if err != nil || len(commit.ParentHashes) < 2 {
		return &failure{1, "Cannot update refs/stash with " + args[0]}
	}
	title := o.Arg("m")
	if title == "" {
		title = "Created via \"git stash store\"."
	}
	return c.storeStash(commit.Hash, title)
}
