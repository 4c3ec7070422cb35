package change

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
)

// A StatLine is one file of --stat.
type StatLine struct {
	Name           string
	Added, Removed int
	Binary         bool
	unmerged       bool
	before, after  int // sizes in bytes

}

func (d *Output) lines(changes []Change) []StatLine {
	var out []StatLine
	for _, ch := range changes {
		if ch.Status == 'U' {
			out = append(out, StatLine{Name: cli.Quote(ch.New), unmerged: true})
			continue
		}
		var a, b []byte
		if ch.Status != 'A' {
			a = d.Read(ch.Old, ch.From, false)
		}
		if ch.Status != 'D' {
			b = d.Read(ch.New, ch.To, true)
		}
		l := StatLine{Name: Renamed(ch) + d.note(ch), before: len(a), after: len(b), Binary: diff.IsBinary(a) || diff.IsBinary(b)}
		if d.unspaced(ch) {
			continue
		}
		if !l.Binary && ch.From.Hash != ch.To.Hash {
			l.Added, l.Removed = counts(a, b, d.space)
		}
		out = append(out, l)
	}
	return out
}

// note is what --compact-summary says of a file.
func (d *Output) note(ch Change) string {
	run := ch.To.Mode == filemode.Executable
	switch {
	case !d.compact:
	case ch.Status == 'A' && run:
		return " (new +x)"
	case ch.Status == 'A' && ch.To.Mode == filemode.Symlink:
		return " (new +l)"
	case ch.Status == 'A':
		return " (new)"
	case ch.Status == 'D':
		return " (gone)"
	case run && ch.From.Mode == filemode.Regular:
		return " (mode +x)"
	case ch.From.Mode == filemode.Executable && ch.To.Mode == filemode.Regular:
		return " (mode -x)"
	}
	return ""
}

// Renamed returns the file's name, or both of a renamed one with what they share outside braces.
func Renamed(ch Change) string {
	if ch.Old == ch.New {
		return cli.Quote(ch.New)
	}
	a, b := ch.Old, ch.New
	start := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			start = i + 1
		}
	}
	end := 0
	for i := 1; i <= len(a)-start && i <= len(b)-start && a[len(a)-i] == b[len(b)-i]; i++ {
		if a[len(a)-i] == '/' {
			end = i
		}
	}
	if start+end == 0 {
		return cli.Quote(a) + " => " + cli.Quote(b)
	}
	return fmt.Sprintf("%s{%s => %s}%s", a[:start], a[start:len(a)-end], b[start:len(b)-end], a[len(a)-end:])
}

func (d *Output) stat(w io.Writer, changes []Change) {
	statWidth := cmp.Or(d.Width, 80)
	lines := d.lines(changes)
	if len(lines) == 0 {
		return
	}
	nameWidth, most, numberWidth := 0, 0, 1
	for _, l := range lines {
		nameWidth = max(nameWidth, len(l.Name))
		if l.unmerged {
			continue
		}
		if l.Binary {
			numberWidth = max(numberWidth, 3)
			continue
		}
		most = max(most, l.Added+l.Removed)
	}
	numberWidth = max(numberWidth, len(fmt.Sprint(most)))
	graph := most
	if nameWidth+numberWidth+6+graph > statWidth {
		if graph > statWidth*3/8-numberWidth-6 {
			graph = max(statWidth*3/8-numberWidth-6, 6)
		}
		if nameWidth > statWidth-numberWidth-6-graph {
			nameWidth = statWidth - numberWidth - 6 - graph
		} else {
			graph = statWidth - numberWidth - 6 - nameWidth
		}
	}
	for _, l := range lines {
		name := l.Name
		if len(name) > nameWidth {
			name = name[len(name)-nameWidth+3:]
			if i := strings.IndexByte(name, '/'); i >= 0 {
				name = name[i:]
			}
			name = "..." + name
		}
		if l.unmerged {
			fmt.Fprintf(w, " %-*s | Unmerged", nameWidth, name) // git forgets the newline
			continue
		}
		if l.Binary {
			fmt.Fprintf(w, " %-*s | %*s", nameWidth, name, numberWidth, "Bin")
			if l.before != l.after || l.before > 0 {
				fmt.Fprintf(w, " %s -> %s bytes", d.Paint(cli.Red, fmt.Sprint(l.before)), d.Paint(cli.Green, fmt.Sprint(l.after)))
			}
			fmt.Fprintln(w)
			continue
		}
		plus, minus := scale(l.Added, l.Removed, most, graph)
		fmt.Fprintf(w, " %-*s | %*d", nameWidth, name, numberWidth, l.Added+l.Removed)
		if plus+minus > 0 {
			fmt.Fprint(w, " ")
		}
		for _, part := range []struct {
			sign, color string
			n           int
		}{{"+", cli.Green, plus}, {"-", cli.Red, minus}} {
			if part.n > 0 {
				fmt.Fprint(w, d.Paint(part.color, strings.Repeat(part.sign, part.n)))
			}
		}
		fmt.Fprintln(w)
	}
	Total(w, lines)
}

// scale fits the signs of one line into the width of the graph.
func scale(added, removed, most, width int) (plus, minus int) {
	if width >= most {
		return added, removed
	}
	fit := func(n int) int {
		if n == 0 {
			return 0
		}
		return 1 + n*(width-1)/most
	}
	all := fit(added + removed)
	if all < 2 && added > 0 && removed > 0 {
		all = 2
	}
	if added < removed {
		plus = fit(added)
		return plus, all - plus
	}
	minus = fit(removed)
	return all - minus, minus
}

func Total(w io.Writer, lines []StatLine) {
	added, removed := 0, 0
	for _, l := range lines {
		added, removed = added+l.Added, removed+l.Removed
	}
	files := 0
	for _, l := range lines {
		if !l.unmerged {
			files++
		}
	}
	fmt.Fprintf(w, " %s changed", cli.Plural(files, "file"))
	if added > 0 || removed == 0 {
		fmt.Fprintf(w, ", %s(+)", cli.Plural(added, "insertion"))
	}
	if removed > 0 || added == 0 {
		fmt.Fprintf(w, ", %s(-)", cli.Plural(removed, "deletion"))
	}
	fmt.Fprintln(w)
}

func (d *Output) Shortstat(w io.Writer, changes []Change) {
	if len(changes) > 0 {
		Total(w, d.lines(changes))
	}
}

func (d *Output) numstat(w io.Writer, changes []Change) {
	for _, l := range d.lines(changes) {
		if l.Binary {
			fmt.Fprintf(w, "-\t-\t%s\n", l.Name)
			continue
		}
		fmt.Fprintf(w, "%d\t%d\t%s\n", l.Added, l.Removed, l.Name)
	}
}

// Summary tells of files that came, went or changed their mode.
func Summary(w io.Writer, changes []Change) {
	for _, ch := range changes {
		switch {
		case ch.Status == 'A':
			fmt.Fprintf(w, " create mode %o %s\n", uint32(ch.To.Mode), cli.Quote(ch.New))
		case ch.Status == 'D':
			fmt.Fprintf(w, " delete mode %o %s\n", uint32(ch.From.Mode), cli.Quote(ch.Old))
		case ch.Status == 'R':
			fmt.Fprintf(w, " rename %s (%d%%)\n", Renamed(ch), ch.Score)
		case ch.From.Mode != ch.To.Mode:
			fmt.Fprintf(w, " mode change %o => %o %s\n", uint32(ch.From.Mode), uint32(ch.To.Mode), cli.Quote(ch.New))
		}
	}
}
