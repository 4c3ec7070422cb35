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
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// diffOptions are the options of all commands that show changes.
const diffOptions = " p,patch u s,no-patch stat? shortstat numstat name-only name-status summary U,unified= M,find-renames? no-renames" +
	" a,text no-color color? no-ext-diff w,ignore-all-space quiet exit-code relative? minimal histogram patience diff-filter= "

// A diffOutput shows changes in the form that the options ask for.
type diffOutput struct {
	repo    *repo.Repo
	disk    bool // whether the new side is the working tree
	forms   []string
	context int
	renames bool
	filter  string
	paint   palette
	width   int // of --stat
}

func (c *call) diffOutput(o *option.Result, form string) (*diffOutput, error) {
	paint, err := c.paint("diff", o)
	if err != nil {
		return nil, err
	}
	d := &diffOutput{repo: c.repo, context: 3, renames: !o.Has("no-renames"), filter: o.Arg("diff-filter"), paint: paint, width: c.width()}
	for _, f := range []string{"numstat", "stat", "shortstat", "summary", "name-only", "name-status"} {
		if o.Has(f) {
			d.forms = append(d.forms, f)
		}
	}
	if o.Has("p") || o.Has("u") || o.Has("U") {
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
	if b, err := d.repo.Blob(f.Hash); err == nil {
		return b
	}
	if !new || !d.disk {
		return nil
	}
	b, _ := d.repo.ReadDisk(name)
	return b
}

// pick prepares changes to be shown.
func (d *diffOutput) pick(changes []change) []change {
	if d.renames {
		changes = renames(changes, d.read)
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
		case "numstat":
			d.numstat(w, changes)
		case "summary":
			summary(w, changes)
		case "patch":
			for _, ch := range changes {
				d.patch(w, ch)
			}
		default:
			d.names(w, changes, form == "name-status")
		}
	}
}

func (d *diffOutput) names(w io.Writer, changes []change, status bool) {
	for _, ch := range changes {
		switch {
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

// patch writes one file's part of a patch.
func (d *diffOutput) patch(w io.Writer, ch change) {
	if ch.status == 'T' {
		d.patch(w, change{'D', ch.old, ch.old, ch.from, repo.File{}, 0})
		d.patch(w, change{'A', ch.new, ch.new, repo.File{}, ch.to, 0})
		return
	}
	head := func(format string, args ...any) {
		fmt.Fprintln(w, d.paint(metaColor, fmt.Sprintf(format, args...)))
	}
	head("diff --git %s %s", quote("a/"+ch.old), quote("b/"+ch.new))
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
	head("index %s..%s%s", abbreviate(ch.from.Hash), abbreviate(ch.to.Hash), mode)
	old, new := "a/"+ch.old, "b/"+ch.new
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
	if diff.IsBinary(a) || diff.IsBinary(b) {
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
	diff.Write(w, a, b, d.context, d.paint.on())
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
