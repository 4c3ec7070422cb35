package ripgrep

import (
	"bufio"
	"path"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A verdict is what rules say of a file.
type verdict byte

const (
	undecided verdict = iota
	ignored
	wanted
)

// rules are the lines of one ignore file. The last one that matches counts.
type rules []*glob

func (r rules) verdict(path, name string, dir bool) verdict {
	for i := len(r) - 1; i >= 0; i-- {
		if !r[i].matches(path, name, dir) {
			continue
		}
		if r[i].not {
			return wanted
		}
		return ignored
	}
	return undecided
}

// maxIgnoreFile bounds what is read of a file that says what to leave out.
const maxIgnoreFile = 1 << 20

// readRules reads an ignore file. One that can't be read has none, as has one that is not there.
func readRules(env *tool.Env, name string) rules {
	f, err := env.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var r rules
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxIgnoreFile)
	for size := 0; lines.Scan() && size < maxIgnoreFile; size += len(lines.Bytes()) + 1 {
		g, err := parseGlob(lines.Text(), false)
		if err != nil {
			env.Warn(name + ": " + err.Error())
		} else if g != nil {
			r = append(r, g)
		}
	}
	return r
}

// A level is the rules of one directory, and those of the directories above it.
type level struct {
	above *level
	name  string // the directory's, in the one above
	repo  bool   // a repository begins here

	rg, dot, git, exclude rules
}

// enter reads the rules of a directory.
func (c *config) enter(env *tool.Env, above *level, name, dir string) *level {
	l := &level{above: above, name: name}
	file := func(name string) rules { return readRules(env, path.Join(dir, name)) }
	if !c.noIgnoreDot {
		l.rg, l.dot = file(".rgignore"), file(".ignore")
	}
	if _, err := env.Stat(path.Join(dir, ".git")); err == nil {
		l.repo = true
	}
	if !c.noIgnoreVCS {
		l.git = file(".gitignore")
		if l.repo {
			l.exclude = file(".git/info/exclude")
		}
	}
	return l
}

// verdict looks from the innermost directory outwards. Git's rules hold inside a repository only,
// and no further than it reaches.
func (l *level) verdict(name string, dir bool) verdict {
	inRepo := false
	for at := l; at != nil; at = at.above {
		inRepo = inRepo || at.repo
	}
	var rg, dot, git, exclude verdict
	full, left := name, false
	first := func(v *verdict, r rules) {
		if *v == undecided {
			*v = r.verdict(full, name, dir)
		}
	}
	for at := l; at != nil; at = at.above {
		first(&rg, at.rg)
		first(&dot, at.dot)
		if inRepo && !left {
			first(&git, at.git)
			first(&exclude, at.exclude)
		}
		left = left || at.repo
		full = at.name + "/" + full
	}
	for _, v := range []verdict{rg, dot, git, exclude} {
		if v != undecided {
			return v
		}
	}
	return undecided
}

// skip reports whether a file that was found is left out. full is its path from where the command
// runs.
func (c *config) skip(l *level, full, name string, dir bool) bool {
	switch c.override(strings.TrimPrefix(full, "./"), name, dir) {
	case ignored:
		return true
	case wanted:
		return false
	}
	kept := false
	switch l.verdict(name, dir) {
	case ignored:
		return true
	case wanted:
		kept = true
	}
	if !dir {
		switch c.typed(name) {
		case ignored:
			return true
		case wanted:
			kept = true
		}
	}
	return !kept && !c.hidden && name[0] == '.'
}

// override is what -g says: with a glob that selects, other files are left out.
func (c *config) override(path, name string, dir bool) verdict {
	switch c.globs.verdict(path, name, dir) {
	case ignored: // here "!" is what leaves out
		return wanted
	case wanted:
		return ignored
	}
	for _, g := range c.globs {
		if !g.not && !dir {
			return ignored
		}
	}
	return undecided
}
