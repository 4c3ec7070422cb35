package porcelain

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/patch"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const applyOptions = "stat numstat summary check index cached 3,3way reject R,reverse p= C= unidiff-zero v,verbose q,quiet include= exclude= " +
	"directory= whitespace= recount allow-empty apply no-add ignore-whitespace ignore-space-change binary allow-overlap N,intent-to-add z inaccurate-eof"

func applyCommand(c *call) error {
	o, err := c.parse(applyOptions)
	if err != nil {
		return err
	}
	a, err := c.newApplier(o)
	if err != nil {
		return err
	}
	inputs := o.Rest()
	if len(inputs) == 0 {
		inputs = []string{"-"}
	}
	for _, name := range inputs {
		text, err := c.readPatch(name)
		if err != nil {
			return err
		}
		if name == "-" {
			name = "<stdin>"
		}
		if err := a.run(name, text); err != nil {
			return err
		}
	}
	return a.end()
}

func (c *call) readPatch(name string) ([]byte, error) {
	in := c.stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, &failure{128, fmt.Sprintf("error: can't open patch '%s': %s", name, reason(err))}
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, patch.MaxSize+1))
	if err != nil {
		return nil, &failure{128, fmt.Sprintf("error: git apply: failed to read: %s", reason(err))}
	}
	return text, nil
}

// newApplier reads the options of git apply.
func (c *call) newApplier(o *option.Result) (*applier, error) {
	a := &applier{c: c, o: o, parse: patch.Options{Strip: -1, Recount: o.Has("recount")}, whitespace: o.Arg("whitespace")}
	a.how.Continue = o.Has("reject")
	a.how.UnidiffZero = o.Has("unidiff-zero")
	a.how.IgnoreSpace = o.Has("ignore-whitespace") || o.Has("ignore-space-change")
	for name, to := range map[string]*int{"p": &a.parse.Strip, "C": &a.how.Context} {
		if !o.Has(name) {
			continue
		}
		n, err := strconv.Atoi(o.Arg(name))
		if err != nil || n < 0 {
			return nil, &option.Error{Text: "option `" + name + "' expects a numerical value"}
		}
		*to = n
	}
	a.how.Reduce = o.Has("C")
	if root := o.Arg("directory"); root != "" {
		a.parse.Root = strings.TrimSuffix(root, "/") + "/"
	}
	switch a.whitespace {
	case "", "warn", "nowarn", "fix", "strip", "error", "error-all":
	default:
		return nil, wrong("unrecognized whitespace option '%s'", a.whitespace)
	}
	a.three = o.Has("3")
	a.cached = o.Has("cached")
	a.indexed = o.Has("index") || a.cached || a.three
	return a, a.open()
}

// open gets ready to read the files that patches change.
func (a *applier) open() (err error) {
	a.now = map[string]*fileVersion{}
	if a.c.repo == nil || a.c.repo.Top == "" {
		if a.indexed {
			return fatal("--index outside a repository")
		}
		a.root, err = os.Getwd()
		return err
	}
	a.root = a.c.repo.Top
	a.parse.Prefix = a.c.repo.Prefix
	if a.indexed {
		if a.x, err = a.c.repo.Index(); err == nil {
			a.disk, err = a.x.OnDisk()
		}
	}
	return err
}

// run applies one input, all of it or nothing.
func (a *applier) run(name string, text []byte) error {
	files, err := patch.Parse(text, a.parse)
	if errors.Is(err, patch.ErrNone) && a.o.Has("allow-empty") {
		return nil
	}
	if err != nil {
		return &failure{128, "error: " + err.Error()}
	}
	var used []*patch.File
	for _, f := range files {
		if a.o.Has("R") {
			f.Reverse()
		}
		if a.uses(f.Name()) {
			used = append(used, f)
		}
	}
	if a.o.Has("R") { // the last to be made is the first to be undone
		for i, j := 0, len(used)-1; i < j; i, j = i+1, j-1 {
			used[i], used[j] = used[j], used[i]
		}
	}
	flaws := a.flaws(name, used)
	onlyShown := a.o.Has("stat") || a.o.Has("numstat") || a.o.Has("summary")
	changes := a.o.Has("apply") || !onlyShown && !a.o.Has("check")
	if flaws > 0 && strings.HasPrefix(a.whitespace, "error") {
		changes = false
	}
	if changes || a.o.Has("check") {
		if err := a.check(used); err != nil {
			return err
		}
	}
	a.show(used)
	if changes {
		if err := a.write(used); err != nil {
			return err
		}
	}
	return a.tellFlaws(flaws, changes)
}

// uses reports whether the options ask for a file, and the current directory has it.
func (a *applier) uses(name string) bool {
	if a.c.repo != nil && !strings.HasPrefix(name, a.c.repo.Prefix) {
		return false
	}
	for _, pattern := range a.o.All("exclude") {
		if repo.Wild(pattern, name) {
			return false
		}
	}
	for _, pattern := range a.o.All("include") {
		if repo.Wild(pattern, name) {
			return true
		}
	}
	return !a.o.Has("include")
}

// maxFlaws is how many flaws are shown: the default of git.
const maxFlaws = 5

func (a *applier) flaws(input string, files []*patch.File) (n int) {
	if a.whitespace == "nowarn" {
		return 0
	}
	for _, f := range files {
		for _, flaw := range f.Flaws() {
			n++
			if n <= maxFlaws || a.whitespace == "error-all" {
				fmt.Fprintf(a.c.stderr, "%s:%d: %s.\n%s\n", input, flaw.At, flaw.What, flaw.Text)
			}
		}
		if a.whitespace == "fix" || a.whitespace == "strip" {
			a.mended += f.Mend()
		}
	}
	return n
}

func (a *applier) tellFlaws(n int, changed bool) error {
	if n > maxFlaws && a.whitespace != "error-all" {
		fmt.Fprintf(a.c.stderr, "warning: squelched %s\n", plural(n-maxFlaws, "whitespace error"))
	}
	adds := "lines add"
	if n == 1 {
		adds = "line adds"
	}
	switch {
	case n == 0:
	case strings.HasPrefix(a.whitespace, "error"):
		return &failure{1, fmt.Sprintf("error: %d %s whitespace errors.", n, adds)}
	case a.mended > 0 && changed:
		fmt.Fprintf(a.c.stderr, "warning: %s applied after fixing whitespace errors.\n", plural(a.mended, "line"))
	default:
		fmt.Fprintf(a.c.stderr, "warning: %d %s whitespace errors.\n", n, adds)
	}
	return nil
}

// show prints what --stat, --numstat and --summary ask for.
func (a *applier) show(files []*patch.File) {
	var lines []statLine
	for _, f := range files {
		l := statLine{name: quote(f.Name()), binary: f.Binary}
		if f.Rename || f.Copy {
			l.name = renamed(change{old: f.Old, new: f.New})
		}
		l.added, l.removed = f.Counts()
		lines = append(lines, l)
	}
	if a.o.Has("stat") {
		a.stat(lines)
	}
	if a.o.Has("numstat") {
		for i, l := range lines {
			if l.binary {
				a.c.printf("-\t-\t%s\n", quote(files[i].Name()))
				continue
			}
			a.c.printf("%d\t%d\t%s\n", l.added, l.removed, quote(files[i].Name()))
		}
	}
	if a.o.Has("summary") {
		for _, f := range files {
			switch {
			case f.Old == "":
				a.c.printf(" create mode %06o %s\n", f.NewMode, f.New)
			case f.New == "":
				a.c.printf(" delete mode %06o %s\n", f.OldMode, f.Old)
			case f.Rename:
				a.c.printf(" rename %s (%d%%)\n", renamed(change{old: f.Old, new: f.New}), f.Similarity)
			case f.Copy:
				a.c.printf(" copy %s (%d%%)\n", renamed(change{old: f.Old, new: f.New}), f.Similarity)
			case f.NewMode != 0 && f.OldMode != f.NewMode:
				a.c.printf(" mode change %06o => %06o %s\n", f.OldMode, f.NewMode, f.New)
			}
		}
	}
}

// stat prints a graph as git apply does, which is narrower than that of git diff.
func (a *applier) stat(lines []statLine) {
	longest, most := 0, 0
	for _, l := range lines {
		longest = max(longest, len(l.name))
		most = max(most, l.added+l.removed)
	}
	longest = min(longest, 50)
	for _, l := range lines {
		name := l.name
		if len(name) > longest {
			name = "..." + name[len(name)-longest+3:]
		}
		if l.binary {
			a.c.printf(" %-*s |  Bin\n", longest, name)
			continue
		}
		added, removed := l.added, l.removed
		if width := 70 - longest; most > width && most > 0 {
			total := ((added+removed)*width + most/2) / most
			added = (added*width + most/2) / most
			removed = total - added
		}
		a.c.printf(" %-*s |%5d %s%s\n", longest, name, l.added+l.removed, strings.Repeat("+", added), strings.Repeat("-", removed))
	}
	total(a.c.stdout, lines)
}

// disk returns where a file is.
func (a *applier) path(name string) string { return filepath.Join(a.root, filepath.FromSlash(name)) }
