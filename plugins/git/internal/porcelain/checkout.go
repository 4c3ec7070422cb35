package porcelain

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const detachedAdvice = `Note: switching to '%s'.

You are in 'detached HEAD' state. You can look around, make experimental
changes and commit them, and you can discard any commits you make in this
state without impacting any branches by switching back to a branch.

If you want to create a new branch to retain commits you create, you may
do so (now or later) by using -c with the switch command. Example:

  git switch -c <new-branch-name>

Or undo this operation with:

  git switch -

Turn off this advice by setting config variable advice.detachedHead to false

`

func checkout(c *call) error {
	o, err := c.parse("b= B= q,quiet f,force d,detach orphan= t,track no-track 3,theirs 2,ours m,merge conflict= no-guess guess l progress no-progress no-overlay overlay p,patch ignore-other-worktrees")
	if err != nil {
		return err
	}
	name := o.Arg("b") + o.Arg("B")
	switch {
	case o.Has("p"):
		return fatal("checkout --patch: there is no dialogue in this sandbox")
	case o.Has("orphan"):
		return c.orphan(o, o.Arg("orphan"), o.Operands)
	case name != "":
		return c.newBranch(o, name, o.Operands, o.Has("B"))
	case len(o.Operands) == 0 && len(o.Paths) == 0 && o.Has("f"):
		return c.move(c.repo.Head(), "checkout", true)
	case len(o.Operands) == 0 && len(o.Paths) == 0 && o.Has("d"):
		return c.switchTo(o, "HEAD", true)
	case len(o.Operands) == 0 && len(o.Paths) == 0:
		return c.kept(c.repo.Head())
	case o.Dashes && len(o.Paths) > 0 || len(o.Operands) > 1:
		return c.checkoutPaths(o)
	}
	target := c.prior(o.Operands[0])
	if !c.isRevision(target) && !c.isRemote(target) {
		return c.checkoutPaths(o)
	}
	return c.switchTo(o, target, true)
}

func switchCommand(c *call) error {
	o, err := c.parse("c,create= C,force-create= d,detach q,quiet f,force,discard-changes orphan= t,track no-track no-guess guess m,merge progress no-progress ignore-other-worktrees")
	if err != nil {
		return err
	}
	if name := o.Arg("orphan"); name != "" {
		return c.orphanSwitch(o, name)
	}
	if name := o.Arg("c") + o.Arg("C"); name != "" {
		return c.newBranch(o, name, o.Operands, o.Has("C"))
	}
	if len(o.Operands) == 0 {
		return fatal("missing branch or commit argument")
	}
	target := c.prior(o.Operands[0])
	if c.repo.Ref("refs/heads/"+target) == repo.Zero && !c.isRemote(target) && !o.Has("d") {
		if !c.isRevision(target) {
			return fatal("invalid reference: %s", target)
		}
		return fatal("a branch is expected, got commit '%s'\n"+
			"hint: If you want to detach HEAD at the commit, try again with the --detach option.", target)
	}
	return c.switchTo(o, target, o.Has("d"))
}

// prior returns the branch or the commit that "-" and "@{-N}" stand for, if it is still there, and
// other names as they are.
func (c *call) prior(name string) string {
	name = dash(name)
	if was, ok := c.repo.Prior(name); ok && c.isRevision(was) {
		return was
	}
	return name
}

// dash is the long way to write "-".
func dash(name string) string {
	if name == "-" {
		return "@{-1}"
	}
	return name
}

// isRemote reports whether a branch of this name can be made from origin's.
func (c *call) isRemote(name string) bool {
	return c.repo.Ref("refs/remotes/origin/"+name) != repo.Zero
}

func (c *call) newBranch(o *option.Result, name string, start []string, force bool) error {
	if c.repo.Head() == repo.Zero && len(start) == 0 {
		if err := c.repo.Attach(name); err != nil || o.Has("q") {
			return err
		}
		fmt.Fprintf(c.stderr, "Switched to a new branch '%s'\n", name)
		return nil
	}
	from := "HEAD"
	if len(start) > 0 {
		from = start[0]
	}
	commit, err := c.repo.ResolveCommit(from)
	switch {
	case err != nil && len(o.Paths) == 0:
		return fatal("'%s' is not a commit and a branch '%s' cannot be created from it", from, name)
	case err != nil:
		return err
	case !repo.ValidName(name):
		return fatal("'%s' is not a valid branch name", name)
	}
	exists := c.repo.Ref("refs/heads/"+name) != repo.Zero
	if exists && !force {
		return fatal("a branch named '%s' already exists", name)
	}
	if err := c.move(commit.Hash, "checkout", o.Has("f")); err != nil {
		return err
	}
	if name == c.repo.Branch() {
		err = c.repo.SetHead(commit.Hash, "branch: Reset to "+from)
	} else {
		old := c.repo.Ref("refs/heads/" + name)
		why := "branch: Created from " + from
		if exists {
			why = "branch: Reset to " + from
		}
		err = errors.Join(c.repo.SetRef("refs/heads/"+name, commit.Hash), c.repo.Log("refs/heads/"+name, old, commit.Hash, why))
	}
	if err != nil {
		return err
	}
	if err := c.repo.Switch(name, commit.Hash, name); err != nil || o.Has("q") {
		return err
	}
	how := "Switched to a new branch"
	if exists {
		how = "Switched to and reset branch"
	}
	fmt.Fprintf(c.stderr, "%s '%s'\n", how, name)
	return nil
}

// switchTo puts HEAD on a branch, or on a commit.
func (c *call) switchTo(o *option.Result, target string, detach bool) error {
	tracks := false
	if c.repo.Ref("refs/heads/"+target) == repo.Zero && c.isRemote(target) {
		tracks = true
		if err := c.track(target); err != nil {
			return err
		}
	}
	commit, err := c.repo.ResolveCommit(target)
	if err != nil {
		return fatal("reference is not a tree: %s", target)
	}
	old, from := c.repo.Branch(), c.repo.Head()
	isBranch := c.repo.Ref("refs/heads/"+target) != repo.Zero && !o.Has("d")
	if dir := c.elsewhere()[target]; isBranch && dir != "" && !o.Has("ignore-other-worktrees") {
		return fatal("'%s' is already checked out at '%s'", target, dir)
	}
	if err := c.move(commit.Hash, "checkout", o.Has("f")); err != nil {
		return err
	}
	if !o.Has("q") {
		if err := c.kept(commit.Hash); err != nil {
			return err
		}
	}
	if old == "" && from != commit.Hash && !o.Has("q") {
		if err := c.leave(from, commit.Hash); err != nil {
			return err
		}
	}
	switch {
	case isBranch:
		if err := c.repo.Switch(target, commit.Hash, target); err != nil || o.Has("q") {
			return err
		}
		switch {
		case tracks:
			c.printf("branch '%s' set up to track 'origin/%s'.\n", target, target)
			fmt.Fprintf(c.stderr, "Switched to a new branch '%s'\n", target)
		case old == target:
			fmt.Fprintf(c.stderr, "Already on '%s'\n", target)
		default:
			fmt.Fprintf(c.stderr, "Switched to branch '%s'\n", target)
		}
		if !tracks {
			printer{c.stdout}.brief(c, target)
		}
		return nil
	default:
		if err := c.repo.Switch("", commit.Hash, target); err != nil || o.Has("q") {
			return err
		}
		if advice, _ := c.repo.Config.Get("advice.detachedhead"); old != "" && advice != "false" && !o.Has("d") {
			fmt.Fprintf(c.stderr, detachedAdvice, target)
		}
		c.wasAt("HEAD is now at", commit.Hash)
	}
	return nil
}

// brief is tracking without the empty line behind it.
func (p printer) brief(c *call, branch string) {
	var b strings.Builder
	printer{&b}.tracking(c, branch)
	p.printf("%s", strings.TrimSuffix(b.String(), "\n"))
}

// track makes a branch that follows origin's.
func (c *call) track(name string) error {
	if err := c.repo.SetRef("refs/heads/"+name, c.repo.Ref("refs/remotes/origin/"+name)); err != nil {
		return err
	}
	_, err := c.repo.Config.Set("branch."+name+".remote", "origin", false, false)
	if err != nil {
		return err
	}
	_, err = c.repo.Config.Set("branch."+name+".merge", "refs/heads/"+name, false, false)
	return err
}

func (c *call) wasAt(how string, h plumbing.Hash) {
	if commit, err := c.repo.Commit(h); err == nil {
		fmt.Fprintf(c.stderr, "%s %s %s\n", how, abbreviate(h), subject(commit.Message))
	}
}

// kept lists the changes that a switch kept.
func (c *call) kept(h plumbing.Hash) error {
	s, err := c.state(nil, false, true)
	if err != nil {
		return err
	}
	if s.head, err = c.repo.Tree(h); err != nil {
		return err
	}
	changes := map[string]byte{}
	names := repo.Snapshot{}
	for _, ch := range append(compare(s.head, s.index.Files, nil), s.unstaged...) {
		changes[ch.new] = ch.status
		names[ch.new] = repo.File{}
	}
	for _, name := range names.Names() {
		c.printf("%c\t%s\n", changes[name], quote(name))
	}
	return nil
}

// move changes the index and the working tree from HEAD's files to those of h. It changes nothing if that would lose
// what is in no commit.
func (c *call) move(h plumbing.Hash, operation string, force bool) error {
	new, err := c.repo.Tree(h)
	if err != nil {
		return err
	}
	if force {
		return c.force(new)
	}
	old, err := c.repo.Tree(c.repo.Head())
	if err != nil {
		return err
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	if len(x.Conflicts) > 0 {
		for _, name := range x.Unmerged() {
			c.printf("%s: needs merge\n", quote(name))
		}
		return wrong("you need to resolve your current index first")
	}
	return c.advance(x, old, new, nil, operation)
}

// advance changes the index and the working tree by what makes new of old. It changes nothing if that
// would lose what is in no commit. The files in conflict are as new has them, but in the index they
// are in conflict.
func (c *call) advance(x *repo.Index, old, new repo.Snapshot, conflicts map[string]repo.Conflict, operation string) error {
	disk, err := x.OnDisk()
	if err != nil {
		return err
	}
	changes := compare(old, new, nil)
	var lost, covered []string
	for _, ch := range changes {
		staged, tracked := x.Files[ch.new]
		info, err := os.Lstat(c.repo.Path(ch.new))
		switch {
		case staged == new[ch.new] && disk[ch.new] == staged:
		case tracked && (staged != old[ch.new] && staged != new[ch.new] || disk[ch.new] != staged && disk[ch.new] != (repo.File{})):
			lost = append(lost, ch.new)
		case !tracked && err == nil && ch.status != 'D' && !info.IsDir():
			if b, _ := c.repo.ReadDisk(ch.new); !c.same(b, ch.to) {
				covered = append(covered, ch.new)
			}
		}
	}
	files, dirs, err := c.obstacles(x, changes)
	if err != nil {
		return err
	}
	if covered = append(covered, files...); len(lost)+len(covered)+len(dirs) > 0 {
		slices.Sort(covered)
		return overwritten(operation, lost, covered, dirs)
	}
	if err := c.apply(x, changes); err != nil {
		return err
	}
	for name, sides := range conflicts {
		x.Remove(name)
		x.Conflicts[name] = sides
	}
	return x.Save()
}

// apply puts changes into the index and the working tree.
func (c *call) apply(x *repo.Index, changes []change) error {
	for _, ch := range changes { // what goes first: a directory may take its place
		if ch.status == 'D' {
			x.Remove(ch.new)
			if err := c.repo.RemoveDisk(ch.new); err != nil {
				return err
			}
		}
	}
	for _, ch := range changes {
		if ch.status == 'D' {
			continue
		}
		c.makeWay(ch.new)
		if err := c.repo.WriteDisk(ch.new, ch.to); err != nil {
			return err
		}
		x.Set(ch.new, ch.to)
	}
	return nil
}

// force makes the index and the working tree as new is, whatever they have.
func (c *call) force(new repo.Snapshot) error {
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	disk, err := x.OnDisk()
	if err != nil {
		return err
	}
	for name := range x.Conflicts { // what they look like does not matter
		if _, err := os.Lstat(c.repo.Path(name)); err == nil {
			disk[name] = repo.File{Mode: filemode.Regular}
		}
	}
	if err := c.apply(x, compare(disk, new, nil)); err != nil {
		return err
	}
	clear(x.Conflicts)
	for name := range x.Files {
		if _, ok := new[name]; !ok {
			x.Remove(name)
		}
	}
	for name, f := range new {
		if x.Files[name] != f {
			x.Set(name, f)
		}
	}
	return x.Save()
}

func (c *call) same(b []byte, f repo.File) bool {
	h, err := repo.Hash(plumbing.BlobObject, b)
	return err == nil && h == f.Hash
}

func overwritten(operation string, lost, covered, dirs []string) error {
	what := "switch branches"
	if operation == "merge" {
		what = "merge"
	}
	var b strings.Builder
	if len(lost) > 0 {
		fmt.Fprintf(&b, "error: Your local changes to the following files would be overwritten by %s:\n\t%s\n"+
			"Please commit your changes or stash them before you %s.\n", operation, strings.Join(lost, "\n\t"), what)
	}
	if len(dirs) > 0 {
		fmt.Fprintf(&b, "error: Updating the following directories would lose untracked files in them:\n\t%s\n\n", strings.Join(dirs, "\n\t"))
	}
	if len(covered) > 0 {
		fmt.Fprintf(&b, "error: The following untracked working tree files would be overwritten by %s:\n\t%s\n"+
			"Please move or remove them before you %s.\n", operation, strings.Join(covered, "\n\t"), what)
	}
	return &failure{1, b.String() + "Aborting"}
}

// checkoutPaths takes files from a commit, or from the index.
func (c *call) checkoutPaths(o *option.Result) error {
	args, source := o.Rest(), ""
	if len(o.Operands) > 0 && (o.Dashes || c.isRevision(o.Operands[0])) {
		source, args = o.Operands[0], args[1:]
		if !c.isRevision(source) {
			return fatal("invalid reference: %s", source)
		}
	}
	if how, _ := o.Last("2", "3", "m"); how != "" && source == "" {
		return c.takeSide(o, args, how)
	}
	n, err := c.take(source, args, source != "", true)
	if err != nil || o.Has("q") || o.Dashes {
		return err
	}
	from := "the index"
	if source != "" {
		h, _ := c.repo.Resolve(source + "^{tree}")
		from = abbreviate(h)
	}
	fmt.Fprintf(c.stderr, "Updated %s from %s\n", plural(n, "path"), from)
	return nil
}

// take makes the index, the working tree or both as source has them; "" is the index. It returns how many files changed.
func (c *call) take(source string, args []string, index, disk bool) (n int, err error) {
	paths, outside := c.repo.Paths(args)
	if outside != "" {
		return 0, c.outside(outside)
	}
	x, err := c.repo.Index()
	if err != nil {
		return 0, err
	}
	from := x.Files
	if source != "" {
		if from, err = c.tree(source); err != nil {
			return 0, err
		}
	}
	if source == "" {
		for _, name := range x.Unmerged() {
			if paths.Match(name) {
				return 0, wrong("path '%s' is unmerged", name)
			}
		}
	}
	for i := range paths {
		if !matches(paths, i, from.Names()) && !(index && matches(paths, i, x.Files.Names()) && !disk) {
			return 0, wrong("pathspec '%s' did not match any file(s) known to git", args[i])
		}
	}
	now, err := x.OnDisk()
	if err != nil {
		return 0, err
	}
	if disk {
		for _, ch := range compare(now, from, paths) {
			if ch.status == 'D' {
				continue
			}
			if err := c.repo.WriteDisk(ch.new, ch.to); err != nil {
				return n, err
			}
			n++
		}
	}
	for _, ch := range compare(x.Files, from, paths) {
		switch {
		case !index:
		case ch.status != 'D':
			x.Put(ch.new, ch.to)
		case !disk:
			x.Remove(ch.new)
		}
	}
	for name, f := range from {
		if disk && paths.Match(name) && x.Files[name] == f {
			x.Set(name, f)
		}
	}
	return n, x.Save()
}

// takeSide writes files in conflict as one side has them, or with the markers of the conflict again.
func (c *call) takeSide(o *option.Result, args []string, how string) error {
	paths, outside := c.repo.Paths(args)
	if outside != "" {
		return c.outside(outside)
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	for i := range paths {
		if !matches(paths, i, x.Names()) {
			return wrong("pathspec '%s' did not match any file(s) known to git", args[i])
		}
	}
	var changes []change
	for _, name := range x.Unmerged() {
		if !paths.Match(name) {
			continue
		}
		sides := x.Conflicts[name]
		f := sides[1]
		switch {
		case how == "3":
			f = sides[2]
		case how == "m":
			m := &treeMerge{c: c, how: diff.Merging{Ours: "ours", Theirs: "theirs"}, notes: map[string][]string{}}
			if _, f, err = m.text(unit{name: name, base: sides[0], ours: sides[1], them: sides[2]}, sides[1].Mode); err != nil {
				return err
			}
		}
		if f == (repo.File{}) {
			return wrong("path '%s' does not have %s version", name, map[string]string{"2": "our", "3": "their", "m": "all necessary"}[how])
		}
		changes = append(changes, change{new: name, to: f})
	}
	if how != "m" || len(changes) == 0 {
		n, err := c.countTaken(x, paths)
		if err != nil {
			return err
		}
		defer func() {
			if !o.Has("q") && !o.Dashes && c.name == "checkout" {
				fmt.Fprintf(c.stderr, "Updated %s from the index\n", plural(n+len(changes), "path"))
			}
		}()
	} else if !o.Has("q") {
		defer fmt.Fprintf(c.stderr, "Recreated %s\n", plural(len(changes), "merge conflict"))
	}
	for _, ch := range changes {
		if err := c.repo.WriteDisk(ch.new, ch.to); err != nil {
			return err
		}
	}
	return nil
}

// countTaken makes the files that are not in conflict as the index has them, and counts them.
func (c *call) countTaken(x *repo.Index, paths repo.Paths) (n int, err error) {
	disk, err := x.OnDisk()
	if err != nil {
		return 0, err
	}
	for _, ch := range compare(disk, x.Files, paths) {
		if ch.status == 'D' {
			continue
		}
		if err := c.repo.WriteDisk(ch.new, ch.to); err != nil {
			return n, err
		}
		x.Set(ch.new, ch.to)
		n++
	}
	return n, x.Save()
}

// orphan puts HEAD on a branch that has no commit yet, and keeps the index.
func (c *call) orphan(o *option.Result, name string, start []string) error {
	switch {
	case !repo.ValidName(name):
		return fatal("'%s' is not a valid branch name", name)
	case c.repo.Ref("refs/heads/"+name) != repo.Zero:
		return fatal("a branch named '%s' already exists", name)
	}
	if len(start) > 0 {
		commit, err := c.repo.ResolveCommit(start[0])
		if err != nil {
			return fatal("'%s' is not a commit and a branch '%s' cannot be created from it", start[0], name)
		}
		if err := c.move(commit.Hash, "checkout", o.Has("f")); err != nil {
			return err
		}
	}
	if err := c.repo.Attach(name); err != nil || o.Has("q") {
		return err
	}
	fmt.Fprintf(c.stderr, "Switched to a new branch '%s'\n", name)
	return nil
}

// orphanSwitch is orphan, without files.
func (c *call) orphanSwitch(o *option.Result, name string) error {
	old, err := c.repo.Tree(c.repo.Head())
	if err != nil {
		return err
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	if err := c.advance(x, old, repo.Snapshot{}, nil, "checkout"); err != nil {
		return err
	}
	return c.orphan(o, name, nil)
}

func restore(c *call) error {
	o, err := c.parse("S,staged W,worktree s,source= q,quiet p,patch 2,ours 3,theirs m,merge conflict= ignore-unmerged overlay no-overlay")
	if err != nil {
		return err
	}
	if o.Has("p") {
		return fatal("restore --patch: there is no dialogue in this sandbox")
	}
	if how, _ := o.Last("2", "3", "m"); how != "" && len(o.Rest()) > 0 {
		return c.takeSide(o, o.Rest(), how)
	}
	if len(o.Rest()) == 0 {
		return fatal("you must specify path(s) to restore")
	}
	source := o.Arg("s")
	if source == "" && o.Has("S") {
		source = "HEAD"
	}
	if source != "" && !c.isRevision(source) {
		return fatal("could not resolve %s", source)
	}
	return c.restoreFrom(source, o.Rest(), o.Has("S"), o.Has("W") || !o.Has("S"), o.Has("overlay"))
}

// restoreFrom makes the index, the working tree or both as source has the paths; "" is the index.
// Files that source lacks go, unless overlay is set.
func (c *call) restoreFrom(source string, args []string, index, disk, overlay bool) error {
	if source == "" || overlay {
		_, err := c.take(source, args, index, disk)
		return err
	}
	paths, outside := c.repo.Paths(args)
	if outside != "" {
		return c.outside(outside)
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	from, err := c.tree(source)
	if err != nil {
		return err
	}
	for i := range paths {
		if !matches(paths, i, from.Names()) && !matches(paths, i, x.Names()) {
			return wrong("pathspec '%s' did not match any file(s) known to git", args[i])
		}
	}
	if disk {
		now, err := x.OnDisk()
		if err != nil {
			return err
		}
		for _, ch := range compare(now, from, paths) {
			if ch.status == 'D' {
				err = c.repo.RemoveDisk(ch.new)
			} else {
				err = c.repo.WriteDisk(ch.new, ch.to)
			}
			if err != nil {
				return err
			}
		}
	}
	if index {
		for _, name := range x.Names() {
			if _, ok := from[name]; !ok && paths.Match(name) {
				x.Remove(name)
			}
		}
		for name, f := range from {
			switch {
			case !paths.Match(name):
			case disk:
				x.Set(name, f)
			case x.Files[name] != f:
				x.Put(name, f)
			}
		}
	}
	return x.Save()
}
