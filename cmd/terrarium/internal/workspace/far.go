package workspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Far is a workspace on the far side. Its methods are for one goroutine of one process, which has
// it locked: see Dir.
type Far struct {
	dir  string
	root *os.Root // of the directory in which commands run
	cat  *cat     // gives the store's objects; nil until one is asked for
}

// OpenFar opens the workspace of that name, and makes it if it is not there.
func OpenFar(id string) (*Far, error) {
	if !isWorkspaceID(id) {
		return nil, errors.New("that is no name of a workspace")
	}
	base, err := home(farFolder)
	if err != nil {
		return nil, err
	}
	f := &Far{dir: filepath.Join(base, id)}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(f.dir, 0o700); err != nil { // and it is ours
		return nil, err
	}
	if err := os.Mkdir(f.tree(), 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	if f.root, err = os.OpenRoot(f.tree()); err != nil {
		return nil, err
	}
	return f, nil
}

// Close frees it.
func (f *Far) Close() error {
	if f.cat != nil {
		f.cat.close()
	}
	return f.root.Close()
}

// Dir returns the directory to lock while it is used.
func (f *Far) Dir() string { return f.dir }

// Sweep removes what was left by those who were killed while files came, as by ^C on the near side.
// Dir is locked, so nobody else waits for any to come.
func (f *Far) Sweep() error { return sweep(f.root, 0) }

// Remove removes all of it.
func (f *Far) Remove() error { return os.RemoveAll(f.dir) }

func (f *Far) tree() string  { return filepath.Join(f.dir, "tree") }
func (f *Far) store() string { return filepath.Join(f.dir, "store.git") }

// git runs git in the store, which no command that runs in the tree has to be trusted with: unlike
// the repository in the tree, it is configured by nobody but us.
func (f *Far) git(env ...string) *gitRunner {
	return &gitRunner{dir: f.dir, env: append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_DIR="+f.store())}
}

// refs in the store.
const (
	headRef = "refs/terrarium/head" // the near side's HEAD, as far as it has come
	treeRef = "refs/terrarium/tree" // the one that the repository in the tree was given
)

// ref returns what a ref of the store says, or "".
func (f *Far) ref(ctx context.Context, name string) string {
	if _, err := os.Stat(f.store()); err != nil {
		return ""
	}
	id, _ := f.git().line(ctx, "rev-parse", "--verify", "--quiet", name)
	return id
}

// A FarState is what the far side says of itself, before its listing.
type FarState struct {
	Tree string // the directory in which commands run
	Git  bool   // it has git
	Head string // a commit that it has, or ""
}

const farVersion = "terrarium-workspace 1"

// List writes what is in the workspace. known are paths that the near side knows: they are looked
// at even where git ignores them.
func (f *Far) List(ctx context.Context, w io.Writer, known []string) error {
	s := FarState{Tree: f.tree(), Head: f.ref(ctx, headRef)}
	_, err := exec.LookPath("git")
	s.Git = err == nil
	var scan *Scan
	if s.Head == "" {
		scan, err = ScanAll(f.root)
	} else {
		scan, err = f.scanTree(ctx, known)
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s\t%t\t%s\t%s\n", farVersion, s.Git, s.Head, s.Tree); err != nil {
		return err
	}
	return scan.Listing.Write(w)
}

// scanTree looks at what git does not ignore, and at what is known.
func (f *Far) scanTree(ctx context.Context, known []string) (*Scan, error) {
	out, err := f.treeGit().output(ctx, nil, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	names, err := splitNames(out)
	if err != nil {
		return nil, err
	}
	names = append(names, known...)
	slices.Sort(names)
	return ScanNames(f.root, slices.Compact(names), nil)
}

// ReadFar reads what List has written.
func ReadFar(r io.Reader) (s FarState, l Listing, err error) {
	b := bufio.NewReaderSize(r, maxLine)
	line, err := b.ReadSlice('\n')
	if err != nil {
		return s, nil, errors.New("the far side does not say what it has")
	}
	fields := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
	if len(fields) != 4 || fields[0] != farVersion {
		return s, nil, errors.New("the far side speaks of workspaces in another way")
	}
	s = FarState{Git: fields[1] == "true", Head: fields[2], Tree: fields[3]}
	if !path.IsAbs(s.Tree) || !isText(s.Tree) || s.Head != "" && !isID(s.Head) {
		return s, nil, errors.New("the far side says of its workspace what can't be")
	}
	l, err = ReadListing(b)
	return s, l, err
}

// Send writes the files at those paths.
func (f *Far) Send(w io.Writer, paths []string) error {
	scan, err := scanNames(f.root, paths, nil, true)
	if err != nil {
		return err
	}
	var changes []Change
	for _, p := range scan.Listing.Paths() {
		changes = append(changes, Change{Path: p, Now: scan.Listing[p]})
	}
	return Pack(w, f.root, changes, nil, nil)
}

// Receive makes the changes that Pack has written.
func (f *Far) Receive(ctx context.Context, r io.Reader) error {
	in, err := Receive(f.root, r, Options{Blob: func(id string) (io.ReadCloser, error) { return f.blob(ctx, id) }})
	if err != nil {
		return err
	}
	if err := in.Commit(); err != nil {
		return errors.Join(err, in.Close())
	}
	return nil
}
