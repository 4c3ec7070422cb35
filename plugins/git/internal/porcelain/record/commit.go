// Package record makes commits.
package record

import (
	"errors"
	"io"
	"maps"
	"os"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/history"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const WhoAreYou = `
*** Please tell me who you are.

Run

  git config --global user.email "you@example.com"
  git config --global user.name "Your Name"

to set your account's default identity.
Omit --global to set the identity only in this repository.

`

func Commit(c *cli.Call) error {
	o, err := c.Parse("a,all m,message= F,file= amend no-edit allow-empty allow-empty-message q,quiet author= date= " +
		"s,signoff n,no-verify v,verbose C,reuse-message= dry-run no-gpg-sign short porcelain long z fixup= squash= c,reedit-message= e,edit i,include o,only t,template= cleanup= " +
		"reset-author status no-status S? u? trailer= p,patch interactive")
	if err != nil {
		return err
	}
	s, err := status.Read(c, nil, false, false)
	if err != nil {
		return err
	}
	files, err := stage(c, s, o)
	if err != nil {
		return err
	}
	if len(s.Index.Conflicts) > 0 {
		for _, name := range s.Index.Unmerged() {
			c.Printf("U\t%s\n", cli.Quote(name))
		}
		return &cli.Failure{Status: 128, Text: "error: Committing is not possible because you have unmerged files.\n" + Unresolved}
	}
	head := c.Repo.Head()
	var old *repo.Commit
	parents := []plumbing.Hash{head}
	switch {
	case head == repo.Zero && o.Has("amend"):
		return cli.Fatal("You have nothing to amend.")
	case head == repo.Zero:
		parents = nil
	case o.Has("amend"):
		if old, err = c.Repo.Commit(head); err != nil {
			return err
		}
		parents = old.ParentHashes
	}
	merged, picked := c.Repo.StateHash("MERGE_HEAD"), c.Repo.StateHash("CHERRY_PICK_HEAD")
	if merged != repo.Zero {
		if old != nil {
			return cli.Fatal("You are in the middle of a merge -- cannot amend.")
		}
		parents = append(parents, merged)
	}
	if len(s.Staged) == 0 && !o.Has("allow-empty") && old == nil && merged == repo.Zero {
		if o.Has("short") || o.Has("porcelain") {
			status.ShortStatus(c, s, nil, false, o.Has("porcelain"), o.Has("z"))
			return cli.Quiet(1)
		}
		status.LongStatus(c, c.Stdout, s, nil, false, "Initial commit")
		return cli.Quiet(1)
	}
	from := old
	if picked != repo.Zero && old == nil {
		if from, err = c.Repo.Commit(picked); err != nil {
			return err
		}
	} else if name := o.Arg("C"); name != "" {
		if from, err = c.Repo.ResolveCommit(name); err != nil {
			return cli.Fatal("could not lookup commit %s", name)
		}
	}
	author, committer, err := Signatures(c, o, from)
	if err != nil {
		return err
	}
	message, err := message(c, o, old)
	if err != nil {
		return err
	}
	if o.Has("s") {
		message = messages.SignOff(message, committer)
	}
	tree, err := c.Repo.WriteTree(files)
	if err != nil {
		return err
	}
	if o.Has("dry-run") && (o.Has("short") || o.Has("porcelain")) {
		status.ShortStatus(c, s, nil, false, o.Has("porcelain"), o.Has("z"))
		return nil
	}
	if o.Has("dry-run") {
		status.LongStatus(c, c.Stdout, s, nil, false, "Initial commit")
		return nil
	}
	h, err := c.Repo.WriteCommit(tree, parents, author, committer, message)
	if err != nil {
		return err
	}
	kind := "commit"
	switch {
	case old != nil:
		kind = "commit (amend)"
	case head == repo.Zero:
		kind = "commit (initial)"
	case merged != repo.Zero:
		kind = "commit (merge)"
	case picked != repo.Zero:
		kind = "commit (cherry-pick)"
	}
	first, _, _ := strings.Cut(message, "\n")
	if err := errors.Join(s.Index.Save(), c.Repo.SetHead(h, kind+": "+first), EndJoin(c)); err != nil {
		return err
	}
	if o.Has("q") {
		return nil
	}
	return Committed(c, h, len(parents) == 0, from != nil || o.Has("date"))
}

// stage puts into the index what -a or paths say. It returns the files of the commit: the index, or
// HEAD's files but for the paths.
func stage(c *cli.Call, s *status.State, o *option.Result) (repo.Snapshot, error) {
	if len(o.Rest()) == 0 && !o.Has("a") {
		return s.Index.Files, nil
	}
	if len(o.Rest()) > 0 && o.Has("a") {
		return nil, cli.Fatal("paths '%s ...' with -a does not make sense", o.Rest()[0])
	}
	paths, outside := c.Repo.Paths(o.Rest())
	if outside != "" {
		return nil, c.Outside(outside)
	}
	if len(paths) > 0 && c.Repo.HasState("MERGE_HEAD") {
		return nil, cli.Fatal("cannot do a partial commit during a merge.")
	}
	for i := range paths {
		if !cli.Matches(paths, i, s.Index.Names()) && !cli.Matches(paths, i, s.Head.Names()) {
			return nil, cli.Wrong("pathspec '%s' did not match any file(s) known to git", o.Rest()[i])
		}
	}
	for _, name := range s.Unmerged {
		if _, err := os.Lstat(c.Repo.Path(name)); err != nil {
			s.Index.Remove(name)
		} else if err := s.Index.Add(name); err != nil {
			return nil, err
		}
	}
	for _, ch := range s.Unstaged {
		if !paths.Match(ch.New) {
			continue
		}
		if ch.Status == 'D' {
			s.Index.Remove(ch.New)
			continue
		}
		if err := s.Index.Add(ch.New); err != nil {
			return nil, err
		}
	}
	files := s.Index.Files
	if len(paths) > 0 { // only these are committed
		files = maps.Clone(s.Head)
		for _, ch := range change.Compare(s.Head, s.Index.Files, paths) {
			if ch.Status == 'D' {
				delete(files, ch.New)
				continue
			}
			files[ch.New] = ch.To
		}
	}
	d := &change.Output{Repo: c.Repo}
	s.Staged = change.Renames(change.Compare(s.Head, files, nil), d.Read)
	s.Unstaged, s.Unmerged = nil, nil
	return files, nil
}

func Signatures(c *cli.Call, o *option.Result, old *repo.Commit) (author, committer repo.Signature, err error) {
	committer, err = c.Repo.Identity("COMMITTER")
	if err == nil {
		author, err = c.Repo.Identity("AUTHOR")
	}
	switch {
	case errors.Is(err, repo.ErrNoIdentity):
		return author, committer, &cli.Failure{Status: 128, Text: "Author identity unknown\n" + WhoAreYou + "fatal: " + err.Error() + " (got 'user@terrarium.(none)')"}
	case err != nil:
		return author, committer, cli.Fatal("%v", err)
	}
	if old != nil {
		author = old.Author
	}
	if a := o.Arg("author"); a != "" {
		name, mail, ok := strings.Cut(strings.TrimSuffix(a, ">"), " <")
		if !ok {
			return author, committer, cli.Fatal("--author '%s' is not 'Name <email>' and matches no existing author", a)
		}
		author.Name, author.Email = name, mail
	}
	if d := o.Arg("date"); d != "" {
		if author.When, err = repo.ParseDate(d); err != nil {
			return author, committer, cli.Fatal("invalid date format: %s", d)
		}
	}
	return author, committer, nil
}

// message returns the commit's message as git cleans it up.
func message(c *cli.Call, o *option.Result, old *repo.Commit) (string, error) {
	text := strings.Join(o.All("m"), "\n\n")
	switch {
	case o.Has("fixup") || o.Has("squash"):
		verb, name := "fixup! ", o.Arg("fixup")
		if o.Has("squash") {
			verb, name = "squash! ", o.Arg("squash")
		}
		from, err := c.Repo.ResolveCommit(name)
		if err != nil {
			return "", cli.Fatal("could not lookup commit %s", name)
		}
		text = verb + messages.Subject(from.Message) + "\n\n" + text
	case o.Has("m"):
	case o.Arg("F") == "-":
		b, err := io.ReadAll(c.Stdin)
		if err != nil {
			return "", err
		}
		text = string(b)
	case o.Has("F"):
		b, err := os.ReadFile(o.Arg("F"))
		if err != nil {
			return "", cli.Fatal("could not read log file '%s': %s", o.Arg("F"), cli.Reason(err))
		}
		text = string(b)
	case o.Has("C"):
		from, err := c.Repo.ResolveCommit(o.Arg("C"))
		if err != nil {
			return "", cli.Fatal("could not lookup commit %s", o.Arg("C"))
		}
		text = from.Message
	case old != nil:
		text = old.Message
	case prepared(c, &text):
		if !o.Has("no-edit") {
			text = messages.Uncommented(text) // as if an editor had left it so
		}
	default:
		return "", &cli.Failure{Status: 1, Text: "error: there is no editor in this sandbox\nPlease supply the message using either -m or -F option."}
	}
	if text = messages.Clean(text); text == "" && !o.Has("allow-empty-message") {
		return "", &cli.Failure{Status: 1, Text: "Aborting commit due to empty commit message."}
	}
	return text, nil
}

// prepared reports whether a merge or the like has prepared the message of its commit.
func prepared(c *cli.Call, text *string) bool {
	for _, name := range []string{"MERGE_MSG", "SQUASH_MSG"} {
		if t, ok := c.Repo.State(name); ok {
			*text = t
			return true
		}
	}
	return false
}

// Committed prints the summary of a new commit.
func Committed(c *cli.Call, h plumbing.Hash, root, dated bool) error {
	where := c.Repo.Branch()
	if where == "" {
		where = "detached HEAD"
	}
	if root {
		where += " (root-commit)"
	}
	new, err := c.Repo.Commit(h)
	if err != nil {
		return err
	}
	c.Printf("[%s %s] %s\n", where, cli.Abbreviate(h), messages.Subject(new.Message))
	if new.Author.Name != new.Committer.Name || new.Author.Email != new.Committer.Email {
		c.Printf(" Author: %s <%s>\n", new.Author.Name, new.Author.Email)
	}
	if dated || !new.Author.When.Equal(new.Committer.When) && os.Getenv("GIT_AUTHOR_DATE") == "" {
		c.Printf(" Date: %s\n", new.Author.When.Format(history.DateForm))
	}
	if len(new.ParentHashes) > 1 {
		return nil
	}
	changes, d, err := history.ChangesOf(c, new, nil)
	if err != nil {
		return err
	}
	d.Shortstat(c.Stdout, changes)
	change.Summary(c.Stdout, changes)
	return nil
}
