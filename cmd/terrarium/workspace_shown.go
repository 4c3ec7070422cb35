package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A pulled is what was changed over there.
type pulled struct {
	Changes []pulledChange  `json:"changes"`
	Left    workspace.Lefts `json:"left,omitempty"` // what is never pulled
	Applied bool            `json:"applied"`
	Dropped bool            `json:"dropped"`

	behind []string // what is dropped besides: see inTheWay
	hides  string   // why some diffs are hidden
}

type pulledChange struct {
	Path     string `json:"path"`
	Change   string `json:"change"`        // "added", "changed", "removed"
	Kind     string `json:"kind"`          // "file", "executable", "link", "dir", or ""
	Was      string `json:"was,omitempty"` // the kind of what is here
	Size     int64  `json:"size"`          // of a file, in bytes
	Target   string `json:"target,omitempty"`
	Binary   bool   `json:"binary,omitempty"`
	Diff     string `json:"diff,omitempty"`
	Hidden   bool   `json:"hidden,omitempty"` // there were too many diffs before this one
	Runs     bool   `json:"runs,omitempty"`   // by itself, as hooks do
	Conflict bool   `json:"conflict,omitempty"`
	Refused  string `json:"refused,omitempty"` // why it is never taken over
}

// Limits of what is compared, in bytes.
const (
	maxDiffs    = 16 << 20  // of diffs, which are kept to be shown
	maxCompared = 512 << 20 // of files on both sides: it takes a minute, also if diffs are short
)

// A diffs counts them.
type diffs struct {
	left    int   // bytes that may be shown
	compare int64 // bytes of files that may be compared
}

// show has a change show its diff, which in has; nil if its file is too long to be fetched for
// that. What comes behind the first that is too much is hidden, too: to compare files takes time.
func (d *diffs) show(c *pulledChange, in *workspace.Incoming, i int) {
	switch {
	case in == nil:
		c.Binary = c.Kind == "file" || c.Kind == "executable"
		return
	case d.left > 0 && d.compare > 0:
		change := in.Changes()[i]
		if max(change.Was.Size, change.Now.Size) <= workspace.MaxDiffed { // else they are not
			d.compare -= change.Was.Size + change.Now.Size
		}
		c.Diff, c.Binary = in.Diff(i)
		d.left -= len(c.Diff)
	default:
		c.Hidden = true
		return
	}
	if d.left < 0 {
		c.Diff, c.Hidden = "", true
	}
}

// why returns why some are hidden, if some are.
func (d *diffs) why() string {
	if d.left > 0 {
		return fmt.Sprintf("the files of those before have more than %s", about(maxCompared))
	}
	return fmt.Sprintf("there are more than %s of them", about(maxDiffs))
}

// showAll returns what a person is to see of what has come, of what both sides have changed, and of
// what is refused.
func (w *nearWorkspace) showAll(ctx context.Context, in *workspace.Incoming, conflicts []string, refused []workspace.Change) (*pulled, error) {
	all := &pulled{Changes: []pulledChange{}}
	for _, c := range refused {
		s := shownChange(c)
		s.Refused = workspace.CheckTarget(c.Path, c.Now.Target).Error()
		all.Changes = append(all.Changes, s)
	}
	d := &diffs{left: maxDiffs, compare: maxCompared}
	err := w.show(ctx, all, in.Changes(), in, d)
	if err == nil && len(conflicts) > 0 {
		err = w.showConflicts(ctx, all, conflicts, d)
	}
	all.hides = d.why()
	return all, err
}

// show adds what a person is to see of changes, in the order of paths. Those that in has can be
// compared, which ends with ctx.
func (w *nearWorkspace) show(ctx context.Context, all *pulled, changes []workspace.Change, in *workspace.Incoming, d *diffs) error {
	bare := make(bareRepositories)
	bare.add(w.scan.Listing)
	bare.add(w.there)
	protected := hostnative.NewProtectedFiles(w.state.Dir)
	leads := make(protectedLeads)
	for _, side := range []workspace.Listing{w.scan.Listing, w.there} {
		if err := leads.add(ctx, w.state.Dir, protected, side); err != nil {
			return err
		}
	}
	for i, c := range changes {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s := shownChange(c)
		if c.Was.IsFile() || c.Now.IsFile() {
			d.show(&s, in, i)
		}
		s.Runs = protected.Has(filepath.Join(w.state.Dir, c.Path)) || bare.runs(c.Path) || leads.runs(c.Path)
		all.Changes = append(all.Changes, s)
	}
	slices.SortFunc(all.Changes, func(a, b pulledChange) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// showConflicts adds what both sides have changed, from what is here to what is there. What is
// fetched for that is only looked at.
func (w *nearWorkspace) showConflicts(ctx context.Context, all *pulled, paths []string, d *diffs) error {
	var fetched, changes []workspace.Change
	var size int64
	for _, p := range paths {
		c := workspace.Change{Path: p, Was: w.scan.Listing[p], Now: w.there[p]}
		short := c.Now.Size <= workspace.MaxDiffed && size+c.Now.Size <= maxDiffs
		if c.Now.Kind == workspace.Link || !short {
			changes = append(changes, c)
			continue
		}
		size += c.Now.Size
		fetched = append(fetched, c)
	}
	in, err := w.fetch(ctx, fetched)
	if err != nil {
		return err
	}
	defer in.Close()
	conflicts := &pulled{}
	err = w.show(ctx, conflicts, in.Changes(), in, d)
	if err == nil {
		err = w.show(ctx, conflicts, changes, nil, d)
	}
	if err != nil {
		return err
	}
	for _, c := range conflicts.Changes {
		c.Conflict = true
		all.Changes = append(all.Changes, c)
	}
	slices.SortFunc(all.Changes, func(a, b pulledChange) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

func shownChange(c workspace.Change) pulledChange {
	kinds := map[workspace.Kind]string{
		workspace.File: "file", workspace.Executable: "executable", workspace.Link: "link", workspace.Dir: "dir",
	}
	s := pulledChange{Path: c.Path, Change: "changed", Kind: kinds[c.Now.Kind], Was: kinds[c.Was.Kind], Size: c.Now.Size, Target: c.Now.Target}
	switch {
	case c.Was.Kind == workspace.None:
		s.Change = "added"
	case c.Now.Kind == workspace.None:
		s.Change = "removed"
	}
	return s
}

// print prints it for a person.
func (p *pulled) print(out io.Writer) error {
	w := bufio.NewWriter(out) // diffs have millions of lines
	for i := range p.Changes {
		p.Changes[i].print(w)
	}
	if n := p.hidden(); n > 0 {
		fmt.Fprintf(w, "%s not shown: %s\n", counted(n, "diff"), p.hides)
	}
	return w.Flush() // and what was wrong before
}

func (c *pulledChange) print(w *bufio.Writer) {
	marks := c.Change
	switch {
	case c.Kind == "file" && c.Was == "executable":
		marks += ", not executable any more"
	case c.Kind != "" && c.Kind != "file":
		marks += ", " + c.Kind
	}
	if c.Binary {
		marks += ", binary"
	}
	if c.Binary && c.Kind != "" {
		marks += ", " + about(c.Size)
	}
	if c.Hidden {
		marks += ", diff not shown"
	}
	if c.Target != "" {
		marks += " to " + printable.Text(c.Target)
	}
	if c.Conflict {
		marks += ", CONFLICT: changed here, too"
	}
	if c.Refused != "" {
		marks += ", REFUSED: it stays there"
	}
	runs := ""
	if c.Runs {
		runs = "! "
	}
	fmt.Fprintf(w, "%s%s (%s)\n", runs, printable.Text(c.Path), marks)
	for line := range strings.Lines(c.Diff) {
		fmt.Fprintln(w, printableLine(line))
	}
}

// printableLine returns a line of a file as it may be shown, with its tabs.
func printableLine(line string) string {
	parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	for i := range parts {
		parts[i] = printable.Text(parts[i])
	}
	return strings.Join(parts, "\t")
}

// hidden returns how many diffs are not shown.
func (p *pulled) hidden() (n int) {
	for _, c := range p.Changes {
		if c.Hidden {
			n++
		}
	}
	return n
}

// taken returns what is taken over if somebody wants that.
func (p *pulled) taken() (changes []pulledChange) {
	for _, c := range p.Changes {
		if c.Refused == "" {
			changes = append(changes, c)
		}
	}
	return changes
}

// counted is "1 change", "3 changes, of which 2 are not shown".
func (p *pulled) counted() string {
	text := counted(len(p.taken()), "change")
	if n := p.hidden(); n > 0 {
		text += fmt.Sprintf(", of which %d are not shown", n)
	}
	return text
}

// tell says what was done, if something was.
func (p *pulled) tell() {
	changes := p.Changes
	if p.Applied {
		changes = p.taken()
	}
	var names []string
	added, removed, uncounted := 0, 0, 0
	for _, c := range changes {
		names = append(names, c.Path)
		if c.Binary || c.Hidden {
			uncounted++
		}
		for i, line := range strings.Split(c.Diff, "\n") {
			switch {
			case i < diffHeader:
			case strings.HasPrefix(line, "+"):
				added++
			case strings.HasPrefix(line, "-"):
				removed++
			}
		}
	}
	if p.Dropped {
		names = append(names, p.behind...)
		slices.Sort(names)
	}
	lines := fmt.Sprintf("%s added, %d removed", counted(added, "line"), removed)
	if uncounted > 0 {
		lines += ", besides those of " + counted(uncounted, "file") + " that are binary or were not shown"
	}
	switch {
	case p.Applied && len(names) == 0:
		say("nothing was taken over")
	case p.Applied:
		say(fmt.Sprintf("taken over: %s: %s", firstOf(names), lines))
	case p.Dropped:
		say("dropped there: " + firstOf(names))
	}
}

// diffHeader is how many lines are before the first hunk of a diff.
const diffHeader = 3
