package porcelain

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/object"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// mergeState are the notes that a merge leaves until it is committed.
var mergeState = []string{"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE"}

const unresolved = "hint: Fix them up in the work tree, and then use 'git add/rm <file>'\n" +
	"hint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict."

func merge(c *call) error {
	o, err := c.parse("ff ff-only no-ff q,quiet m,message= F,file= e,edit no-edit abort continue quit squash no-squash commit no-commit stat " +
		"n,no-stat s,strategy= X,strategy-option= allow-unrelated-histories v,verbose no-verify no-log no-gpg-sign signoff")
	if err != nil {
		return err
	}
	switch {
	case o.Has("abort"):
		return c.abortMerge()
	case o.Has("quit"):
		return c.repo.RemoveState(mergeState...)
	case o.Has("continue") && !c.repo.HasState("MERGE_HEAD"):
		return fatal("There is no merge in progress (MERGE_HEAD missing).")
	case o.Has("continue"):
		c.args = nil
		return commit(c)
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	switch {
	case len(x.Conflicts) > 0:
		return &failure{128, "error: Merging is not possible because you have unmerged files.\n" + unresolved}
	case c.repo.HasState("MERGE_HEAD"):
		return fatal("You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.")
	case c.repo.HasState("CHERRY_PICK_HEAD"):
		return fatal("You have not concluded your cherry-pick (CHERRY_PICK_HEAD exists).\nPlease, commit your changes before you merge.")
	case o.Has("squash") && o.Has("no-ff"):
		return fatal("options '--squash' and '--no-ff.' cannot be used together")
	case len(o.Operands) == 0:
		return fatal("No remote for the current branch.")
	case len(o.Operands) > 1:
		return fatal("merges of more than one branch are not supported in this sandbox")
	}
	name := dash(o.Operands[0])
	theirs, err := c.repo.ResolveCommit(name)
	if err != nil {
		return &failure{1, "merge: " + name + " - not something we can merge"}
	}
	ours := c.repo.Head()
	if ours == repo.Zero {
		return c.forward(o, name, ours, theirs.Hash)
	}
	if done, err := c.repo.IsAncestor(theirs.Hash, ours); err != nil || done {
		if err == nil && !o.Has("q") {
			c.printf("Already up to date.\n")
		}
		return err
	}
	forward, err := c.repo.IsAncestor(ours, theirs.Hash)
	if err != nil {
		return err
	}
	ff, _ := o.Last("ff", "ff-only", "no-ff")
	if o.Arg("s") == "ours" {
		ff = "no-ff"
	}
	if value, ok := c.setting("merge.ff"); ok && ff == "" {
		ff = map[string]string{"false": "no-ff", "no": "no-ff", "only": "ff-only"}[value]
	}
	switch {
	case forward && ff != "no-ff":
		return c.forward(o, name, ours, theirs.Hash)
	case !forward && ff == "ff-only":
		return fatal("Not possible to fast-forward, aborting.")
	}
	return c.mergeCommit(o, name, ours, theirs)
}

// forward moves HEAD's branch to a commit that comes after it.
func (c *call) forward(o *option.Result, name string, ours, theirs plumbing.Hash) error {
	silent := o.Has("q")
	if !silent && ours != repo.Zero {
		c.printf("Updating %s..%s\n", abbreviate(ours), abbreviate(theirs))
	}
	a, err := c.repo.Tree(ours)
	if err != nil {
		return err
	}
	b, err := c.repo.Tree(theirs)
	if err != nil {
		return err
	}
	if err := c.move(theirs, "merge", false); err != nil {
		return err
	}
	if o.Has("squash") {
		err = c.squash(ours, theirs)
	} else {
		err = errors.Join(c.repo.SetStateHash("ORIG_HEAD", ours), c.repo.SetHead(theirs, "merge "+name+": Fast-forward"))
	}
	if err != nil || silent || ours == repo.Zero {
		return err
	}
	c.printf("Fast-forward\n")
	if o.Has("squash") {
		c.printf("Squash commit -- not updating HEAD\n")
	}
	return c.showMerged(o, a, b)
}

// showMerged tells how the files of two commits differ, as merges do.
func (c *call) showMerged(o *option.Result, a, b repo.Snapshot) error {
	if o.Has("n") || o.Has("q") {
		return nil
	}
	paint, err := c.paint("diff", nil)
	if err != nil {
		return err
	}
	d := &diffOutput{repo: c.repo, renames: true, forms: []string{"stat", "summary"}, paint: paint, width: c.width()}
	d.write(c.stdout, d.pick(compare(a, b, nil)))
	return nil
}

// squash prepares a commit that has what came to ours with theirs, as one change.
func (c *call) squash(ours, theirs plumbing.Hash) error {
	var b strings.Builder
	b.WriteString("Squashed commit of the following:\n")
	err := c.repo.Walk([]plumbing.Hash{theirs}, []plumbing.Hash{ours}, func(commit *object.Commit) bool {
		if len(commit.ParentHashes) > 1 {
			return true
		}
		a := commit.Author
		fmt.Fprintf(&b, "\ncommit %s\nAuthor: %s <%s>\nDate:   %s\n\n", commit.Hash, a.Name, a.Email, a.When.Format(dateForm))
		for line := range strings.Lines(commit.Message) {
			b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
		}
		return b.Len() < maxMessage
	})
	return errors.Join(err, c.repo.SetState("SQUASH_MSG", b.String()))
}

// maxMessage bounds in bytes the messages that are made of others.
const maxMessage = 1 << 20

// mergeCommit joins two histories by a commit with two parents.
func (c *call) mergeCommit(o *option.Result, name string, ours plumbing.Hash, theirs *object.Commit) error {
	how := diff.Merging{Ours: "HEAD", Theirs: name}
	for _, x := range o.All("X") {
		switch x {
		case "ours":
			how.Favor = diff.Ours
		case "theirs":
			how.Favor = diff.Theirs
		case "patience", "histogram", "diff-algorithm=histogram", "diff-algorithm=patience", "diff-algorithm=myers", "renormalize", "no-renormalize":
		default:
			return fatal("Unknown strategy option: -X%s", x)
		}
	}
	strategy := o.Arg("s")
	switch strategy {
	case "", "ort", "recursive", "resolve":
		if strategy != "resolve" {
			strategy = "ort"
		}
	case "ours":
	default:
		return fatal("merge --strategy=%s is not supported in this sandbox", strategy)
	}
	author, committer, err := c.signatures(o, nil)
	if err != nil {
		return err
	}
	bases, err := c.repo.MergeBases(ours, theirs.Hash)
	if err != nil {
		return err
	}
	if len(bases) == 0 && !o.Has("allow-unrelated-histories") {
		return fatal("refusing to merge unrelated histories")
	}
	before, err := c.repo.Tree(ours)
	if err != nil {
		return err
	}
	message, err := c.mergeMessage(o, name)
	if err != nil {
		return err
	}
	if o.Has("signoff") {
		message = signOff(message, committer)
	}
	after := before
	how.Base = baseLabel(bases)
	if strategy != "ours" {
		m, err := c.integrate(bases, before, theirs.Hash, how, strategy)
		if err != nil {
			return err
		}
		if !m.clean() {
			return c.stoppedMerge(o, m, ours, theirs.Hash, message)
		}
		after = m.files
	}
	made := fmt.Sprintf("Merge made by the '%s' strategy.", strategy)
	stop, _ := o.Last("commit", "no-commit")
	switch {
	case o.Has("squash"):
		if err := c.squash(ours, theirs.Hash); err != nil {
			return err
		}
		c.printf("Squash commit -- not updating HEAD\n")
		fmt.Fprintf(c.stderr, "Automatic merge went well; stopped before committing as requested\n")
		return nil
	case stop == "no-commit":
		err := errors.Join(c.repo.SetStateHash("MERGE_HEAD", theirs.Hash), c.repo.SetState("MERGE_MODE", noFF(o)), c.repo.SetState("MERGE_MSG", message),
			c.repo.SetStateHash("ORIG_HEAD", ours))
		if err == nil {
			fmt.Fprintf(c.stderr, "Automatic merge went well; stopped before committing as requested\n")
		}
		return err
	}
	tree, err := c.repo.WriteTree(after)
	if err != nil {
		return err
	}
	h, err := c.repo.WriteCommit(tree, []plumbing.Hash{ours, theirs.Hash}, author, committer, clean(message))
	if err != nil {
		return err
	}
	err = errors.Join(c.repo.SetStateHash("ORIG_HEAD", ours), c.repo.SetHead(h, "merge "+name+": "+made))
	if err != nil || o.Has("q") {
		return err
	}
	c.printf("%s\n", made)
	return c.showMerged(o, before, after)
}

// baseLabel is what markers of a conflict call the common ancestors.
func baseLabel(bases []plumbing.Hash) string {
	switch len(bases) {
	case 0:
		return "empty tree"
	case 1:
		return abbreviate(bases[0])
	}
	return "merged common ancestors"
}

func noFF(o *option.Result) string {
	if o.Has("no-ff") {
		return "no-ff"
	}
	return ""
}

// stoppedMerge leaves a merge to those who can resolve its conflicts.
func (c *call) stoppedMerge(o *option.Result, m *treeMerge, ours, theirs plumbing.Hash, message string) error {
	err := c.repo.SetStateHash("ORIG_HEAD", ours)
	if o.Has("squash") {
		err = errors.Join(err, c.squash(ours, theirs), c.repo.SetState("MERGE_MSG", m.paths()))
		c.printf("Squash commit -- not updating HEAD\n")
	} else {
		err = errors.Join(err, c.repo.SetStateHash("MERGE_HEAD", theirs), c.repo.SetState("MERGE_MODE", noFF(o)), c.repo.SetState("MERGE_MSG", message+"\n"+m.paths()))
	}
	if err != nil {
		return err
	}
	c.printf("Automatic merge failed; fix conflicts and then commit the result.\n")
	return quiet(1)
}

// mergeMessage is the message of a merge of what is called name.
func (c *call) mergeMessage(o *option.Result, name string) (string, error) {
	if o.Has("m") {
		return strings.Join(o.All("m"), "\n\n") + "\n", nil
	}
	if file := o.Arg("F"); file != "" {
		b, err := c.readFile(file)
		if err != nil {
			return "", fatal("could not read file '%s': %s", file, reason(err))
		}
		return string(b), nil
	}
	short := strings.TrimPrefix(name, "refs/heads/")
	if prior, ok := c.repo.Prior(name); ok {
		short = prior
	}
	text := "Merge commit '" + name + "'"
	switch {
	case c.repo.Ref("refs/heads/"+short) != repo.Zero:
		text = "Merge branch '" + short + "'"
	case c.repo.Ref("refs/tags/"+name) != repo.Zero:
		text = "Merge tag '" + name + "'"
	case c.repo.Ref("refs/remotes/"+name) != repo.Zero:
		text = "Merge remote-tracking branch '" + name + "'"
	}
	if b := c.repo.Branch(); b == "" {
		text += " into HEAD"
	} else if b != "master" && b != "main" {
		text += " into " + b
	}
	return text + "\n", nil
}

// readFile reads a file that an option names, standard input for "-", up to maxMessage.
func (c *call) readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(c.stdin, maxMessage))
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxMessage))
}

// integrate merges what theirs made of the bases into the index and the working tree, which are as
// ours. It changes nothing if that would lose what is in no commit.
func (c *call) integrate(bases []plumbing.Hash, ours repo.Snapshot, theirs plumbing.Hash, how diff.Merging, strategy string) (*treeMerge, error) {
	x, err := c.repo.Index()
	if err != nil {
		return nil, err
	}
	if staged := compare(ours, x.Files, nil); len(staged) > 0 {
		fmt.Fprintf(c.stderr, "error: Your local changes to the following files would be overwritten by merge:\n  %s\n", names(staged, " "))
		return nil, &failure{2, "Merge with strategy " + strategy + " failed."}
	}
	base, err := c.virtualBase(bases, 0)
	if err != nil {
		return nil, err
	}
	after, err := c.repo.Tree(theirs)
	if err != nil {
		return nil, err
	}
	m, err := c.mergeTrees(base, ours, after, how)
	if err != nil {
		return nil, err
	}
	if err := c.advance(x, ours, m.files, m.conflicts, "merge"); err != nil {
		var f *failure
		if errors.As(err, &f) {
			err = &failure{2, f.text + "\nMerge with strategy " + strategy + " failed."}
		}
		return nil, err
	}
	m.tell()
	return m, nil
}

func names(changes []change, between string) string {
	var out []string
	for _, ch := range changes {
		out = append(out, ch.new)
	}
	return strings.Join(out, between)
}

// maxBases bounds how many common ancestors are joined to one, and how deeply their own are.
const maxBases = 8

// virtualBase joins several common ancestors to the files of one, conflicts and all.
func (c *call) virtualBase(bases []plumbing.Hash, depth int) (repo.Snapshot, error) {
	if len(bases) == 0 {
		return repo.Snapshot{}, nil
	}
	files, err := c.repo.Tree(bases[0])
	if err != nil || depth > maxBases {
		return files, err
	}
	for _, h := range bases[1:min(len(bases), maxBases)] {
		next, err := c.repo.Tree(h)
		if err != nil {
			return nil, err
		}
		inner, err := c.repo.MergeBases(bases[0], h)
		if err != nil {
			return nil, err
		}
		base, err := c.virtualBase(inner, depth+1)
		if err != nil {
			return nil, err
		}
		m, err := c.mergeTrees(base, files, next, diff.Merging{Ours: "Temporary merge branch 1", Theirs: "Temporary merge branch 2"})
		if err != nil {
			return nil, err
		}
		files = m.files
	}
	return files, nil
}

// abortMerge goes back to what there was before the merge.
func (c *call) abortMerge() error {
	if !c.repo.HasState("MERGE_HEAD") {
		return fatal("There is no merge to abort (MERGE_HEAD missing).")
	}
	h := c.repo.Head()
	if err := c.resetMerge(h); err != nil {
		return err
	}
	return errors.Join(c.noteReset(h, "HEAD"), c.repo.RemoveState(mergeState...))
}

// resetMerge makes the index as h is, and the files that differ from it there or are in conflict. It
// keeps changes that are in the working tree alone: git reset --merge.
func (c *call) resetMerge(h plumbing.Hash) error {
	new, err := c.repo.Tree(h)
	if err != nil {
		return err
	}
	x, err := c.repo.Index()
	if err != nil {
		return err
	}
	disk, err := x.OnDisk()
	if err != nil {
		return err
	}
	changes := compare(x.Files, new, nil)
	for _, ch := range changes {
		if _, open := x.Conflicts[ch.new]; !open && ch.status != 'A' && disk[ch.new] != x.Files[ch.new] {
			return &failure{128, fmt.Sprintf("error: Entry '%s' not uptodate. Cannot merge.\nfatal: Could not reset index file to revision '%s'.", ch.new, h)}
		}
	}
	for name := range x.Conflicts {
		if _, ok := new[name]; !ok {
			changes = append(changes, change{status: 'D', old: name, new: name})
		}
	}
	if err := c.apply(x, changes); err != nil {
		return err
	}
	return x.Save()
}
