package policy

import (
	"path"
	"slices"
	"strings"
)

// runner reports whether a program executes files that its words name, or code and configuration
// that lie beside these. A rule that allows one means what the session hands over: files elsewhere
// may have been written by a command that was allowed too.
func runner(name string) bool {
	switch name {
	case "go", "staticcheck", "cargo", "npm", "node", "pytest", "unittest", "mypy", "flake8", "eslint", "prettier", "jest", "vitest", "tsc":
		return true
	}
	return false
}

// outside returns where in words a runner is given what may lie outside, or options from a file.
func (c *Command) outside(words []word, env *Context) (at []int) {
	name, skip := program(words)
	if !runner(name) || name == "node" && !slices.ContainsFunc(words, func(w word) bool { return w.text == "--test" }) {
		return nil
	}
	for i, w := range words[skip+1:] {
		file := w.text
		switch {
		case w.dynamic && strings.ContainsAny(file, "$`~{("):
			at = append(at, skip+1+i)
			continue
		case strings.HasPrefix(file, "@") && (name == "pytest" || name == "mypy" || name == "tsc"):
			at = append(at, skip+1+i)
			continue
		case w.isOption():
			if _, value, ok := strings.Cut(file, "="); ok {
				file = value
			} else if i := strings.IndexAny(file, "/."); i >= 0 {
				file = file[i:]
			}
		}
		if !c.inRoots(file, env) {
			at = append(at, skip+1+i)
		}
	}
	return at
}

// inRoots reports whether name lies in the roots wherever c may run, if it is a file's.
func (c *Command) inRoots(name string, env *Context) bool {
	up := slices.Contains(strings.Split(name, "/"), "..")
	if !path.IsAbs(name) && !up {
		return true
	}
	for _, dir := range c.dirs {
		to := name
		if !path.IsAbs(to) {
			to = path.Join(dir, to)
		}
		if !within(path.Clean(to), env.roots) {
			return false
		}
	}
	return len(c.dirs) > 0
}
