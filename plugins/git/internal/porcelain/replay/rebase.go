package replay

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"slices"
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
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/stash"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A rebase makes commits anew on top of another one. What is done and left to do is noted in
// .git/rebase-merge as git notes it.
type rebase struct {
	c          *cli.Call
	silent     bool
	favor      diff.Side
	name       string // the reference that is rebased, or "detached HEAD"
	onto, from plumbing.Hash
	done, todo []*repo.Commit
	stash      plumbing.Hash // what --autostash has put aside; Zero if there is nothing
}

const inRebase = `fatal: It seems that there is already a rebase-merge directory, and
I wonder if you are in the middle of another rebase.  If that is the
case, please try
	git rebase (--continue | --abort | --skip)
If that is not the case, please
	rm -fr ".git/rebase-merge"
and run me again.  I am stopping in case you still have something
valuable there.
` + "\n"

func Rebase(c *cli.Call) error {
	o, err := c.Parse("onto= q,quiet v,verbose f,force-rebase,no-ff continue skip abort quit root autostash no-autostash i,interactive " +
		"m,merge X,strategy-option= s,strategy= keep-empty no-keep-empty empty= r,rebase-merges? x,exec= autosquash no-autosquash " +
		"stat n,no-stat no-verify fork-point no-fork-point keep-base reapply-cherry-picks no-reapply-cherry-picks committer-date-is-author-date " +
		"ignore-date signoff apply C= whitespace= edit-todo show-current-patch update-refs no-update-refs no-gpg-sign")
	if err != nil {
		return err
	}
	r := &rebase{c: c, silent: o.Has("q")}
	for _, x := range o.All("X") {
		r.favor = map[string]diff.Side{"ours": diff.Ours, "theirs": diff.Theirs}[x]
	}
	verb, _ := o.Last("continue", "skip", "abort", "quit", "edit-todo", "show-current-patch")
	if verb != "" && !c.Repo.HasState(status.RebaseDir) {
		return cli.Fatal("No rebase in progress?")
	}
	switch verb {
	case "continue":
		return r.resume()
	case "skip":
		return r.skip()
	case "abort":
		return r.abort()
	case "quit":
		return c.Repo.RemoveState(status.RebaseDir, "REBASE_HEAD")
	case "edit-todo":
		return cli.Fatal("rebase --edit-todo: there is no editor in this sandbox")
	case "show-current-patch":
		c.Args = []string{c.Repo.StateHash("REBASE_HEAD").String()}
		return history.Show(c)
	}
	for _, name := range []string{"i", "r", "x", "keep-base", "signoff", "autosquash"} {
		if o.Has(name) {
			return cli.Fatal("rebase: this option is not supported in this sandbox: rebase without -i, -r, -x, --keep-base, --signoff and --autosquash")
		}
	}
	if c.Repo.HasState(status.RebaseDir) {
		return &cli.Failure{Status: 128, Text: inRebase}
	}
	if c.Repo.HasState("rebase-apply") {
		return cli.Fatal("It looks like 'git am' is in progress. Cannot rebase.")
	}
	return r.begin(o)
}

const noUpstream = `There is no tracking information for the current branch.
Please specify which branch you want to rebase against.
See git-rebase(1) for details.

    git rebase '<branch>'

If you wish to set tracking information for this branch you can do so with:

    git branch --set-upstream-to=<remote>/<branch> %s
` + "\n"

func (r *rebase) begin(o *option.Result) error {
	c := r.c
	args := o.Rest()
	upstream, err := r.upstream(o, args)
	if err != nil {
		return err
	}
	if o.Has("root") && len(args) == 0 {
		args = []string{""}
	}
	ontoName := o.Arg("onto")
	switch {
	case ontoName == "" && upstream != nil:
		r.onto, ontoName = upstream.Hash, args[0]
	case ontoName != "":
		if left, right, ok := strings.Cut(ontoName, "..."); ok {
			base, err := c.MergeBase(cli.OrHead(left), cli.OrHead(right))
			if err != nil {
				return cli.Fatal("'%s': need exactly one merge base", ontoName)
			}
			r.onto, _ = plumbing.FromHex(base)
			break
		}
		commit, err := c.Repo.ResolveCommit(ontoName)
		if err != nil {
			return cli.Fatal("Does not point to a valid commit '%s'", ontoName)
		}
		r.onto = commit.Hash
	}
	branch := c.Repo.Branch()
	r.from = c.Repo.Head()
	if len(args) > 1 {
		if branch, r.from, err = r.target(args[1]); err != nil {
			return err
		}
	}
	r.name = "detached HEAD"
	if branch != "" {
		r.name = "refs/heads/" + branch
	}
	if err := r.clean(o.Has("autostash")); err != nil {
		return err
	}
	forced := o.Has("f")
	upToDate := false
	if upstream != nil {
		if upToDate, err = r.upToDate(upstream.Hash); err != nil {
			return err
		}
	}
	if upToDate {
		what := "HEAD"
		if branch != "" {
			what = "Current branch " + branch
		}
		switch {
		case !forced:
			err := r.switchTo(branch, len(args) > 1)
			if !r.silent {
				c.Printf("%s is up to date.\n", what)
			}
			return errors.Join(err, r.unstash())
		case !r.silent:
			c.Printf("%s is up to date, rebase forced.\n", what)
		}
	}
	if err := r.plan(upstream, o.Has("reapply-cherry-picks")); err != nil {
		return err
	}
	return r.start(ontoName, forced)
}

// upstream returns the commit whose history is left out; nil with --root.
func (r *rebase) upstream(o *option.Result, args []string) (*repo.Commit, error) {
	c := r.c
	if o.Has("root") {
		return nil, nil
	}
	name := ""
	if len(args) > 0 {
		name = cli.Dash(args[0])
	} else {
		h, err := c.Repo.Resolve("@{u}")
		if err != nil {
			branch := c.Repo.Branch()
			if branch == "" {
				c.Printf("You are not currently on a branch.\nPlease specify which branch you want to rebase against.\n" +
					"See git-rebase(1) for details.\n\n    git rebase '<branch>'\n\n")
			} else {
				c.Printf(noUpstream, branch)
			}
			return nil, cli.Quiet(1)
		}
		name = h.String()
	}
	commit, err := c.Repo.ResolveCommit(name)
	if err != nil {
		return nil, cli.Fatal("invalid upstream '%s'", name)
	}
	return commit, nil
}

// target is the branch or commit that the command line asks to be rebased.
func (r *rebase) target(name string) (branch string, h plumbing.Hash, err error) {
	if h := r.c.Repo.Ref("refs/heads/" + name); h != repo.Zero {
		return name, h, nil
	}
	commit, err := r.c.Repo.ResolveCommit(name)
	if err != nil {
		return "", repo.Zero, cli.Fatal("no such branch/commit '%s'", name)
	}
	return "", commit.Hash, nil
}

// clean fails if there are changes that are in no commit, or puts them aside.
func (r *rebase) clean(aside bool) error {
	c := r.c
	s, err := status.Read(c, nil, false, true)
	if err != nil {
		return err
	}
	unstaged, staged := len(s.Unstaged)+len(s.Unmerged) > 0, len(s.Staged) > 0
	if !unstaged && !staged {
		return nil
	}
	if value, _ := c.Setting("rebase.autostash"); aside || value == "true" {
		made, _, err := stash.Make(c, s.Index, nil, "autostash", nil, false)
		if err != nil {
			return err
		}
		r.stash = made.H
		c.Printf("Created autostash: %s\n", cli.Abbreviate(made.H))
		return checkout.Force(c, s.Head)
	}
	text := "error: cannot rebase: You have unstaged changes.\n"
	switch {
	case unstaged && staged:
		text += "error: additionally, your index contains uncommitted changes.\n"
	case staged:
		text = "error: cannot rebase: Your index contains uncommitted changes.\n"
	}
	return &cli.Failure{Status: 1, Text: text + "error: Please commit or stash them."}
}

// unstash brings back what --autostash has put aside.
func (r *rebase) unstash() error {
	if r.stash == repo.Zero {
		return nil
	}
	c := r.c
	s, err := stash.Find(c, []string{r.stash.String()})
	if err != nil {
		return err
	}
	if err := stash.Apply(c, s, false, true); err != nil {
		fmt.Fprintf(c.Stderr, "Applying autostash resulted in conflicts.\nYour changes are safe in the stash.\nYou can run \"git stash pop\" or \"git stash drop\" at any time.\n")
		return stash.Store(c, s.H, "autostash")
	}
	fmt.Fprintf(c.Stderr, "Applied autostash.\n")
	return nil
}

// upToDate reports whether there is nothing to do: onto is where the branch began, and no merge
// came since.
func (r *rebase) upToDate(upstream plumbing.Hash) (bool, error) {
	for _, other := range []plumbing.Hash{r.onto, upstream} {
		bases, err := r.c.Repo.MergeBases(other, r.from)
		if err != nil || len(bases) != 1 || bases[0] != r.onto {
			return false, err
		}
	}
	linear := true
	err := r.c.Repo.Walk([]plumbing.Hash{r.from}, []plumbing.Hash{r.onto}, func(commit *repo.Commit) bool {
		linear = len(commit.ParentHashes) == 1
		return linear
	})
	return linear, err
}

func (r *rebase) switchTo(branch string, other bool) error {
	if !other {
		return nil
	}
	if err := checkout.Move(r.c, r.from, "checkout", false); err != nil {
		return err
	}
	return r.c.Repo.Switch(branch, r.from, branch)
}

// plan finds the commits to make anew, the oldest first.
func (r *rebase) plan(upstream *repo.Commit, all bool) error {
	c := r.c
	var not []plumbing.Hash
	if upstream != nil {
		not = []plumbing.Hash{upstream.Hash}
	}
	err := c.Repo.WalkTopologically([]plumbing.Hash{r.from}, not, func(commit *repo.Commit) bool {
		if len(commit.ParentHashes) < 2 {
			r.todo = append(r.todo, commit)
		}
		return true
	})
	if err != nil {
		return err
	}
	slices.Reverse(r.todo)
	if len(r.todo) == 0 || all || upstream == nil {
		return nil
	}
	there := map[[sha1.Size]byte]bool{}
	n := 0
	err = c.Repo.Walk([]plumbing.Hash{upstream.Hash}, []plumbing.Hash{r.from}, func(commit *repo.Commit) bool {
		if len(commit.ParentHashes) < 2 {
			there[patchID(c, commit)] = true
		}
		n++
		return n < maxCompared
	})
	if err != nil || len(there) == 0 {
		return err
	}
	var left []*repo.Commit
	for _, commit := range r.todo {
		if there[patchID(c, commit)] {
			fmt.Fprintf(c.Stderr, "warning: skipped previously applied commit %s\n", cli.Abbreviate(commit.Hash))
			continue
		}
		left = append(left, commit)
	}
	if len(left) < len(r.todo) {
		fmt.Fprintf(c.Stderr, "hint: use --reapply-cherry-picks to include skipped commits\n"+
			"hint: Disable this message with \"git config advice.skippedCherryPicks false\"\n")
	}
	r.todo = left
	return nil
}

// maxCompared bounds the commits that are looked at for changes which are there already.
const maxCompared = 1000

// patchID is the same for commits that change the same in the same way: git-patch-id(1).
func patchID(c *cli.Call, commit *repo.Commit) [sha1.Size]byte {
	h := sha1.New()
	changes, d, err := history.ChangesOf(c, commit, nil)
	if err != nil {
		io.WriteString(h, commit.Hash.String())
	}
	d.Paint = cli.Uncolored
	d.Prefix = [2]string{"a/", "b/"}
	var b strings.Builder
	for _, ch := range changes {
		d.Patch(&b, ch)
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "@@ ") || strings.HasPrefix(line, "index ") {
			continue
		}
		io.WriteString(h, strings.Join(strings.Fields(line), ""))
	}
	return [sha1.Size]byte(h.Sum(nil))
}

// start goes to the new base. Commits that are on it already stay as they are.
func (r *rebase) start(ontoName string, forced bool) error {
	c := r.c
	base := r.onto
	for !forced && len(r.todo) > 0 && len(r.todo[0].ParentHashes) > 0 && r.todo[0].ParentHashes[0] == base {
		base = r.todo[0].Hash
		r.done, r.todo = append(r.done, r.todo[0]), r.todo[1:]
	}
	if base == repo.Zero {
		return r.root(forced)
	}
	if err := c.Repo.SetStateHash("ORIG_HEAD", r.from); err != nil {
		return err
	}
	old := c.Repo.Head()
	if err := checkout.Move(c, base, "checkout", false); err != nil {
		return errors.Join(err, r.unstash())
	}
	if err := errors.Join(c.Repo.Detach(base), c.Repo.Log("HEAD", old, base, "rebase (start): checkout "+ontoName)); err != nil {
		return err
	}
	if err := r.note(); err != nil {
		return err
	}
	return r.run()
}

// root makes all of history anew, from the first commit on.
func (r *rebase) root(forced bool) error {
	if len(r.todo) == 0 {
		return nil
	}
	first := r.todo[0]
	if !forced { // it would be the same
		r.onto = first.Hash
		r.done, r.todo = append(r.done, first), r.todo[1:]
		return r.start(first.Hash.String(), false)
	}
	return cli.Fatal("rebase --root --force-rebase is not supported in this sandbox")
}

// note writes down where the rebase is.
func (r *rebase) note() error {
	set := func(name, text string) error { return r.c.Repo.SetState(status.RebaseDir+"/"+name, text) }
	list := func(commits []*repo.Commit) string {
		var b strings.Builder
		for _, commit := range commits {
			fmt.Fprintf(&b, "pick %s %s\n", commit.Hash, messages.Subject(commit.Message))
		}
		return b.String()
	}
	err := errors.Join(set("head-name", r.name+"\n"), set("onto", r.onto.String()+"\n"), set("orig-head", r.from.String()+"\n"), set("interactive", ""),
		set("git-rebase-todo", list(r.todo)), set("done", list(r.done)), set("msgnum", fmt.Sprintf("%d\n", len(r.done))), set("end", fmt.Sprintf("%d\n", len(r.done)+len(r.todo))))
	if r.stash != repo.Zero {
		err = errors.Join(err, set("autostash", r.stash.String()+"\n"))
	}
	if r.silent {
		err = errors.Join(err, set("quiet", ""))
	}
	return err
}

// load reads where the rebase is.
func (r *rebase) load() error {
	c := r.c
	r.name, _ = c.Repo.StateLine(status.RebaseDir + "/head-name")
	r.onto, r.from, r.stash = c.Repo.StateHash(status.RebaseDir+"/onto"), c.Repo.StateHash(status.RebaseDir+"/orig-head"), c.Repo.StateHash(status.RebaseDir+"/autostash")
	r.silent = r.silent || c.Repo.HasState(status.RebaseDir+"/quiet")
	if short, ok := strings.CutPrefix(r.name, "refs/heads/"); r.name != "detached HEAD" && !(ok && repo.ValidName(short)) {
		return cli.Fatal("invalid head-name '%s' in .git/%s", r.name, status.RebaseDir)
	}
	for _, part := range []struct {
		file string
		to   *[]*repo.Commit
	}{{"done", &r.done}, {"git-rebase-todo", &r.todo}} {
		text, _ := c.Repo.State(status.RebaseDir + "/" + part.file)
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			if len(words) < 2 || words[0][0] == '#' {
				continue
			}
			if words[0] != "pick" && words[0] != "p" {
				return cli.Fatal("rebase: %q is not supported in this sandbox", words[0])
			}
			commit, err := c.Repo.ResolveCommit(words[1])
			if err != nil {
				return cli.Fatal("could not parse '%s'", words[1])
			}
			*part.to = append(*part.to, commit)
		}
	}
	return nil
}

func (r *rebase) run() error {
	c := r.c
	total := len(r.done) + len(r.todo)
	for len(r.todo) > 0 {
		commit := r.todo[0]
		r.done, r.todo = append(r.done, commit), r.todo[1:]
		if err := r.note(); err != nil {
			return err
		}
		if !r.silent {
			fmt.Fprintf(c.Stderr, "Rebasing (%d/%d)\r", len(r.done), total)
		}
		if err := r.one(commit); err != nil {
			return err
		}
	}
	return r.finish()
}

func (r *rebase) one(commit *repo.Commit) error {
	c := r.c
	parent := repo.Zero
	if len(commit.ParentHashes) > 0 {
		parent = commit.ParentHashes[0]
	}
	p := &pick{c: c, commit: commit, parent: parent, name: "rebase", favor: r.favor}
	m, err := p.merge()
	if err != nil {
		return err
	}
	if !m.Clean() {
		err := errors.Join(c.Repo.SetStateHash("REBASE_HEAD", commit.Hash), c.Repo.SetState(status.RebaseDir+"/stopped-sha", commit.Hash.String()+"\n"),
			c.Repo.SetState(status.RebaseDir+"/message", commit.Message), c.Repo.SetState("MERGE_MSG", commit.Message+conflictsOf(m)))
		if err != nil {
			return err
		}
		title := fmt.Sprintf("%s... %s", cli.Abbreviate(commit.Hash), messages.Subject(commit.Message))
		return &cli.Failure{Status: 1, Text: "error: could not apply " + title + "\nhint: Resolve all conflicts manually, mark them as resolved with\n" +
			"hint: \"git add/rm <conflicted_files>\", then run \"git rebase --continue\".\n" +
			"hint: You can instead skip this commit: run \"git rebase --skip\".\n" +
			"hint: To abort and get back to the state before \"git rebase\", run \"git rebase --abort\".\nCould not apply " + title}
	}
	before, err := c.Repo.Tree(c.Repo.Head())
	if err != nil {
		return err
	}
	if len(change.Compare(before, m.Files, nil)) == 0 {
		changed, _, err := history.ChangesOf(c, commit, nil)
		if err != nil {
			return err
		}
		if len(changed) > 0 {
			fmt.Fprintf(c.Stderr, "dropping %s %s -- patch contents already upstream\n", commit.Hash, messages.Subject(commit.Message))
			return nil
		}
	}
	_, err = record.CommitFiles(c, m.Files, []plumbing.Hash{c.Repo.Head()}, commit, commit.Message, "rebase (pick)")
	return err
}

// finish puts the branch where HEAD has come to.
func (r *rebase) finish() error {
	c := r.c
	head := c.Repo.Head()
	var err error
	if r.name != "detached HEAD" {
		err = errors.Join(c.Repo.SetRef(r.name, head), c.Repo.Log(r.name, r.from, head, "rebase (finish): "+r.name+" onto "+r.onto.String()),
			c.Repo.Attach(strings.TrimPrefix(r.name, "refs/heads/")), c.Repo.Log("HEAD", head, head, "rebase (finish): returning to "+r.name))
	}
	if err = errors.Join(err, c.Repo.RemoveState(status.RebaseDir, "REBASE_HEAD", "MERGE_MSG")); err != nil {
		return err
	}
	if err := r.unstash(); err != nil || r.silent {
		return err
	}
	fmt.Fprintf(c.Stderr, "\r%s\rSuccessfully rebased and updated %s.\n", strings.Repeat(" ", 80), r.name)
	return nil
}

// resume commits what was resolved, and goes on.
func (r *rebase) resume() error {
	c := r.c
	if err := r.load(); err != nil {
		return err
	}
	s, err := status.Read(c, nil, false, true)
	if err != nil {
		return err
	}
	if len(s.Unmerged) > 0 {
		for _, name := range s.Unmerged {
			c.Printf("%s: needs merge\n", name)
		}
		c.Printf("You must edit all merge conflicts and then\nmark them as resolved using git add\n")
		return cli.Quiet(1)
	}
	if len(s.Unstaged) > 0 {
		return &cli.Failure{Status: 1, Text: "error: cannot rebase: You have unstaged changes.\nerror: Please commit or stash them."}
	}
	if stopped := c.Repo.StateHash("REBASE_HEAD"); len(s.Staged) > 0 && stopped != repo.Zero {
		old, err := c.Repo.Commit(stopped)
		if err != nil {
			return err
		}
		message := old.Message
		if text, ok := c.Repo.State("MERGE_MSG"); ok {
			message = messages.Clean(messages.Uncommented(text))
		}
		h, err := record.CommitFiles(c, s.Index.Files, []plumbing.Hash{c.Repo.Head()}, old, message, "rebase (continue)")
		if err != nil {
			return err
		}
		if err := record.Committed(c, h, false, false); err != nil {
			return err
		}
	}
	if err := c.Repo.RemoveState("REBASE_HEAD", "MERGE_MSG", status.RebaseDir+"/stopped-sha"); err != nil {
		return err
	}
	return r.run()
}

func (r *rebase) skip() error {
	c := r.c
	if err := r.load(); err != nil {
		return err
	}
	head, err := c.Repo.Tree(c.Repo.Head())
	if err != nil {
		return err
	}
	if err := errors.Join(checkout.Force(c, head), c.Repo.RemoveState("REBASE_HEAD", "MERGE_MSG", status.RebaseDir+"/stopped-sha")); err != nil {
		return err
	}
	return r.run()
}

// abort goes back to where the rebase began.
func (r *rebase) abort() error {
	c := r.c
	if err := r.load(); err != nil {
		return err
	}
	files, err := c.Repo.Tree(r.from)
	if err != nil {
		return err
	}
	if err := checkout.Force(c, files); err != nil {
		return err
	}
	old := c.Repo.Head()
	if short, ok := strings.CutPrefix(r.name, "refs/heads/"); ok {
		err = errors.Join(c.Repo.Attach(short), c.Repo.Log("HEAD", old, r.from, "rebase (abort): returning to "+r.name))
	} else {
		err = errors.Join(c.Repo.Detach(r.from), c.Repo.Log("HEAD", old, r.from, "rebase (abort): returning to "+r.from.String()))
	}
	return errors.Join(err, c.Repo.RemoveState(status.RebaseDir, "REBASE_HEAD", "MERGE_MSG"), r.unstash())
}
