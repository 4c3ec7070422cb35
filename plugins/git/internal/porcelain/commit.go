package porcelain

import (
	"errors"
	"fmt"
	"io"
	"maps"
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
		"s,signoff n,no-verify v,verbose C,reuse-message= dry-run no-gpg-sign short porcelain long z fixup= squash= c,reedit-message= e,edit i,include o,only t,template= cleanup= " +
		"reset-author status no-status S? u? trailer= p,patch interactive")
	if err != nil {
		return err
	}
	s, err := c.state(nil, false, false)
	if err != nil {
		return err
	}
	files, err := c.stage(s, o)
	if err != nil {
		return err
	}
	if len(s.index.Conflicts) > 0 {
		for _, name := range s.index.Unmerged() {
			c.printf("U\t%s\n", quote(name))
		}
		return &failure{128, "error: Committing is not possible because you have unmerged files.\n" + unresolved}
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
	merged, picked := c.repo.StateHash("MERGE_HEAD"), c.repo.StateHash("CHERRY_PICK_HEAD")
	if merged != repo.Zero {
		if old != nil {
			return fatal("You are in the middle of a merge -- cannot amend.")
		}
		parents = append(parents, merged)
	}
	if len(s.staged) == 0 && !o.Has("allow-empty") && old == nil && merged == repo.Zero {
		if o.Has("short") || o.Has("porcelain") {
			c.shortStatus(s, nil, false, o.Has("porcelain"), o.Has("z"))
			return quiet(1)
		}
		c.longStatus(c.stdout, s, nil, false, "Initial commit")
		return quiet(1)
	}
	from := old
	if picked != repo.Zero && old == nil {
		if from, err = c.repo.Commit(picked); err != nil {
			return err
		}
	} else if name := o.Arg("C"); name != "" {
		if from, err = c.repo.ResolveCommit(name); err != nil {
			return fatal("could not lookup commit %s", name)
		}
	}
	author, committer, err := c.signatures(o, from)
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
	tree, err := c.repo.WriteTree(files)
	if err != nil {
		return err
	}
	if o.Has("dry-run") && (o.Has("short") || o.Has("porcelain")) {
		c.shortStatus(s, nil, false, o.Has("porcelain"), o.Has("z"))
		return nil
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
	case merged != repo.Zero:
		kind = "commit (merge)"
	case picked != repo.Zero:
		kind = "commit (cherry-pick)"
	}
	first, _, _ := strings.Cut(message, "\n")
	if err := errors.Join(s.index.Save(), c.repo.SetHead(h, kind+": "+first), c.endJoin()); err != nil {
		return err
	}
	if o.Has("q") {
		return nil
	}
	return c.committed(h, len(parents) == 0, from != nil || o.Has("date"))
}

// endJoin removes the notes of what the commit has ended; those of a sequence too, if this was its last.
func (c *call) endJoin() error {
	todo, noted := c.repo.State("sequencer/todo")
	if noted && strings.Count(todo, "\n") <= 1 && (c.repo.HasState("CHERRY_PICK_HEAD") || c.repo.HasState("REVERT_HEAD")) {
		if err := c.repo.RemoveState("sequencer"); err != nil {
			return err
		}
	}
	return c.repo.RemoveState(append(mergeState, "CHERRY_PICK_HEAD", "REVERT_HEAD", "SQUASH_MSG")...)
}

// stage puts into the index what -a or paths say. It returns the files of the commit: the index, or
// HEAD's files but for the paths.
func (c *call) stage(s *state, o *option.Result) (repo.Snapshot, error) {
	if len(o.Rest()) == 0 && !o.Has("a") {
		return s.index.Files, nil
	}
	if len(o.Rest()) > 0 && o.Has("a") {
		return nil, fatal("paths '%s ...' with -a does not make sense", o.Rest()[0])
	}
	paths, outside := c.repo.Paths(o.Rest())
	if outside != "" {
		return nil, c.outside(outside)
	}
	if len(paths) > 0 && c.repo.HasState("MERGE_HEAD") {
		return nil, fatal("cannot do a partial commit during a merge.")
	}
	for i := range paths {
		if !matches(paths, i, s.index.Names()) && !matches(paths, i, s.head.Names()) {
			return nil, wrong("pathspec '%s' did not match any file(s) known to git", o.Rest()[i])
		}
	}
	for _, name := range s.unmerged {
		if _, err := os.Lstat(c.repo.Path(name)); err != nil {
			s.index.Remove(name)
		} else if err := s.index.Add(name); err != nil {
			return nil, err
		}
	}
	for _, ch := range s.unstaged {
		if !paths.Match(ch.new) {
			continue
		}
		if ch.status == 'D' {
			s.index.Remove(ch.new)
			continue
		}
		if err := s.index.Add(ch.new); err != nil {
			return nil, err
		}
	}
	files := s.index.Files
	if len(paths) > 0 { // only these are committed
		files = maps.Clone(s.head)
		for _, ch := range compare(s.head, s.index.Files, paths) {
			if ch.status == 'D' {
				delete(files, ch.new)
				continue
			}
			files[ch.new] = ch.to
		}
	}
	d := &diffOutput{repo: c.repo}
	s.staged = renames(compare(s.head, files, nil), d.read)
	s.unstaged, s.unmerged = nil, nil
	return files, nil
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
	case o.Has("fixup") || o.Has("squash"):
		verb, name := "fixup! ", o.Arg("fixup")
		if o.Has("squash") {
			verb, name = "squash! ", o.Arg("squash")
		}
		from, err := c.repo.ResolveCommit(name)
		if err != nil {
			return "", fatal("could not lookup commit %s", name)
		}
		text = verb + subject(from.Message) + "\n\n" + text
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
	case c.prepared(&text):
		if !o.Has("no-edit") {
			text = uncommented(text) // as if an editor had left it so
		}
	default:
		return "", &failure{1, "error: there is no editor in this sandbox\nPlease supply the message using either -m or -F option."}
	}
	if text = clean(text); text == "" && !o.Has("allow-empty-message") {
		return "", &failure{1, "Aborting commit due to empty commit message."}
	}
	return text, nil
}

// prepared reports whether a merge or the like has prepared the message of its commit.
func (c *call) prepared(text *string) bool {
	for _, name := range []string{"MERGE_MSG", "SQUASH_MSG"} {
		if t, ok := c.repo.State(name); ok {
			*text = t
			return true
		}
	}
	return false
}

// uncommented removes the lines that begin with a "#".
func uncommented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
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
	if endsInTrailers(message) {
		return message + line
	}
	return message + "\n" + line
}

// committed prints the summary of a new commit.
func (c *call) committed(h plumbing.Hash, root, dated bool) error {
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
	if dated || !new.Author.When.Equal(new.Committer.When) && os.Getenv("GIT_AUTHOR_DATE") == "" {
		c.printf(" Date: %s\n", new.Author.When.Format(dateForm))
	}
	if len(new.ParentHashes) > 1 {
		return nil
	}
	changes, d, err := c.changesOf(new, nil)
	if err != nil {
		return err
	}
	d.shortstat(c.stdout, changes)
	summary(c.stdout, changes)
	return nil
}
