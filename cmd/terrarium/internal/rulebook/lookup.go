package rulebook

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// defaultPath is searched where there is no PATH, as the native host does.
const defaultPath = "/usr/bin:/bin"

// context is what a decision about e has to know.
func (b *Book) context(e *core.Exec) policy.Context {
	if b.config.Guests {
		return policy.Context{}
	}
	l := &lookup{cwd: e.Command.Cwd, path: b.config.Path, found: map[string]policy.Found{}}
	if l.path == "" {
		l.path = os.Getenv("PATH")
	}
	for _, v := range e.Command.Env {
		if v.Name == "PATH" {
			l.path = v.Value
		}
	}
	if l.path == "" {
		l.path = defaultPath
	}
	roots := e.Command.Roots
	if len(roots) == 0 && e.Command.Cwd != "" {
		roots = []string{e.Command.Cwd}
	}
	for _, root := range roots {
		// The whole machine as a root says nothing about where a command writes.
		if root = real(root); root != "/" {
			l.roots = append(l.roots, root)
		}
	}
	return policy.Context{Find: l.find}
}

// A lookup finds commands in a PATH, once each.
//
// Without a sandbox a command may write whatever its user may. What counts as a place where it
// writes is what the session hands over, what everybody may write, and what depends on the current
// directory.
type lookup struct {
	cwd, path string
	roots     []string // without symbolic links
	dirs      []pathDir
	found     map[string]policy.Found
}

// A pathDir is a directory of PATH.
type pathDir struct {
	name     string
	writable bool
}

func (l *lookup) find(name string) policy.Found {
	f, ok := l.found[name]
	if !ok {
		f = l.search(name)
		l.found[name] = f
	}
	return f
}

func (l *lookup) search(name string) policy.Found {
	if name == "" || strings.Contains(name, "/") {
		return policy.Found{}
	}
	if l.dirs == nil {
		l.dirs = l.split()
	}
	before := false
	for _, dir := range l.dirs {
		before = before || dir.writable
		file := filepath.Join(dir.name, name)
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || !mayExecute(file) {
			continue
		}
		return policy.Found{Path: file, Writable: before || everybodys(info) || l.elsewhere(file)}
	}
	return policy.Found{}
}

func (l *lookup) split() []pathDir {
	dirs := []pathDir{}
	for _, dir := range filepath.SplitList(l.path) {
		if !filepath.IsAbs(dir) {
			dirs = append(dirs, pathDir{filepath.Join(l.cwd, dir), true})
			continue
		}
		info, err := os.Stat(dir)
		switch {
		case err == nil:
			dirs = append(dirs, pathDir{dir, everybodys(info) || l.below(real(dir)) && mayWrite(dir)})
		case errors.Is(err, fs.ErrNotExist): // it may be made
			dirs = append(dirs, pathDir{dir, l.below(real(dir))})
		}
	}
	return dirs
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
