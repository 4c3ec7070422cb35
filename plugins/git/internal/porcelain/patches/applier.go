package patches

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/diff"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/patch"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// An applier applies patches. It first finds out what all files become, and only then writes them.
type applier struct {
	c                      *cli.Call
	o                      *option.Result
	parse                  patch.Options
	how                    patch.Application
	whitespace             string // what to do with flaws: --whitespace
	indexed, cached, three bool
	silent                 bool   // whether nothing is told
	root                   string // the directory that names are from
	x                      *repo.Index
	disk                   repo.Snapshot // what the working tree has of the index's files

	now      map[string]*fileVersion // what files have become, by name
	order    []string                // these names, in the order of the patch
	mended   int
	rejected int // hunks that --reject has left out
	rejects  []rejection
	open3    []string // files in conflict
}

// A fileVersion is what a file has become.
type fileVersion struct {
	gone     bool
	mode     filemode.FileMode
	text     []byte
	conflict repo.Conflict
}

// A rejection is what --reject leaves out of a file.
type rejection struct {
	file  *patch.File
	hunks []int // from 1; none if all went well
}

// check finds out what all files become.
func (a *applier) check(files []*patch.File) error {
	failed := false
	for _, f := range files {
		if a.verbose() {
			name := f.Name()
			if f.Rename || f.Copy {
				name = f.Old + " => " + f.New
			}
			fmt.Fprintf(a.c.Stderr, "Checking patch %s...\n", name)
		}
		if err := a.one(f); err != nil {
			a.complain("error: %v", err)
			failed = true
		}
	}
	if failed {
		return cli.Quiet(1)
	}
	return nil
}

func (a *applier) verbose() bool { return a.o != nil && (a.o.Has("v") || a.o.Has("reject")) }

func (a *applier) complain(format string, args ...any) {
	if !a.silent {
		fmt.Fprintf(a.c.Stderr, format+"\n", args...)
	}
}

// set notes what a file becomes.
func (a *applier) set(name string, v *fileVersion) {
	if _, ok := a.now[name]; !ok {
		a.order = append(a.order, name)
	}
	a.now[name] = v
}

func (a *applier) one(f *patch.File) error {
	for _, name := range []string{f.Old, f.New} {
		switch {
		case name == "":
		case !repo.ValidPath(name):
			return fmt.Errorf("invalid path '%s'", name)
		case a.linked(name):
			return fmt.Errorf("affected file '%s' is beyond a symbolic link", name)
		}
	}
	old := &fileVersion{gone: true, mode: filemode.Regular}
	if f.Old != "" {
		var err error
		if old, err = a.read(f.Old); err != nil {
			return err
		}
	}
	if f.New != "" && f.New != f.Old {
		if err := a.vacant(f.New); err != nil {
			return err
		}
	}
	new := &fileVersion{gone: f.New == "", mode: old.mode}
	if f.NewMode != 0 {
		new.mode = fileMode(f.NewMode)
	}
	if err := a.contents(f, old, new); err != nil {
		return err
	}
	if f.Old != "" && f.Old != f.New && !f.Copy {
		a.set(f.Old, &fileVersion{gone: true})
	}
	if f.New != "" {
		a.set(f.New, new)
	}
	return nil
}

// fileMode is the mode that a patch names, as git keeps it.
func fileMode(mode uint32) filemode.FileMode {
	switch {
	case mode&0o170000 != 0o100000:
		return filemode.FileMode(mode)
	case mode&0o111 != 0:
		return filemode.Executable
	}
	return filemode.Regular
}

// linked reports whether a directory that the name leads through is a link.
func (a *applier) linked(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if v, ok := a.now[dir]; ok {
			if !v.gone && v.mode == filemode.Symlink {
				return true
			}
			continue
		}
		if info, err := os.Lstat(a.path(dir)); err == nil && info.Mode()&fs.ModeSymlink != 0 && !a.cached {
			return true
		}
	}
	return false
}

// read returns a file as it is, or as the patch has made it.
func (a *applier) read(name string) (*fileVersion, error) {
	if v, ok := a.now[name]; ok {
		if v.gone {
			return nil, fmt.Errorf("path %s has been renamed/deleted", name)
		}
		return v, nil
	}
	if a.indexed {
		f, ok := a.x.Files[name]
		if !ok {
			return nil, fmt.Errorf("%s: does not exist in index", name)
		}
		if !a.cached && a.disk[name] != f {
			return nil, fmt.Errorf("%s: does not match index", name)
		}
		text, err := a.c.Repo.Blob(f.Hash)
		return &fileVersion{mode: f.Mode, text: text}, err
	}
	info, err := os.Lstat(a.path(name))
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, cli.Reason(err))
	}
	v := &fileVersion{mode: filemode.Regular}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(a.path(name))
		return &fileVersion{mode: filemode.Symlink, text: []byte(target)}, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: wrong type", name)
	case info.Mode()&0o100 != 0:
		v.mode = filemode.Executable
	}
	v.text, err = os.ReadFile(a.path(name))
	return v, err
}

// vacant fails if a file is where a new one shall be.
func (a *applier) vacant(name string) error {
	if v, ok := a.now[name]; ok && v.gone {
		return nil
	}
	if a.indexed {
		if a.x.Tracks(name) {
			return fmt.Errorf("%s: already exists in index", name)
		}
		if a.cached {
			return nil
		}
	}
	if info, err := os.Lstat(a.path(name)); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: already exists in working directory", name)
	}
	return nil
}

// contents finds out what the patch makes of a file's text.
func (a *applier) contents(f *patch.File, old, new *fileVersion) error {
	if f.Binary {
		return a.binary(f, old, new)
	}
	if a.three && f.Old != "" && f.New != "" {
		done, err := a.threeWay(f, old, new)
		if done || err != nil {
			return err
		}
	}
	text, placed, failed := a.how.Apply(old.text, f.Hunks)
	for _, p := range placed {
		a.tellPlaced(p)
	}
	for _, m := range failed {
		if a.verbose() {
			a.complain("error: while searching for:\n%s", m.Old)
		}
		a.complain("error: patch failed: %s:%d", f.Name(), m.Line)
		if a.o == nil || !a.o.Has("reject") {
			return fmt.Errorf("%s: patch does not apply", f.Name())
		}
	}
	if a.o != nil && a.o.Has("reject") {
		r := rejection{file: f}
		for _, m := range failed {
			r.hunks = append(r.hunks, m.Hunk)
		}
		a.rejects = append(a.rejects, r)
		a.rejected += len(failed)
	}
	if f.New == "" && len(text) > 0 && len(failed) == 0 {
		return fmt.Errorf("removal patch leaves file contents\nerror: %s: patch does not apply", f.Old)
	}
	new.text = text
	return nil
}

func (a *applier) tellPlaced(p patch.Placement) {
	if p.Reduced {
		a.complain("Context reduced to (%d/%d) to apply fragment at %d", p.Context[0], p.Context[1], p.Line)
	}
	if p.Offset != 0 && a.verbose() {
		offset := p.Offset
		if a.o.Has("R") {
			offset = -offset
		}
		lines := "lines"
		if offset == 1 || offset == -1 {
			lines = "line"
		}
		a.complain("Hunk #%d succeeded at %d (offset %d %s).", p.Hunk, p.Line, offset, lines)
	}
}

func (a *applier) binary(f *patch.File, old, new *fileVersion) error {
	fail := func(format string, args ...any) error {
		a.complain("error: "+format, args...)
		return fmt.Errorf("%s: patch does not apply", f.Name())
	}
	if len(f.OldHash) != 40 || len(f.NewHash) != 40 {
		return fail("cannot apply binary patch to '%s' without full index line", f.Name())
	}
	have, err := repo.Hash(plumbing.BlobObject, old.text)
	if err != nil {
		return err
	}
	if f.Old != "" && have.String() != f.OldHash {
		return fail("the patch applies to '%s' (%s), which does not match the current contents.", f.Name(), have)
	}
	if f.New == "" || strings.Trim(f.NewHash, "0") == "" {
		return nil
	}
	if want, ok := plumbing.FromHex(f.NewHash); ok && a.c.Repo != nil {
		if text, err := a.c.Repo.Blob(want); err == nil {
			new.text = text
			return nil
		}
	}
	if f.Literal[0] == nil {
		return fail("cannot apply binary patch to '%s' without the new contents", f.Name())
	}
	if new.text, err = f.Literal[0].Contents(old.text); err != nil {
		return fail("binary patch does not apply to '%s'", f.Name())
	}
	if got, err := repo.Hash(plumbing.BlobObject, new.text); err != nil || got.String() != f.NewHash {
		return fail("binary patch to '%s' creates incorrect result (expecting %s, got %s)", f.Name(), f.NewHash, got)
	}
	return nil
}

// threeWay applies the patch to the text that it was made from, and merges the result. It reports
// whether that text is known and the patch fits it.
func (a *applier) threeWay(f *patch.File, old, new *fileVersion) (done bool, err error) {
	base, err := a.c.Repo.Resolve(f.OldHash)
	if err != nil {
		a.complain("error: repository lacks the necessary blob to perform 3-way merge.")
		a.complain("Falling back to direct application...")
		return false, nil
	}
	text, err := a.c.Repo.Blob(base)
	if err != nil {
		return false, nil
	}
	theirs, _, failed := a.how.Apply(text, f.Hunks)
	if len(failed) > 0 {
		return false, nil
	}
	merged, conflicts := diff.Merge(text, old.text, theirs, diff.Merging{Ours: "ours", Theirs: "theirs"})
	new.text = merged
	if conflicts == 0 {
		a.complain("Applied patch to '%s' cleanly.", f.New)
		return true, nil
	}
	a.complain("Applied patch to '%s' with conflicts.", f.New)
	for i, text := range [][]byte{text, old.text, theirs} {
		h, err := a.c.Repo.Write(plumbing.BlobObject, text)
		if err != nil {
			return false, err
		}
		new.conflict[i] = repo.File{Mode: new.mode, Hash: h}
	}
	a.open3 = append(a.open3, f.New)
	return true, nil
}

// write puts what files have become into the working tree and the index.
func (a *applier) write(files []*patch.File) error {
	if !a.cached {
		for _, name := range a.order {
			if v := a.now[name]; !v.gone {
				if why := a.blocked(name); why != "" {
					return &cli.Failure{Status: 1, Text: fmt.Sprintf("error: unable to write file '%s' mode %06o: %s", name, uint32(v.mode), why)}
				}
			}
		}
	}
	for _, gone := range []bool{true, false} { // what goes first: something may take its place
		for _, name := range a.order {
			if v := a.now[name]; v.gone == gone {
				if err := a.put(name, v); err != nil {
					return err
				}
			}
		}
	}
	if a.verbose() {
		a.tellApplied(files)
	}
	if err := a.writeRejects(); err != nil {
		return err
	}
	a.now, a.order = map[string]*fileVersion{}, nil
	if !a.indexed {
		return nil
	}
	if err := a.x.Save(); err != nil {
		return err
	}
	if !a.cached {
		var err error
		a.disk, err = a.x.OnDisk()
		return err
	}
	return nil
}

func (a *applier) put(name string, v *fileVersion) error {
	if v.gone {
		if a.indexed {
			a.x.Remove(name)
		}
		if a.cached {
			return nil
		}
		return a.remove(name)
	}
	if !a.indexed && a.c.Repo == nil {
		return a.writeFile(name, v)
	}
	h, err := a.c.Repo.Write(plumbing.BlobObject, v.text)
	if err != nil {
		return err
	}
	f := repo.File{Mode: v.mode, Hash: h}
	if !a.cached {
		if err := a.c.Repo.WriteDisk(name, f); err != nil {
			return err
		}
	}
	switch {
	case !a.indexed:
	case v.conflict != repo.Conflict{}:
		a.x.Remove(name)
		a.x.Conflicts[name] = v.conflict
	case a.cached:
		a.x.Put(name, f)
	default:
		a.x.Set(name, f)
	}
	return nil
}

func (a *applier) remove(name string) error {
	if a.c.Repo != nil {
		return a.c.Repo.RemoveDisk(name)
	}
	if err := os.Remove(a.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "." && os.Remove(a.path(dir)) == nil; dir = path.Dir(dir) {
	}
	return nil
}

// writeFile writes a file where there is no repository.
func (a *applier) writeFile(name string, v *fileVersion) error {
	p := a.path(name)
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		return err
	}
	if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if v.mode == filemode.Symlink {
		return os.Symlink(string(v.text), p)
	}
	mode := fs.FileMode(0o666)
	if v.mode == filemode.Executable {
		mode = 0o777
	}
	return os.WriteFile(p, v.text, mode)
}

func (a *applier) tellApplied(files []*patch.File) {
	left := map[*patch.File]rejection{}
	for _, r := range a.rejects {
		left[r.file] = r
	}
	for _, f := range files {
		hunks := left[f].hunks
		if len(hunks) == 0 {
			a.complain("Applied patch %s cleanly.", f.Name())
			continue
		}
		a.complain("Applying patch %s with %s...", f.Name(), cli.Plural(len(hunks), "reject"))
		for i := range f.Hunks {
			rejected := false
			for _, n := range hunks {
				rejected = rejected || n == i+1
			}
			if rejected {
				a.complain("Rejected hunk #%d.", i+1)
				continue
			}
			a.complain("Hunk #%d applied cleanly.", i+1)
		}
	}
}

// writeRejects writes what does not fit into files beside those that it is for.
func (a *applier) writeRejects() error {
	for _, r := range a.rejects {
		if len(r.hunks) == 0 {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "diff a/%s b/%s\t(rejected hunks)\n", r.file.Name(), r.file.Name())
		for _, n := range r.hunks {
			b.WriteString(r.file.Hunks[n-1].Text())
		}
		p := a.path(r.file.Name() + ".rej")
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.WriteFile(p, []byte(b.String()), 0o666); err != nil {
			return err
		}
	}
	a.rejects = nil
	return nil
}

// end tells what is left to resolve.
func (a *applier) end() error {
	for _, name := range a.open3 {
		a.complain("U %s", name)
	}
	if len(a.open3) > 0 || a.rejected > 0 {
		return cli.Quiet(1)
	}
	return nil
}

// blocked returns why a file of a patch can't be written, in the C library's words; "" if it can.
func (a *applier) blocked(name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		info, err := os.Lstat(a.path(dir))
		if v, ok := a.now[dir]; err == nil && !info.IsDir() && !(ok && v.gone) {
			return "Not a directory"
		}
	}
	info, err := os.Lstat(a.path(name))
	if err != nil || !info.IsDir() {
		return ""
	}
	full := false
	filepath.WalkDir(a.path(name), func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		below, _ := filepath.Rel(a.root, p)
		if v, ok := a.now[filepath.ToSlash(below)]; !ok || !v.gone {
			full = true
			return filepath.SkipAll
		}
		return nil
	})
	if full {
		return "Directory not empty"
	}
	return ""
}
