package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Kinds of what stays on the far side.
const (
	LeftIgnored = "ignored by git"
	leftOwn     = "repositories of their own"
	leftEmpty   = "empty directories"
	leftPipe    = "pipes"
	leftSocket  = "sockets"
	leftDevice  = "devices"
	leftName    = "names or links that can't be carried"
	leftCommits = "branches that may have commits made there"
)

var leftKinds = []string{LeftIgnored, leftOwn, leftEmpty, leftPipe, leftSocket, leftDevice, leftName, leftCommits}

// A Left is what stays on the far side for one reason. A directory of which all stays counts once.
type Left struct {
	Kind  string   `json:"kind"`
	Count int      `json:"count"`
	Names []string `json:"names"` // the first of them, by their order
}

const (
	maxLeftNames = 3
	maxLeftName  = 400 // bytes of a name that are kept
	maxLeft      = 64 << 10
)

// Lefts are of different kinds.
type Lefts []Left

// Add counts what is at a path.
func (l *Lefts) Add(kind, p string) {
	l.Merge(Left{kind, 1, []string{strings.ToValidUTF8(p[:min(len(p), maxLeftName)], "?")}})
}

// Merge counts what more there is of a kind.
func (l *Lefts) Merge(more Left) {
	i := slices.IndexFunc(*l, func(one Left) bool { return one.Kind == more.Kind })
	if i < 0 {
		i = len(*l)
		*l = append(*l, Left{Kind: more.Kind})
	}
	one := &(*l)[i]
	one.Count += more.Count
	one.Names = append(one.Names, more.Names...)
	slices.Sort(one.Names)
	one.Names = one.Names[:min(len(one.Names), maxLeftNames)]
}

// ReadLeft reads what Far.Left has written.
func ReadLeft(r io.Reader) (l Lefts, err error) {
	b, err := io.ReadAll(io.LimitReader(r, maxLeft+1))
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	bad := len(b) > maxLeft || json.Unmarshal(b, &l) != nil
	for _, one := range l {
		bad = bad || seen[one.Kind] || !slices.Contains(leftKinds, one.Kind) || one.Count < 1 || one.Count > MaxEntries ||
			len(one.Names) != min(one.Count, maxLeftNames)
		seen[one.Kind] = true
	}
	if bad {
		return nil, errors.New("the far side says of what stays there what can't be")
	}
	return l, nil
}

// Left writes what stays here when the near side pulls, which knows the paths known.
func (f *Far) Left(ctx context.Context, w io.Writer, known []string) error {
	s := &leftScan{root: f.root, known: make(map[string]bool), above: make(map[string]bool), own: make(map[string]bool), ignored: make(map[string]bool)}
	for _, p := range known {
		s.known[p] = true
		for dir := path.Dir(p); dir != "." && !s.above[dir]; dir = path.Dir(dir) {
			s.above[dir] = true
		}
	}
	if s.git = f.ref(ctx, headRef) != ""; s.git {
		if err := s.ask(ctx, f.treeGit()); err != nil {
			return err
		}
		if old := f.ref(ctx, treeRef); old != "" && f.readHead() != old {
			s.left.Add(leftCommits, cmp.Or(f.branch(), "HEAD"))
		}
	}
	if err := walk(f.root, ".", s.visit); err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(append(Lefts{}, s.left...))
}

// A leftScan looks for what stays.
type leftScan struct {
	root *os.Root
	// git says what is ignored, and empty directories are not carried.
	git bool
	// Paths; above are the directories of known ones.
	known, above, own, ignored map[string]bool

	left Lefts
}

// ask asks git for what it ignores, and for repositories in the tree: it says no more of these than
// that they are directories.
func (s *leftScan) ask(ctx context.Context, g *gitRunner) error {
	list := []string{"ls-files", "-z", "--others", "--exclude-standard"}
	out, err := g.output(ctx, nil, list...)
	if err != nil {
		return err
	}
	names, err := splitNames(out)
	if err != nil {
		return err
	}
	for _, name := range names {
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			s.own[dir] = true
		}
	}
	if out, err = g.output(ctx, nil, append(list, "--ignored", "--directory")...); err != nil {
		return err
	}
	if names, err = splitNames(out); err != nil {
		return err
	}
	for _, name := range names {
		s.ignored[strings.TrimSuffix(name, "/")] = true
	}
	return nil
}

func (s *leftScan) visit(p string, d fs.DirEntry) error {
	kind := ""
	switch {
	case s.known[p] && !d.IsDir():
		return nil
	case strings.HasPrefix(d.Name(), stagePrefix), s.git && p == ".git":
	case s.own[p]:
		kind = leftOwn
	case s.ignored[p], s.ignored[path.Dir(p)]:
		if d.IsDir() && s.above[p] { // some of it is carried
			s.ignored[p] = true
			return nil
		}
		kind = LeftIgnored
	case wrongPath(p) != "":
		kind = leftName
	default:
		if kind = s.kindOf(p, d); kind != "" {
			s.left.Add(kind, p)
		}
		return nil
	}
	if kind != "" {
		s.left.Add(kind, p)
	}
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// kindOf returns why a file or directory of a good name stays, or "".
func (s *leftScan) kindOf(p string, d fs.DirEntry) string {
	switch mode := d.Type(); {
	case mode.IsDir():
		if s.git && s.isEmpty(p) {
			return leftEmpty
		}
	case mode == fs.ModeSymlink:
		if target, err := s.root.Readlink(p); err == nil && checkTargetText(target) != nil {
			return leftName
		}
	case mode == fs.ModeNamedPipe:
		return leftPipe
	case mode == fs.ModeSocket:
		return leftSocket
	case !mode.IsRegular():
		return leftDevice
	}
	return ""
}

func (s *leftScan) isEmpty(dir string) bool {
	f, err := s.root.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.ReadDir(1)
	return err == io.EOF
}

// treeGit looks for files in the tree, with our repository. With an index that is not there, all
// files are others.
func (f *Far) treeGit() *gitRunner {
	return f.git("GIT_WORK_TREE="+f.tree(), "GIT_INDEX_FILE="+filepath.Join(f.dir, "no-index")).looking()
}
