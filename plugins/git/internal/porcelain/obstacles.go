package porcelain

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// obstacles returns what is in no commit and stands in the way of changes: files where a directory has
// to go, and directories with such files where a file has to go.
func (c *call) obstacles(x *repo.Index, changes []change) (files, dirs []string, err error) {
	going := map[string]bool{}
	for _, ch := range changes {
		if ch.status == 'D' {
			going[ch.new] = true
		}
	}
	seen := map[string]bool{}
	var untracked []string
	for _, ch := range changes {
		if ch.status == 'D' {
			continue
		}
		for dir := path.Dir(ch.new); dir != "." && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			info, err := os.Lstat(c.repo.Path(dir))
			if err == nil && !info.IsDir() && !going[dir] && !x.Tracks(dir) {
				files = append(files, dir)
			}
		}
		info, err := os.Lstat(c.repo.Path(ch.new))
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
			if strings.HasPrefix(name, ch.new+"/") {
				dirs = append(dirs, ch.new)
				break
			}
		}
	}
	return files, dirs, nil
}

// makeWay removes a directory that a file takes the place of, with the ignored files in it. Another
// repository stays.
func (c *call) makeWay(name string) {
	p := c.repo.Path(name)
	if info, err := os.Lstat(p); err == nil && info.IsDir() && !nested(p) {
		os.RemoveAll(p)
	}
}

// blocked returns why a file of a patch can't be written, in the C library's words; "" if it can.
func (a *applier) blocked(name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		info, err := os.Lstat(a.path(dir))
		if v, ok := a.now[dir]; err == nil && !info.IsDir() && !(ok && v.gone) {
			return "Not a directory"
		}
	}
	info, err := os.Lstat(a.path(name))
	if err != nil || !info.IsDir() {
		return ""
	}
	full := false
	filepath.WalkDir(a.path(name), func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		below, _ := filepath.Rel(a.root, p)
		if v, ok := a.now[filepath.ToSlash(below)]; !ok || !v.gone {
			full = true
			return filepath.SkipAll
		}
		return nil
	})
	if full {
		return "Directory not empty"
	}
	return ""
}
