package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
	"github.com/terrarium-dev/terrarium/hostnative"
)

const workspacePullHelp = `usage: terrarium workspace pull [DIR] --on PLACE [--apply | --drop]

Shows what was changed in the workspace over there since DIR was handed over,
as a diff, and asks whether to take it over. DIR is here if it is not named.

  --on PLACE    where it is; see "terrarium help on"
  --apply       take all of it over, and ask nobody
  --drop        have the workspace over there as DIR is, and ask nobody
  --json        print one JSON object; take nothing over but with --apply
  --no-install  needs a terrarium in PATH over there
  --workspace-git REPOSITORY  as it was handed over; see "terrarium help on"

A file that was changed here, too, is a conflict: then nothing is taken over.
Commits that were made there are not carried, but what is in their files is.
What git ignores stays there. "!" marks a file that programs run by themselves.
`

type pullFlags struct {
	workspaceCommandFlags
	apply, drop, json bool
}

func newWorkspacePull() *cobra.Command {
	var f pullFlags
	cmd := &cobra.Command{
		Use:                   "pull [DIR] --on PLACE [--apply | --drop]",
		SuggestFor:            []string{"diff", "get", "fetch"},
		Short:                 "show what was changed there, and take it over or drop it",
		Long:                  workspacePullHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := f.checkCommand(cmd, args)
			if err == nil && f.apply && f.drop {
				err = errors.New("--apply and --drop exclude each other")
			}
			if err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			ctx, stop := interruptible()
			defer stop()
			return interrupted(ctx, f.pull(ctx, cmd.OutOrStdout()))
		},
	}
	f.addTo(cmd)
	f.addRepositories(cmd)
	cmd.Flags().BoolVar(&f.apply, "apply", false, "")
	cmd.Flags().BoolVar(&f.drop, "drop", false, "")
	cmd.Flags().BoolVar(&f.json, "json", false, "")
	return cmd
}

// A pulled is what was changed over there.
type pulled struct {
	Changes []pulledChange `json:"changes"`
	Applied bool           `json:"applied"`
	Dropped bool           `json:"dropped"`
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
	Runs     bool   `json:"runs,omitempty"` // by itself, as hooks do
	Conflict bool   `json:"conflict,omitempty"`
}

// maxPull is how large what is pulled may be, in bytes.
const maxPull = 4 << 30

func (f *pullFlags) pull(ctx context.Context, out io.Writer) error {
	w, err := f.openWorkspace(ctx, f.dir, false)
	if err != nil {
		return err
	}
	defer w.close()
	plan := workspace.Pull(w.state.Base, w.scan.Listing, w.there)
	in, err := w.fetch(ctx, plan)
	if err != nil {
		return err
	}
	defer in.Close()
	all := pulled{Changes: w.shown(in, plan.Conflicts)}
	if !f.json {
		if err := all.print(out); err != nil {
			return err
		}
	}
	apply, drop, err := f.choice(ctx, &all)
	switch {
	case err != nil:
		return err
	case apply && len(plan.Conflicts) > 0:
		return fmt.Errorf("nothing was taken over: %w", &workspace.ConflictError{Paths: plan.Conflicts})
	case apply:
		err = w.apply(in)
	case drop:
		err = w.drop(ctx)
	}
	if err != nil {
		return err
	}
	all.Applied, all.Dropped = apply, drop
	if f.json {
		return newEncoder(out).Encode(all)
	}
	return nil
}

// fetch brings what is new in files over there.
func (w *nearWorkspace) fetch(ctx context.Context, plan workspace.Plan) (in *workspace.Incoming, err error) {
	want := make(map[string]workspace.Change)
	var paths []string
	var size int64
	for _, c := range plan.Changes {
		if c.Now.Kind == workspace.None {
			continue
		}
		if c.Now.Kind == workspace.Link {
			if err := workspace.CheckTarget(c.Path, c.Now.Target); err != nil {
				return nil, fmt.Errorf("%s: refused: %w", w.place, err)
			}
		}
		want[c.Path] = c
		paths = append(paths, c.Path)
		size += c.Now.Size
	}
	if size > maxPull {
		return nil, fmt.Errorf("%s: %s were changed there: at most %s can be pulled", w.place, about(size), about(maxPull))
	}
	shown := newProgress(os.Stderr, "fetching from "+w.place, size)
	defer shown.end()
	accept := func(c workspace.Change) (workspace.Change, error) {
		wanted, ok := want[c.Path]
		switch {
		case !ok:
			return c, &workspace.PathError{Path: c.Path, Why: "nobody has asked for it"}
		case wanted.Now != c.Now:
			return c, &workspace.PathError{Path: c.Path, Why: "it was changed just now"}
		}
		delete(want, c.Path)
		return wanted, nil
	}
	err = w.far.call(ctx, "send", "",
		func(to io.Writer) error { return workspace.WritePaths(to, paths) },
		func(r io.Reader) (err error) {
			in, err = workspace.Receive(w.root, &told{r, 0, shown.at}, workspace.Options{Accept: accept, MaxBytes: maxPull})
			return err
		})
	if err == nil && len(want) > 0 {
		for p := range want {
			err = fmt.Errorf("%s: %w", w.place, &workspace.PathError{Path: p, Why: "it did not come: was it changed just now?"})
			break
		}
	}
	for _, c := range plan.Changes {
		if err == nil && c.Now.Kind == workspace.None {
			err = in.Add(c)
		}
	}
	if err != nil && in != nil {
		in.Close()
		in = nil
	}
	return in, err
}

// shown returns what a person is to see of what has come, in the order of paths.
func (w *nearWorkspace) shown(in *workspace.Incoming, conflicts []string) []pulledChange {
	list := []pulledChange{}
	for i, c := range in.Changes() {
		s := shownChange(c)
		if c.Was.IsFile() || c.Now.IsFile() {
			s.Diff, s.Binary = in.Diff(i)
		}
		s.Runs = hostnative.IsProtected(w.state.Dir, filepath.Join(w.state.Dir, c.Path))
		list = append(list, s)
	}
	for _, p := range conflicts {
		s := shownChange(workspace.Change{Path: p, Was: w.scan.Listing[p], Now: w.there[p]})
		s.Conflict = true
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b pulledChange) int { return strings.Compare(a.Path, b.Path) })
	return list
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
func (p *pulled) print(w io.Writer) error {
	for _, c := range p.Changes {
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
		if c.Target != "" {
			marks += " to " + printable.Text(c.Target)
		}
		if c.Conflict {
			marks += ", CONFLICT: changed here, too"
		}
		runs := ""
		if c.Runs {
			runs = "! "
		}
		if _, err := fmt.Fprintf(w, "%s%s (%s)\n", runs, printable.Text(c.Path), marks); err != nil {
			return err
		}
		for line := range strings.Lines(c.Diff) {
			if _, err := fmt.Fprintln(w, printableLine(line)); err != nil {
				return err
			}
		}
	}
	return nil
}

// printableLine returns a line of a file as it may be shown, with its tabs.
func printableLine(line string) string {
	parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	for i := range parts {
		parts[i] = printable.Text(parts[i])
	}
	return strings.Join(parts, "\t")
}

// choice returns what is to be done: nothing, if nobody says.
func (f *pullFlags) choice(ctx context.Context, p *pulled) (apply, drop bool, err error) {
	switch {
	case len(p.Changes) == 0:
		notice("nothing was changed there")
		return false, false, nil
	case f.apply, f.drop, f.json:
		return f.apply, f.drop, nil
	}
	conflict := slices.ContainsFunc(p.Changes, func(c pulledChange) bool { return c.Conflict })
	if !conflict {
		if apply, err = agree(ctx, "take over "+counted(len(p.Changes), "change")+"?"); apply || err != nil {
			return apply, false, ignoreNobody(err)
		}
	}
	drop, err = agree(ctx, "drop them over there?")
	return false, drop, ignoreNobody(err)
}

// ignoreNobody has a change only shown where nobody can be asked.
func ignoreNobody(err error) error {
	if errors.Is(err, errNobody) {
		return nil
	}
	return err
}

// apply takes over what has come.
func (w *nearWorkspace) apply(in *workspace.Incoming) error {
	if err := in.Commit(); err != nil {
		return fmt.Errorf("not taken over: %w", err) // it says what could not be put back
	}
	for p, e := range w.there { // which was the same on both sides, or is now
		if w.state.Base[p] != e && w.scan.Listing[p] == e {
			w.state.Base[p] = e
		}
	}
	for _, c := range in.Changes() {
		if c.Now.Kind == workspace.None {
			delete(w.state.Base, c.Path)
		} else {
			w.state.Base[c.Path] = c.Now
		}
	}
	return w.state.Save()
}

// drop has the workspace over there be as the directory is here.
func (w *nearWorkspace) drop(ctx context.Context) error {
	changes := workspace.Drop(w.state.Base, w.scan.Listing, w.there)
	if err := w.send(ctx, changes, maxPull); err != nil {
		return err
	}
	for _, c := range changes {
		if c.Now.Kind == workspace.None {
			delete(w.state.Base, c.Path)
		} else {
			w.state.Base[c.Path] = c.Now
		}
	}
	return w.state.Save()
}
