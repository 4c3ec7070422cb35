package patches

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/history"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/mail"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// FormatPatch writes commits as mails that git am reads.
func FormatPatch(c *cli.Call) error {
	o, err := c.Parse("stdout o,output-directory= numbered,n N,no-numbered start-number= subject-prefix= rfc k,keep-subject v,reroll-count= signoff,s " +
		"signature= no-signature cover-letter no-cover-letter root zero-commit numbered-files suffix= q,quiet from? no-from attach? inline? thread? " +
		"base= to= cc= in-reply-to= no-binary progress ignore-if-in-upstream no-stat max-count= # filename-max-length= " + strings.Replace(change.Options, " s,no-patch", " no-patch", 1))
	if e, ok := err.(*option.Error); ok {
		return cli.Unrecognized(e, c.Args)
	}
	for _, name := range []string{"cover-letter", "attach", "inline", "thread", "base", "ignore-if-in-upstream"} {
		if o.Has(name) {
			return cli.Fatal("format-patch --%s is not supported in this sandbox", name)
		}
	}
	commits, paths, err := toFormat(c, o)
	if err != nil {
		return err
	}
	p := &mailer{c: c, o: o, paths: paths, start: 1, total: len(commits)}
	if o.Has("start-number") {
		if p.start, err = strconv.Atoi(o.Arg("start-number")); err != nil {
			return &option.Error{Text: "option `start-number' expects a numerical value"}
		}
	}
	for i, commit := range commits {
		if err := p.write(i, commit); err != nil {
			return err
		}
	}
	return nil
}

// toFormat returns the commits to write, the oldest first.
func toFormat(c *cli.Call, o *option.Result) ([]*repo.Commit, repo.Paths, error) {
	revisions, paths, err := c.Split(o)
	if err != nil {
		return nil, nil, err
	}
	limit := -1
	for _, name := range []string{"#", "max-count"} {
		if o.Has(name) {
			if limit, err = strconv.Atoi(o.Arg(name)); err != nil {
				return nil, nil, cli.Fatal("'%s': not an integer", o.Arg(name))
			}
		}
	}
	if len(revisions) == 1 && limit < 0 && !o.Has("root") && !strings.Contains(revisions[0], "..") {
		revisions = []string{revisions[0] + "..HEAD"}
	}
	if len(revisions) == 0 {
		if limit < 0 {
			return nil, nil, nil
		}
		revisions = []string{"HEAD"}
	}
	span, err := history.NewSpan(c, o, revisions, true)
	if err != nil {
		return nil, nil, err
	}
	var commits []*repo.Commit
	visit := func(commit *repo.Commit) bool {
		if limit == 0 {
			return false
		}
		if len(commit.ParentHashes) < 2 {
			commits = append(commits, commit)
			limit--
		}
		return limit != 0
	}
	if len(paths) > 0 {
		err = c.Repo.WalkPaths(span.From, span.Not, paths, visit)
	} else {
		err = c.Repo.WalkTopologically(span.From, span.Not, visit)
	}
	slices.Reverse(commits)
	return commits, paths, err
}

type mailer struct {
	c            *cli.Call
	o            *option.Result
	paths        repo.Paths
	start, total int
}

func (p *mailer) write(i int, commit *repo.Commit) error {
	var b bytes.Buffer
	if err := p.mail(&b, i, commit); err != nil {
		return err
	}
	if p.o.Has("stdout") {
		if i > 0 {
			p.c.Printf("\n")
		}
		_, err := p.c.Stdout.Write(b.Bytes())
		return err
	}
	name := p.name(i, commit)
	if dir := p.o.Arg("o"); dir != "" {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return cli.Fatal("could not create directory '%s': %s", dir, cli.Reason(err))
		}
		name = filepath.Join(dir, name)
	}
	if !p.o.Has("q") {
		p.c.Printf("%s\n", name)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		return cli.Fatal("cannot open patch file %s: %s", name, cli.Reason(err))
	}
	return nil
}

// maxPatchName bounds the names of files, with what they end with.
const maxPatchName = 64

func (p *mailer) name(i int, commit *repo.Commit) string {
	if p.o.Has("numbered-files") {
		return fmt.Sprint(p.start + i)
	}
	suffix := ".patch"
	if p.o.Has("suffix") {
		suffix = p.o.Arg("suffix")
	}
	name := fmt.Sprintf("%04d-%s", p.start+i, messages.FileSubject(messages.Subject(commit.Message)))
	if v := p.o.Arg("v"); v != "" {
		name = "v" + v + "-" + name
	}
	return name[:min(len(name), maxPatchName-len(suffix)-1)] + suffix
}

func (p *mailer) mail(b *bytes.Buffer, i int, commit *repo.Commit) error {
	c, o := p.c, p.o
	prefix := "PATCH"
	switch {
	case o.Has("subject-prefix"):
		prefix = o.Arg("subject-prefix")
	case o.Has("rfc"):
		prefix = "RFC PATCH"
	}
	if v := o.Arg("v"); v != "" {
		prefix += " v" + v
	}
	last := p.start + p.total - 1
	if how, _ := o.Last("numbered", "N"); how == "numbered" || how == "" && p.total > 1 {
		prefix += fmt.Sprintf(" %0*d/%d", len(fmt.Sprint(last)), p.start+i, last)
	}
	if o.Has("k") {
		prefix = ""
	}
	if o.Has("signoff") {
		who, err := c.Repo.Identity("COMMITTER")
		if err != nil {
			return cli.Fatal("%v", err)
		}
		signed := *commit
		signed.Message = messages.SignOff(messages.Clean(commit.Message), who)
		commit = &signed
	}
	b.WriteString(mail.Head(commit, mail.HeadOptions{Prefix: prefix, Zero: o.Has("zero-commit")}))
	d, err := change.NewOutput(c, o, "")
	if err != nil {
		return err
	}
	if len(d.Forms) == 0 && !o.Has("no-stat") {
		d.Forms = []string{"stat", "summary", "patch"}
	} else if !slices.Contains(d.Forms, "patch") {
		d.Forms = append(d.Forms, "patch")
	}
	d.Binary, d.Paint, d.Width = !o.Has("no-binary"), cli.Uncolored, 72
	parent := repo.Zero
	if len(commit.ParentHashes) > 0 {
		parent = commit.ParentHashes[0]
	}
	from, to, err := c.Repo.Differences(parent, commit.Hash, p.paths)
	if err != nil {
		return err
	}
	changes := d.Pick(change.Compare(from, to, nil))
	if slices.Contains(d.Forms, "stat") {
		b.WriteString("---\n")
	} else {
		b.WriteString("\n")
	}
	d.Write(b, changes)
	return p.sign(b)
}

func (p *mailer) sign(w io.Writer) error {
	text := "2.39.5"
	if p.o.Has("signature") {
		text = p.o.Arg("signature")
	}
	if p.o.Has("no-signature") || text == "" {
		return nil
	}
	_, err := fmt.Fprintf(w, "-- \n%s\n\n", text)
	return err
}
