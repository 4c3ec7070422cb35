package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
)

const workspacePullHelp = `usage: terrarium workspace pull [DIR] --on PLACE [--apply | --drop]

Shows what was changed in the workspace over there since DIR was handed over,
as a diff, and asks whether to take it over. DIR is here if it is not named.

  --on PLACE    where it is; see "terrarium help on"
  --apply       take it over, but for links that are refused, and ask nobody
  --drop        have the workspace over there as DIR is, and ask nobody
  --json        print one JSON object; take nothing over but with --apply
  --no-install  needs a terrarium in PATH over there
  --workspace-git REPOSITORY  as it was handed over; see "terrarium help on"

A file that was changed here, too, is a conflict: then nothing is taken over,
and the diff is from the file here to the one there. Undo what you have changed
in it and --apply, or --drop what was changed there.
Commits that were made there are not carried, but what is in their files is.
What stays there, as what git ignores does, is named before anybody is asked.
"!" marks a file that programs run by themselves.
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

// maxPull is how large what is pulled may be, in bytes.
const maxPull = 4 << 30

func (f *pullFlags) pull(ctx context.Context, out io.Writer) error {
	w, err := f.openWorkspace(ctx, f.dir, false)
	if err != nil {
		return err
	}
	defer w.close()
	w.tellBehind()
	left, err := w.tellLeft(ctx)
	if err != nil {
		return err
	}
	plan := workspace.Pull(w.state.Base, w.scan.Listing, w.there)
	changes, refused := refuseLinks(plan.Changes)
	in, err := w.fetch(ctx, changes)
	if err != nil {
		return err
	}
	defer in.Close()
	all, err := w.showAll(ctx, in, plan.Conflicts, refused)
	if err == nil {
		all.Left, all.behind = left, w.inTheWay()
	}
	if err == nil && !f.json {
		err = all.print(out)
	}
	if err != nil {
		return err
	}
	if all.Applied, all.Dropped, err = f.choice(ctx, all); err != nil {
		return err
	}
	switch {
	case all.Applied && len(plan.Conflicts) > 0:
		return fmt.Errorf("nothing was taken over: %w: undo that here and --apply, or --drop what is there", &workspace.ConflictError{Paths: plan.Conflicts})
	case all.Applied:
		err = w.apply(in)
	case all.Dropped:
		err = w.drop(ctx)
	}
	switch {
	case err != nil:
		return err
	case f.json:
		err = newEncoder(out).Encode(all)
	default:
		all.tell()
	}
	if err == nil && all.Applied && len(refused) > 0 {
		var whys []error
		for _, c := range refused {
			whys = append(whys, workspace.CheckTarget(c.Path, c.Now.Target))
		}
		err = fmt.Errorf("%s: refused: %s", w.place, reasons(whys))
	}
	return err
}

// maxReasons is how many of several reasons are told.
const maxReasons = 20

// reasons has the first of several errors in a line, and how many more there are.
func reasons(errs []error) string {
	var text []string
	for _, err := range errs[:min(len(errs), maxReasons)] {
		text = append(text, err.Error())
	}
	if more := len(errs) - maxReasons; more > 0 {
		text = append(text, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(text, "; ")
}

// refuseLinks takes out the symbolic links that may not be taken over. What else was changed there
// may, and all of it may be dropped.
func refuseLinks(all []workspace.Change) (changes, refused []workspace.Change) {
	for _, c := range all {
		if c.Now.Kind == workspace.Link && workspace.CheckTarget(c.Path, c.Now.Target) != nil {
			refused = append(refused, c)
			continue
		}
		changes = append(changes, c)
	}
	return changes, refused
}

// tellBehind says what of the far side is not looked at.
func (w *nearWorkspace) tellBehind() {
	var list []string
	for _, p := range w.behind.Paths() {
		list = append(list, printable.Text(p))
	}
	if len(list) > 0 {
		warn(os.Stderr, fmt.Errorf("not pulled, since a symbolic link or a repository of its own leads there here: %s", firstOf(list)))
	}
}

// tellLeft says what stays over there, a line for each kind. Who can't say that there has the rest
// pulled anyway.
func (w *nearWorkspace) tellLeft(ctx context.Context) (left workspace.Lefts, err error) {
	err = w.far.call(ctx, "left", "",
		func(to io.Writer) error { return workspace.WritePaths(to, w.known().Paths()) },
		func(r io.Reader) (err error) { left, err = workspace.ReadLeft(r); return err })
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil:
		warn(os.Stderr, fmt.Errorf("nobody knows what else stays there: %w", err))
	}
	for _, ours := range w.left {
		left.Merge(ours)
	}
	for _, l := range left {
		var names []string
		for _, name := range l.Names {
			names = append(names, printable.Text(name))
		}
		if more := l.Count - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		warn(os.Stderr, fmt.Errorf("not pulled: %s (%d): %s", l.Kind, l.Count, strings.Join(names, ", ")))
	}
	return left, nil
}

// inTheWay returns the files over there that are in the place of a symbolic link of ours that
// stays.
func (w *nearWorkspace) inTheWay() (paths []string) {
	for _, p := range w.behind.Paths() {
		if w.links.Before(p) != "" {
			paths = append(paths, p)
		}
	}
	return paths
}

// fetch brings what is new in files over there.
func (w *nearWorkspace) fetch(ctx context.Context, changes []workspace.Change) (in *workspace.Incoming, err error) {
	want := make(map[string]workspace.Change)
	var paths []string
	var size int64
	for _, c := range changes {
		if c.Now.Kind == workspace.None {
			continue
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
			in, err = workspace.Receive(w.root, &workspace.Counted{R: r, Tell: shown.at}, workspace.Options{Accept: accept, MaxBytes: maxPull})
			return err
		})
	if err == nil && len(want) > 0 {
		var whys []error
		for _, p := range slices.Sorted(maps.Keys(want)) {
			whys = append(whys, &workspace.PathError{Path: p, Why: "it did not come: was it changed just now?"})
		}
		err = fmt.Errorf("%s: %s", w.place, reasons(whys))
	}
	for _, c := range changes {
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

// choice returns what is to be done: nothing, if nobody says.
func (f *pullFlags) choice(ctx context.Context, p *pulled) (apply, drop bool, err error) {
	nothing := len(p.Changes) == 0 && len(p.behind) == 0
	switch {
	case nothing && !f.json:
		say("nothing was changed there")
		return false, false, nil
	case nothing:
		return false, false, nil
	case f.apply, f.drop, f.json:
		return f.apply, f.drop, nil
	}
	conflict := slices.ContainsFunc(p.Changes, func(c pulledChange) bool { return c.Conflict })
	if !conflict && len(p.taken()) > 0 {
		if apply, err = agree(ctx, "take over "+p.counted()+"?"); apply || err != nil {
			return apply, false, ignoreNobody(err)
		}
	}
	drop, err = agree(ctx, "drop them over there?")
	return false, drop, ignoreNobody(err)
}

// ignoreNobody has a change only shown where nobody can be asked.
func ignoreNobody(err error) error {
	if errors.Is(err, errNobody) {
		say("nothing was taken over or dropped: that needs --apply or --drop")
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
	for _, p := range w.inTheWay() {
		changes = append(changes, workspace.Change{Path: p, Was: w.behind[p]})
	}
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
