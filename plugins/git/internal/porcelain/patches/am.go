package patches

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/patch"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/checkout"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/mail"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/record"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/reset"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/status"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/treemerge"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const amDir = "rebase-apply"

// A mailRun applies mails, one after the other. What is left to do is noted in .git/rebase-apply as
// git notes it.
type mailRun struct {
	c                         *cli.Call
	o                         *option.Result
	three, silent, sign, keep bool
	next, last                int
}

func Am(c *cli.Call) error {
	o, err := c.Parse("3,3way no-3way q,quiet s,signoff k,keep b,keep-non-patch no-keep-cr keep-cr whitespace= C= p= directory= exclude= include= reject " +
		"continue,r,resolved skip abort quit show-current-patch? u,utf8 no-utf8 m,message-id c,scissors no-scissors patch-format= " +
		"ignore-space-change ignore-whitespace committer-date-is-author-date ignore-date no-gpg-sign i,interactive allow-empty empty= retry no-verify n")
	if err != nil {
		return err
	}
	r := &mailRun{c: c, o: o, three: o.Has("3"), silent: o.Has("q"), sign: o.Has("s"), keep: o.Has("k")}
	verb, _ := o.Last("continue", "skip", "abort", "quit", "show-current-patch", "allow-empty")
	busy := c.Repo.HasState(amDir + "/applying")
	switch {
	case verb != "" && !busy:
		return cli.Fatal("Resolve operation not in progress, we are not resuming.")
	case verb == "" && busy:
		return cli.Fatal("previous rebase directory .git/rebase-apply still exists but mbox given.")
	case o.Has("i"):
		return cli.Fatal("am --interactive: there is no dialogue in this sandbox")
	case verb == "":
		return r.begin(o.Rest())
	}
	r.load()
	switch verb {
	case "continue", "allow-empty":
		return r.resume(verb == "allow-empty")
	case "skip":
		return r.skip()
	case "quit":
		return c.Repo.RemoveState(amDir)
	case "abort":
		return r.abort()
	}
	name := "patch"
	if o.Arg("show-current-patch") != "diff" {
		name = fmt.Sprintf("%04d", r.next)
	}
	text, _ := c.Repo.State(amDir + "/" + name)
	c.Printf("%s", text)
	return nil
}

func (r *mailRun) begin(names []string) error {
	c := r.c
	if len(names) == 0 {
		names = []string{"-"}
	}
	var mails []string
	for _, name := range names {
		var text []byte
		var err error
		if name == "-" {
			text, err = io.ReadAll(io.LimitReader(c.Stdin, patch.MaxSize))
		} else {
			text, err = readAtMost(name, patch.MaxSize)
		}
		if err != nil {
			return cli.Fatal("could not open '%s' for reading: %s", name, cli.Reason(err))
		}
		if len(text) == 0 {
			continue
		}
		list, ok := mail.Split(text)
		if !ok {
			return &cli.Failure{Status: 128, Text: "Patch format detection failed."}
		}
		mails = append(mails, list...)
	}
	if len(mails) == 0 {
		return nil
	}
	head := c.Repo.Head()
	set := func(name, text string) error { return c.Repo.SetState(amDir+"/"+name, text) }
	flag := func(b bool) string { return map[bool]string{false: "f\n", true: "t\n"}[b] }
	err := errors.Join(set("applying", ""), set("threeway", flag(r.three)), set("quiet", flag(r.silent)), set("sign", flag(r.sign)), set("keep", flag(r.keep)),
		set("last", fmt.Sprintln(len(mails))), set("orig-head", head.String()+"\n"), set("abort-safety", head.String()+"\n"))
	for i, text := range mails {
		err = errors.Join(err, set(fmt.Sprintf("%04d", i+1), text))
	}
	if head != repo.Zero {
		err = errors.Join(err, c.Repo.SetStateHash("ORIG_HEAD", head))
	}
	if err != nil {
		return err
	}
	s, err := status.Read(c, nil, false, true)
	if err != nil {
		return err
	}
	if len(s.Staged)+len(s.Unmerged) > 0 {
		if err := set("dirtyindex", ""); err != nil {
			return err
		}
		return cli.Fatal("Dirty index: cannot apply patches (dirty: %s)", staged(s))
	}
	r.next, r.last = 1, len(mails)
	return r.run()
}

// staged lists what differs between HEAD and the index.
func staged(s *status.State) string {
	list := append([]string{}, s.Unmerged...)
	for _, ch := range s.Staged {
		list = append(list, ch.New)
	}
	return strings.Join(list, " ")
}

// readAtMost reads a file, up to a size in bytes.
func readAtMost(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

func (r *mailRun) load() {
	number := func(name string) int {
		text, _ := r.c.Repo.StateLine(amDir + "/" + name)
		n, _ := strconv.Atoi(text)
		return n
	}
	flag := func(name string) bool {
		text, _ := r.c.Repo.StateLine(amDir + "/" + name)
		return text == "t"
	}
	r.next, r.last = number("next"), number("last")
	r.three, r.silent, r.sign, r.keep = r.three || flag("threeway"), r.silent || flag("quiet"), flag("sign"), flag("keep")
}

func (r *mailRun) run() error {
	c := r.c
	for ; r.next <= r.last; r.next++ {
		if err := c.Repo.SetState(amDir+"/next", fmt.Sprintln(r.next)); err != nil {
			return err
		}
		text, ok := c.Repo.State(fmt.Sprintf("%s/%04d", amDir, r.next))
		if !ok {
			continue
		}
		m := mail.Read(text, r.keep)
		if r.sign {
			who, err := c.Repo.Identity("COMMITTER")
			if err != nil {
				return cli.Fatal("%v", err)
			}
			m.Message = messages.SignOff(m.Message, who)
		}
		if err := errors.Join(c.Repo.SetState(amDir+"/patch", m.Patch), c.Repo.SetState(amDir+"/final-commit", m.Message)); err != nil {
			return err
		}
		if m.Author.Email == "" {
			return cli.Fatal("empty ident name (for <>) not allowed")
		}
		if err := r.one(m); err != nil {
			return err
		}
	}
	return c.Repo.RemoveState(amDir)
}

func (r *mailRun) one(m mail.Mail) error {
	c := r.c
	title, _, _ := strings.Cut(m.Message, "\n")
	files, err := patch.Parse([]byte(m.Patch), patch.Options{Strip: -1})
	if errors.Is(err, patch.ErrNone) {
		c.Printf("Patch is empty.\n")
		return r.stop(true)
	}
	if !r.silent {
		c.Printf("Applying: %s\n", title)
	}
	if err == nil {
		err = r.apply(files, title)
	} else {
		fmt.Fprintf(c.Stderr, "error: %v\n", err)
	}
	if errors.Is(err, errPatched) {
		return nil
	}
	if err != nil {
		c.Printf("Patch failed at %04d %s\n", r.next, title)
		fmt.Fprintf(c.Stderr, "hint: Use 'git am --show-current-patch=diff' to see the failed patch\n")
		return r.stop(false)
	}
	return r.commit(m)
}

// stop leaves a mail to those who can resolve what it needs.
func (r *mailRun) stop(empty bool) error {
	c := r.c
	c.Printf("When you have resolved this problem, run \"git am --continue\".\nIf you prefer to skip this patch, run \"git am --skip\" instead.\n")
	if empty {
		c.Printf("To record the empty patch as an empty commit, run \"git am --allow-empty\".\n")
	}
	c.Printf("To restore the original branch and stop patching, run \"git am --abort\".\n")
	return cli.Quiet(128)
}

// errPatched says that a mail brings nothing new.
var errPatched = errors.New("patch already applied")

// apply puts a patch into the index and the working tree.
func (r *mailRun) apply(files []*patch.File, title string) error {
	c := r.c
	o := &option.Result{}
	a := &applier{c: c, o: o, parse: patch.Options{Strip: -1}, indexed: true, silent: r.three}
	if err := a.open(); err != nil {
		return err
	}
	a.flaws(".git/rebase-apply/patch", files)
	if err := a.check(files); err != nil {
		if r.three {
			return r.threeWay(files, title)
		}
		return err
	}
	return a.write(files)
}

// threeWay applies a patch to the texts that it was made from, and merges the result.
func (r *mailRun) threeWay(files []*patch.File, title string) error {
	c := r.c
	base := repo.Snapshot{}
	for _, f := range files {
		if f.Old == "" {
			continue
		}
		h, err := c.Repo.Resolve(f.OldHash)
		if err != nil || f.OldHash == "" {
			fmt.Fprintf(c.Stderr, "error: could not build fake ancestor\n")
			//lint:ignore ST1005 these are git's own words
			return errors.New("Repository lacks necessary blobs to fall back on 3-way merge.")
		}
		now, _ := c.Repo.FileAt(c.Repo.Head(), f.Old)
		mode := now.Mode
		if f.OldMode != 0 {
			mode = fileMode(f.OldMode)
		}
		base[f.Old] = repo.File{Mode: mode, Hash: h}
	}
	ours, err := c.Repo.Tree(c.Repo.Head())
	if err != nil {
		return err
	}
	c.Printf("Using index info to reconstruct a base tree...\n")
	for _, name := range base.Names() {
		switch f, ok := ours[name]; {
		case !ok:
			c.Printf("A\t%s\n", name)
		case f != base[name]:
			c.Printf("M\t%s\n", name)
		}
	}
	theirs, err := r.patched(base, files)
	if err != nil {
		return err
	}
	c.Printf("Falling back to patching base and 3-way merge...\n")
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	m, err := treemerge.Trees(c, base, ours, theirs, diff.Merging{Ours: "HEAD", Theirs: title, Base: "constructed merge base"})
	if err != nil {
		return err
	}
	if err := checkout.Advance(c, x, ours, m.Files, m.Conflicts, "merge"); err != nil {
		fmt.Fprintln(c.Stderr, err)
		return err
	}
	m.Tell()
	if !m.Clean() {
		fmt.Fprintf(c.Stderr, "error: Failed to merge in the changes.\n")
		return cli.Quiet(1)
	}
	if len(change.Compare(ours, m.Files, nil)) == 0 {
		c.Printf("No changes -- Patch already applied.\n")
		return errPatched
	}
	return nil
}

// patched returns what the patch makes of the texts that it was made from.
func (r *mailRun) patched(base repo.Snapshot, files []*patch.File) (repo.Snapshot, error) {
	out := maps.Clone(base)
	var how patch.Application
	for _, f := range files {
		var text []byte
		var err error
		if f.New != "" && !repo.ValidPath(f.New) || f.Old != "" && !repo.ValidPath(f.Old) {
			return nil, fmt.Errorf("invalid path '%s'", f.Name())
		}
		if f.Old != "" {
			if text, err = r.c.Repo.Blob(base[f.Old].Hash); err != nil {
				return nil, err
			}
			if !f.Copy {
				delete(out, f.Old)
			}
		}
		if f.New == "" {
			continue
		}
		new, _, failed := how.Apply(text, f.Hunks)
		if len(failed) > 0 || f.Binary {
			return nil, errors.New("did you hand edit your patch?")
		}
		mode := base[f.Old].Mode
		if f.NewMode != 0 {
			mode = fileMode(f.NewMode)
		}
		h, err := r.c.Repo.Write(plumbing.BlobObject, new)
		if err != nil {
			return nil, err
		}
		out[f.New] = repo.File{Mode: mode, Hash: h}
	}
	return out, nil
}

// commit commits the index as the mail says.
func (r *mailRun) commit(m mail.Mail) error {
	c := r.c
	x, err := c.Repo.Index()
	if err != nil {
		return err
	}
	var parents []plumbing.Hash
	if head := c.Repo.Head(); head != repo.Zero {
		parents = append(parents, head)
	}
	if m.Author.When.IsZero() {
		m.Author.When = time.Now()
	}
	from := &repo.Commit{Author: m.Author}
	h, err := record.CommitFiles(c, x.Files, parents, from, m.Message, "am")
	if err != nil {
		return err
	}
	return c.Repo.SetState(amDir+"/abort-safety", h.String()+"\n")
}

// resume commits what was resolved, and goes on.
func (r *mailRun) resume(empty bool) error {
	c := r.c
	text, _ := c.Repo.State(fmt.Sprintf("%s/%04d", amDir, r.next))
	m := mail.Read(text, r.keep)
	if message, ok := c.Repo.State(amDir + "/final-commit"); ok {
		m.Message = message
	}
	title, _, _ := strings.Cut(m.Message, "\n")
	s, err := status.Read(c, nil, false, true)
	if err != nil {
		return err
	}
	if !r.silent {
		c.Printf("Applying: %s\n", title)
	}
	switch {
	case len(s.Unmerged) > 0:
		c.Printf("You still have unmerged paths in your index.\nYou should 'git add' each file with resolved conflicts to mark them as such.\n" +
			"You might run `git rm` on a file to accept \"deleted by them\" for it.\n")
		return r.stop(false)
	case len(s.Staged) == 0 && !empty:
		c.Printf("No changes - did you forget to use 'git add'?\nIf there is nothing left to stage, chances are that something else\n" +
			"already introduced the same changes; you might want to skip this patch.\n")
		return r.stop(false)
	}
	if err := r.commit(m); err != nil {
		return err
	}
	r.next++
	return r.run()
}

func (r *mailRun) skip() error {
	if err := reset.Merge(r.c, r.c.Repo.Head()); err != nil {
		return err
	}
	r.next++
	return r.run()
}

// abort goes back to where the mails began, unless somebody has gone elsewhere since.
func (r *mailRun) abort() error {
	c := r.c
	if c.Repo.HasState(amDir + "/dirtyindex") {
		return c.Repo.RemoveState(amDir)
	}
	if c.Repo.StateHash(amDir+"/abort-safety") != c.Repo.Head() {
		fmt.Fprintf(c.Stderr, "warning: You seem to have moved HEAD since the last 'am' failure.\nNot rewinding to ORIG_HEAD\n")
		return c.Repo.RemoveState(amDir)
	}
	h := c.Repo.StateHash(amDir + "/orig-head")
	if err := reset.Merge(c, h); err != nil {
		return err
	}
	if h != c.Repo.Head() {
		if err := c.Repo.SetHead(h, "am --abort"); err != nil {
			return err
		}
	}
	return c.Repo.RemoveState(amDir)
}
