package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
)

// A nearWorkspace is a directory here, what is known of it, and the workspace at a place that it
// was handed over to. Nobody else of ours uses it until close.
type nearWorkspace struct {
	place string
	state *workspace.State
	root  *os.Root
	tree  *workspace.Tree // nil if it is no git tree
	// Why nobody knows what git ignores, though there is a .git.
	unsorted error
	scan     *workspace.Scan
	far      *farWorkspace
	theirs   workspace.FarState
	own      map[string]bool   // repositories of their own here, such as submodules
	links    *workspace.Links  // here
	there    workspace.Listing // what is over there
	behind   workspace.Listing // but for this: see isBehind
	left     workspace.Lefts   // and for this, of what we have left out

	closers []func()
}

// openState opens what is known of a directory here, and has it for us until close. If it is not to
// be made, it has to be there.
func (f *placeFlags) openState(dir string, make bool) (_ *nearWorkspace, err error) {
	w := &nearWorkspace{place: f.place.String()}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if dir, err = realDir(dir); err != nil {
		return nil, err
	}
	var lock string
	if w.state, lock, err = workspace.LoadState(dir, w.place); err != nil {
		return nil, err
	}
	unlock, err := nearLock(lock)
	if err != nil {
		return nil, err
	}
	w.closers = append(w.closers, unlock)
	if err := w.state.Read(); err != nil {
		return nil, err
	}
	if w.state.Fresh && !make {
		err := fmt.Errorf("%s: %w", dir, errNotHanded)
		if above := workspace.Above(dir, w.place); above != "" {
			err = fmt.Errorf("%w, but %s was", err, above)
		} else if places := workspace.Places(dir); len(places) > 0 {
			err = fmt.Errorf("%w, but to %s", err, strings.Join(places, ", "))
		}
		return nil, errors.Join(err, w.state.Forget())
	}
	return w, nil
}

// openWorkspace looks at both sides. If it is not to be made, it has to be there.
func (f *placeFlags) openWorkspace(ctx context.Context, dir string, make bool) (_ *nearWorkspace, err error) {
	w, err := f.openState(dir, make)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if err := w.openHere(ctx, f.repositories); err != nil {
		return nil, err
	}
	return w, f.connect(ctx, w, w.list)
}

// openHere looks at what is here. The history may be in one of those repositories.
func (w *nearWorkspace) openHere(ctx context.Context, repositories []string) (err error) {
	if w.root, err = os.OpenRoot(w.state.Dir); err != nil {
		return err
	}
	w.closers = append(w.closers, func() { w.root.Close() })
	w.tree, err = workspace.OpenTree(ctx, w.state.Dir, repositories...)
	if lent, ok := errors.AsType[*workspace.LentError](err); ok {
		return fmt.Errorf("%w: --workspace-git %s hands the history that is there over, too", err, place.Quote(lent.Leads))
	}
	if errors.Is(err, workspace.ErrNoGit) || errors.Is(err, workspace.ErrNotTop) {
		w.unsorted, err = err, nil
	}
	if err != nil {
		return err
	}
	w.scan, err = w.look(ctx)
	return err
}

// connect connects with the place, and does the first thing there. What is in PATH over there may
// have no workspaces yet: then ours is copied.
func (f *placeFlags) connect(ctx context.Context, w *nearWorkspace, first func(context.Context) error) (err error) {
	if w.far, err = f.reachWorkspace(ctx, w.state.ID); err != nil {
		return err
	}
	w.closers = append(w.closers, func() { w.far.close() })
	if err = first(ctx); !errors.Is(err, place.ErrVersion) {
		return err
	}
	if err := f.replace(ctx, fmt.Errorf("%s: %w", w.place, err), func() {}); err != nil {
		return err
	}
	w.far.program = f.program
	return first(ctx)
}

func (w *nearWorkspace) close() {
	for i := len(w.closers) - 1; i >= 0; i-- {
		w.closers[i]()
	}
}

// look looks at what is here.
func (w *nearWorkspace) look(ctx context.Context) (*workspace.Scan, error) {
	if w.tree == nil {
		return workspace.ScanAll(w.root)
	}
	names, blobs, err := w.tree.Names(ctx)
	if err != nil {
		return nil, err
	}
	w.own = make(map[string]bool)
	for _, name := range names {
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			w.own[dir] = true
		}
	}
	return workspace.ScanNames(w.root, names, blobs)
}

// known returns what both sides know.
func (w *nearWorkspace) known() workspace.Listing {
	known := maps.Clone(w.scan.Listing)
	maps.Copy(known, w.state.Base)
	return known
}

// longList is when a person is told that what is over there is waited for.
const longList = 5 * time.Second

// list asks what is over there.
func (w *nearWorkspace) list(ctx context.Context) error {
	waits := time.AfterFunc(longList, func() {
		warn(os.Stderr, errors.New(w.place+": waiting for the workspace there: it is large, or in use; "+
			"after a run that was killed that may last for a minute"))
	})
	defer waits.Stop()
	known := w.known()
	w.behind, w.left = make(workspace.Listing), nil
	err := w.far.call(ctx, "list", "",
		func(to io.Writer) error { return workspace.WritePaths(to, known.Paths()) },
		func(r io.Reader) (err error) { w.theirs, w.there, err = workspace.ReadFar(r); return err })
	if err != nil || w.tree == nil {
		return err
	}
	// Git knows files only.
	maps.DeleteFunc(w.there, func(_ string, e workspace.Entry) bool { return e.Kind == workspace.Dir })
	skipped := maps.Clone(w.own)
	for _, s := range w.scan.Skipped {
		skipped[s.Path] = true
	}
	w.links = workspace.NewLinks(w.root)
	var fresh, unlinked []string // what git may ignore here, and where links will be gone
	for p, e := range w.there {
		if _, ok := known[p]; ok {
			continue
		}
		switch {
		case w.isBehind(p, skipped):
			delete(w.there, p)
			w.behind[p] = e
		case w.links.Before(p) != "":
			unlinked = append(unlinked, p)
		default:
			fresh = append(fresh, p)
		}
	}
	// Where there is git, that side has left it out, or says so.
	ignored, err := w.tree.Ignored(ctx, fresh)
	if err != nil {
		return err
	}
	ignoredUnlinked, err := w.tree.IgnoredUnlinked(ctx, unlinked)
	if err != nil {
		return err
	}
	for _, more := range []map[string]bool{ignored, ignoredUnlinked} {
		for p := range more {
			delete(w.there, p)
			w.left.Add(workspace.LeftIgnored, p)
		}
	}
	return nil
}

// isBehind reports whether a path of the far side leads here through a symbolic link that stays, or
// through what is skipped, such as a repository of its own. Git says nothing of what is behind
// that.
func (w *nearWorkspace) isBehind(p string, skipped map[string]bool) bool {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if skipped[dir] {
			return true
		}
	}
	link := w.links.Before(p)
	return link != "" && !w.goes(link)
}

// goes reports whether a symbolic link of ours, which was handed over, was removed over there. So
// to take over what was changed there is to remove it here, too.
func (w *nearWorkspace) goes(link string) bool {
	was := w.state.Base[link]
	return was.Kind == workspace.Link && was == w.scan.Listing[link] && w.there[link].Kind == workspace.None
}

// handOver brings what was changed here, of which no more than most bytes go without a question.
func (w *nearWorkspace) handOver(ctx context.Context, most int64) error {
	plan := workspace.HandOver(w.state.Base, w.scan.Listing, w.there)
	if len(plan.Conflicts) > 0 {
		return fmt.Errorf("%w: see terrarium workspace pull %s --on %s", &workspace.ConflictError{Paths: plan.Conflicts},
			place.Quote(w.state.Dir), place.Quote(w.place))
	}
	w.tellSkipped()
	if err := w.agreedToIgnored(ctx, plan.Changes); err != nil {
		return err
	}
	if err := w.send(ctx, plan.Changes, most); err != nil {
		return err
	}
	w.state.Base = w.scan.Listing
	return w.state.Save()
}

// tellSkipped says what stays here.
func (w *nearWorkspace) tellSkipped() {
	var list []string
	for _, s := range w.scan.Skipped {
		list = append(list, printable.Text(s.Path)+" ("+s.Why+")")
	}
	if len(list) > 0 {
		warn(os.Stderr, errors.New("not handed over: "+firstOf(list)))
	}
}

// firstOf returns the first of a list, and how many more there are.
func firstOf(list []string) string {
	const named = 3
	if more := len(list) - named; more > 0 {
		list = append(list[:named:named], fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

// send has changes made over there, and the history brought.
func (w *nearWorkspace) send(ctx context.Context, changes []workspace.Change, most int64) error {
	// Before it asks, so that it is found again where the answer is no.
	if err := w.state.Save(); err != nil {
		return err
	}
	bundle, err := w.bundle(ctx)
	if err != nil {
		return err
	}
	var blobs map[string]string
	var size int64
	if bundle != nil {
		defer os.Remove(bundle.Name())
		defer bundle.Close()
		info, err := bundle.Stat()
		if err != nil {
			return err
		}
		size = info.Size()
	}
	if w.tree != nil && w.tree.Head != "" && (bundle != nil || w.theirs.Head == w.tree.Head) {
		blobs = w.scan.Blobs
	}
	all := size + workspace.Size(changes, blobs)
	if err := w.agreed(ctx, all, most); err != nil {
		return err
	}
	shown := newProgress(os.Stderr, "handing "+w.state.Dir+" over to "+w.place, all)
	defer shown.end()
	if bundle != nil {
		err := w.far.call(ctx, "import", w.tree.Head, func(to io.Writer) error {
			_, err := io.Copy(to, &workspace.Counted{R: bundle, Tell: shown.at})
			return err
		}, nil)
		if err != nil {
			return fmt.Errorf("the history: %w", err)
		}
	}
	if len(changes) == 0 && bundle == nil {
		return nil
	}
	branch := ""
	if w.tree != nil {
		branch = w.tree.Branch
	}
	left := false
	err = w.far.call(ctx, "receive", branch, func(to io.Writer) error {
		return workspace.Pack(to, w.root, changes, blobs, func(n int64) { shown.at(size + n) })
	}, func(r io.Reader) error {
		said, err := io.ReadAll(io.LimitReader(r, 64))
		left = strings.TrimSpace(string(said)) == leftAsItIs
		return err
	})
	if err == nil && left && bundle != nil {
		shown.end()
		warn(os.Stderr, fmt.Errorf("%s: commits were made in the workspace there, so its branch stays where it is", w.place))
	}
	return err
}

// bundle returns a file with what the far side lacks of the history, or nil if it lacks nothing, or
// can have none.
func (w *nearWorkspace) bundle(ctx context.Context) (_ *os.File, err error) {
	if w.tree == nil || w.tree.Head == "" || w.theirs.Head == w.tree.Head {
		return nil, nil
	}
	if !w.theirs.Git {
		notice(w.place + ": there is no git, so the files go there without their history")
		return nil, nil
	}
	f, err := os.CreateTemp("", "terrarium-bundle-")
	if err != nil {
		return nil, err
	}
	have := ""
	if w.theirs.Head != "" && w.tree.Has(ctx, w.theirs.Head) {
		have = w.theirs.Head
	}
	if err = w.tree.Bundle(ctx, f, have); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, fmt.Errorf("the history: %w", err)
	}
	return f, nil
}

// agreed asks whether so many bytes shall be handed over, if they are more than most.
func (w *nearWorkspace) agreed(ctx context.Context, n, most int64) error {
	if n <= most {
		return nil
	}
	ok, err := agree(ctx, fmt.Sprintf("hand %s of %s over to %s?", about(n), printable.Text(w.state.Dir), w.place))
	switch {
	case errors.Is(err, errNobody):
		return fmt.Errorf("%s: %s would be handed over, and %s go without a question: --workspace-limit says how much may", w.state.Dir, about(n), about(most))
	case err == nil && !ok:
		return errors.New("not handed over")
	}
	return err
}
