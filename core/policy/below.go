package policy

import (
	"path"
	"slices"
	"strings"
)

// selfRunning are files that tools run without being told to, in small letters.
var selfRunning = []string{
	"makefile", "gnumakefile", "justfile", "rakefile", "package.json", "build.rs", "conftest.py", "setup.py", "sitecustomize.py",
}

// below reports whether name is that of a file below dirs, wherever c may run. It is one of a
// directory of dirs itself, too. What the session hands over lies below "roots" only: what is
// written elsewhere nothing runs by itself, but tools run what is in a project. On macOS, /tmp is a
// link into /private.
func (c *Command) below(name string, dirs []string, env *Context) bool {
	if name == "" || len(c.dirs) == 0 || slices.Contains(strings.Split(name, "/"), "..") {
		return false // behind a link, ".." is not what the name says
	}
	for _, from := range c.dirs {
		to := name
		if !path.IsAbs(to) {
			to = path.Join(from, to)
		}
		if !slices.ContainsFunc(dirs, func(dir string) bool {
			if dir == "roots" {
				return slices.ContainsFunc(env.roots, func(root string) bool { return plainBelow(path.Clean(to), root) })
			}
			return plainBelow(path.Clean(to), dir) && !within(path.Clean(to), env.roots) && !within("/private"+path.Clean(to), env.roots)
		}) {
			return false
		}
	}
	return true
}

func plainBelow(name, dir string) bool {
	rest, ok := strings.CutPrefix(name, dir)
	if !ok || dir == "/" || rest != "" && rest[0] != '/' {
		return false
	}
	for part := range strings.SplitSeq(rest, "/") {
		if strings.HasPrefix(part, ".") || slices.Contains(selfRunning, strings.ToLower(part)) {
			return false
		}
	}
	return true
}

// files reports whether all words of c but its name are files below dirs, or options without one.
func (c *Command) files(dirs []string, env *Context) bool {
	operands, options := 0, 0
	for _, w := range c.words[1:] {
		name := w.text
		switch {
		case w.dynamic: // a glob finds files where its name says, if that is all it is
			if w.prefix == "" || w.option || strings.ContainsFunc(name, func(r rune) bool {
				return !strings.ContainsRune("/._-*?", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
			}) || mayRunItself(name) {
				return false
			}
			name = strings.NewReplacer("*", "x", "?", "x").Replace(name)
		case w.isOption():
			_, value, has := strings.Cut(name, "=")
			if !has && strings.ContainsAny(name, "/.") { // "-t.git"
				return false
			}
			options++
			if name = value; !has {
				continue
			}
		}
		if strings.HasSuffix(name, "/.") {
			return false // what is in it, by whatever names
		}
		operands++
		if !c.below(name, dirs, env) {
			return false
		}
	}
	if options > 0 && copies[c.words[0].text] && slices.ContainsFunc(c.words[1:], func(w word) bool { return c.isRoot(w.text, env) }) {
		return false // "cp -rT x ." brings what is in x
	}
	return operands > 0 // "python3 -u" reads what it runs from its input
}

// copies are commands that give files new names, also those of a whole directory.
var copies = map[string]bool{"cp": true, "mv": true, "install": true, "rsync": true, "ln": true}

func (c *Command) isRoot(name string, env *Context) bool {
	return slices.ContainsFunc(c.dirs, func(dir string) bool {
		to := name
		if !path.IsAbs(to) {
			to = path.Join(dir, to)
		}
		return slices.Contains(env.roots, path.Clean(to))
	})
}

// mayRunItself reports whether a glob may find one of selfRunning.
func mayRunItself(glob string) bool {
	for part := range strings.SplitSeq(strings.ToLower(glob), "/") {
		if slices.ContainsFunc(selfRunning, func(name string) bool {
			found, err := path.Match(part, name)
			return found || err != nil
		}) {
			return true
		}
	}
	return false
}
