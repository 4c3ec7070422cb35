// Package blame tells what commit last modified each line of a file.
package blame

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/history"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/messages"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A blamed line is one of a file, with the commit that it came with.
type blamed struct {
	commit   *repo.Commit  // nil if it is in none
	name     string        // of the file in that commit
	number   int           // of the line in that file, from 1
	previous plumbing.Hash // the commit's parent that had the file; Zero if there is none
	before   string        // the file's name there
}

// A suspect is a commit that may have brought lines of the file.
type suspect struct {
	commit *repo.Commit
	name   string
	lines  []int // of the file as it is shown, from 0
	number []int // of these lines in the commit's file, from 0
}

func Command(c *cli.Call) error {
	o, err := c.Parse("L= s e,show-email l t n,show-number f,show-name p,porcelain line-porcelain c w b root date= abbrev= M? C? since= " +
		"ignore-rev= ignore-revs-file= color-lines color-by-age first-parent reverse incremental contents= progress no-progress score-debug minimal show-stats")
	if err != nil {
		return err
	}
	revisions, args, err := blameOperands(c, o)
	if err != nil {
		return err
	}
	paths, outside := c.Repo.Paths(args)
	if outside != "" {
		return c.Outside(outside)
	}
	name := paths[0]
	rev := "HEAD"
	if len(revisions) > 0 {
		rev = revisions[0]
	}
	start, err := c.Repo.ResolveCommit(rev)
	if err != nil {
		return cli.Fatal("bad revision '%s'", rev)
	}
	b := &blaming{c: c, o: o, name: name}
	committed, ok, err := b.file(start, name)
	if err != nil {
		return err
	}
	if !ok {
		return cli.Fatal("no such path '%s' in %s", name, rev)
	}
	text := committed
	if len(revisions) == 0 {
		if text, err = c.Repo.ReadDisk(name); err != nil {
			return cli.Fatal("cannot lstat '%s': %s", name, cli.Reason(err))
		}
	}
	b.text = diff.Lines(text)
	b.result = make([]blamed, len(b.text))
	if err := b.run(start, diff.Lines(committed)); err != nil {
		return err
	}
	from, to, err := b.span()
	if err != nil {
		return err
	}
	c.Page()
	return b.write(from, to)
}

// Annotate is blame in the form of older tools.
func Annotate(c *cli.Call) error {
	c.Args = append([]string{"-c"}, c.Args...)
	return Command(c)
}

// blameOperands tells the revision from the file.
func blameOperands(c *cli.Call, o *option.Result) (revisions, paths []string, err error) {
	args := o.Operands
	switch {
	case o.Dashes && len(o.Paths) == 1:
		return args, o.Paths, nil
	case len(args) == 1:
		return nil, args, nil
	case len(args) == 2:
		if _, err := os.Lstat(args[1]); err == nil || c.IsRevision(args[0]) {
			return args[:1], args[1:], nil
		}
		return args[1:], args[:1], nil
	}
	return nil, nil, &cli.Failure{Status: 129, Text: "usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>"}
}

type blaming struct {
	c      *cli.Call
	o      *option.Result
	name   string
	text   [][]byte
	result []blamed
}

// file returns a file of a commit.
func (b *blaming) file(commit *repo.Commit, name string) (text []byte, ok bool, err error) {
	f, ok := b.c.Repo.FileAt(commit.TreeHash, name)
	if !ok {
		return nil, false, nil
	}
	text, err = b.c.Repo.Blob(f.Hash)
	return text, err == nil, nil
}

// run finds where all lines came from. A line that a parent has too is the parent's.
func (b *blaming) run(start *repo.Commit, committed [][]byte) error {
	first := suspect{commit: start, name: b.name}
	if len(committed) != len(b.text) || string(bytes.Join(committed, nil)) != string(bytes.Join(b.text, nil)) {
		for a, n := range b.kept(committed, b.text) {
			if a >= 0 {
				first.lines, first.number = append(first.lines, n), append(first.number, a)
			}
		}
	} else {
		for i := range b.text {
			first.lines, first.number = append(first.lines, i), append(first.number, i)
		}
	}
	queue := []suspect{first}
	for len(queue) > 0 {
		at := youngest(queue)
		s := queue[at]
		queue = append(queue[:at], queue[at+1:]...)
		for i := len(queue) - 1; i >= 0; i-- { // what other children have asked of the same file
			if queue[i].commit.Hash == s.commit.Hash && queue[i].name == s.name {
				s.lines, s.number = append(s.lines, queue[i].lines...), append(s.number, queue[i].number...)
				queue = append(queue[:i], queue[i+1:]...)
			}
		}
		more, err := b.pass(s)
		if err != nil {
			return err
		}
		queue = append(queue, more...)
	}
	return nil
}

func youngest(queue []suspect) (at int) {
	for i, s := range queue {
		if s.commit.Committer.When.After(queue[at].commit.Committer.When) {
			at = i
		}
	}
	return at
}

// kept gives the pairs of lines that two texts have in common.
func (b *blaming) kept(old, new [][]byte) func(yield func(a, n int) bool) {
	return func(yield func(a, n int) bool) {
		x, y := old, new
		if b.o.Has("w") {
			x, y = squeezed(old), squeezed(new)
		}
		a, n := 0, 0
		for _, e := range append(diff.Compare(x, y), diff.Edit{A0: len(x), A1: len(x), B0: len(y), B1: len(y)}) {
			for ; a < e.A0; a, n = a+1, n+1 {
				if !yield(a, n) {
					return
				}
			}
			a, n = e.A1, e.B1
		}
	}
}

// squeezed are lines without whitespace.
func squeezed(lines [][]byte) (out [][]byte) {
	for _, l := range lines {
		out = append(out, []byte(strings.Join(strings.Fields(string(l)), "")+"\n"))
	}
	return out
}

// pass gives a commit's lines to those of its parents that have them, and notes the rest.
func (b *blaming) pass(s suspect) (next []suspect, err error) {
	c := b.c
	text, _, err := b.file(s.commit, s.name)
	if err != nil {
		return nil, err
	}
	mine := diff.Lines(text)
	// Lines in the commit's file that nobody else has yet, to those that are shown.
	left := map[int]int{}
	for i, line := range s.lines {
		left[s.number[i]] = line
	}
	previous, before := repo.Zero, ""
	parents := s.commit.ParentHashes
	if b.o.Has("first-parent") {
		parents = parents[:min(1, len(parents))]
	}
	for _, h := range parents {
		parent, err := c.Repo.Commit(h)
		if err != nil {
			return nil, err
		}
		name, err := b.origin(s.commit, parent, s.name)
		if err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		if previous == repo.Zero {
			previous, before = h, name
		}
		theirs, _, err := b.file(parent, name)
		if err != nil {
			return nil, err
		}
		to := suspect{commit: parent, name: name}
		for a, n := range b.kept(diff.Lines(theirs), mine) {
			if line, ok := left[n]; ok {
				to.lines, to.number = append(to.lines, line), append(to.number, a)
				delete(left, n)
			}
		}
		if len(to.lines) > 0 {
			next = append(next, to)
		}
		if len(left) == 0 {
			break
		}
	}
	for n, line := range left {
		b.result[line] = blamed{s.commit, s.name, n + 1, previous, before}
	}
	return next, nil
}

// origin returns what a parent calls the file; "" if it has none.
func (b *blaming) origin(commit, parent *repo.Commit, name string) (string, error) {
	if _, ok, err := b.file(parent, name); ok || err != nil {
		return name, err
	}
	from, to, err := b.c.Repo.Differences(parent.Hash, commit.Hash, nil)
	if err != nil {
		return "", err
	}
	d := &change.Output{Repo: b.c.Repo}
	for _, ch := range change.Renames(change.Compare(from, to, nil), d.Read) {
		if ch.Status == 'R' && ch.New == name {
			return ch.Old, nil
		}
	}
	return "", nil
}

// span is the lines that -L asks for, from 0.
func (b *blaming) span() (from, to int, err error) {
	n := len(b.text)
	if !b.o.Has("L") {
		return 0, n, nil
	}
	spec := b.o.Arg("L")
	first, second, two := strings.Cut(spec, ",")
	if strings.HasPrefix(spec, ":") {
		return 0, 0, cli.Fatal("blame -L :<funcname> is not supported in this sandbox")
	}
	if from, err = b.place(first, 0); err != nil {
		return 0, 0, err
	}
	to = n
	if two && second != "" {
		if to, err = b.place(second, from); err != nil {
			return 0, 0, err
		}
		if second[0] != '+' && second[0] != '-' {
			to++
		}
		if second[0] == '-' {
			from, to = to, from+1
		}
	}
	if first == "" {
		from = 0
	}
	if from > to {
		from, to = to-1, from+1
	}
	if from >= n && n > 0 {
		return 0, 0, cli.Fatal("file %s has only %s", b.name, cli.Plural(n, "line"))
	}
	return max(from, 0), min(to, n), nil
}

// place reads one end of -L: a number, +COUNT, -COUNT or /PATTERN/.
func (b *blaming) place(s string, from int) (int, error) {
	if s == "" {
		return 0, nil
	}
	if rest, ok := strings.CutPrefix(s, "/"); ok {
		re, err := regexp.Compile(cli.Extended(strings.TrimSuffix(rest, "/")))
		if err != nil {
			return 0, cli.Fatal("-L parameter '%s' starting at line %d: %v", rest, from+1, err)
		}
		for i := from; i < len(b.text); i++ {
			if re.Match(b.text[i]) {
				return i, nil
			}
		}
		return 0, cli.Fatal("-L parameter '%s' starting at line %d: No match", strings.TrimSuffix(rest, "/"), from+1)
	}
	n, err := strconv.Atoi(strings.TrimLeft(s, "+-"))
	if err != nil {
		return 0, cli.Fatal("-L invalid line range: %s", s)
	}
	switch s[0] {
	case '+':
		return from + n, nil
	case '-':
		return from - n + 1, nil
	}
	return n - 1, nil
}

// date is how blame writes one.
func (b *blaming) date(t time.Time) string {
	form := b.o.Arg("date")
	if form == "" {
		if form, _ = b.c.Setting("blame.date"); form == "" {
			form = "iso"
		}
	}
	f := &history.Format{}
	switch {
	case b.o.Has("t"):
		return fmt.Sprintf("%d %s", t.Unix(), t.Format("-0700"))
	case form == "default":
		return t.Format(history.DateForm)
	}
	return f.When(t, form)
}

func (b *blaming) write(from, to int) error {
	if b.o.Has("p") || b.o.Has("line-porcelain") {
		return b.porcelain(from, to)
	}
	digits := 8
	if n, err := strconv.Atoi(b.o.Arg("abbrev")); err == nil {
		digits = min(max(n, 4)+1, 40)
	}
	nameWidth, whoWidth, dateWidth, fromWidth := 0, 0, 0, 1
	names := false
	for _, l := range b.result[from:to] {
		who, when := b.who(l)
		whoWidth = max(whoWidth, utf8.RuneCountInString(who))
		dateWidth = max(dateWidth, len(when))
		fromWidth = max(fromWidth, len(strconv.Itoa(l.number)))
		name := l.name
		if l.commit == nil {
			name = b.name
		}
		nameWidth = max(nameWidth, len(name))
		names = names || name != b.name
	}
	width := len(strconv.Itoa(to))
	for i := from; i < to; i++ {
		l := b.result[i]
		id := strings.Repeat("0", 40)
		boundary := false
		if l.commit != nil {
			id = l.commit.Hash.String()
			boundary = len(l.commit.ParentHashes) == 0 && !b.o.Has("root")
		}
		if n := l.number; l.commit == nil && n == 0 {
			l.number, l.name = i+1, b.name
		}
		switch {
		case b.o.Has("c"):
		case boundary && b.o.Has("b"):
			id = strings.Repeat(" ", 40)
		case boundary:
			id = "^" + id
		}
		shown := id[:digits]
		if b.o.Has("l") {
			shown = id[:40]
		}
		who, when := b.who(l)
		text := bytes.TrimSuffix(b.text[i], []byte("\n"))
		if b.o.Has("c") {
			b.c.Printf("%s\t(%10s\t%10s\t%d)%s\n", shown, who, when, i+1, text)
			continue
		}
		b.c.Printf("%s", shown)
		if names || b.o.Has("f") {
			b.c.Printf(" %-*s", nameWidth, l.name)
		}
		if b.o.Has("n") {
			b.c.Printf(" %*d", fromWidth, l.number)
		}
		if !b.o.Has("s") {
			pad := strings.Repeat(" ", whoWidth-utf8.RuneCountInString(who))
			b.c.Printf(" (%s%s %-*s", who, pad, dateWidth, when)
		}
		b.c.Printf(" %*d) %s\n", width, i+1, text)
	}
	return nil
}

// who returns who brought a line, and when.
func (b *blaming) who(l blamed) (who, when string) {
	if l.commit == nil {
		if b.o.Has("e") {
			return "<not.committed.yet>", b.date(time.Now())
		}
		return "Not Committed Yet", b.date(time.Now())
	}
	if b.o.Has("e") {
		return "<" + l.commit.Author.Email + ">", b.date(l.commit.Author.When)
	}
	return l.commit.Author.Name, b.date(l.commit.Author.When)
}

// porcelain writes lines for programs.
func (b *blaming) porcelain(from, to int) error {
	told := map[plumbing.Hash]bool{}
	for i := from; i < to; {
		n := 1
		for i+n < to && b.follows(i+n) {
			n++
		}
		for j := range n {
			l := b.result[i+j]
			id := repo.Zero
			if l.commit != nil {
				id = l.commit.Hash
			} else {
				l.number, l.name = i+j+1, b.name
			}
			b.c.Printf("%s %d %d", id, l.number, i+j+1)
			if j == 0 {
				b.c.Printf(" %d", n)
			}
			b.c.Printf("\n")
			if !told[id] || b.o.Has("line-porcelain") {
				b.details(b.c.Stdout, l)
				told[id] = true
			}
			b.c.Printf("\t%s\n", bytes.TrimSuffix(b.text[i+j], []byte("\n")))
		}
		i += n
	}
	return nil
}

// follows reports whether a line belongs to the same change as the one before it.
func (b *blaming) follows(i int) bool {
	x, y := b.result[i-1], b.result[i]
	if x.commit == nil || y.commit == nil {
		return x.commit == y.commit
	}
	return x.commit.Hash == y.commit.Hash && x.name == y.name && y.number == x.number+1
}

func (b *blaming) details(w io.Writer, l blamed) {
	p := cli.Printer{W: w}
	if l.commit == nil {
		now := time.Now()
		for _, role := range []string{"author", "committer"} {
			p.Printf("%s Not Committed Yet\n%s-mail <not.committed.yet>\n%s-time %d\n%s-tz %s\n", role, role, role, now.Unix(), role, now.Format("-0700"))
		}
		p.Printf("summary Version of %s from %s\nfilename %s\n", b.name, b.name, b.name)
		return
	}
	for _, who := range []struct {
		role string
		repo.Signature
	}{{"author", l.commit.Author}, {"committer", l.commit.Committer}} {
		p.Printf("%s %s\n%s-mail <%s>\n%s-time %d\n%s-tz %s\n", who.role, who.Name, who.role, who.Email, who.role, who.When.Unix(), who.role, who.When.Format("-0700"))
	}
	p.Printf("summary %s\n", messages.Subject(l.commit.Message))
	if len(l.commit.ParentHashes) == 0 {
		p.Printf("boundary\n")
	}
	if l.previous != repo.Zero {
		p.Printf("previous %s %s\n", l.previous, l.before)
	}
	p.Printf("filename %s\n", l.name)
}
