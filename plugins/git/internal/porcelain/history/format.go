package history

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/mail"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// DateForm is how git writes dates by default.
const DateForm = localForm + " -0700"

// localForm is how it writes them in the zone of who reads.
const localForm = "Mon Jan 2 15:04:05 2006"

// A Format is how commits are shown.
type Format struct {
	name     string // medium, oneline, short, full, fuller, or "" if template holds
	template string
	// whether each commit ends with a newline, rather than there being one between any two
	terminated bool
	short      bool // whether names of commits are short
	date       string
	decorate   map[plumbing.Hash][]decoration
	diff       *change.Output
	// whether merges are shown with what they changed of all their parents
	combine bool
	// whether merges are shown with what came to their first parent
	first bool
	// whether merges are shown with what came to each of their parents
	each     bool
	mark     func(plumbing.Hash) string // shows on which side of A...B a commit is
	sides    bool                       // whether that is shown: --left-right
	digits   int                        // of names of commits; 0 for as many as usual
	end      string                     // what ends a line of a commit: a newline, or NUL with -z
	pickaxe  *pickaxe
	follower *follower
	// what the reflog has of the commit; nil if it is not asked
	noted func() (selector, message string)
}

func NewFormat(c *cli.Call, o *option.Result, d *change.Output) (*Format, error) {
	f := &Format{diff: d, name: "medium", short: o.Has("abbrev-commit"), date: o.Arg("date")}
	if o.Has("oneline") {
		f.name, f.short = "oneline", true
	}
	f.sides, f.first, f.each = o.Has("left-right"), o.Has("first-parent"), o.Has("m")
	f.end = "\n"
	if o.Has("z") {
		f.end = "\x00"
	}
	if how := o.Arg("diff-merges"); how == "first-parent" || how == "1" {
		f.first = true
	}
	f.combine = o.Has("c") || o.Has("cc")
	if o.Has("no-abbrev-commit") {
		f.short = false
	}
	if o.Has("abbrev") {
		f.digits = d.Digits
	}
	if o.Has("relative-date") {
		f.date = "relative"
	}
	if value, ok := c.Setting("log.date"); ok && f.date == "" {
		f.date = value
	}
	name, text := o.Last("pretty", "format", "oneline")
	if name == "oneline" {
		text = ""
	}
	rest, isFormat := strings.CutPrefix(text, "format:")
	last, isLast := strings.CutPrefix(text, "tformat:")
	switch {
	case text == "" && o.Has("format"):
		f.name, f.terminated = "", true
	case text == "":
	case isFormat:
		f.name, f.template = "", rest
	case isLast:
		f.name, f.template, f.terminated = "", last, true
	case strings.Contains(text, "%"):
		f.name, f.template, f.terminated = "", text, true
	case text == "reference":
		f.name, f.template, f.terminated = "", "%C(auto)%h (%s, %as)", true
	case text == "email" || text == "mboxrd":
		f.name = "email"
	case slices.Contains([]string{"medium", "oneline", "short", "full", "fuller", "raw"}, text):
		f.name = text
	default:
		return nil, cli.Fatal("invalid --pretty format: %s", text)
	}
	if decorates(c, o) || strings.Contains(f.template, "%d") || strings.Contains(f.template, "%D") {
		var err error
		if f.decorate, err = decorations(c); err != nil {
			return nil, err
		}
		if o.Arg("decorate") == "full" {
			whole(f.decorate)
		}
	}
	return f, nil
}

// separated reports whether a newline stands between any two commits, and behind the last one only
// without changes.
func (f *Format) separated() bool { return f.name == "" && !f.terminated }

// write shows one commit and, if the options ask for it, what it changed.
func (f *Format) write(c *cli.Call, commit *repo.Commit, paths repo.Paths, first, last bool) error {
	multiline := f.name != "oneline" && f.name != ""
	if !first && (multiline || f.separated()) {
		c.Printf("%s", f.end)
	}
	f.head(c, commit)
	return f.changes(c, commit, paths, last)
}

// changes shows what a commit changed.
func (f *Format) changes(c *cli.Call, commit *repo.Commit, paths repo.Paths, last bool) error {
	multiline := f.name != "oneline" && f.name != ""
	merge := len(commit.ParentHashes) > 1 && !f.first
	switch {
	case merge && f.each && len(f.diff.Forms) > 0:
		return f.parents(c, commit, paths)
	case merge && f.combine && slices.Contains(f.diff.Forms, "patch"):
		return f.joined(c, commit, paths)
	case len(f.diff.Forms) == 0 || merge && !f.combine:
		if f.separated() && last {
			c.Printf("%s", f.end)
		}
		return nil
	}
	changes, err := f.changed(c, commit, paths)
	if err != nil {
		return err
	}
	if f.separated() {
		c.Printf("\n")
	}
	if len(changes) == 0 {
		return nil
	}
	if multiline || f.name == "" && f.terminated && f.template != "" {
		between := ""
		if slices.Contains(f.diff.Forms, "stat") && slices.Contains(f.diff.Forms, "patch") {
			between = "---"
		}
		c.Printf("%s\n", between)
	}
	f.diff.Write(c.Stdout, changes)
	return nil
}

// changed returns what a commit changed, as it is to be shown.
func (f *Format) changed(c *cli.Call, commit *repo.Commit, paths repo.Paths) ([]change.Change, error) {
	if f.follower != nil {
		return f.follower.changes[commit.Hash], nil
	}
	parent := repo.Zero
	if len(commit.ParentHashes) > 0 {
		parent = commit.ParentHashes[0]
	}
	a, b, err := c.Repo.Differences(parent, commit.Hash, paths)
	if err != nil {
		return nil, err
	}
	return f.pickaxe.choose(f.diff, f.diff.Pick(change.Compare(a, b, paths))), nil
}

// parents shows a merge once for each of its parents: -m.
func (f *Format) parents(c *cli.Call, commit *repo.Commit, paths repo.Paths) error {
	for i, p := range commit.ParentHashes {
		if i > 0 {
			f.head(c, commit)
		}
		a, b, err := c.Repo.Differences(p, commit.Hash, paths)
		if err != nil {
			return err
		}
		changes := f.diff.Pick(change.Compare(a, b, paths))
		if len(changes) > 0 && f.name != "oneline" {
			c.Printf("\n")
		}
		f.diff.Write(c.Stdout, changes)
	}
	return nil
}

// joined shows what a merge changed of all its parents.
func (f *Format) joined(c *cli.Call, commit *repo.Commit, paths repo.Paths) error {
	files, err := change.JoinedFiles(c, commit, paths)
	if err != nil {
		return err
	}
	c.Printf("\n")
	for _, j := range files {
		f.diff.Combined(c.Stdout, j)
	}
	return nil
}

func (f *Format) id(h plumbing.Hash) string {
	switch {
	case f.short && f.digits > 0:
		return h.String()[:f.digits]
	case f.short:
		return cli.Abbreviate(h)
	}
	return h.String()
}

// side is what stands in front of a commit's name.
func (f *Format) side(h plumbing.Hash) string {
	if !f.sides {
		return ""
	}
	return f.mark(h) + " "
}

func (f *Format) head(c *cli.Call, commit *repo.Commit) {
	if f.name == "" {
		text := f.expand(commit)
		c.Printf("%s", text)
		if f.terminated && f.template != "" {
			c.Printf("%s", f.end)
		}
		return
	}
	if f.name == "email" {
		f.email(c, commit)
		return
	}
	paint := f.diff.Paint
	names := decorated(paint, f.decorate[commit.Hash], " (", ")")
	if f.name == "oneline" {
		if f.noted != nil {
			selector, message := f.noted()
			c.Printf("%s%s %s: %s%s", paint(cli.CommitColor, f.id(commit.Hash)), names, selector, message, f.end)
			return
		}
		c.Printf("%s%s %s%s", paint(cli.CommitColor, f.side(commit.Hash)+f.id(commit.Hash)), names, messages.Subject(commit.Message), f.end)
		return
	}
	c.Printf("%s%s\n", paint(cli.CommitColor, "commit "+f.side(commit.Hash)+f.id(commit.Hash)), names)
	if f.name == "raw" {
		f.raw(c, commit)
		return
	}
	if f.noted != nil {
		selector, message := f.noted()
		a := commit.Committer
		c.Printf("Reflog: %s (%s <%s>)\nReflog message: %s\n", selector, a.Name, a.Email, message)
	}
	if len(commit.ParentHashes) > 1 {
		c.Printf("Merge:")
		for _, p := range commit.ParentHashes {
			c.Printf(" %s", cli.Abbreviate(p))
		}
		c.Printf("\n")
	}
	a, m := commit.Author, commit.Committer
	switch f.name {
	case "medium":
		c.Printf("Author: %s <%s>\nDate:   %s\n", a.Name, a.Email, f.When(a.When, ""))
	case "short":
		c.Printf("Author: %s <%s>\n", a.Name, a.Email)
	case "full":
		c.Printf("Author: %s <%s>\nCommit: %s <%s>\n", a.Name, a.Email, m.Name, m.Email)
	case "fuller":
		c.Printf("Author:     %s <%s>\nAuthorDate: %s\nCommit:     %s <%s>\nCommitDate: %s\n",
			a.Name, a.Email, f.When(a.When, ""), m.Name, m.Email, f.When(m.When, ""))
	}
	c.Printf("\n")
	text := strings.Trim(commit.Message, "\n")
	if f.name == "short" {
		text = messages.Subject(text)
	}
	f.indented(c, text)
}

func (f *Format) indented(c *cli.Call, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		c.Printf("    %s\n", strings.TrimRight(tabbed(line), " "))
	}
}

// raw shows a commit as it is stored.
func (f *Format) raw(c *cli.Call, commit *repo.Commit) {
	c.Printf("tree %s\n", commit.TreeHash)
	for _, p := range commit.ParentHashes {
		c.Printf("parent %s\n", p)
	}
	for _, who := range []struct {
		role string
		repo.Signature
	}{{"author", commit.Author}, {"committer", commit.Committer}} {
		c.Printf("%s %s <%s> %d %s\n", who.role, who.Name, who.Email, who.When.Unix(), who.When.Format("-0700"))
	}
	c.Printf("\n")
	f.indented(c, strings.Trim(commit.Message, "\n"))
}

// email shows a commit as the head of a mail.
func (f *Format) email(c *cli.Call, commit *repo.Commit) {
	c.Printf("%s", mail.Head(commit, mail.HeadOptions{Prefix: "PATCH"}))
}

// tabbed replaces tabs by spaces up to the next place that 8 divides: git log --expand-tabs.
func tabbed(line string) string {
	for {
		before, after, ok := strings.Cut(line, "\t")
		if !ok {
			return line
		}
		line = before + strings.Repeat(" ", 8-utf8.RuneCountInString(before)%8) + after
	}
}

// When writes a date in the form that --date or a placeholder asks for.
func (f *Format) When(t time.Time, form string) string {
	if form == "" {
		form = f.date
	}
	if form == "local" {
		form = "default-local"
	}
	if local, ok := strings.CutSuffix(form, "-local"); ok {
		t, form = t.Local(), local
		if form == "default" {
			return t.Format(localForm)
		}
	} else if rest, ok := strings.CutPrefix(form, "format-local:"); ok {
		t, form = t.Local(), "format:"+rest
	}
	switch form {
	case "iso", "iso8601":
		return t.Format("2006-01-02 15:04:05 -0700")
	case "iso-strict":
		return t.Format("2006-01-02T15:04:05-07:00")
	case "short":
		return t.Format("2006-01-02")
	case "rfc", "rfc2822":
		return t.Format("Mon, 2 Jan 2006 15:04:05 -0700")
	case "unix":
		return fmt.Sprint(t.Unix())
	case "raw":
		return fmt.Sprintf("%d %s", t.Unix(), t.Format("-0700"))
	case "relative":
		return ago(time.Since(t))
	}
	if rest, ok := strings.CutPrefix(form, "format:"); ok {
		return strftime(t, rest)
	}
	return t.Format(DateForm)
}

// ago is how git puts how long something is past.
func ago(d time.Duration) string {
	seconds := int(d.Seconds())
	if seconds < 0 {
		return "in the future"
	}
	minutes, hours, days := (seconds+30)/60, (seconds+1800)/3600, (seconds+43200)/86400
	switch {
	case seconds < 90:
		return cli.Plural(seconds, "second") + " ago"
	case minutes < 90:
		return cli.Plural(minutes, "minute") + " ago"
	case hours < 36:
		return cli.Plural(hours, "hour") + " ago"
	case days < 14:
		return cli.Plural(days, "day") + " ago"
	case days < 70:
		return cli.Plural((days+3)/7, "week") + " ago"
	case days < 365:
		return cli.Plural((days+15)/30, "month") + " ago"
	}
	months := (days*12*2 + 365) / (365 * 2)
	if days < 1825 && months%12 > 0 {
		return cli.Plural(months/12, "year") + ", " + cli.Plural(months%12, "month") + " ago"
	}
	return cli.Plural((days+183)/365, "year") + " ago"
}

func strftime(t time.Time, form string) string {
	layouts := map[byte]string{'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'b': "Jan", 'B': "January",
		'a': "Mon", 'A': "Monday", 'z': "-0700", 'F': "2006-01-02", 'T': "15:04:05", 'e': "_2", 'j': "002", 'I': "03", 'p': "PM"}
	var b strings.Builder
	for i := 0; i < len(form); i++ {
		if form[i] != '%' || i+1 == len(form) {
			b.WriteByte(form[i])
			continue
		}
		i++
		if layout, ok := layouts[form[i]]; ok {
			b.WriteString(t.Format(layout))
			continue
		}
		b.WriteByte(form[i])
	}
	return b.String()
}
