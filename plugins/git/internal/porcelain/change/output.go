package change

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/patch"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// Options are the options of all commands that show changes.
const Options = " p,patch u s,no-patch stat? shortstat numstat name-only name-status summary U,unified= M,find-renames? no-renames" +
	" a,text no-color color? no-ext-diff ext-diff no-textconv textconv w,ignore-all-space quiet exit-code relative? no-relative minimal histogram patience diff-filter= no-prefix src-prefix= dst-prefix= binary full-index abbrev? no-index " +
	"ignore-space-at-eol b,ignore-space-change ignore-blank-lines ignore-cr-at-eol R word-diff? check raw C,find-copies? B? D,irreversible-delete indent-heuristic no-indent-heuristic diff-algorithm= W,function-context compact-summary dirstat? submodule? ws-error-highlight= inter-hunk-context= l= no-color-moved color-moved? ita-invisible-in-index O= z patch-with-stat"

// A Output shows changes in the form that the options ask for.
type Output struct {
	Repo         *repo.Repo
	Disk         bool        // whether the new side is the working tree
	Index        *repo.Index // if it was read for the diff
	AgainstIndex bool        // whether the old side is the index
	Forms        []string
	Context      int
	Renames      bool
	Filter       string
	Paint        cli.Palette
	Width        int // of --stat

	contents map[plumbing.Hash][]byte // texts that are no objects
	Prefix   [2]string                // in front of names: a/ and b/
	Long     bool                     // whether names of objects are whole
	Digits   int                      // of names of objects that are not; 0 for as many as usual
	Binary   bool                     // whether contents are shown of files that are no text
	Swapped  bool                     // whether the working tree is on the old side
	space    diff.Space               // what whitespace does not count
	compact  bool                     // whether --stat says which files are new or gone
	// the directory that is shown, and that names are from; "" for all
	relative string
	z        bool // whether names end in NUL and are not quoted
}

func NewOutput(c *cli.Call, o *option.Result, form string) (*Output, error) {
	paint, err := c.Paint("diff", o)
	if err != nil {
		return nil, err
	}
	d := &Output{Repo: c.Repo, Context: 3, Renames: !o.Has("no-renames"), Filter: o.Arg("diff-filter"), Paint: paint, Width: c.Width(),
		Prefix: [2]string{"a/", "b/"}}
	if o.Has("R") {
		d.Prefix = [2]string{"b/", "a/"}
	}
	if o.Has("no-prefix") {
		d.Prefix = [2]string{}
	}
	for i, name := range []string{"src-prefix", "dst-prefix"} {
		if o.Has(name) {
			d.Prefix[i] = o.Arg(name)
		}
	}
	d.Binary, d.z = o.Has("binary"), o.Has("z")
	d.Long = o.Has("full-index")
	if o.Has("abbrev") {
		if n, err := strconv.Atoi(o.Arg("abbrev")); err == nil {
			d.Digits = min(max(n, 4), 40)
		}
	}
	for name, space := range map[string]diff.Space{"ignore-space-at-eol": diff.EndsDoNot, "ignore-cr-at-eol": diff.EndsDoNot,
		"b": diff.AmountDoesNot, "w": diff.NoneCounts} {
		if o.Has(name) {
			d.space = max(d.space, space)
		}
	}
	if o.Has("word-diff") {
		return nil, cli.Fatal("--word-diff is not supported in this sandbox")
	}
	d.compact = o.Has("compact-summary")
	if o.Has("relative") {
		d.relative = d.Repo.Prefix
		if dir := o.Arg("relative"); dir != "" {
			d.relative = strings.TrimSuffix(dir, "/") + "/"
		}
	}
	for _, f := range []string{"raw", "numstat", "stat", "shortstat", "summary", "name-only", "name-status"} {
		if o.Has(f) || f == "stat" && (o.Has("compact-summary") || o.Has("patch-with-stat")) {
			d.Forms = append(d.Forms, f)
		}
	}
	if o.Has("p") || o.Has("u") || o.Has("U") || o.Has("patch-with-stat") || o.Has("binary") && len(d.Forms) == 0 {
		d.Forms = append(d.Forms, "patch")
	}
	if len(d.Forms) == 0 && form != "" {
		d.Forms = []string{form}
	}
	if o.Has("s") {
		d.Forms = nil
	}
	if o.Has("U") {
		n, err := strconv.Atoi(o.Arg("U"))
		if err != nil || n < 0 {
			return nil, cli.Fatal("-U expects a non-negative integer")
		}
		d.Context = n
	}
	return d, nil
}

func (d *Output) Read(name string, f repo.File, new bool) []byte {
	if f.Mode == filemode.Submodule {
		return fmt.Appendf(nil, "Subproject commit %s\n", f.Hash)
	}
	if b, ok := d.contents[f.Hash]; ok {
		return b
	}
	if d.Repo == nil {
		return nil
	}
	if b, err := d.Repo.Blob(f.Hash); err == nil {
		return b
	}
	if new == d.Swapped || !d.Disk {
		return nil
	}
	b, _ := d.Repo.ReadDisk(d.relative + name)
	return b
}

// Pick prepares changes to be shown.
func (d *Output) Pick(changes []Change) []Change {
	if d.Renames {
		changes = Renames(changes, d.Read)
	}
	if d.relative != "" {
		changes = d.below(changes)
	}
	if d.Filter == "" {
		return changes
	}
	var out []Change
	for _, ch := range changes {
		if strings.IndexByte(d.Filter, ch.Status) >= 0 {
			out = append(out, ch)
		}
	}
	return out
}

// below returns the changes in the directory that is shown, with names from there.
func (d *Output) below(changes []Change) (out []Change) {
	for _, ch := range changes {
		old, was := strings.CutPrefix(ch.Old, d.relative)
		new, is := strings.CutPrefix(ch.New, d.relative)
		if was && is {
			ch.Old, ch.New = old, new
			out = append(out, ch)
		}
	}
	return out
}

func (d *Output) Write(w io.Writer, changes []Change) {
	for i, form := range d.Forms {
		if form == "patch" && i > 0 && len(changes) > 0 {
			fmt.Fprintln(w)
		}
		switch form {
		case "stat":
			d.stat(w, changes)
		case "shortstat":
			d.Shortstat(w, changes)
		case "raw":
			d.raw(w, changes)
		case "numstat":
			d.numstat(w, changes)
		case "summary":
			Summary(w, changes)
		case "patch":
			for _, ch := range changes { // as git does: these are first
				if ch.Status == 'U' && d.bothOpen(ch.New) {
					now, _ := d.Index.Disk(ch.New)
					sides := d.Index.Conflicts[ch.New]
					d.Combined(w, joined{name: ch.New, parents: sides[1:], result: now, onDisk: true})
				}
			}
			for i, ch := range changes {
				switch before := max(i-1, 0); {
				case d.bothOpen(ch.New) && (ch.Status == 'U' || changes[before].Status == 'U' && changes[before].New == ch.New):
				case ch.Status == 'U':
					fmt.Fprintf(w, "* Unmerged path %s\n", ch.New)
				default:
					d.Patch(w, ch)
				}
			}
		default:
			d.names(w, changes, form == "name-status")
		}
	}
}

// raw writes modes and objects, one line for each file.
func (d *Output) raw(w io.Writer, changes []Change) {
	for _, ch := range changes {
		to := d.id(ch.To.Hash)
		if d.Disk && ch.Status != 'D' {
			to = d.id(repo.Zero)
		}
		fmt.Fprintf(w, ":%06o %06o %s %s %c", uint32(ch.From.Mode), uint32(ch.To.Mode), d.id(ch.From.Hash), to, ch.Status)
		if ch.Status == 'R' {
			fmt.Fprintf(w, "%03d\t%s", ch.Score, cli.Quote(ch.Old))
		}
		fmt.Fprintf(w, "\t%s\n", cli.Quote(ch.New))
	}
}

// id is how patches name an object.
func (d *Output) id(h plumbing.Hash) string {
	switch {
	case d.Long:
		return h.String()
	case d.Digits > 0:
		return h.String()[:d.Digits]
	}
	return cli.Abbreviate(h)
}

func (d *Output) names(w io.Writer, changes []Change, status bool) {
	for _, ch := range changes {
		switch {
		case d.z && !status:
			fmt.Fprintf(w, "%s\x00", ch.New)
		case d.z && ch.Status == 'R':
			fmt.Fprintf(w, "R%03d\x00%s\x00%s\x00", ch.Score, ch.Old, ch.New)
		case d.z:
			fmt.Fprintf(w, "%c\x00%s\x00", ch.Status, ch.New)
		case !status:
			fmt.Fprintln(w, cli.Quote(ch.New))
		case ch.Status == 'R':
			fmt.Fprintf(w, "R%03d\t%s\t%s\n", ch.Score, cli.Quote(ch.Old), cli.Quote(ch.New))
		default:
			fmt.Fprintf(w, "%c\t%s\n", ch.Status, cli.Quote(ch.New))
		}
	}
}

// bothOpen reports whether a file in conflict is shown against both sides together.
func (d *Output) bothOpen(name string) bool {
	if !d.AgainstIndex || !d.Disk {
		return false
	}
	sides := d.Index.Conflicts[name]
	return sides[1] != (repo.File{}) && sides[2] != (repo.File{})
}

// Patch writes one file's part of a patch.
func (d *Output) Patch(w io.Writer, ch Change) {
	if d.unspaced(ch) {
		return
	}
	if ch.Status == 'T' {
		d.Patch(w, Change{'D', ch.Old, ch.Old, ch.From, repo.File{}, 0})
		d.Patch(w, Change{'A', ch.New, ch.New, repo.File{}, ch.To, 0})
		return
	}
	head := func(format string, args ...any) {
		fmt.Fprintln(w, d.Paint(cli.MetaColor, fmt.Sprintf(format, args...)))
	}
	prefix := d.Prefix
	head("diff --git %s %s", cli.Quote(prefix[0]+ch.Old), cli.Quote(prefix[1]+ch.New))
	mode := ""
	switch {
	case ch.Status == 'A':
		head("new file mode %o", uint32(ch.To.Mode))
	case ch.Status == 'D':
		head("deleted file mode %o", uint32(ch.From.Mode))
	case ch.From.Mode != ch.To.Mode:
		head("old mode %o", uint32(ch.From.Mode))
		head("new mode %o", uint32(ch.To.Mode))
	default:
		mode = fmt.Sprintf(" %o", uint32(ch.To.Mode))
	}
	if ch.Status == 'R' {
		head("similarity index %d%%", ch.Score)
		head("rename from %s", cli.Quote(ch.Old))
		head("rename to %s", cli.Quote(ch.New))
	}
	if ch.From.Hash == ch.To.Hash {
		return
	}
	old, new := prefix[0]+ch.Old, prefix[1]+ch.New
	var a, b []byte
	if ch.Status == 'A' {
		old = "/dev/null"
	} else {
		a = d.Read(ch.Old, ch.From, false)
	}
	if ch.Status == 'D' {
		new = "/dev/null"
	} else {
		b = d.Read(ch.New, ch.To, true)
	}
	isBinary := diff.IsBinary(a) || diff.IsBinary(b)
	if isBinary && d.Binary {
		head("index %s..%s%s", ch.From.Hash, ch.To.Hash, mode)
		fmt.Fprintln(w, "GIT binary patch")
		for _, text := range [][]byte{b, a} {
			patch.Encode85(w, text)
		}
		return
	}
	head("index %s..%s%s", d.id(ch.From.Hash), d.id(ch.To.Hash), mode)
	if isBinary {
		fmt.Fprintf(w, "Binary files %s and %s differ\n", cli.Quote(old), cli.Quote(new))
		return
	}
	if len(a) == 0 && len(b) == 0 {
		return
	}
	for _, line := range []string{"--- " + cli.Quote(old), "+++ " + cli.Quote(new)} {
		fmt.Fprint(w, d.Paint(cli.MetaColor, line))
		if strings.Contains(line[len("--- "):], " ") {
			fmt.Fprint(w, "\t") // or patch would not find the end of the name
		}
		fmt.Fprintln(w)
	}
	x, y := diff.Lines(a), diff.Lines(b)
	diff.WriteEdits(w, x, y, diff.CompareSpace(x, y, d.space), d.Context, d.Paint.On())
}

// unspaced reports whether a file has changed only in whitespace that does not count.
func (d *Output) unspaced(ch Change) bool {
	if d.space == diff.AllCounts || ch.Status != 'M' || ch.From.Mode != ch.To.Mode {
		return false
	}
	a, b := d.Read(ch.Old, ch.From, false), d.Read(ch.New, ch.To, true)
	return !diff.IsBinary(a) && !diff.IsBinary(b) && len(diff.CompareSpace(diff.Lines(a), diff.Lines(b), d.space)) == 0
}
