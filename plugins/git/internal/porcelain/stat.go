package porcelain

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
)

// A statLine is one file of --stat.
type statLine struct {
	name           string
	added, removed int
	binary         bool
	unmerged       bool
	before, after  int // sizes in bytes

}

func (d *diffOutput) lines(changes []change) []statLine {
	var out []statLine
	for _, ch := range changes {
		if ch.status == 'U' {
			out = append(out, statLine{name: quote(ch.new), unmerged: true})
			continue
		}
		var a, b []byte
		if ch.status != 'A' {
			a = d.read(ch.old, ch.from, false)
		}
		if ch.status != 'D' {
			b = d.read(ch.new, ch.to, true)
		}
		l := statLine{name: renamed(ch) + d.note(ch), before: len(a), after: len(b), binary: diff.IsBinary(a) || diff.IsBinary(b)}
		if d.unspaced(ch) {
			continue
		}
		if !l.binary && ch.from.Hash != ch.to.Hash {
			l.added, l.removed = counts(a, b, d.space)
		}
		out = append(out, l)
	}
	return out
}

// note is what --compact-summary says of a file.
func (d *diffOutput) note(ch change) string {
	run := ch.to.Mode == filemode.Executable
	switch {
	case !d.compact:
	case ch.status == 'A' && run:
		return " (new +x)"
	case ch.status == 'A' && ch.to.Mode == filemode.Symlink:
		return " (new +l)"
	case ch.status == 'A':
		return " (new)"
	case ch.status == 'D':
		return " (gone)"
	case run && ch.from.Mode == filemode.Regular:
		return " (mode +x)"
	case ch.from.Mode == filemode.Executable && ch.to.Mode == filemode.Regular:
		return " (mode -x)"
	}
	return ""
}

// renamed returns the file's name, or both of a renamed one with what they share outside braces.
func renamed(ch change) string {
	if ch.old == ch.new {
		return quote(ch.new)
	}
	a, b := ch.old, ch.new
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
		return quote(a) + " => " + quote(b)
	}
	return fmt.Sprintf("%s{%s => %s}%s", a[:start], a[start:len(a)-end], b[start:len(b)-end], a[len(a)-end:])
}

func (d *diffOutput) stat(w io.Writer, changes []change) {
	statWidth := cmp.Or(d.width, 80)
	lines := d.lines(changes)
	if len(lines) == 0 {
		return
	}
	nameWidth, most, numberWidth := 0, 0, 1
	for _, l := range lines {
		nameWidth = max(nameWidth, len(l.name))
		if l.unmerged {
			continue
		}
		if l.binary {
			numberWidth = max(numberWidth, 3)
			continue
		}
		most = max(most, l.added+l.removed)
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
		name := l.name
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
		if l.binary {
			fmt.Fprintf(w, " %-*s | %*s", nameWidth, name, numberWidth, "Bin")
			if l.before != l.after || l.before > 0 {
				fmt.Fprintf(w, " %s -> %s bytes", d.paint(red, fmt.Sprint(l.before)), d.paint(green, fmt.Sprint(l.after)))
			}
			fmt.Fprintln(w)
			continue
		}
		plus, minus := scale(l.added, l.removed, most, graph)
		fmt.Fprintf(w, " %-*s | %*d", nameWidth, name, numberWidth, l.added+l.removed)
		if plus+minus > 0 {
			fmt.Fprint(w, " ")
		}
		for _, part := range []struct {
			sign, color string
			n           int
		}{{"+", green, plus}, {"-", red, minus}} {
			if part.n > 0 {
				fmt.Fprint(w, d.paint(part.color, strings.Repeat(part.sign, part.n)))
			}
		}
		fmt.Fprintln(w)
	}
	total(w, lines)
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

func total(w io.Writer, lines []statLine) {
	added, removed := 0, 0
	for _, l := range lines {
		added, removed = added+l.added, removed+l.removed
	}
	files := 0
	for _, l := range lines {
		if !l.unmerged {
			files++
		}
	}
	fmt.Fprintf(w, " %s changed", plural(files, "file"))
	if added > 0 || removed == 0 {
		fmt.Fprintf(w, ", %s(+)", plural(added, "insertion"))
	}
	if removed > 0 || added == 0 {
		fmt.Fprintf(w, ", %s(-)", plural(removed, "deletion"))
	}
	fmt.Fprintln(w)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (d *diffOutput) shortstat(w io.Writer, changes []change) {
	if len(changes) > 0 {
		total(w, d.lines(changes))
	}
}

func (d *diffOutput) numstat(w io.Writer, changes []change) {
	for _, l := range d.lines(changes) {
		if l.binary {
			fmt.Fprintf(w, "-\t-\t%s\n", l.name)
			continue
		}
		fmt.Fprintf(w, "%d\t%d\t%s\n", l.added, l.removed, l.name)
	}
}

// summary tells of files that came, went or changed their mode.
func summary(w io.Writer, changes []change) {
	for _, ch := range changes {
		switch {
		case ch.status == 'A':
			fmt.Fprintf(w, " create mode %o %s\n", uint32(ch.to.Mode), quote(ch.new))
		case ch.status == 'D':
			fmt.Fprintf(w, " delete mode %o %s\n", uint32(ch.from.Mode), quote(ch.old))
		case ch.status == 'R':
			fmt.Fprintf(w, " rename %s (%d%%)\n", renamed(ch), ch.score)
		case ch.from.Mode != ch.to.Mode:
			fmt.Fprintf(w, " mode change %o => %o %s\n", uint32(ch.from.Mode), uint32(ch.to.Mode), quote(ch.new))
		}
	}
}
