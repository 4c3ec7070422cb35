package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing/format/gitignore"
)

// ignores are the patterns of gitignore(5) that count in a directory, the last to match wins.
type ignores []ignorePattern

type ignorePattern struct {
	gitignore.Pattern
	source string // FILE:LINE:PATTERN
}

// outerIgnores returns the patterns that are in no .gitignore.
func (r *Repo) outerIgnores() ignores {
	file, ok := r.Config.Get("core.excludesfile")
	if !ok {
		file = filepath.Join(os.Getenv("HOME"), ".config/git/ignore")
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(os.Getenv("HOME"), rest)
	}
	return slices.Concat(readIgnores(file, file, nil), readIgnores(filepath.Join(r.Common, "info/exclude"), ".git/info/exclude", nil))
}

// with adds the patterns of the .gitignore in dir, which is "" or ends in "/".
func (g ignores) with(r *Repo, dir string) ignores {
	var domain []string
	if dir != "" {
		domain = strings.Split(strings.TrimSuffix(dir, "/"), "/")
	}
	more := readIgnores(r.Path(dir+".gitignore"), dir+".gitignore", domain)
	if len(more) == 0 {
		return g
	}
	return slices.Concat(g, more)
}

func readIgnores(file, shown string, domain []string) ignores {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var g ignores
	number := 0
	for line := range strings.Lines(string(b)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if !strings.HasSuffix(line, `\ `) {
			line = strings.TrimRight(line, " ")
		}
		if line != "" && line[0] != '#' {
			g = append(g, ignorePattern{gitignore.ParsePattern(line, domain), fmt.Sprintf("%s:%d:%s", shown, number, line)})
		}
	}
	return g
}

func (g ignores) match(name string, dir bool) bool {
	p, ok := g.last(name, dir)
	return ok && p != ""
}

// last returns where the pattern is that says that a path is ignored, "" if the last one to match
// says that it is not. It reports whether one matches.
func (g ignores) last(name string, dir bool) (source string, ok bool) {
	parts := strings.Split(name, "/")
	for _, p := range slices.Backward(g) {
		switch p.Match(parts, dir) {
		case gitignore.Exclude:
			return p.source, true
		case gitignore.Include:
			return "", true
		}
	}
	return "", false
}
