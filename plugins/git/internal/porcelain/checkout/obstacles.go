package checkout

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/change"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/porcelain/cli"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// Nested reports whether there is another repository somewhere below a directory.
func Nested(dir string) bool {
	found := false
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == ".git" {
			found = true
		}
		if found {
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

// obstacles returns what is in no commit and stands in the way of changes: files where a directory
// has to go, and directories with such files where a file has to go.
func obstacles(c *cli.Call, x *repo.Index, changes []change.Change) (files, dirs []string, err error) {
	going := map[string]bool{}
	for _, ch := range changes {
		if ch.Status == 'D' {
			going[ch.New] = true
		}
	}
	seen := map[string]bool{}
	var untracked []string
	for _, ch := range changes {
		if ch.Status == 'D' {
			continue
		}
		for dir := path.Dir(ch.New); dir != "." && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			info, err := os.Lstat(c.Repo.Path(dir))
			if err == nil && !info.IsDir() && !going[dir] && !x.Tracks(dir) {
				files = append(files, dir)
			}
		}
		info, err := os.Lstat(c.Repo.Path(ch.New))
		if err != nil || !info.IsDir() {
			continue
		}
		if untracked == nil {
			if untracked, err = x.Untracked(true); err != nil {
				return nil, nil, err
			}
			untracked = append(untracked, "")
		}
		for _, name := range untracked {
			if strings.HasPrefix(name, ch.New+"/") {
				dirs = append(dirs, ch.New)
				break
			}
		}
	}
	return files, dirs, nil
}

// makeWay removes a directory that a file takes the place of, with the ignored files in it. Another
// repository stays.
func makeWay(c *cli.Call, name string) {
	p := c.Repo.Path(name)
	if info, err := os.Lstat(p); err == nil && info.IsDir() && !Nested(p) {
		os.RemoveAll(p)
	}
}
