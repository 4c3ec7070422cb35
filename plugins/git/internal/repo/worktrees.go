package repo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
)

// maxLink bounds in bytes a file that says where a repository is.
const maxLink = 4096

// linked returns where the repository is that a ".git" file names; "" if there is no such file.
func linked(file string) string {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxLink {
		return ""
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	dir, ok := strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), "gitdir: ")
	if !ok {
		return ""
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(file), dir)
	}
	return filepath.Clean(dir)
}

// commonOf returns the directory with the objects and branches of a repository in dir: dir itself,
// or for a working tree beside the first one what its commondir names.
func commonOf(dir string) string {
	info, err := os.Stat(filepath.Join(dir, "commondir"))
	if err != nil || info.Size() > maxLink {
		return dir
	}
	b, err := os.ReadFile(filepath.Join(dir, "commondir"))
	if err != nil {
		return dir
	}
	common := strings.TrimRight(string(b), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(dir, common)
	}
	return filepath.Clean(common)
}

// A Worktree is a working tree of a repository.
type Worktree struct {
	Top    string // where it is
	Dir    string // its own part of the repository
	Name   string // of that part; "" for the first one
	Branch string // that is checked out, "" if HEAD is on none
	Head   plumbing.Hash
	Lock   string // why it may not go, with "locked" for no reason; "" if it may
	Gone   bool   // whether it is not there any longer
	Back   bool   // whether what is there leads back to the repository
}

// maxWorktrees bounds how many working trees are looked at.
const maxWorktrees = 1000

// Worktrees returns the working trees, the first one first, the others by where they are.
func (r *Repo) Worktrees() ([]Worktree, error) {
	main, err := Open("", r.Common, "")
	if err != nil {
		return nil, err
	}
	list := []Worktree{{Top: filepath.Dir(r.Common), Dir: r.Common, Branch: main.Branch(), Head: main.Head()}}
	entries, err := os.ReadDir(filepath.Join(r.Common, "worktrees"))
	if errors.Is(err, os.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries[:min(len(entries), maxWorktrees)] {
		dir := filepath.Join(r.Common, "worktrees", e.Name())
		b, err := os.ReadFile(filepath.Join(dir, "gitdir"))
		if err != nil || len(b) > maxLink {
			continue
		}
		file := strings.TrimRight(string(b), "\n")
		w := Worktree{Top: filepath.Dir(file), Dir: dir, Name: e.Name()}
		if _, err := os.Stat(file); err != nil {
			w.Gone = true
		}
		w.Back = linked(file) == dir
		if reason, err := os.ReadFile(filepath.Join(dir, "locked")); err == nil {
			if w.Lock = strings.TrimSpace(string(reason)); w.Lock == "" {
				w.Lock = "locked"
			}
		}
		if other, err := Open("", dir, ""); err == nil {
			w.Branch, w.Head = other.Branch(), other.Head()
		}
		list = append(list, w)
	}
	slices.SortFunc(list[1:], func(a, b Worktree) int { return strings.Compare(a.Top, b.Top) })
	return list, nil
}

// AddWorktree makes the repository's part of a working tree in top, and the file in it that leads
// there. HEAD is on the branch, or on h if that is "".
func (r *Repo) AddWorktree(top, branch string, h plumbing.Hash) (*Repo, error) {
	name := filepath.Base(top)
	dir := filepath.Join(r.Common, "worktrees", name)
	for i := 1; ; i++ {
		if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
			break
		}
		dir = filepath.Join(r.Common, "worktrees", fmt.Sprintf("%s%d", name, i))
	}
	head := h.String() + "\n"
	if branch != "" {
		head = "ref: refs/heads/" + branch + "\n"
	}
	err := errors.Join(os.MkdirAll(dir, 0o777), os.MkdirAll(top, 0o777))
	for file, text := range map[string]string{
		filepath.Join(dir, "HEAD"):      head,
		filepath.Join(dir, "commondir"): "../..\n",
		filepath.Join(dir, "gitdir"):    filepath.Join(top, ".git") + "\n",
		filepath.Join(top, ".git"):      "gitdir: " + dir + "\n",
	} {
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o666)
		}
	}
	if err != nil {
		return nil, err
	}
	return Open(top, dir, "")
}
