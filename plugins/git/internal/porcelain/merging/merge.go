// Package merging has merge.
package merging

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/checkout"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/history"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/record"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/reset"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/treemerge"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func Command(c *cli.Call) error {
	o, err := c.Parse("ff ff-only no-ff q,quiet m,message= F,file= e,edit no-edit abort continue quit squash no-squash commit no-commit stat " +
		"n,no-stat s,strategy= X,strategy-option= allow-unrelated-histories v,verbose no-verify no-log no-gpg-sign signoff")
	if err != nil {
		return err
	}
	switch {
	case o.Has("abort"):
		return abortMerge(c)
	case o.Has("quit"):
		return c.Repo.RemoveState(record.MergeState...)
	case o.Has("continue") && !c.Repo.HasState("MERGE_HEAD"):
		return cli.Fatal("There is no merge in progress (MERGE_HEAD missing).")
	case o.Has("continue"):
		c.Args = nil
		return record.Commit(c)
	}
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	switch {
	case len(x.Conflicts) > 0:
		return &cli.Failure{Status: 128, Text: "error: Merging is not possible because you have unmerged files.\n" + record.Unresolved}
	case c.Repo.HasState("MERGE_HEAD"):
		return cli.Fatal("You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.")
	case c.Repo.HasState("CHERRY_PICK_HEAD"):
		return cli.Fatal("You have not concluded your cherry-pick (CHERRY_PICK_HEAD exists).\nPlease, commit your changes before you merge.")
	case o.Has("squash") && o.Has("no-ff"):
		return cli.Fatal("options '--squash' and '--no-ff.' cannot be used together")
	case len(o.Operands) == 0:
		return cli.Fatal("No remote for the current branch.")
	case len(o.Operands) > 1:
		return cli.Fatal("merges of more than one branch are not supported in this sandbox")
	}
	name := cli.Dash(o.Operands[0])
	theirs, err := c.Repo.ResolveCommit(name)
	if err != nil {
		return &cli.Failure{Status: 1, Text: "merge: " + name + " - not something we can merge"}
	}
	ours := c.Repo.Head()
	if ours == repo.Zero {
		return forward(c, o, name, ours, theirs.Hash)
	}
	if done, err := c.Repo.IsAncestor(theirs.Hash, ours); err != nil || done {
		if err == nil && !o.Has("q") {
			c.Printf("Already up to date.\n")
		}
		return err
	}
	behind, err := c.Repo.IsAncestor(ours, theirs.Hash)
	if err != nil {
		return err
	}
	ff, _ := o.Last("ff", "ff-only", "no-ff")
	if o.Arg("s") == "ours" {
		ff = "no-ff"
	}
	if value, ok := c.Setting("merge.ff"); ok && ff == "" {
		ff = map[string]string{"false": "no-ff", "no": "no-ff", "only": "ff-only"}[value]
	}
	switch {
	case behind && ff != "no-ff":
		return forward(c, o, name, ours, theirs.Hash)
	case !behind && ff == "ff-only":
		return cli.Fatal("Not possible to fast-forward, aborting.")
	}
	return mergeCommit(c, o, name, ours, theirs)
}

// forward moves HEAD's branch to a commit that comes after it.
func forward(c *cli.Call, o *option.Result, name string, ours, theirs plumbing.Hash) error {
	silent := o.Has("q")
	if !silent && ours != repo.Zero {
		c.Printf("Updating %s..%s\n", cli.Abbreviate(ours), cli.Abbreviate(theirs))
	}
	a, err := c.Repo.Tree(ours)
	if err != nil {
		return err
	}
	b, err := c.Repo.Tree(theirs)
	if err != nil {
		return err
	}
	if err := checkout.Move(c, theirs, "merge", false); err != nil {
		return err
	}
	if o.Has("squash") {
		err = squash(c, ours, theirs)
	} else {
		err = errors.Join(c.Repo.SetStateHash("ORIG_HEAD", ours), c.Repo.SetHead(theirs, "merge "+name+": Fast-forward"))
	}
	if err != nil || silent || ours == repo.Zero {
		return err
	}
	c.Printf("Fast-forward\n")
	if o.Has("squash") {
		c.Printf("Squash commit -- not updating HEAD\n")
	}
	return showMerged(c, o, a, b)
}

// showMerged tells how the files of two commits differ, as merges do.
func showMerged(c *cli.Call, o *option.Result, a, b repo.Snapshot) error {
	if o.Has("n") || o.Has("q") {
		return nil
	}
	paint, err := c.Paint("diff", nil)
	if err != nil {
		return err
	}
	d := &change.Output{Repo: c.Repo, Renames: true, Forms: []string{"stat", "summary"}, Paint: paint, Width: c.Width()}
	d.Write(c.Stdout, d.Pick(change.Compare(a, b, nil)))
	return nil
}

// squash prepares a commit that has what came to ours with theirs, as one change.
func squash(c *cli.Call, ours, theirs plumbing.Hash) error {
	var b strings.Builder
	b.WriteString("Squashed commit of the following:\n")
	err := c.Repo.Walk([]plumbing.Hash{theirs}, []plumbing.Hash{ours}, func(commit *repo.Commit) bool {
		if len(commit.ParentHashes) > 1 {
			return true
		}
		a := commit.Author
		fmt.Fprintf(&b, "\ncommit %s\nAuthor: %s <%s>\nDate:   %s\n\n", commit.Hash, a.Name, a.Email, a.When.Format(history.DateForm))
		for line := range strings.Lines(commit.Message) {
			b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
		}
		return b.Len() < cli.MaxMessage
	})
	return errors.Join(err, c.Repo.SetState("SQUASH_MSG", b.String()))
}

// mergeCommit joins two histories by a commit with two parents.
func mergeCommit(c *cli.Call, o *option.Result, name string, ours plumbing.Hash, theirs *repo.Commit) error {
	how := diff.Merging{Ours: "HEAD", Theirs: name}
	for _, x := range o.All("X") {
		switch x {
		case "ours":
			how.Favor = diff.Ours
		case "theirs":
			how.Favor = diff.Theirs
		case "patience", "histogram", "diff-algorithm=histogram", "diff-algorithm=patience", "diff-algorithm=myers", "renormalize", "no-renormalize":
		default:
			return cli.Fatal("Unknown strategy option: -X%s", x)
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
		return cli.Fatal("merge --strategy=%s is not supported in this sandbox", strategy)
	}
	author, committer, err := record.Signatures(c, o, nil)
	if err != nil {
		return err
	}
	bases, err := c.Repo.MergeBases(ours, theirs.Hash)
	if err != nil {
		return err
	}
	if len(bases) == 0 && !o.Has("allow-unrelated-histories") {
		return cli.Fatal("refusing to merge unrelated histories")
	}
	before, err := c.Repo.Tree(ours)
	if err != nil {
		return err
	}
	message, err := mergeMessage(c, o, name)
	if err != nil {
		return err
	}
	if o.Has("signoff") {
		message = messages.SignOff(message, committer)
	}
	after := before
	how.Base = baseLabel(bases)
	if strategy != "ours" {
		m, err := integrate(c, bases, before, theirs.Hash, how, strategy)
		if err != nil {
			return err
		}
		if !m.Clean() {
			return stoppedMerge(c, o, m, ours, theirs.Hash, message)
		}
		after = m.Files
	}
	made := fmt.Sprintf("Merge made by the '%s' strategy.", strategy)
	stop, _ := o.Last("commit", "no-commit")
	switch {
	case o.Has("squash"):
		if err := squash(c, ours, theirs.Hash); err != nil {
			return err
		}
		c.Printf("Squash commit -- not updating HEAD\n")
		fmt.Fprintf(c.Stderr, "Automatic merge went well; stopped before committing as requested\n")
		return nil
	case stop == "no-commit":
		err := errors.Join(c.Repo.SetStateHash("MERGE_HEAD", theirs.Hash), c.Repo.SetState("MERGE_MODE", noFF(o)), c.Repo.SetState("MERGE_MSG", message),
			c.Repo.SetStateHash("ORIG_HEAD", ours))
		if err == nil {
			fmt.Fprintf(c.Stderr, "Automatic merge went well; stopped before committing as requested\n")
		}
		return err
	}
	tree, err := c.Repo.WriteTree(after)
	if err != nil {
		return err
	}
	h, err := c.Repo.WriteCommit(tree, []plumbing.Hash{ours, theirs.Hash}, author, committer, messages.Clean(message))
	if err != nil {
		return err
	}
	err = errors.Join(c.Repo.SetStateHash("ORIG_HEAD", ours), c.Repo.SetHead(h, "merge "+name+": "+made))
	if err != nil || o.Has("q") {
		return err
	}
	c.Printf("%s\n", made)
	return showMerged(c, o, before, after)
}

// baseLabel is what markers of a conflict call the common ancestors.
func baseLabel(bases []plumbing.Hash) string {
	switch len(bases) {
	case 0:
		return "empty tree"
	case 1:
		return cli.Abbreviate(bases[0])
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
func stoppedMerge(c *cli.Call, o *option.Result, m *treemerge.Merge, ours, theirs plumbing.Hash, message string) error {
	err := c.Repo.SetStateHash("ORIG_HEAD", ours)
	if o.Has("squash") {
		err = errors.Join(err, squash(c, ours, theirs), c.Repo.SetState("MERGE_MSG", m.Paths()))
		c.Printf("Squash commit -- not updating HEAD\n")
	} else {
		err = errors.Join(err, c.Repo.SetStateHash("MERGE_HEAD", theirs), c.Repo.SetState("MERGE_MODE", noFF(o)), c.Repo.SetState("MERGE_MSG", message+"\n"+m.Paths()))
	}
	if err != nil {
		return err
	}
	c.Printf("Automatic merge failed; fix conflicts and then commit the result.\n")
	return cli.Quiet(1)
}

// mergeMessage is the message of a merge of what is called name.
func mergeMessage(c *cli.Call, o *option.Result, name string) (string, error) {
	if o.Has("m") {
		return strings.Join(o.All("m"), "\n\n") + "\n", nil
	}
	if file := o.Arg("F"); file != "" {
		b, err := c.ReadFile(file)
		if err != nil {
			return "", cli.Fatal("could not read file '%s': %s", file, cli.Reason(err))
		}
		return string(b), nil
	}
	short := strings.TrimPrefix(name, "refs/heads/")
	if prior, ok := c.Repo.Prior(name); ok {
		short = prior
	}
	text := "Merge commit '" + name + "'"
	switch {
	case c.Repo.Ref("refs/heads/"+short) != repo.Zero:
		text = "Merge branch '" + short + "'"
	case c.Repo.Ref("refs/tags/"+name) != repo.Zero:
		text = "Merge tag '" + name + "'"
	case c.Repo.Ref("refs/remotes/"+name) != repo.Zero:
		text = "Merge remote-tracking branch '" + name + "'"
	}
	if b := c.Repo.Branch(); b == "" {
		text += " into HEAD"
	} else if b != "master" && b != "main" {
		text += " into " + b
	}
	return text + "\n", nil
}

// integrate merges what theirs made of the bases into the index and the working tree, which are as
// ours. It changes nothing if that would lose what is in no commit.
func integrate(c *cli.Call, bases []plumbing.Hash, ours repo.Snapshot, theirs plumbing.Hash, how diff.Merging, strategy string) (*treemerge.Merge, error) {
	x, err := c.Repo.Index()
	if err != nil {
		return nil, err
	}
	if staged := change.Compare(ours, x.Files, nil); len(staged) > 0 {
		fmt.Fprintf(c.Stderr, "error: Your local changes to the following files would be overwritten by merge:\n  %s\n", names(staged, " "))
		return nil, &cli.Failure{Status: 2, Text: "Merge with strategy " + strategy + " failed."}
	}
	base, err := virtualBase(c, bases, 0)
	if err != nil {
		return nil, err
	}
	after, err := c.Repo.Tree(theirs)
	if err != nil {
		return nil, err
	}
	m, err := treemerge.Trees(c, base, ours, after, how)
	if err != nil {
		return nil, err
	}
	if err := checkout.Advance(c, x, ours, m.Files, m.Conflicts, "merge"); err != nil {
		var f *cli.Failure
		if errors.As(err, &f) {
			err = &cli.Failure{Status: 2, Text: f.Text + "\nMerge with strategy " + strategy + " failed."}
		}
		return nil, err
	}
	m.Tell()
	return m, nil
}

func names(changes []change.Change, between string) string {
	var out []string
	for _, ch := range changes {
		out = append(out, ch.New)
	}
	return strings.Join(out, between)
}

// maxBases bounds how many common ancestors are joined to one, and how deeply their own are.
const maxBases = 8

// virtualBase joins several common ancestors to the files of one, conflicts and all.
func virtualBase(c *cli.Call, bases []plumbing.Hash, depth int) (repo.Snapshot, error) {
	if len(bases) == 0 {
		return repo.Snapshot{}, nil
	}
	files, err := c.Repo.Tree(bases[0])
	if err != nil || depth > maxBases {
		return files, err
	}
	for _, h := range bases[1:min(len(bases), maxBases)] {
		next, err := c.Repo.Tree(h)
		if err != nil {
			return nil, err
		}
		inner, err := c.Repo.MergeBases(bases[0], h)
		if err != nil {
			return nil, err
		}
		base, err := virtualBase(c, inner, depth+1)
		if err != nil {
			return nil, err
		}
		m, err := treemerge.Trees(c, base, files, next, diff.Merging{Ours: "Temporary merge branch 1", Theirs: "Temporary merge branch 2"})
		if err != nil {
			return nil, err
		}
		files = m.Files
	}
	return files, nil
}

// abortMerge goes back to what there was before the merge.
func abortMerge(c *cli.Call) error {
	if !c.Repo.HasState("MERGE_HEAD") {
		return cli.Fatal("There is no merge to abort (MERGE_HEAD missing).")
	}
	h := c.Repo.Head()
	if err := reset.Merge(c, h); err != nil {
		return err
	}
	return errors.Join(reset.Note(c, h, "HEAD"), c.Repo.RemoveState(record.MergeState...))
}
