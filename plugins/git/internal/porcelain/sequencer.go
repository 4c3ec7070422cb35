package porcelain

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/object"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A sequence picks or reverts commits, one after the other. What is left to do is noted in
// .git/sequencer as git notes it.
type sequence struct {
	c       *call
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

func cherryPick(c *call) error { return c.sequence(false) }

func revert(c *call) error { return c.sequence(true) }

func (c *call) sequence(revert bool) error {
	o, err := c.parse(sequenceOptions)
	if err != nil {
		return err
	}
	s := &sequence{c: c, revert: revert, o: o, started: c.repo.Head()}
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
		return c.repo.RemoveState("sequencer", "CHERRY_PICK_HEAD", "REVERT_HEAD")
	default:
		err = s.begin()
	}
	var f *failure
	if errors.As(err, &f) && strings.HasPrefix(f.text, "error: ") && f.status == 128 {
		return &failure{128, strings.TrimSuffix(f.text, "\n") + "\nfatal: " + c.name + " failed"}
	}
	return err
}

// stuck is an error after which the command has failed.
func stuck(format string, args ...any) error {
	return &failure{128, "error: " + fmt.Sprintf(format, args...)}
}

func (s *sequence) begin() error {
	args := s.o.Rest()
	if len(args) == 0 {
		if s.revert {
			return &failure{129, strings.Replace(cherryPickUsage, "cherry-pick", "revert", -1)}
		}
		s.c.stderr.Write([]byte(cherryPickUsage))
		return quiet(129)
	}
	x, err := s.c.repo.Index()
	if err != nil {
		return err
	}
	doing := "Cherry-picking"
	if s.revert {
		doing = "Reverting"
	}
	if len(x.Conflicts) > 0 {
		hints, _, _ := strings.Cut(unresolved, "\nfatal:")
		return stuck("%s is not possible because you have unmerged files.\n%s", doing, hints)
	}
	if s.c.repo.HasState("sequencer") {
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
		if err := errors.Join(s.c.repo.SetStateHash("sequencer/head", s.started), s.note()); err != nil {
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
			commit, err := s.c.repo.ResolveCommit(s.c.prior(arg))
			if err != nil {
				return nil, fatal("bad revision '%s'", arg)
			}
			list = append(list, commit.Hash)
		}
		return list, nil
	}
	from, not, err := s.c.ends(args)
	if err != nil {
		return nil, err
	}
	err = s.c.repo.WalkTopologically(from, not, func(commit *object.Commit) bool {
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
		commit, err := s.c.repo.Commit(h)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s %s\n", verb, h, subject(commit.Message))
	}
	return s.c.repo.SetState("sequencer/todo", b.String())
}

// load reads what is left to do.
func (s *sequence) load() error {
	text, ok := s.c.repo.State("sequencer/todo")
	s.noted = ok
	for line := range strings.Lines(text) {
		parts := strings.Fields(line)
		if len(parts) < 2 {
			continue
		}
		commit, err := s.c.repo.ResolveCommit(parts[1])
		if err != nil {
			return fatal("could not parse line %q of .git/sequencer/todo", line)
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
	return s.c.repo.RemoveState("sequencer")
}

// one does one commit.
func (s *sequence) one(h plumbing.Hash) error {
	c := s.c
	commit, err := c.repo.Commit(h)
	if err != nil {
		return err
	}
	parent, err := s.parent(commit)
	if err != nil {
		return err
	}
	if s.o.Has("ff") && parent == c.repo.Head() && !s.revert {
		if err := c.move(h, "cherry-pick", false); err != nil {
			return err
		}
		return c.repo.SetHead(h, "cherry-pick: fast-forward")
	}
	p := &pick{c: c, commit: commit, parent: parent, favor: s.favor, revert: s.revert, name: c.name, intoIndex: s.o.Has("n")}
	m, err := p.merge()
	if err != nil {
		return err
	}
	message := p.message(s.o)
	if err := c.repo.SetState("MERGE_MSG", message+conflictsOf(m)); err != nil {
		return err
	}
	head := "CHERRY_PICK_HEAD"
	if s.revert {
		head = "REVERT_HEAD"
	}
	if !m.clean() {
		if !s.o.Has("n") {
			if err := c.repo.SetStateHash(head, h); err != nil {
				return err
			}
		}
		return s.stopped(commit)
	}
	if s.o.Has("n") {
		if s.revert {
			return c.repo.SetStateHash(head, h)
		}
		return nil
	}
	return s.commit(commit, m.files, message)
}

func conflictsOf(m *treeMerge) string {
	if m.clean() {
		return ""
	}
	return "\n" + m.paths()
}

// parent returns the commit that the change is counted from.
func (s *sequence) parent(commit *object.Commit) (plumbing.Hash, error) {
	mainline := 0
	if s.o.Has("m") {
		n, err := strconv.Atoi(s.o.Arg("m"))
		if err != nil || n < 1 {
			return repo.Zero, &failure{129, "error: option `mainline' expects a number greater than zero"}
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
func (s *sequence) stopped(commit *object.Commit) error {
	verb := "apply"
	if s.revert {
		verb = "revert"
	}
	return &failure{1, fmt.Sprintf("error: could not %s %s... %s\nhint: After resolving the conflicts, mark them with\n"+
		"hint: \"git add/rm <pathspec>\", then run\nhint: \"git %[4]s --continue\".\n"+
		"hint: You can instead skip this commit with \"git %[4]s --skip\".\n"+
		"hint: To abort and get back to the state before \"git %[4]s\",\nhint: run \"git %[4]s --abort\".", verb, abbreviate(commit.Hash), subject(commit.Message), s.name())}
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
func (s *sequence) commit(old *object.Commit, files repo.Snapshot, message string) error {
	c := s.c
	before, err := c.repo.Tree(c.repo.Head())
	if err != nil {
		return err
	}
	from := old
	if s.revert {
		from = nil
	}
	empty := len(compare(before, files, nil)) == 0
	wasEmpty := false
	if empty && !s.revert {
		parent := repo.Zero
		if len(old.ParentHashes) > 0 {
			parent = old.ParentHashes[0]
		}
		a, err := c.repo.Tree(parent)
		if err != nil {
			return err
		}
		b, err := c.repo.Tree(old.Hash)
		if err != nil {
			return err
		}
		wasEmpty = len(compare(a, b, nil)) == 0
	}
	keep := s.o.Has("keep-redundant-commits") || s.o.Has("allow-empty") && wasEmpty
	if empty && !keep {
		if s.revert {
			return errors.Join(c.repo.RemoveState("MERGE_MSG"), c.tellStatus(), quiet(1))
		}
		if err := c.repo.SetStateHash("CHERRY_PICK_HEAD", old.Hash); err != nil {
			return err
		}
		if err := c.tellStatus(); err != nil {
			return err
		}
		return &failure{1, emptyPick}
	}
	h, err := c.commitFiles(files, []plumbing.Hash{c.repo.Head()}, from, clean(message), s.name())
	if err != nil {
		return err
	}
	if err := c.endJoin(); err != nil {
		return err
	}
	return c.committed(h, false, true)
}

// commitFiles makes a commit of files and moves HEAD to it. The author is that of from, if there is
// one.
func (c *call) commitFiles(files repo.Snapshot, parents []plumbing.Hash, from *object.Commit, message, why string) (plumbing.Hash, error) {
	author, committer, err := c.signatures(&option.Result{}, from)
	if err != nil {
		return repo.Zero, err
	}
	tree, err := c.repo.WriteTree(files)
	if err != nil {
		return repo.Zero, err
	}
	h, err := c.repo.WriteCommit(tree, parents, author, committer, message)
	if err != nil {
		return h, err
	}
	first, _, _ := strings.Cut(message, "\n")
	return h, c.repo.SetHead(h, why+": "+first)
}

func (c *call) tellStatus() error {
	s, err := c.state(nil, false, false)
	if err == nil {
		c.longStatus(c.stdout, s, nil, false, "No commits yet")
	}
	return err
}

// resume goes on after a conflict was resolved.
func (s *sequence) resume() error {
	c := s.c
	picked, reverted := c.repo.StateHash("CHERRY_PICK_HEAD"), c.repo.StateHash("REVERT_HEAD")
	if err := s.load(); err != nil {
		return err
	}
	s.revert = s.revert || reverted != repo.Zero
	if picked == repo.Zero && reverted == repo.Zero && !s.noted {
		return stuck("no cherry-pick or revert in progress")
	}
	if picked != repo.Zero || reverted != repo.Zero {
		c.args = nil
		if err := commit(c); err != nil {
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
	if c.repo.StateHash("CHERRY_PICK_HEAD") == repo.Zero && c.repo.StateHash("REVERT_HEAD") == repo.Zero && !c.repo.HasState("sequencer") {
		return stuck("no %s in progress", s.name())
	}
	if err := s.load(); err != nil {
		return err
	}
	if err := c.resetMerge(c.repo.Head()); err != nil {
		return err
	}
	if err := c.endJoin(); err != nil {
		return err
	}
	if len(s.todo) > 0 {
		s.todo = s.todo[1:]
	}
	if len(s.todo) == 0 {
		return c.repo.RemoveState("sequencer")
	}
	return s.run()
}

// abort goes back to where the sequence began.
func (s *sequence) abort() error {
	c := s.c
	h := c.repo.StateHash("sequencer/head")
	if h == repo.Zero {
		if c.repo.StateHash("CHERRY_PICK_HEAD") == repo.Zero && c.repo.StateHash("REVERT_HEAD") == repo.Zero {
			return stuck("no cherry-pick or revert in progress")
		}
		h = c.repo.Head()
	}
	if err := c.resetMerge(h); err != nil {
		return err
	}
	return errors.Join(c.noteReset(h, h.String()), c.endJoin(), c.repo.RemoveState("sequencer"))
}
