package porcelain

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
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// diffOptions are the options of all commands that show changes.
const diffOptions = " p,patch u s,no-patch stat? shortstat numstat name-only name-status summary U,unified= M,find-renames? no-renames" +
	" a,text no-color color? no-ext-diff ext-diff no-textconv textconv w,ignore-all-space quiet exit-code relative? no-relative minimal histogram patience diff-filter= no-prefix src-prefix= dst-prefix= binary full-index abbrev? no-index " +
	"ignore-space-at-eol b,ignore-space-change ignore-blank-lines ignore-cr-at-eol R word-diff? check raw C,find-copies? B? D,irreversible-delete indent-heuristic no-indent-heuristic diff-algorithm= W,function-context compact-summary dirstat? submodule? ws-error-highlight= inter-hunk-context= l= no-color-moved color-moved? ita-invisible-in-index O= z patch-with-stat"

// A diffOutput shows changes in the form that the options ask for.
type diffOutput struct {
	repo         *repo.Repo
	disk         bool        // whether the new side is the working tree
	index        *repo.Index // if it was read for the diff
	againstIndex bool        // whether the old side is the index
	forms        []string
	context      int
	renames      bool
	filter       string
	paint        palette
	width        int // of --stat

	contents map[plumbing.Hash][]byte // texts that are no objects
	prefix   [2]string                // in front of names: a/ and b/
	long     bool                     // whether names of objects are whole
	digits   int                      // of names of objects that are not; 0 for as many as usual
	binary   bool                     // whether contents are shown of files that are no text
	swapped  bool                     // whether the working tree is on the old side
	space    diff.Space               // what whitespace does not count
	compact  bool                     // whether --stat says which files are new or gone
	relative string                   // the directory that is shown, and that names are from; "" for all
	z        bool                     // whether names end in NUL and are not quoted
}

func (c *call) diffOutput(o *option.Result, form string) (*diffOutput, error) {
	paint, err := c.paint("diff", o)
	if err != nil {
		return nil, err
	}
	d := &diffOutput{repo: c.repo, context: 3, renames: !o.Has("no-renames"), filter: o.Arg("diff-filter"), paint: paint, width: c.width(),
		prefix: [2]string{"a/", "b/"}}
	if o.Has("R") {
		d.prefix = [2]string{"b/", "a/"}
	}
	if o.Has("no-prefix") {
		d.prefix = [2]string{}
	}
	for i, name := range []string{"src-prefix", "dst-prefix"} {
		if o.Has(name) {
			d.prefix[i] = o.Arg(name)
		}
	}
	d.binary, d.z = o.Has("binary"), o.Has("z")
	d.long = o.Has("full-index")
	if o.Has("abbrev") {
		if n, err := strconv.Atoi(o.Arg("abbrev")); err == nil {
			d.digits = min(max(n, 4), 40)
		}
	}
	for name, space := range map[string]diff.Space{"ignore-space-at-eol": diff.EndsDoNot, "ignore-cr-at-eol": diff.EndsDoNot,
		"b": diff.AmountDoesNot, "w": diff.NoneCounts} {
		if o.Has(name) {
			d.space = max(d.space, space)
		}
	}
	if o.Has("word-diff") {
		return nil, fatal("--word-diff is not supported in this sandbox")
	}
	d.compact = o.Has("compact-summary")
	if o.Has("relative") {
		d.relative = d.repo.Prefix
		if dir := o.Arg("relative"); dir != "" {
			d.relative = strings.TrimSuffix(dir, "/") + "/"
		}
	}
	for _, f := range []string{"raw", "numstat", "stat", "shortstat", "summary", "name-only", "name-status"} {
		if o.Has(f) || f == "stat" && (o.Has("compact-summary") || o.Has("patch-with-stat")) {
			d.forms = append(d.forms, f)
		}
	}
	if o.Has("p") || o.Has("u") || o.Has("U") || o.Has("patch-with-stat") || o.Has("binary") && len(d.forms) == 0 {
		d.forms = append(d.forms, "patch")
	}
	if len(d.forms) == 0 && form != "" {
		d.forms = []string{form}
	}
	if o.Has("s") {
		d.forms = nil
	}
	if o.Has("U") {
		n, err := strconv.Atoi(o.Arg("U"))
		if err != nil || n < 0 {
			return nil, fatal("-U expects a non-negative integer")
		}
		d.context = n
	}
	return d, nil
}

func (d *diffOutput) read(name string, f repo.File, new bool) []byte {
	if f.Mode == filemode.Submodule {
		return fmt.Appendf(nil, "Subproject commit %s\n", f.Hash)
	}
	if b, ok := d.contents[f.Hash]; ok {
		return b
	}
	if d.repo == nil {
		return nil
	}
	if b, err := d.repo.Blob(f.Hash); err == nil {
		return b
	}
	if new == d.swapped || !d.disk {
		return nil
	}
	b, _ := d.repo.ReadDisk(d.relative + name)
	return b
}

// pick prepares changes to be shown.
func (d *diffOutput) pick(changes []change) []change {
	if d.renames {
		changes = renames(changes, d.read)
	}
	if d.relative != "" {
		changes = d.below(changes)
	}
	if d.filter == "" {
		return changes
	}
	var out []change
	for _, ch := range changes {
		if strings.IndexByte(d.filter, ch.status) >= 0 {
			out = append(out, ch)
		}
	}
	return out
}

// below returns the changes in the directory that is shown, with names from there.
func (d *diffOutput) below(changes []change) (out []change) {
	for _, ch := range changes {
		old, was := strings.CutPrefix(ch.old, d.relative)
		new, is := strings.CutPrefix(ch.new, d.relative)
		if was && is {
			ch.old, ch.new = old, new
			out = append(out, ch)
		}
	}
	return out
}

func (d *diffOutput) write(w io.Writer, changes []change) {
	for i, form := range d.forms {
		if form == "patch" && i > 0 && len(changes) > 0 {
			fmt.Fprintln(w)
		}
		switch form {
		case "stat":
			d.stat(w, changes)
		case "shortstat":
			d.shortstat(w, changes)
		case "raw":
			d.raw(w, changes)
		case "numstat":
			d.numstat(w, changes)
		case "summary":
			summary(w, changes)
		case "patch":
			for _, ch := range changes { // as git does: these are first
				if ch.status == 'U' && d.bothOpen(ch.new) {
					now, _ := d.index.Disk(ch.new)
					sides := d.index.Conflicts[ch.new]
					d.combined(w, joined{name: ch.new, parents: sides[1:], result: now, onDisk: true})
				}
			}
			for i, ch := range changes {
				switch before := max(i-1, 0); {
				case d.bothOpen(ch.new) && (ch.status == 'U' || changes[before].status == 'U' && changes[before].new == ch.new):
				case ch.status == 'U':
					fmt.Fprintf(w, "* Unmerged path %s\n", ch.new)
				default:
					d.patch(w, ch)
				}
			}
		default:
			d.names(w, changes, form == "name-status")
		}
	}
}

// raw writes modes and objects, one line for each file.
func (d *diffOutput) raw(w io.Writer, changes []change) {
	for _, ch := range changes {
		to := d.id(ch.to.Hash)
		if d.disk && ch.status != 'D' {
			to = d.id(repo.Zero)
		}
		fmt.Fprintf(w, ":%06o %06o %s %s %c", uint32(ch.from.Mode), uint32(ch.to.Mode), d.id(ch.from.Hash), to, ch.status)
		if ch.status == 'R' {
			fmt.Fprintf(w, "%03d\t%s", ch.score, quote(ch.old))
		}
		fmt.Fprintf(w, "\t%s\n", quote(ch.new))
	}
}

// id is how patches name an object.
func (d *diffOutput) id(h plumbing.Hash) string {
	switch {
	case d.long:
		return h.String()
	case d.digits > 0:
		return h.String()[:d.digits]
	}
	return abbreviate(h)
}

func (d *diffOutput) names(w io.Writer, changes []change, status bool) {
	for _, ch := range changes {
		switch {
		case d.z && !status:
			fmt.Fprintf(w, "%s\x00", ch.new)
		case d.z && ch.status == 'R':
			fmt.Fprintf(w, "R%03d\x00%s\x00%s\x00", ch.score, ch.old, ch.new)
		case d.z:
			fmt.Fprintf(w, "%c\x00%s\x00", ch.status, ch.new)
		case !status:
			fmt.Fprintln(w, quote(ch.new))
		case ch.status == 'R':
			fmt.Fprintf(w, "R%03d\t%s\t%s\n", ch.score, quote(ch.old), quote(ch.new))
		default:
			fmt.Fprintf(w, "%c\t%s\n", ch.status, quote(ch.new))
		}
	}
}

// abbreviate shortens an object's name.
func abbreviate(h plumbing.Hash) string { return h.String()[:7] }

// bothOpen reports whether a file in conflict is shown against both sides together.
func (d *diffOutput) bothOpen(name string) bool {
	if !d.againstIndex || !d.disk {
		return false
	}
	sides := d.index.Conflicts[name]
	return sides[1] != (repo.File{}) && sides[2] != (repo.File{})
}

// patch writes one file's part of a patch.
func (d *diffOutput) patch(w io.Writer, ch change) {
	if d.unspaced(ch) {
		return
	}
	if ch.status == 'T' {
		d.patch(w, change{'D', ch.old, ch.old, ch.from, repo.File{}, 0})
		d.patch(w, change{'A', ch.new, ch.new, repo.File{}, ch.to, 0})
		return
	}
	head := func(format string, args ...any) {
		fmt.Fprintln(w, d.paint(metaColor, fmt.Sprintf(format, args...)))
	}
	prefix := d.prefix
	head("diff --git %s %s", quote(prefix[0]+ch.old), quote(prefix[1]+ch.new))
	mode := ""
	switch {
	case ch.status == 'A':
		head("new file mode %o", uint32(ch.to.Mode))
	case ch.status == 'D':
		head("deleted file mode %o", uint32(ch.from.Mode))
	case ch.from.Mode != ch.to.Mode:
		head("old mode %o", uint32(ch.from.Mode))
		head("new mode %o", uint32(ch.to.Mode))
	default:
		mode = fmt.Sprintf(" %o", uint32(ch.to.Mode))
	}
	if ch.status == 'R' {
		head("similarity index %d%%", ch.score)
		head("rename from %s", quote(ch.old))
		head("rename to %s", quote(ch.new))
	}
	if ch.from.Hash == ch.to.Hash {
		return
	}
	old, new := prefix[0]+ch.old, prefix[1]+ch.new
	var a, b []byte
	if ch.status == 'A' {
		old = "/dev/null"
	} else {
		a = d.read(ch.old, ch.from, false)
	}
	if ch.status == 'D' {
		new = "/dev/null"
	} else {
		b = d.read(ch.new, ch.to, true)
	}
	isBinary := diff.IsBinary(a) || diff.IsBinary(b)
	if isBinary && d.binary {
		head("index %s..%s%s", ch.from.Hash, ch.to.Hash, mode)
		fmt.Fprintln(w, "GIT binary patch")
		for _, text := range [][]byte{b, a} {
			patch.Encode85(w, text)
		}
		return
	}
	head("index %s..%s%s", d.id(ch.from.Hash), d.id(ch.to.Hash), mode)
	if isBinary {
		fmt.Fprintf(w, "Binary files %s and %s differ\n", quote(old), quote(new))
		return
	}
	if len(a) == 0 && len(b) == 0 {
		return
	}
	for _, line := range []string{"--- " + quote(old), "+++ " + quote(new)} {
		fmt.Fprint(w, d.paint(metaColor, line))
		if strings.Contains(line[len("--- "):], " ") {
			fmt.Fprint(w, "\t") // or patch would not find the end of the name
		}
		fmt.Fprintln(w)
	}
	x, y := diff.Lines(a), diff.Lines(b)
	diff.WriteEdits(w, x, y, diff.CompareSpace(x, y, d.space), d.context, d.paint.on())
}

// unspaced reports whether a file has changed only in whitespace that does not count.
func (d *diffOutput) unspaced(ch change) bool {
	if d.space == diff.AllCounts || ch.status != 'M' || ch.from.Mode != ch.to.Mode {
		return false
	}
	a, b := d.read(ch.old, ch.from, false), d.read(ch.new, ch.to, true)
	return !diff.IsBinary(a) && !diff.IsBinary(b) && len(diff.CompareSpace(diff.Lines(a), diff.Lines(b), d.space)) == 0
}

// quote writes a path as C would if it has unusual characters: core.quotePath.
func quote(name string) string {
	if strings.IndexFunc(name, func(c rune) bool { return c < ' ' || c >= 0x7f || c == '"' || c == '\\' }) < 0 {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		c := name[i]
		if at := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); at >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[at])
			continue
		}
		if c < ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "\\%03o", c)
			continue
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}
