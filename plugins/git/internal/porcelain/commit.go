package porcelain

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/object"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const whoAreYou = `
*** Please tell me who you are.

Run

  git config --global user.email "you@example.com"
  git config --global user.name "Your Name"

to set your account's default identity.
Omit --global to set the identity only in this repository.

`

func commit(c *call) error {
	o, err := c.parse("a,all m,message= F,file= amend no-edit allow-empty allow-empty-message q,quiet author= date= " +
		"s,signoff n,no-verify v,verbose C,reuse-message= dry-run no-gpg-sign")
	if err != nil {
		return err
	}
	s, err := c.state(nil, false, false)
	if err != nil {
		return err
	}
	if err := c.stage(s, o); err != nil {
		return err
	}
	head := c.repo.Head()
	var old *object.Commit
	parents := []plumbing.Hash{head}
	switch {
	case head == repo.Zero && o.Has("amend"):
		return fatal("You have nothing to amend.")
	case head == repo.Zero:
		parents = nil
	case o.Has("amend"):
		if old, err = c.repo.Commit(head); err != nil {
			return err
		}
		parents = old.ParentHashes
	}
	if len(s.staged) == 0 && !o.Has("allow-empty") && old == nil {
		c.longStatus(c.stdout, s, nil, false, "Initial commit")
		return quiet(1)
	}
	author, committer, err := c.signatures(o, old)
	if err != nil {
		return err
	}
	message, err := c.message(o, old)
	if err != nil {
		return err
	}
	if o.Has("s") {
		message = signOff(message, committer)
	}
	tree, err := c.repo.WriteTree(s.index.Files)
	if err != nil {
		return err
	}
	if o.Has("dry-run") {
		c.longStatus(c.stdout, s, nil, false, "Initial commit")
		return nil
	}
	h, err := c.repo.WriteCommit(tree, parents, author, committer, message)
	if err != nil {
		return err
	}
	kind := "commit"
	switch {
	case old != nil:
		kind = "commit (amend)"
	case head == repo.Zero:
		kind = "commit (initial)"
	}
	first, _, _ := strings.Cut(message, "\n")
	if err := errors.Join(s.index.Save(), c.repo.SetHead(h, kind+": "+first)); err != nil {
		return err
	}
	if o.Has("q") {
		return nil
	}
	return c.committed(h, len(parents) == 0, old != nil)
}

// stage puts into the index what -a or paths say.
func (c *call) stage(s *state, o *option.Result) error {
	if len(o.Rest()) == 0 && !o.Has("a") {
		return nil
	}
	if len(o.Rest()) > 0 && o.Has("a") {
		return fatal("paths '%s ...' with -a does not make sense", o.Rest()[0])
	}
	paths, outside := c.repo.Paths(o.Rest())
	if outside != "" {
		return c.outside(outside)
	}
	for i := range paths {
		if !matches(paths, i, s.index.Files.Names()) && !matches(paths, i, s.head.Names()) {
			return wrong("pathspec '%s' did not match any file(s) known to git", o.Rest()[i])
		}
	}
	for _, ch := range s.unstaged {
		if !paths.Match(ch.new) {
			continue
		}
		if ch.status == 'D' {
			delete(s.index.Files, ch.new)
			continue
		}
		if err := s.index.Add(ch.new); err != nil {
			return err
		}
	}
	if len(paths) > 0 { // only these are committed
		for _, ch := range compare(s.head, s.index.Files, nil) {
			if !paths.Match(ch.new) {
				return fatal("commit of some paths while others are staged is not supported in this sandbox: commit without paths")
			}
		}
	}
	d := &diffOutput{repo: c.repo}
	s.staged = renames(compare(s.head, s.index.Files, nil), d.read)
	s.unstaged = nil
	return nil
}

func (c *call) signatures(o *option.Result, old *object.Commit) (author, committer object.Signature, err error) {
	committer, err = c.repo.Identity("COMMITTER")
	if err == nil {
		author, err = c.repo.Identity("AUTHOR")
	}
	switch {
	case errors.Is(err, repo.ErrNoIdentity):
		return author, committer, &failure{128, "Author identity unknown\n" + whoAreYou + "fatal: " + err.Error() + " (got 'user@terrarium.(none)')"}
	case err != nil:
		return author, committer, fatal("%v", err)
	}
	if old != nil {
		author = old.Author
	}
	if a := o.Arg("author"); a != "" {
		name, mail, ok := strings.Cut(strings.TrimSuffix(a, ">"), " <")
		if !ok {
			return author, committer, fatal("--author '%s' is not 'Name <email>' and matches no existing author", a)
		}
		author.Name, author.Email = name, mail
	}
	if d := o.Arg("date"); d != "" {
		if author.When, err = repo.ParseDate(d); err != nil {
			return author, committer, fatal("invalid date format: %s", d)
		}
	}
	return author, committer, nil
}

// message returns the commit's message as git cleans it up.
func (c *call) message(o *option.Result, old *object.Commit) (string, error) {
	text := strings.Join(o.All("m"), "\n\n")
	switch {
	case o.Has("m"):
	case o.Arg("F") == "-":
		b, err := io.ReadAll(c.stdin)
		if err != nil {
			return "", err
		}
		text = string(b)
	case o.Has("F"):
		b, err := os.ReadFile(o.Arg("F"))
		if err != nil {
			return "", fatal("could not read log file '%s': %s", o.Arg("F"), reason(err))
		}
		text = string(b)
	case o.Has("C"):
		from, err := c.repo.ResolveCommit(o.Arg("C"))
		if err != nil {
			return "", fatal("could not lookup commit %s", o.Arg("C"))
		}
		text = from.Message
	case old != nil:
		text = old.Message
	default:
		return "", &failure{1, "error: there is no editor in this sandbox\nPlease supply the message using either -m or -F option."}
	}
	if text = clean(text); text == "" && !o.Has("allow-empty-message") {
		return "", &failure{1, "Aborting commit due to empty commit message."}
	}
	return text, nil
}

// clean removes spaces at the ends of lines, and empty lines at the ends and beside others.
func clean(text string) string {
	var b strings.Builder
	empty := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n\v\f")
		if line == "" {
			empty++
			continue
		}
		if empty > 0 && b.Len() > 0 {
			b.WriteByte('\n')
		}
		empty = 0
		b.WriteString(line + "\n")
	}
	return b.String()
}

func signOff(message string, s object.Signature) string {
	line := fmt.Sprintf("Signed-off-by: %s <%s>\n", s.Name, s.Email)
	if strings.HasSuffix(message, line) {
		return message
	}
	return message + "\n" + line
}

// committed prints the summary of a new commit.
func (c *call) committed(h plumbing.Hash, root, amended bool) error {
	where := c.repo.Branch()
	if where == "" {
		where = "detached HEAD"
	}
	if root {
		where += " (root-commit)"
	}
	new, err := c.repo.Commit(h)
	if err != nil {
		return err
	}
	c.printf("[%s %s] %s\n", where, abbreviate(h), subject(new.Message))
	if new.Author.Name != new.Committer.Name || new.Author.Email != new.Committer.Email {
		c.printf(" Author: %s <%s>\n", new.Author.Name, new.Author.Email)
	}
	if amended || !new.Author.When.Equal(new.Committer.When) && os.Getenv("GIT_AUTHOR_DATE") == "" {
		c.printf(" Date: %s\n", new.Author.When.Format(dateForm))
	}
	changes, d, err := c.changesOf(new, nil)
	if err != nil {
		return err
	}
	d.shortstat(c.stdout, changes)
	summary(c.stdout, changes)
	return nil
}
