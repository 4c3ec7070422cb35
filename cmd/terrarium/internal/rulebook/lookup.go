package rulebook

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// defaultPath is searched where there is no PATH, as the native host does.
const defaultPath = "/usr/bin:/bin"

// context is what a decision about e by files has to know.
func (b *Book) context(e *core.Exec, files []*policy.File) policy.Context {
	switch {
	case b.config.Guests:
		return policy.Context{}
	case b.config.Place != "" && !trusts(files, b.config.Place):
		return policy.Context{}
	case b.config.Place != "":
		return policy.Context{Sandbox: e.Sandbox}
	}
	path := b.config.Path
	if path == "" {
		path = os.Getenv("PATH")
	}
	for _, v := range e.Command.Env {
		if v.Name == "PATH" {
			path = v.Value
		}
	}
	if path == "" {
		path = defaultPath
	}
	roots := e.Command.Roots
	if len(roots) == 0 && e.Command.Cwd != "" {
		roots = []string{e.Command.Cwd}
	}
	return policy.Context{Sandbox: e.Sandbox, Find: b.lookup(path, e.Command.Cwd, roots).find}
}

// trusts reports whether one of the files takes a place at its word.
func trusts(files []*policy.File, place string) bool {
	return slices.ContainsFunc(files, func(f *policy.File) bool {
		return f.Layer != policy.Project && slices.Contains(f.Trusted, place)
	})
}

// lookup returns the lookup for commands that have this PATH, directory and roots.
func (b *Book) lookup(path, cwd string, roots []string) *lookup {
	key := path + "\x00" + cwd + "\x00" + strings.Join(roots, "\x00")
	b.mu.Lock()
	known := b.lookups[key]
	b.mu.Unlock()
	if known != nil && known.holds() {
		return known
	}
	l := newLookup(path, cwd, roots)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lookups) >= maxKept {
		clear(b.lookups)
	}
	if len(key) <= maxKey {
		b.lookups[key] = l
	}
	return l
}

// maxKey is how long the PATH, directory and roots may be of which a lookup is kept, in bytes.
const maxKey = 16 << 10

// A lookup finds commands in a PATH. What it has found holds as long as no directory of that
// changes: a look at each is much less than one for each name.
//
// Without a sandbox a command may write whatever its user may. What counts as a place where it
// writes is what the session hands over, what everybody may write, and what depends on the current
// directory.
type lookup struct {
	roots []string // without symbolic links
	dirs  []pathDir
	fresh bool // a directory had changed just before

	mu    sync.Mutex // guards what is below
	found map[string]policy.Found
}

// A pathDir is a directory of PATH.
type pathDir struct {
	name     string
	writable bool
	there    bool
	was      identity // if it is there
}

func newLookup(path, cwd string, roots []string) *lookup {
	l := &lookup{found: map[string]policy.Found{}}
	for _, root := range roots {
		// The whole machine as a root says nothing about where a command writes.
		if root = real(root); root != "/" {
			l.roots = append(l.roots, root)
		}
	}
	for _, dir := range filepath.SplitList(path) {
		d := pathDir{name: dir}
		if !filepath.IsAbs(dir) {
			d.name, d.writable = filepath.Join(cwd, dir), true
		}
		info, err := os.Stat(d.name)
		switch {
		case err == nil:
			d.there, d.was = true, identityOf(info)
			d.writable = d.writable || everybodys(info) || l.below(real(d.name)) && mayWrite(d.name)
			l.fresh = l.fresh || time.Since(d.was.changed()) < young
		case errors.Is(err, fs.ErrNotExist): // it may be made
			d.writable = d.writable || l.below(real(d.name))
		}
		l.dirs = append(l.dirs, d)
	}
	return l
}

// holds reports whether the directories are as they were.
func (l *lookup) holds() bool {
	if l.fresh {
		return false
	}
	for i := range l.dirs {
		d := &l.dirs[i]
		now, err := identify(d.name)
		if d.there != (err == nil) || d.there && now != d.was {
			return false
		}
	}
	return true
}

// maxFound is how many names a lookup keeps.
const maxFound = 1024

func (l *lookup) find(name string) policy.Found {
	if name == "" || strings.Contains(name, "/") {
		return policy.Found{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.found[name]
	if ok {
		return f
	}
	if len(l.found) >= maxFound {
		clear(l.found)
	}
	f = l.search(name)
	l.found[name] = f
	return f
}

func (l *lookup) search(name string) policy.Found {
	before := "" // where another may be put that would be found first
	for _, dir := range l.dirs {
		if dir.writable {
			before = cmp.Or(before, dir.name)
		}
		file := filepath.Join(dir.name, name)
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || !mayExecute(file) {
			continue
		}
		return policy.Found{Path: file, Writable: before != "" || everybodys(info) || l.elsewhere(file), Where: before}
	}
	return policy.Found{}
}

// elsewhere reports whether file is, by symbolic links, one that the command may write or replace.
func (l *lookup) elsewhere(file string) bool {
	to := real(file)
	if l.below(to) {
		return true
	}
	info, err := os.Stat(filepath.Dir(to))
	return err != nil || everybodys(info)
}

func everybodys(info fs.FileInfo) bool { return info.Mode()&0o002 != 0 }

func (l *lookup) below(name string) bool {
	for _, root := range l.roots {
		if name == root || strings.HasPrefix(name, root+"/") {
			return true
		}
	}
	return false
}

// real returns name without symbolic links, as far as it is there.
func real(name string) string {
	name = filepath.Clean(name)
	if to, err := filepath.EvalSymlinks(name); err == nil {
		return to
	}
	parent := filepath.Dir(name)
	if parent == name {
		return name
	}
	return filepath.Join(real(parent), filepath.Base(name))
}
