package history

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
)

// A graph draws the lines of history beside commits, as git's graph.c does: the columns before a
// commit become those behind it, in as many rows as that takes.
type graph struct {
	commit  plumbing.Hash
	parents []plumbing.Hash // those that are shown
	shown   func(plumbing.Hash) bool
	colored bool
	ended   bool // the message that was shown last ends with a line feed

	width         int // of all rows of the commit
	expansion     int // how many rows in front of an octopus were drawn
	state, before graphState
	at, wasAt     int // the commit's column, and that of the one before it
	// 0 if a merge's first parent is to its left, 1 otherwise; -1 before that is known
	layout          int
	added, wasAdded int // columns that the merge adds
	columns, next   []column
	mapping, old    []int // which column of next each place of a row leads to; -1 for none
	color           int
}

type column struct {
	commit plumbing.Hash
	color  int
}

// What the next row shows.
type graphState int

const (
	padding graphState = iota
	skipping
	preCommit
	onCommit
	postMerge
	collapsing
)

// graphColors are those of columns: color.h, column_colors_ansi.
var graphColors = []string{"31", "32", "33", "34", "35", "36", "1;31", "1;32", "1;33", "1;34", "1;35", "1;36"}

func newGraph(shown func(plumbing.Hash) bool, colored bool) *graph {
	return &graph{shown: shown, colored: colored, color: len(graphColors) - 1}
}

// update goes on to the next commit.
func (g *graph) update(commit plumbing.Hash, parents []plumbing.Hash) {
	g.commit, g.parents = commit, nil
	for _, p := range parents {
		if g.shown(p) {
			g.parents = append(g.parents, p)
		}
	}
	g.wasAt = g.at
	g.shift()
	g.expansion = 0
	switch {
	case g.state != padding:
		g.state = skipping
	case g.needsPreCommit():
		g.state = preCommit
	default:
		g.state = onCommit
	}
}

// shift makes the columns behind the last commit those before this one.
func (g *graph) shift() {
	g.columns, g.next = g.next, nil
	most := len(g.columns) + len(g.parents)
	g.mapping = slices.Repeat([]int{-1}, max(2*most, 1))
	if len(g.old) < len(g.mapping) {
		g.old = append(g.old, slices.Repeat([]int{-1}, len(g.mapping)-len(g.old))...)
	}
	g.width = 0
	g.wasAdded, g.added = g.added, 0
	seen := false
	for i := 0; i <= len(g.columns); i++ {
		inColumns := i < len(g.columns)
		if !inColumns && seen {
			break
		}
		commit := g.commit
		if inColumns {
			commit = g.columns[i].commit
		}
		if commit != g.commit {
			g.insert(commit, -1)
			continue
		}
		seen = true
		g.at, g.layout = i, -1
		for _, p := range g.parents {
			if len(g.parents) > 1 || !inColumns {
				g.color = (g.color + 1) % len(graphColors)
			}
			g.insert(p, i)
		}
		if len(g.parents) == 0 {
			g.width += 2
		}
	}
	for len(g.mapping) > 1 && g.mapping[len(g.mapping)-1] < 0 {
		g.mapping = g.mapping[:len(g.mapping)-1]
	}
}

func (g *graph) find(commit plumbing.Hash) int {
	return slices.IndexFunc(g.next, func(c column) bool { return c.commit == commit })
}

// insert leads a line to a commit below; from is the column of the commit whose parent it is, -1
// for a line that goes on.
func (g *graph) insert(commit plumbing.Hash, from int) {
	i := g.find(commit)
	if i < 0 {
		i = len(g.next)
		color := g.color
		for _, c := range g.columns {
			if c.commit == commit {
				color = c.color
			}
		}
		g.next = append(g.next, column{commit, color})
	}
	place := g.width
	switch {
	case len(g.parents) > 1 && from > -1 && g.layout == -1:
		distance := from - i
		step := 1
		if distance > 1 {
			step = 2*distance - 3
		}
		g.layout = 1
		if distance > 0 {
			g.layout = 0
		}
		g.added = len(g.parents) + g.layout - 2
		place = g.width + (g.layout-1)*step
		g.width += 2 * g.layout
	case g.added > 0 && i == g.mapping[g.width-2]:
		place = g.width - 2
		g.added = -1
	default:
		g.width += 2
	}
	g.mapping[place] = i
}

func (g *graph) dashed() int { return len(g.parents) + g.layout - 3 }

func (g *graph) needsPreCommit() bool {
	return len(g.parents) >= 3 && g.at < len(g.columns)-1 && g.expansion < g.dashed()*2
}

func (g *graph) become(s graphState) { g.before, g.state = g.state, s }

// settled reports whether all lines are where they lead to.
func (g *graph) settled() bool {
	for i, target := range g.mapping {
		if target >= 0 && target != i/2 {
			return false
		}
	}
	return true
}

func (g *graph) settle() {
	if g.settled() {
		g.become(padding)
		return
	}
	g.become(collapsing)
}

// A graphRow is one row as it is drawn.
type graphRow struct {
	b       bytes.Buffer
	width   int
	colored bool
}

func (r *graphRow) add(s string) {
	r.b.WriteString(s)
	r.width += len(s)
}

func (r *graphRow) column(c column, sign byte) {
	if r.colored {
		r.b.WriteString("\x1b[" + graphColors[c.color] + "m" + string(sign) + cli.Plain)
	} else {
		r.b.WriteByte(sign)
	}
	r.width++
}

// row returns the next row, and whether it is that of the commit.
func (g *graph) row() (text string, isCommit bool) {
	r := &graphRow{colored: g.colored}
	switch g.state {
	case padding:
		for _, c := range g.next {
			r.column(c, '|')
			r.add(" ")
		}
	case skipping:
		r.add("...")
		if g.needsPreCommit() {
			g.become(preCommit)
		} else {
			g.become(onCommit)
		}
	case preCommit:
		g.preCommit(r)
	case onCommit:
		g.commitRow(r)
		isCommit = true
	case postMerge:
		g.postMerge(r)
	case collapsing:
		g.collapse(r)
	}
	return g.fill(r), isCommit
}

// fill makes the row as wide as all of the commit.
func (g *graph) fill(r *graphRow) string {
	return r.b.String() + strings.Repeat(" ", max(g.width-r.width, 0))
}

// pad returns a row beside text that is not the commit's first line.
func (g *graph) pad() string {
	if g.state != onCommit {
		text, _ := g.row()
		return text
	}
	r := &graphRow{colored: g.colored}
	for _, c := range g.columns {
		r.column(c, '|')
		if c.commit == g.commit && len(g.parents) > 2 {
			r.add(strings.Repeat(" ", (len(g.parents)-2)*2))
			continue
		}
		r.add(" ")
	}
	g.before = padding
	return g.fill(r)
}

func (g *graph) preCommit(r *graphRow) {
	seen := false
	for i, c := range g.columns {
		sign := byte('|')
		switch {
		case c.commit == g.commit:
			seen = true
		case seen && g.expansion > 0, seen && g.before == postMerge && g.wasAt < i:
			sign = '\\'
		}
		r.column(c, sign)
		if c.commit == g.commit {
			r.add(strings.Repeat(" ", g.expansion))
		}
		r.add(" ")
	}
	g.expansion++
	if !g.needsPreCommit() {
		g.become(onCommit)
	}
}

func (g *graph) commitRow(r *graphRow) {
	seen := false
	for i := 0; i <= len(g.columns); i++ {
		if i == len(g.columns) && seen {
			break
		}
		if i == len(g.columns) || g.columns[i].commit == g.commit {
			seen = true
			r.add("*")
			for j := range max(g.dashed(), 0) {
				c := g.next[g.mapping[(g.at+j+2)*2]]
				r.column(c, '-')
				end := byte('-')
				if j == g.dashed()-1 {
					end = '.'
				}
				r.column(c, end)
			}
			r.add(" ")
			continue
		}
		sign := byte('|')
		switch {
		case seen && g.added > 1, seen && g.added == 1 && g.before == postMerge && g.wasAdded > 0 && g.wasAt < i:
			sign = '\\'
		case seen && g.added == 1:
		case g.before == collapsing && 2*i+1 < len(g.old) && g.old[2*i+1] == i && 2*i < len(g.mapping) && g.mapping[2*i] < i:
			sign = '/'
		}
		r.column(g.columns[i], sign)
		r.add(" ")
	}
	if len(g.parents) > 1 {
		g.become(postMerge)
		return
	}
	g.settle()
}

func (g *graph) postMerge(r *graphRow) {
	seen := false
	var parent *column // that of the first parent, once it is passed
	for i := 0; i <= len(g.columns); i++ {
		if i == len(g.columns) && seen {
			break
		}
		c := column{commit: g.commit}
		if i < len(g.columns) {
			c = g.columns[i]
		}
		switch {
		case c.commit == g.commit:
			seen = true
			at := g.layout
			for j, p := range g.parents {
				r.column(g.next[g.find(p)], `/|\`[at])
				if at < 2 {
					at++
				} else if g.added > 0 || j < len(g.parents)-1 {
					r.add(" ")
				}
			}
			if g.added == 0 {
				r.add(" ")
			}
		case seen && g.added > 0:
			r.column(c, '\\')
			r.add(" ")
		case seen:
			r.column(c, '|')
			r.add(" ")
		default:
			r.column(c, '|')
			if g.layout != 0 || i != g.at-1 {
				if parent != nil {
					r.column(*parent, '_')
				} else {
					r.add(" ")
				}
			}
		}
		if c.commit == g.parents[0] {
			parent = &c
		}
	}
	g.settle()
}

func (g *graph) collapse(r *graphRow) {
	size := len(g.mapping)
	from := slices.Clone(g.mapping)
	g.mapping = slices.Repeat([]int{-1}, size)
	edge, edgeTarget := -1, -1 // the line that moves farther than the others
	horizontal := func(i, at, target int) {
		if edge != -1 {
			return
		}
		edge, edgeTarget = at, target
		for j := target*2 + 3; j < i-2; j += 2 {
			g.mapping[j] = target
		}
	}
	for i, target := range from {
		switch {
		case target < 0:
		case target*2 == i:
			g.mapping[i] = target
		case g.mapping[i-1] < 0:
			g.mapping[i-1] = target
			horizontal(i, i, target)
		case g.mapping[i-1] == target:
		case i > 1:
			g.mapping[i-2] = target
			horizontal(i, i-1, target)
		}
	}
	g.old = append(slices.Clone(g.mapping), -1, -1)
	if g.mapping[size-1] < 0 {
		g.mapping = g.mapping[:size-1]
	}
	used := false
	for i, target := range g.mapping {
		switch {
		case target < 0:
			r.add(" ")
		case target*2 == i:
			r.column(g.next[target], '|')
		case target == edgeTarget && i != edge-1:
			if i != target*2+3 {
				g.mapping[i] = -1
			}
			used = true
			r.column(g.next[target], '_')
		default:
			if used && i < edge {
				g.mapping[i] = -1
			}
			r.column(g.next[target], '/')
		}
	}
	if g.settled() {
		g.become(padding)
	}
}

// head draws the graph beside the lines of a commit's message, and what is left of it below them.
func (g *graph) head(w io.Writer, text string) {
	for {
		row, isCommit := g.row()
		io.WriteString(w, row)
		if isCommit {
			break
		}
		io.WriteString(w, "\n")
	}
	whole := strings.HasSuffix(text, "\n")
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i > 0 {
			row, _ := g.row()
			io.WriteString(w, "\n"+row)
		}
		io.WriteString(w, line)
	}
	for g.state != padding {
		row, _ := g.row()
		io.WriteString(w, "\n"+row)
	}
	if whole {
		io.WriteString(w, "\n")
	}
}

// body draws the graph beside what a commit changed.
func (g *graph) body(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		io.WriteString(w, g.pad()+line)
	}
}
