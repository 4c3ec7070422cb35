// Package replay applies what commits have changed anew, elsewhere: cherry-pick, revert and rebase.
package replay

import (
	"errors"
	"fmt"
	"strconv"
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
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/treemerge"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A sequence picks or reverts commits, one after the other. What is left to do is noted in
// .git/sequencer as git notes it.
type sequence struct {
	c       *cli.Call
	revert  bool
	o       *option.Result
	favor   diff.Side
	todo    []plumbing.Hash
	noted   bool // whether .git/sequencer has the rest
	started plumbing.Hash
}

const sequenceOptions = "n,no-commit e,edit no-edit x s,signoff m,mainline= ff allow-empty allow-empty-message keep-redundant-commits " +
	"continue skip abort quit X,strategy-option= strategy= S,gpg-sign? no-gpg-sign cleanup= rerere-autoupdate reference"

const cherryPickUsage = `usage: git cherry-pick [--edit] [-n] [-m <parent-number>] [-s] [-x] [--ff]
                       [-S[<keyid>]] <commit>...
   or: git cherry-pick (--continue | --skip | --abort | --quit)

    --quit                end revert or cherry-pick sequence
    --continue            resume revert or cherry-pick sequence
    --abort               cancel revert or cherry-pick sequence
    --skip                skip current commit and continue
    --cleanup <mode>      how to strip spaces and #comments from message
    -n, --no-commit       don't automatically commit
    -e, --edit            edit the commit message
    -s, --signoff         add a Signed-off-by trailer
    -m, --mainline <parent-number>
                          select mainline parent
    --rerere-autoupdate   update the index with reused conflict resolution if possible
    --strategy <strategy>
                          merge strategy
    -X, --strategy-option <option>
                          option for merge strategy
    -S, --gpg-sign[=<key-id>]
                          GPG sign commit
    -x                    append commit name
    --ff                  allow fast-forward
    --allow-empty         preserve initially empty commits
    --allow-empty-message
                          allow commits with empty messages
    --keep-redundant-commits
                          keep redundant, empty commits
` + "\n"

func CherryPick(c *cli.Call) error { return replayed(c, false) }

func Revert(c *cli.Call) error { return replayed(c, true) }

func replayed(c *cli.Call, revert bool) error {
	o, err := c.Parse(sequenceOptions)
	if err != nil {
		return err
	}
	s := &sequence{c: c, revert: revert, o: o, started: c.Repo.Head()}
	for _, x := range o.All("X") {
		s.favor = map[string]diff.Side{"ours": diff.Ours, "theirs": diff.Theirs}[x]
	}
	switch last, _ := o.Last("continue", "skip", "abort", "quit"); last {
	case "continue":
		err = s.resume()
	case "skip":
		err = s.skip()
	case "abort":
		err = s.abort()
	case "quit":
		return c.Repo.RemoveState("sequencer", "CHERRY_PICK_HEAD", "REVERT_HEAD")
	default:
		err = s.begin()
	}
	var f *cli.Failure
	if errors.As(err, &f) && strings.HasPrefix(f.Text, "error: ") && f.Status == 128 {
		return &cli.Failure{Status: 128, Text: strings.TrimSuffix(f.Text, "\n") + "\nfatal: " + c.Name + " failed"}
	}
	return err
}

// stuck is an error after which the command has failed.
func stuck(format string, args ...any) error {
	return &cli.Failure{Status: 128, Text: "error: " + fmt.Sprintf(format, args...)}
}

func (s *sequence) begin() error {
	args := s.o.Rest()
	if len(args) == 0 {
		if s.revert {
			return &cli.Failure{Status: 129, Text: strings.Replace(cherryPickUsage, "cherry-pick", "revert", -1)}
		}
		s.c.Stderr.Write([]byte(cherryPickUsage))
		return cli.Quiet(129)
	}
	x, err := s.c.Repo.Index()
	if err != nil {
		return err
	}
	doing := "Cherry-picking"
	if s.revert {
		doing = "Reverting"
	}
	if len(x.Conflicts) > 0 {
		hints, _, _ := strings.Cut(record.Unresolved, "\nfatal:")
		return stuck("%s is not possible because you have unmerged files.\n%s", doing, hints)
	}
	if s.c.Repo.HasState("sequencer") {
		return stuck("a cherry-pick or revert is already in progress\nhint: try \"git cherry-pick (--continue | --skip | --abort | --quit)\"")
	}
	if s.todo, err = s.commits(args); err != nil {
		return err
	}
	if len(s.todo) == 0 {
		return stuck("empty commit set passed")
	}
	if len(s.todo) > 1 {
		s.noted = true
		if err := errors.Join(s.c.Repo.SetStateHash("sequencer/head", s.started), s.note()); err != nil {
			return err
		}
	}
	return s.run()
}

// commits returns what the command line names, in the order in which it is done.
func (s *sequence) commits(args []string) (list []plumbing.Hash, err error) {
	isRange := false
	for _, arg := range args {
		isRange = isRange || strings.Contains(arg, "..") || strings.HasPrefix(arg, "^")
	}
	if !isRange {
		for _, arg := range args {
			commit, err := s.c.Repo.ResolveCommit(s.c.Prior(arg))
			if err != nil {
				return nil, cli.Fatal("bad revision '%s'", arg)
			}
			list = append(list, commit.Hash)
		}
		return list, nil
	}
	from, not, err := history.Ends(s.c, args)
	if err != nil {
		return nil, err
	}
	err = s.c.Repo.WalkTopologically(from, not, func(commit *repo.Commit) bool {
		list = append(list, commit.Hash)
		return true
	})
	if !s.revert {
		for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
			list[i], list[j] = list[j], list[i]
		}
	}
	return list, err
}

// note writes down what is left to do.
func (s *sequence) note() error {
	if !s.noted {
		return nil
	}
	verb := "pick"
	if s.revert {
		verb = "revert"
	}
	var b strings.Builder
	for _, h := range s.todo {
		commit, err := s.c.Repo.Commit(h)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s %s\n", verb, h, messages.Subject(commit.Message))
	}
	return s.c.Repo.SetState("sequencer/todo", b.String())
}

// load reads what is left to do.
func (s *sequence) load() error {
	text, ok := s.c.Repo.State("sequencer/todo")
	s.noted = ok
	for line := range strings.Lines(text) {
		parts := strings.Fields(line)
		if len(parts) < 2 {
			continue
		}
		commit, err := s.c.Repo.ResolveCommit(parts[1])
		if err != nil {
			return cli.Fatal("could not parse line %q of .git/sequencer/todo", line)
		}
		s.revert = parts[0] == "revert"
		s.todo = append(s.todo, commit.Hash)
	}
	return nil
}

func (s *sequence) run() error {
	for len(s.todo) > 0 {
		if err := s.note(); err != nil {
			return err
		}
		if err := s.one(s.todo[0]); err != nil {
			return err
		}
		s.todo = s.todo[1:]
	}
	return s.c.Repo.RemoveState("sequencer")
}

// one does one commit.
func (s *sequence) one(h plumbing.Hash) error {
	c := s.c
	commit, err := c.Repo.Commit(h)
	if err != nil {
		return err
	}
	parent, err := s.parent(commit)
	if err != nil {
		return err
	}
	if s.o.Has("ff") && parent == c.Repo.Head() && !s.revert {
		if err := checkout.Move(c, h, "cherry-pick", false); err != nil {
			return err
		}
		return c.Repo.SetHead(h, "cherry-pick: fast-forward")
	}
	p := &pick{c: c, commit: commit, parent: parent, favor: s.favor, revert: s.revert, name: c.Name, intoIndex: s.o.Has("n")}
	m, err := p.merge()
	if err != nil {
		return err
	}
	message := p.message(s.o)
	if err := c.Repo.SetState("MERGE_MSG", message+conflictsOf(m)); err != nil {
		return err
	}
	head := "CHERRY_PICK_HEAD"
	if s.revert {
		head = "REVERT_HEAD"
	}
	if !m.Clean() {
		if !s.o.Has("n") {
			if err := c.Repo.SetStateHash(head, h); err != nil {
				return err
			}
		}
		return s.stopped(commit)
	}
	if s.o.Has("n") {
		if s.revert {
			return c.Repo.SetStateHash(head, h)
		}
		return nil
	}
	return s.commit(commit, m.Files, message)
}

func conflictsOf(m *treemerge.Merge) string {
	if m.Clean() {
		return ""
	}
	return "\n" + m.Paths()
}

// parent returns the commit that the change is counted from.
func (s *sequence) parent(commit *repo.Commit) (plumbing.Hash, error) {
	mainline := 0
	if s.o.Has("m") {
		n, err := strconv.Atoi(s.o.Arg("m"))
		if err != nil || n < 1 {
			return repo.Zero, &cli.Failure{Status: 129, Text: "error: option `mainline' expects a number greater than zero"}
		}
		mainline = n
	}
	parents := commit.ParentHashes
	switch {
	case len(parents) > 1 && mainline == 0:
		return repo.Zero, stuck("commit %s is a merge but no -m option was given.", commit.Hash)
	case len(parents) <= 1 && mainline > 1, mainline > len(parents) && mainline > 1:
		return repo.Zero, stuck("commit %s does not have parent %d", commit.Hash, mainline)
	case len(parents) == 0:
		return repo.Zero, nil
	}
	return parents[max(mainline-1, 0)], nil
}

// stopped tells how to go on after a conflict.
func (s *sequence) stopped(commit *repo.Commit) error {
	verb := "apply"
	if s.revert {
		verb = "revert"
	}
	return &cli.Failure{Status: 1, Text: fmt.Sprintf("error: could not %s %s... %s\nhint: After resolving the conflicts, mark them with\n"+
		"hint: \"git add/rm <pathspec>\", then run\nhint: \"git %[4]s --continue\".\n"+
		"hint: You can instead skip this commit with \"git %[4]s --skip\".\n"+
		"hint: To abort and get back to the state before \"git %[4]s\",\nhint: run \"git %[4]s --abort\".", verb, cli.Abbreviate(commit.Hash), messages.Subject(commit.Message), s.name())}
}

func (s *sequence) name() string {
	if s.revert {
		return "revert"
	}
	return "cherry-pick"
}

const emptyPick = "The previous cherry-pick is now empty, possibly due to conflict resolution.\n" +
	"If you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\nOtherwise, please use 'git cherry-pick --skip'\n"

// commit commits what was done.
func (s *sequence) commit(old *repo.Commit, files repo.Snapshot, message string) error {
	c := s.c
	before, err := c.Repo.Tree(c.Repo.Head())
	if err != nil {
		return err
	}
	from := old
	if s.revert {
		from = nil
	}
	empty := len(change.Compare(before, files, nil)) == 0
	wasEmpty := false
	if empty && !s.revert {
		parent := repo.Zero
		if len(old.ParentHashes) > 0 {
			parent = old.ParentHashes[0]
		}
		a, err := c.Repo.Tree(parent)
		if err != nil {
			return err
		}
		b, err := c.Repo.Tree(old.Hash)
		if err != nil {
			return err
		}
		wasEmpty = len(change.Compare(a, b, nil)) == 0
	}
	keep := s.o.Has("keep-redundant-commits") || s.o.Has("allow-empty") && wasEmpty
	if empty && !keep {
		if s.revert {
			return errors.Join(c.Repo.RemoveState("MERGE_MSG"), tellStatus(c), cli.Quiet(1))
		}
		if err := c.Repo.SetStateHash("CHERRY_PICK_HEAD", old.Hash); err != nil {
			return err
		}
		if err := tellStatus(c); err != nil {
			return err
		}
		return &cli.Failure{Status: 1, Text: emptyPick}
	}
	h, err := record.CommitFiles(c, files, []plumbing.Hash{c.Repo.Head()}, from, messages.Clean(message), s.name())
	if err != nil {
		return err
	}
	if err := record.EndJoin(c); err != nil {
		return err
	}
	return record.Committed(c, h, false, true)
}

func tellStatus(c *cli.Call) error {
	s, err := status.Read(c, nil, false, false)
	if err == nil {
		status.LongStatus(c, c.Stdout, s, nil, false, "No commits yet")
	}
	return err
}

// resume goes on after a conflict was resolved.
func (s *sequence) resume() error {
	c := s.c
	picked, reverted := c.Repo.StateHash("CHERRY_PICK_HEAD"), c.Repo.StateHash("REVERT_HEAD")
	if err := s.load(); err != nil {
		return err
	}
	s.revert = s.revert || reverted != repo.Zero
	if picked == repo.Zero && reverted == repo.Zero && !s.noted {
		return stuck("no cherry-pick or revert in progress")
	}
	if picked != repo.Zero || reverted != repo.Zero {
		c.Args = nil
		if err := record.Commit(c); err != nil {
			return err
		}
		if len(s.todo) > 0 {
			s.todo = s.todo[1:]
		}
	}
	return s.run()
}

// skip leaves out the commit that stopped the sequence.
func (s *sequence) skip() error {
	c := s.c
	if c.Repo.StateHash("CHERRY_PICK_HEAD") == repo.Zero && c.Repo.StateHash("REVERT_HEAD") == repo.Zero && !c.Repo.HasState("sequencer") {
		return stuck("no %s in progress", s.name())
	}
	if err := s.load(); err != nil {
		return err
	}
	if err := reset.Merge(c, c.Repo.Head()); err != nil {
		return err
	}
	if err := record.EndJoin(c); err != nil {
		return err
	}
	if len(s.todo) > 0 {
		s.todo = s.todo[1:]
	}
	if len(s.todo) == 0 {
		return c.Repo.RemoveState("sequencer")
	}
	return s.run()
}

// abort goes back to where the sequence began.
func (s *sequence) abort() error {
	c := s.c
	h := c.Repo.StateHash("sequencer/head")
	if h == repo.Zero {
		if c.Repo.StateHash("CHERRY_PICK_HEAD") == repo.Zero && c.Repo.StateHash("REVERT_HEAD") == repo.Zero {
			return stuck("no cherry-pick or revert in progress")
		}
		h = c.Repo.Head()
	}
	if err := reset.Merge(c, h); err != nil {
		return err
	}
	return errors.Join(reset.Note(c, h, h.String()), record.EndJoin(c), c.Repo.RemoveState("sequencer"))
}
