package repo

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
)

// maxState bounds in bytes what is read of one of git's notes to itself.
const maxState = 16 << 20

// State returns the text of one of git's notes to itself in the .git directory, such as MERGE_MSG.
// It reports whether there is one; a note that is too long counts as none.
func (r *Repo) State(name string) (text string, ok bool) {
	f, err := os.Open(filepath.Join(r.Dir, filepath.FromSlash(name)))
	if err != nil {
		return "", false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxState+1))
	return string(b), err == nil && len(b) <= maxState
}

// StateLine is State without the newlines at its end.
func (r *Repo) StateLine(name string) (text string, ok bool) {
	text, ok = r.State(name)
	return strings.TrimRight(text, "\n"), ok
}

// HasState reports whether there is a note, or a directory of notes.
func (r *Repo) HasState(name string) bool {
	_, err := os.Stat(filepath.Join(r.Dir, filepath.FromSlash(name)))
	return err == nil
}

// SetState writes a note, and the directory that it is in.
func (r *Repo) SetState(name, text string) error {
	p := filepath.Join(r.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		return err
	}
	return os.WriteFile(p, []byte(text), 0o666)
}

// RemoveState removes notes, and directories of notes. Those that are not there are no error.
func (r *Repo) RemoveState(names ...string) error {
	var all error
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(r.Dir, filepath.FromSlash(name))); !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}

// StateHash returns the commit that a note such as MERGE_HEAD names, Zero if there is none.
func (r *Repo) StateHash(name string) plumbing.Hash {
	text, _ := r.StateLine(name)
	line, _, _ := strings.Cut(text, "\n")
	h, _ := plumbing.FromHex(line)
	return h
}

// SetStateHash writes a note that names a commit.
func (r *Repo) SetStateHash(name string, h plumbing.Hash) error {
	return r.SetState(name, h.String()+"\n")
}
