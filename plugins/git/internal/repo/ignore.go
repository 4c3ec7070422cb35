package repo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing/format/gitignore"
)

// ignores are the patterns of gitignore(5) that count in a directory, the last to match wins.
type ignores []gitignore.Pattern

// outerIgnores returns the patterns that are in no .gitignore.
func (r *Repo) outerIgnores() ignores {
	file, ok := r.Config.Get("core.excludesfile")
	if !ok {
		file = filepath.Join(os.Getenv("HOME"), ".config/git/ignore")
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(os.Getenv("HOME"), rest)
	}
	return slices.Concat(readIgnores(file, nil), readIgnores(filepath.Join(r.Dir, "info/exclude"), nil))
}

// with adds the patterns of the .gitignore in dir, which is "" or ends in "/".
func (g ignores) with(r *Repo, dir string) ignores {
	var domain []string
	if dir != "" {
		domain = strings.Split(strings.TrimSuffix(dir, "/"), "/")
	}
	more := readIgnores(r.Path(dir+".gitignore"), domain)
	if len(more) == 0 {
		return g
	}
	return slices.Concat(g, more)
}

func readIgnores(file string, domain []string) ignores {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var g ignores
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\r\n")
		if !strings.HasSuffix(line, `\ `) {
			line = strings.TrimRight(line, " ")
		}
		if line != "" && line[0] != '#' {
			g = append(g, gitignore.ParsePattern(line, domain))
		}
	}
	return g
}

func (g ignores) match(name string, dir bool) bool {
	parts := strings.Split(name, "/")
	for _, p := range slices.Backward(g) {
		switch p.Match(parts, dir) {
		case gitignore.Exclude:
			return true
		case gitignore.Include:
			return false
		}
	}
	return false
}
