// Package checkout makes the working tree and the index what a commit has, and loses nothing:
// checkout, switch and restore.
package checkout

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
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/refs"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/treemerge"
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

func Command(c *cli.Call) error {
	o, err := c.Parse("b= B= q,quiet f,force d,detach orphan= t,track no-track 3,theirs 2,ours m,merge conflict= no-guess guess l progress no-progress no-overlay overlay p,patch ignore-other-worktrees")
	if err != nil {
		return err
	}
	name := o.Arg("b") + o.Arg("B")
	switch {
	case o.Has("p"):
		return cli.Fatal("checkout --patch: there is no dialogue in this sandbox")
	case o.Has("orphan"):
		return orphan(c, o, o.Arg("orphan"), o.Operands)
	case name != "":
		return NewBranch(c, o, name, o.Operands, o.Has("B"))
	case len(o.Operands) == 0 && len(o.Paths) == 0 && o.Has("f"):
		return Move(c, c.Repo.Head(), "checkout", true)
	case len(o.Operands) == 0 && len(o.Paths) == 0 && o.Has("d"):
		return switchTo(c, o, "HEAD", true)
	case len(o.Operands) == 0 && len(o.Paths) == 0:
		return kept(c, c.Repo.Head())
	case o.Has("t") && len(o.Operands) == 1:
		return trackBranch(c, o)
	case o.Dashes && len(o.Paths) > 0 || len(o.Operands) > 1:
		return checkoutPaths(c, o)
	}
	target := c.Prior(o.Operands[0])
	if !c.IsRevision(target) && !isRemote(c, target) {
		return checkoutPaths(c, o)
	}
	return switchTo(c, o, target, true)
}

func Switch(c *cli.Call) error {
	o, err := c.Parse("c,create= C,force-create= d,detach q,quiet f,force,discard-changes orphan= t,track no-track no-guess guess m,merge progress no-progress ignore-other-worktrees")
	if err != nil {
		return err
	}
	if name := o.Arg("orphan"); name != "" {
		return orphanSwitch(c, o, name)
	}
	if name := o.Arg("c") + o.Arg("C"); name != "" {
		return NewBranch(c, o, name, o.Operands, o.Has("C"))
	}
	if len(o.Operands) == 0 {
		return cli.Fatal("missing branch or commit argument")
	}
	if o.Has("t") {
		return trackBranch(c, o)
	}
	target := c.Prior(o.Operands[0])
	if c.Repo.Ref("refs/heads/"+target) == repo.Zero && !isRemote(c, target) && !o.Has("d") {
		if !c.IsRevision(target) {
			return cli.Fatal("invalid reference: %s", target)
		}
		return cli.Fatal("a branch is expected, got commit '%s'\n"+
			"hint: If you want to detach HEAD at the commit, try again with the --detach option.", target)
	}
	return switchTo(c, o, target, o.Has("d"))
}

// trackBranch makes the branch that -t asks for without a name: it is called as the remote's is.
func trackBranch(c *cli.Call, o *option.Result) error {
	start := o.Operands[0]
	_, name, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(start, "refs/"), "remotes/"), "/")
	if !ok || name == "" {
		return cli.Fatal("missing branch name; try -%s", map[string]string{"switch": "c"}[c.Name]+map[string]string{"checkout": "b"}[c.Name])
	}
	return NewBranch(c, o, name, o.Operands, false)
}

// isRemote reports whether a branch of this name can be made from origin's.
func isRemote(c *cli.Call, name string) bool {
	return c.Repo.Ref("refs/remotes/origin/"+name) != repo.Zero
}

func NewBranch(c *cli.Call, o *option.Result, name string, start []string, force bool) error {
	if c.Repo.Head() == repo.Zero && len(start) == 0 {
		if err := c.Repo.Attach(name); err != nil || o.Has("q") {
			return err
		}
		fmt.Fprintf(c.Stderr, "Switched to a new branch '%s'\n", name)
		return nil
	}
	from := "HEAD"
	if len(start) > 0 {
		from = start[0]
	}
	commit, err := c.Repo.ResolveCommit(from)
	switch {
	case err != nil && len(o.Paths) == 0:
		return cli.Fatal("'%s' is not a commit and a branch '%s' cannot be created from it", from, name)
	case err != nil:
		return err
	case !repo.ValidName(name):
		return cli.Fatal("'%s' is not a valid branch name", name)
	}
	exists := c.Repo.Ref("refs/heads/"+name) != repo.Zero
	if exists && !force {
		return cli.Fatal("a branch named '%s' already exists", name)
	}
	up, err := refs.UpstreamOf(c, o, from)
	if err != nil {
		return err
	}
	if err := Move(c, commit.Hash, "checkout", o.Has("f")); err != nil {
		return err
	}
	if name == c.Repo.Branch() {
		err = c.Repo.SetHead(commit.Hash, "branch: Reset to "+from)
	} else {
		old := c.Repo.Ref("refs/heads/" + name)
		why := "branch: Created from " + from
		if exists {
			why = "branch: Reset to " + from
		}
		err = errors.Join(c.Repo.SetRef("refs/heads/"+name, commit.Hash), c.Repo.Log("refs/heads/"+name, old, commit.Hash, why))
	}
	if err == nil {
		err = up.Set(c, name, o.Has("q"))
	}
	if err != nil {
		return err
	}
	if err := c.Repo.Switch(name, commit.Hash, name); err != nil || o.Has("q") {
		return err
	}
	how := "Switched to a new branch"
	if exists {
		how = "Switched to and reset branch"
	}
	fmt.Fprintf(c.Stderr, "%s '%s'\n", how, name)
	return nil
}

// switchTo puts HEAD on a branch, or on a commit.
func switchTo(c *cli.Call, o *option.Result, target string, detach bool) error {
	tracks := false
	if c.Repo.Ref("refs/heads/"+target) == repo.Zero && isRemote(c, target) {
		tracks = true
		if err := Track(c, target); err != nil {
			return err
		}
	}
	commit, err := c.Repo.ResolveCommit(target)
	if err != nil {
		return cli.Fatal("reference is not a tree: %s", target)
	}
	old, from := c.Repo.Branch(), c.Repo.Head()
	isBranch := c.Repo.Ref("refs/heads/"+target) != repo.Zero && !o.Has("d")
	if dir := refs.Elsewhere(c)[target]; isBranch && dir != "" && !o.Has("ignore-other-worktrees") {
		return cli.Fatal("'%s' is already checked out at '%s'", target, dir)
	}
	if err := Move(c, commit.Hash, "checkout", o.Has("f")); err != nil {
		return err
	}
	if !o.Has("q") {
		if err := kept(c, commit.Hash); err != nil {
			return err
		}
	}
	if old == "" && from != commit.Hash && !o.Has("q") {
		if err := leave(c, from, commit.Hash); err != nil {
			return err
		}
	}
	switch {
	case isBranch:
		if err := c.Repo.Switch(target, commit.Hash, target); err != nil || o.Has("q") {
			return err
		}
		switch {
		case tracks:
			c.Printf("branch '%s' set up to track 'origin/%s'.\n", target, target)
			fmt.Fprintf(c.Stderr, "Switched to a new branch '%s'\n", target)
		case old == target:
			fmt.Fprintf(c.Stderr, "Already on '%s'\n", target)
		default:
			fmt.Fprintf(c.Stderr, "Switched to branch '%s'\n", target)
		}
		if !tracks {
			brief(cli.Printer{W: c.Stdout}, c, target)
		}
		return nil
	default:
		if err := c.Repo.Switch("", commit.Hash, target); err != nil || o.Has("q") {
			return err
		}
		if advice, _ := c.Repo.Config.Get("advice.detachedhead"); old != "" && advice != "false" && !o.Has("d") {
			fmt.Fprintf(c.Stderr, detachedAdvice, target)
		}
		wasAt(c, "HEAD is now at", commit.Hash)
	}
	return nil
}

// brief is tracking without the empty line behind it.
func brief(p cli.Printer, c *cli.Call, branch string) {
	var b strings.Builder
	status.Tracking(cli.Printer{W: &b}, c, branch)
	p.Printf("%s", strings.TrimSuffix(b.String(), "\n"))
}

// Track makes a branch that follows origin's.
func Track(c *cli.Call, name string) error {
	if err := c.Repo.SetRef("refs/heads/"+name, c.Repo.Ref("refs/remotes/origin/"+name)); err != nil {
		return err
	}
	return Follow(c, name)
}

// Follow has the branch name follow origin's, which need not be there yet.
func Follow(c *cli.Call, name string) error {
	_, err := c.Repo.Config.Set("branch."+name+".remote", "origin", false, false)
	if err != nil {
		return err
	}
	_, err = c.Repo.Config.Set("branch."+name+".merge", "refs/heads/"+name, false, false)
	return err
}

func wasAt(c *cli.Call, how string, h plumbing.Hash) {
	if commit, err := c.Repo.Commit(h); err == nil {
		fmt.Fprintf(c.Stderr, "%s %s %s\n", how, cli.Abbreviate(h), messages.Subject(commit.Message))
	}
}

// kept lists the changes that a switch kept.
func kept(c *cli.Call, h plumbing.Hash) error {
	s, err := status.Read(c, nil, false, true)
	if err != nil {
		return err
	}
	if s.Head, err = c.Repo.Tree(h); err != nil {
		return err
	}
	changes := map[string]byte{}
	names := repo.Snapshot{}
	for _, ch := range append(change.Compare(s.Head, s.Index.Files, nil), s.Unstaged...) {
		changes[ch.New] = ch.Status
		names[ch.New] = repo.File{}
	}
	for _, name := range names.Names() {
		c.Printf("%c\t%s\n", changes[name], cli.Quote(name))
	}
	return nil
}

// Move changes the index and the working tree from HEAD's files to those of h. It changes nothing
// if that would lose what is in no commit.
func Move(c *cli.Call, h plumbing.Hash, operation string, force bool) error {
	new, err := c.Repo.Tree(h)
	if err != nil {
		return err
	}
	if force {
		return Force(c, new)
	}
	old, err := c.Repo.Tree(c.Repo.Head())
	if err != nil {
		return err
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	if len(x.Conflicts) > 0 {
		for _, name := range x.Unmerged() {
			c.Printf("%s: needs merge\n", cli.Quote(name))
		}
		return cli.Wrong("you need to resolve your current index first")
	}
	return Advance(c, x, old, new, nil, operation)
}

// Advance changes the index and the working tree by what makes new of old. It changes nothing if
// that would lose what is in no commit. The files in conflict are as new has them, but in the index
// they are in conflict.
func Advance(c *cli.Call, x *repo.Index, old, new repo.Snapshot, conflicts map[string]repo.Conflict, operation string) error {
	disk, err := x.OnDisk()
	if err != nil {
		return err
	}
	changes := change.Compare(old, new, nil)
	var lost, covered []string
	for _, ch := range changes {
		staged, tracked := x.Files[ch.New]
		info, err := os.Lstat(c.Repo.Path(ch.New))
		switch {
		case staged == new[ch.New] && disk[ch.New] == staged:
		case tracked && (staged != old[ch.New] && staged != new[ch.New] || disk[ch.New] != staged && disk[ch.New] != (repo.File{})):
			lost = append(lost, ch.New)
		case !tracked && err == nil && ch.Status != 'D' && !info.IsDir():
			if b, _ := c.Repo.ReadDisk(ch.New); !same(c, b, ch.To) {
				covered = append(covered, ch.New)
			}
		}
	}
	files, dirs, err := obstacles(c, x, changes)
	if err != nil {
		return err
	}
	if covered = append(covered, files...); len(lost)+len(covered)+len(dirs) > 0 {
		slices.Sort(covered)
		return overwritten(operation, lost, covered, dirs)
	}
	if err := Apply(c, x, changes); err != nil {
		return err
	}
	for name, sides := range conflicts {
		x.Remove(name)
		x.Conflicts[name] = sides
	}
	return x.Save()
}

// Apply puts changes into the index and the working tree.
func Apply(c *cli.Call, x *repo.Index, changes []change.Change) error {
	for _, ch := range changes { // what goes first: a directory may take its place
		if ch.Status == 'D' {
			x.Remove(ch.New)
			if err := c.Repo.RemoveDisk(ch.New); err != nil {
				return err
			}
		}
	}
	for _, ch := range changes {
		if ch.Status == 'D' {
			continue
		}
		makeWay(c, ch.New)
		if err := c.Repo.WriteDisk(ch.New, ch.To); err != nil {
			return err
		}
		x.Set(ch.New, ch.To)
	}
	return nil
}

// Force makes the index and the working tree as new is, whatever they have.
func Force(c *cli.Call, new repo.Snapshot) error {
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	disk, err := x.OnDisk()
	if err != nil {
		return err
	}
	for name := range x.Conflicts { // what they look like does not matter
		if _, err := os.Lstat(c.Repo.Path(name)); err == nil {
			disk[name] = repo.File{Mode: filemode.Regular}
		}
	}
	if err := Apply(c, x, change.Compare(disk, new, nil)); err != nil {
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

func same(c *cli.Call, b []byte, f repo.File) bool {
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
	return &cli.Failure{Status: 1, Text: b.String() + "Aborting"}
}

// checkoutPaths takes files from a commit, or from the index.
func checkoutPaths(c *cli.Call, o *option.Result) error {
	args, source := o.Rest(), ""
	if len(o.Operands) > 0 && (o.Dashes || c.IsRevision(o.Operands[0])) {
		source, args = o.Operands[0], args[1:]
		if !c.IsRevision(source) {
			return cli.Fatal("invalid reference: %s", source)
		}
	}
	if how, _ := o.Last("2", "3", "m"); how != "" && source == "" {
		return takeSide(c, o, args, how)
	}
	n, err := take(c, source, args, source != "", true)
	if err != nil || o.Has("q") || o.Dashes {
		return err
	}
	from := "the index"
	if source != "" {
		h, _ := c.Repo.Resolve(source + "^{tree}")
		from = cli.Abbreviate(h)
	}
	fmt.Fprintf(c.Stderr, "Updated %s from %s\n", cli.Plural(n, "path"), from)
	return nil
}

// take makes the index, the working tree or both as source has them; "" is the index. It returns
// how many files changed.
func take(c *cli.Call, source string, args []string, index, disk bool) (n int, err error) {
	paths, outside := c.Repo.Paths(args)
	if outside != "" {
		return 0, c.Outside(outside)
	}
	x, err := c.Repo.Index()
	if err != nil {
		return 0, err
	}
	from := x.Files
	if source != "" {
		if from, err = c.Tree(source); err != nil {
			return 0, err
		}
	}
	if source == "" {
		for _, name := range x.Unmerged() {
			if paths.Match(name) {
				return 0, cli.Wrong("path '%s' is unmerged", name)
			}
		}
	}
	for i := range paths {
		if !cli.Matches(paths, i, from.Names()) && !(index && cli.Matches(paths, i, x.Files.Names()) && !disk) {
			return 0, cli.Wrong("pathspec '%s' did not match any file(s) known to git", args[i])
		}
	}
	now, err := x.OnDisk()
	if err != nil {
		return 0, err
	}
	if disk {
		for _, ch := range change.Compare(now, from, paths) {
			if ch.Status == 'D' {
				continue
			}
			if err := c.Repo.WriteDisk(ch.New, ch.To); err != nil {
				return n, err
			}
			n++
		}
	}
	for _, ch := range change.Compare(x.Files, from, paths) {
		switch {
		case !index:
		case ch.Status != 'D':
			x.Put(ch.New, ch.To)
		case !disk:
			x.Remove(ch.New)
		}
	}
	for name, f := range from {
		if disk && paths.Match(name) && x.Files[name] == f {
			x.Set(name, f)
		}
	}
	return n, x.Save()
}

// takeSide writes files in conflict as one side has them, or with the markers of the conflict
// again.
func takeSide(c *cli.Call, o *option.Result, args []string, how string) error {
	paths, outside := c.Repo.Paths(args)
	if outside != "" {
		return c.Outside(outside)
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	for i := range paths {
		if !cli.Matches(paths, i, x.Names()) {
			return cli.Wrong("pathspec '%s' did not match any file(s) known to git", args[i])
		}
	}
	var changes []change.Change
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
			m := &treemerge.Merge{C: c, How: diff.Merging{Ours: "ours", Theirs: "theirs"}, Notes: map[string][]string{}}
			if _, f, err = m.Text(treemerge.Unit{Name: name, Base: sides[0], Ours: sides[1], Them: sides[2]}, sides[1].Mode); err != nil {
				return err
			}
		}
		if f == (repo.File{}) {
			return cli.Wrong("path '%s' does not have %s version", name, map[string]string{"2": "our", "3": "their", "m": "all necessary"}[how])
		}
		changes = append(changes, change.Change{New: name, To: f})
	}
	if how != "m" || len(changes) == 0 {
		n, err := countTaken(c, x, paths)
		if err != nil {
			return err
		}
		defer func() {
			if !o.Has("q") && !o.Dashes && c.Name == "checkout" {
				fmt.Fprintf(c.Stderr, "Updated %s from the index\n", cli.Plural(n+len(changes), "path"))
			}
		}()
	} else if !o.Has("q") {
		defer fmt.Fprintf(c.Stderr, "Recreated %s\n", cli.Plural(len(changes), "merge conflict"))
	}
	for _, ch := range changes {
		if err := c.Repo.WriteDisk(ch.New, ch.To); err != nil {
			return err
		}
	}
	return nil
}

// countTaken makes the files that are not in conflict as the index has them, and counts them.
func countTaken(c *cli.Call, x *repo.Index, paths repo.Paths) (n int, err error) {
	disk, err := x.OnDisk()
	if err != nil {
		return 0, err
	}
	for _, ch := range change.Compare(disk, x.Files, paths) {
		if ch.Status == 'D' {
			continue
		}
		if err := c.Repo.WriteDisk(ch.New, ch.To); err != nil {
			return n, err
		}
		x.Set(ch.New, ch.To)
		n++
	}
	return n, x.Save()
}

// orphan puts HEAD on a branch that has no commit yet, and keeps the index.
func orphan(c *cli.Call, o *option.Result, name string, start []string) error {
	switch {
	case !repo.ValidName(name):
		return cli.Fatal("'%s' is not a valid branch name", name)
	case c.Repo.Ref("refs/heads/"+name) != repo.Zero:
		return cli.Fatal("a branch named '%s' already exists", name)
	}
	if len(start) > 0 {
		commit, err := c.Repo.ResolveCommit(start[0])
		if err != nil {
			return cli.Fatal("'%s' is not a commit and a branch '%s' cannot be created from it", start[0], name)
		}
		if err := Move(c, commit.Hash, "checkout", o.Has("f")); err != nil {
			return err
		}
	}
	if err := c.Repo.Attach(name); err != nil || o.Has("q") {
		return err
	}
	fmt.Fprintf(c.Stderr, "Switched to a new branch '%s'\n", name)
	return nil
}

// orphanSwitch is orphan, without files.
func orphanSwitch(c *cli.Call, o *option.Result, name string) error {
	old, err := c.Repo.Tree(c.Repo.Head())
	if err != nil {
		return err
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	if err := Advance(c, x, old, repo.Snapshot{}, nil, "checkout"); err != nil {
		return err
	}
	return orphan(c, o, name, nil)
}
