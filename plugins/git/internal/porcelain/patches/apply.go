// Package patches passes changes on as text: apply, am and format-patch.
package patches

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
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

const applyOptions = "stat numstat summary check index cached 3,3way reject R,reverse p= C= unidiff-zero v,verbose q,quiet include= exclude= " +
	"directory= whitespace= recount allow-empty apply no-add ignore-whitespace ignore-space-change binary allow-overlap N,intent-to-add z inaccurate-eof"

func ApplyCommand(c *cli.Call) error {
	o, err := c.Parse(applyOptions)
	if err != nil {
		return err
	}
	a, err := newApplier(c, o)
	if err != nil {
		return err
	}
	inputs := o.Rest()
	if len(inputs) == 0 {
		inputs = []string{"-"}
	}
	for _, name := range inputs {
		text, err := readPatch(c, name)
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

func readPatch(c *cli.Call, name string) ([]byte, error) {
	in := c.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, &cli.Failure{Status: 128, Text: fmt.Sprintf("error: can't open patch '%s': %s", name, cli.Reason(err))}
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, patch.MaxSize+1))
	if err != nil {
		return nil, &cli.Failure{Status: 128, Text: fmt.Sprintf("error: git apply: failed to read: %s", cli.Reason(err))}
	}
	return text, nil
}

// newApplier reads the options of git apply.
func newApplier(c *cli.Call, o *option.Result) (*applier, error) {
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
		return nil, &option.Error{Text: "unrecognized whitespace option '" + a.whitespace + "'"}
	}
	a.three = o.Has("3")
	a.cached = o.Has("cached")
	a.indexed = o.Has("index") || a.cached || a.three
	return a, a.open()
}

// open gets ready to read the files that patches change.
func (a *applier) open() (err error) {
	a.now = map[string]*fileVersion{}
	if a.c.Repo == nil || a.c.Repo.Top == "" {
		if a.indexed {
			return cli.Fatal("--index outside a repository")
		}
		a.root, err = os.Getwd()
		return err
	}
	a.root = a.c.Repo.Top
	a.parse.Prefix = a.c.Repo.Prefix
	if a.indexed {
		if a.x, err = a.c.Repo.Index(); err == nil {
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
		return &cli.Failure{Status: 128, Text: "error: " + err.Error()}
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
	onlyShown := a.o.Has("stat") || a.o.Has("numstat") || a.o.Has("summary")
	changes := a.o.Has("apply") || !onlyShown && !a.o.Has("check")
	if a.whitespace == "" && !changes {
		a.whitespace = "nowarn"
	}
	flaws := a.flaws(name, used)
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
	if a.c.Repo != nil && !strings.HasPrefix(name, a.c.Repo.Prefix) {
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
				fmt.Fprintf(a.c.Stderr, "%s:%d: %s.\n%s\n", input, flaw.At, flaw.What, flaw.Text)
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
		fmt.Fprintf(a.c.Stderr, "warning: squelched %s\n", cli.Plural(n-maxFlaws, "whitespace error"))
	}
	adds := "lines add"
	if n == 1 {
		adds = "line adds"
	}
	switch {
	case n == 0:
	case strings.HasPrefix(a.whitespace, "error"):
		return &cli.Failure{Status: 128, Text: fmt.Sprintf("error: %d %s whitespace errors.", n, adds)}
	case a.mended > 0 && changed:
		fmt.Fprintf(a.c.Stderr, "warning: %s applied after fixing whitespace errors.\n", cli.Plural(a.mended, "line"))
	default:
		fmt.Fprintf(a.c.Stderr, "warning: %d %s whitespace errors.\n", n, adds)
	}
	return nil
}

// show prints what --stat, --numstat and --summary ask for.
func (a *applier) show(files []*patch.File) {
	var lines []change.StatLine
	for _, f := range files {
		l := change.StatLine{Name: cli.Quote(f.Name()), Binary: f.Binary}
		l.Added, l.Removed = f.Counts()
		lines = append(lines, l)
	}
	if a.o.Has("stat") {
		a.stat(lines)
	}
	if a.o.Has("numstat") {
		for i, l := range lines {
			if l.Binary {
				a.c.Printf("-\t-\t%s\n", cli.Quote(files[i].Name()))
				continue
			}
			a.c.Printf("%d\t%d\t%s\n", l.Added, l.Removed, cli.Quote(files[i].Name()))
		}
	}
	if a.o.Has("summary") {
		for _, f := range files {
			switch {
			case f.Old == "":
				a.c.Printf(" create mode %06o %s\n", f.NewMode, f.New)
			case f.New == "":
				a.c.Printf(" delete mode %06o %s\n", f.OldMode, f.Old)
			case f.Rename:
				a.c.Printf(" rename %s (%d%%)\n", change.Renamed(change.Change{Old: f.Old, New: f.New}), f.Similarity)
			case f.Copy:
				a.c.Printf(" copy %s (%d%%)\n", change.Renamed(change.Change{Old: f.Old, New: f.New}), f.Similarity)
			case f.NewMode != 0 && f.OldMode != f.NewMode:
				a.c.Printf(" mode change %06o => %06o %s\n", f.OldMode, f.NewMode, f.New)
			}
		}
	}
}

// stat prints a graph as git apply does, which is narrower than that of git diff.
func (a *applier) stat(lines []change.StatLine) {
	longest, most := 0, 0
	for _, l := range lines {
		longest = max(longest, len(l.Name))
		most = max(most, l.Added+l.Removed)
	}
	longest = min(longest, 50)
	for _, l := range lines {
		name := l.Name
		if len(name) > longest {
			name = "..." + name[len(name)-longest+3:]
		}
		if l.Binary {
			a.c.Printf(" %-*s |  Bin\n", longest, name)
			continue
		}
		added, removed := l.Added, l.Removed
		if width := 70 - longest; most > width && most > 0 {
			total := ((added+removed)*width + most/2) / most
			added = (added*width + most/2) / most
			removed = total - added
		}
		a.c.Printf(" %-*s |%5d %s%s\n", longest, name, l.Added+l.Removed, strings.Repeat("+", added), strings.Repeat("-", removed))
	}
	change.Total(a.c.Stdout, lines)
}

// disk returns where a file is.
func (a *applier) path(name string) string { return filepath.Join(a.root, filepath.FromSlash(name)) }
