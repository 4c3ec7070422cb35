package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/said"
)

// A gitRunner runs git in a directory. Nothing of the repository's configuration starts a program,
// and nothing is fetched: what is run only reads, or works in repositories of ours.
type gitRunner struct {
	dir      string
	env      []string      // besides ours, of which what begins with GIT_ is left out
	patience time.Duration // how long it may do nothing that shows; 0 for gitPatience
	bounded  bool          // it may have gitMemory, where the system can bound that
}

// gitMemory is how much memory git may have to look for files, in bytes. It reads a .gitignore as a
// whole, and keeps each name.
const gitMemory = 1 << 30

// looking returns one that looks for files in a tree, which somebody may have made so that there
// would be no end of memory.
func (g *gitRunner) looking() *gitRunner {
	bounded := *g
	bounded.bounded = true
	return &bounded
}

// gitPatience is how long git may print nothing and say nothing. Then it is taken to wait for ever:
// it does where somebody has put a pipe in the place of a file that it reads.
const gitPatience = 2 * time.Minute

// quiet are options for each command: the directory, or what is in it, may be somebody else's.
var quiet = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false",
	"-c", "core.alternateRefsCommand=true", "-c", "protocol.allow=never", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	"-c", "core.multiPackIndex=false", // it names packs, in whatever directory
	"-c", "core.sshCommand=false", "-c", "credential.helper=", "-c", "core.askPass=true", "-c", "log.showSignature=false",
}

// ErrNoGit is why nothing can be done with git.
var ErrNoGit = errors.New("there is no git in PATH")

func (g *gitRunner) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append(slices.Clone(quiet), args...)...)
	if g.bounded && cmd.Err == nil { // else there is no git
		limited := fmt.Sprintf(`ulimit -v %d 2>/dev/null; exec "$@"`, gitMemory>>10)
		cmd = exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", limited, "sh", cmd.Path}, cmd.Args[1:]...)...)
	}
	cmd.Dir = g.dir
	// All that it has started ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
	cmd.WaitDelay = gitWaitDelay
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }),
		"GIT_ALLOW_PROTOCOL=", // a repository's protocol.ext.allow would beat protocol.allow
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C")
	cmd.Env = append(cmd.Env, g.env...)
	return cmd
}

// gitWaitDelay is how long git may take to end when it was killed. Something that it has started
// may have its pipes, and hide from the signal.
const gitWaitDelay = 5 * time.Second

// maxGit is how much of what git prints is taken, in bytes.
const maxGit = 2*maxNames + MaxEntries*64

// output returns what a command prints. The error has its last line of words.
func (g *gitRunner) output(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	out := &limited{most: maxGit}
	err := g.run(ctx, in, out, args...)
	if out.over {
		err = ErrTooMany // and git was killed by the pipe
	}
	return out.b.Bytes(), err
}

// line returns the one line that a command prints.
func (g *gitRunner) line(ctx context.Context, args ...string) (string, error) {
	out, err := g.output(ctx, nil, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// answer is line for a question to which git may have no answer: then it fails, and that is "".
func (g *gitRunner) answer(ctx context.Context, args ...string) (string, error) {
	text, err := g.line(ctx, args...)
	if e, ended := errors.AsType[*exec.ExitError](err); ended && e.Exited() { // and was not killed
		return "", nil
	}
	return text, err
}

func (g *gitRunner) run(ctx context.Context, in io.Reader, out io.Writer, args ...string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	patience := cmp.Or(g.patience, gitPatience)
	waits := time.AfterFunc(patience, func() {
		cancel(fmt.Errorf("git %s in %s did nothing for %v, and was ended: is a pipe in the place of a file there, such as .gitignore?",
			args[0], printable.Text(g.dir), patience))
	})
	defer waits.Stop()
	goesOn := func() { waits.Reset(patience) }
	var words said.Lines
	cmd := g.command(ctx, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &noticed{out, goesOn}, &noticed{&words, goesOn}
	err := cmd.Run()
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if last := words.Last(); g.bounded && strings.Contains(last, "ut of memory") {
		return fmt.Errorf("git %s in %s: %s: is a file huge there, such as .gitignore?", args[0], printable.Text(g.dir), last)
	}
	return gitError(err, args[0], words.Last())
}

// A noticed tells of each write to w.
type noticed struct {
	w       io.Writer
	written func()
}

func (n *noticed) Write(p []byte) (int, error) {
	n.written()
	return n.w.Write(p)
}

// gitError returns why git has failed. words are the last that it has said.
func gitError(err error, what, words string) error {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return ErrNoGit
	case err != nil && words != "":
		return fmt.Errorf("git %s: %s: %w", what, words, err)
	case err != nil:
		return fmt.Errorf("git %s: %w", what, err)
	}
	return nil
}

// limited keeps what is written, up to most bytes.
type limited struct {
	b    bytes.Buffer
	most int
	over bool // there was more
}

func (l *limited) Write(p []byte) (int, error) {
	if l.b.Len()+len(p) > l.most {
		l.over = true
		return 0, ErrTooMany
	}
	return l.b.Write(p)
}

// A Tree is the working tree of a git repository here.
type Tree struct {
	Head   string // the id of its commit, or "" if there is none that can be bundled
	Branch string // the name of its branch, or ""
	git    gitRunner
	named  []string // directories outside that may have its history, without symbolic links
}

// ErrNotTop is why git says nothing of a directory that has a .git: it takes another one for the
// top of the tree.
var ErrNotTop = errors.New("git does not take it for the top of a tree")

// OpenTree returns the tree whose top dir is; nil if nothing in it is called .git. Its history has
// to be in dir, or in one of those named: else the error is a *LentError. It may be ErrNoGit or
// ErrNotTop, too: then nobody knows what git ignores.
func OpenTree(ctx context.Context, dir string, named ...string) (*Tree, error) {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return nil, nil
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	t := &Tree{git: gitRunner{dir: dir}, named: named}
	top, err := t.git.line(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	a, errA := os.Stat(dir)
	b, errB := os.Stat(top)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return nil, ErrNotTop
	}
	if err := t.checkOwn(ctx); err != nil {
		return nil, err
	}
	shallow, err := t.git.answer(ctx, "rev-parse", "--is-shallow-repository")
	if err != nil || shallow != "false" {
		return t, err // a bundle would need what is not here
	}
	if t.Head, err = t.git.answer(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return nil, err
	}
	t.Branch, err = t.git.answer(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	return t, err
}

// Names returns the files of the tree that git does not ignore, and of HEAD's files their ids. A
// name that ends with "/" is a repository of its own, such as a submodule.
func (t *Tree) Names(ctx context.Context) (names []string, blobs map[string]string, err error) {
	out, err := t.git.looking().output(ctx, nil, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, nil, err
	}
	if names, err = splitNames(out); err != nil {
		return nil, nil, err
	}
	if out, err = t.git.looking().output(ctx, nil, "ls-files", "-z", "--stage"); err != nil {
		return nil, nil, err
	}
	for fields, name := range records(out) { // mode, id, stage
		if len(names) > 2*MaxEntries {
			return nil, nil, ErrTooMany
		}
		names = append(names, name)
		if fields[0] == modeRepository {
			names = append(names, name+"/")
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	blobs = make(map[string]string)
	if t.Head == "" {
		return names, blobs, nil
	}
	if out, err = t.git.output(ctx, nil, "ls-tree", "-r", "-z", t.Head); err != nil {
		return nil, nil, err
	}
	for fields, name := range records(out) { // mode, type, id
		if fields[1] == "blob" && fields[0] != modeLink {
			blobs[name] = fields[2]
		}
	}
	return names, blobs, nil
}

// Modes of what is in a tree of git's.
const (
	modeLink       = "120000"
	modeRepository = "160000"
)

// records returns what git prints with -z of what is in a tree or an index: three fields with
// spaces between, a tab, and a name.
func records(out []byte) iter.Seq2[[]string, string] {
	return func(yield func([]string, string) bool) {
		for record := range bytes.SplitSeq(out, []byte{0}) {
			head, name, _ := strings.Cut(string(record), "\t")
			if fields := strings.Fields(head); len(fields) == 3 && !yield(fields, name) {
				return
			}
		}
	}
}

// splitNames returns the names that git prints with -z, in order, of which there may be MaxEntries.
// A directory of which it says no more, as of a repository of its own, ends with "/".
func splitNames(out []byte) (names []string, err error) {
	for name := range bytes.SplitSeq(out, []byte{0}) {
		switch {
		case len(name) == 0:
		case len(names) == MaxEntries:
			return nil, ErrTooMany
		default:
			names = append(names, string(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Ignored returns which paths git ignores in the tree. None may lead through a symbolic link, or
// into a repository of its own.
func (t *Tree) Ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	return ignored(ctx, &t.git, paths)
}

func ignored(ctx context.Context, git *gitRunner, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var in strings.Builder
	for _, p := range paths {
		in.WriteString("./" + p + "\x00") // or ":(glob)x" would be a pattern
	}
	out, err := git.looking().output(ctx, strings.NewReader(in.String()), "check-ignore", "-z", "--stdin")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		err = nil // none is
	}
	if err != nil {
		return nil, err
	}
	names, err := splitNames(out)
	ignored := make(map[string]bool)
	for _, name := range names {
		ignored[strings.TrimPrefix(name, "./")] = true
	}
	return ignored, err
}

// Has reports whether the repository has that commit, as it has one that the far side got from it.
func (t *Tree) Has(ctx context.Context, id string) bool {
	return isID(id) && t.git.run(ctx, nil, io.Discard, "cat-file", "-e", id+"^{commit}") == nil
}

// Bundle writes the commits up to HEAD that are not reached from have, which may be "". Where it
// fails, what it has written is not to be handed over.
func (t *Tree) Bundle(ctx context.Context, w io.Writer, have string) error {
	args := []string{"bundle", "create", "--progress", "-", "HEAD"} // which shows that it goes on
	if have != "" {
		args = append(args, "^"+have)
	}
	if err := t.git.run(ctx, nil, w, args...); err != nil {
		return err
	}
	return t.checkOwn(ctx) // again: somebody may have changed it since
}

// isID reports whether s is the full name of one of git's objects.
func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
