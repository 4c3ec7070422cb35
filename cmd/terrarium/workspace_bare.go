package main

import (
	"path"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
)

// A bareRepositories is where a repository without files of its own may lie among the files of a
// workspace: the directories with a file HEAD. Whoever runs git in such a directory has the
// programs run that its config names, and those among its hooks.
//
// https://git-scm.com/docs/git-config#Documentation/git-config.txt-safebareRepository
type bareRepositories map[string]bool

// add looks for them in what lies there, by the names that any file system may spell so.
func (b bareRepositories) add(there workspace.Listing) {
	for p := range there {
		if strings.EqualFold(path.Base(p), "HEAD") {
			b[path.Dir(p)] = true
		}
	}
}

// runs reports whether git would run programs because of a file.
func (b bareRepositories) runs(p string) bool {
	for dir, below := path.Dir(p), path.Base(p); ; dir, below = path.Dir(dir), path.Base(dir) {
		switch strings.ToLower(below) {
		case "head", "config", "config.worktree", "commondir", "hooks":
			if b[dir] {
				return true
			}
		}
		if dir == "." {
			return false
		}
	}
}
