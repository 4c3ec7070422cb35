//go:build unix

package main

import (
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v6/plumbing/format/index"
)

// A repositoryState is what a command leaves behind: three lists of lines.
type repositoryState struct{ head, refs, index, files []string }

// state reads what is in a directory, without git.
func (r runner) state(t *testing.T) repositoryState {
	git := filepath.Join(r.dir, ".git")
	s := repositoryState{head: lines(git, "HEAD")}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		for _, line := range lines(git, name) {
			s.refs = append(s.refs, name+" "+line)
		}
	}
	loose := map[string]bool{}
	filepath.WalkDir(filepath.Join(git, "refs"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(git, p)
			loose[name] = true
			s.refs = append(s.refs, name+" "+strings.Join(lines(git, name), " "))
		}
		return nil
	})
	for _, line := range lines(git, "packed-refs") {
		if hash, name, ok := strings.Cut(line, " "); ok && hash[0] != '#' && !loose[name] {
			s.refs = append(s.refs, name+" "+hash)
		}
	}
	slices.Sort(s.refs)
	s.index = r.indexed(t)
	filepath.WalkDir(r.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil || d.IsDir() {
			return nil
		}
		name, _ := filepath.Rel(r.dir, p)
		text, _ := os.ReadFile(p)
		if d.Type()&fs.ModeSymlink != 0 {
			to, _ := os.Readlink(p)
			text = []byte(to)
		}
		s.files = append(s.files, fmt.Sprintf("%v %s %q", info.Mode()&(fs.ModeType|0o100), name, text))
		return nil
	})
	return s
}

func lines(dir, name string) []string {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// indexed returns what the index has, without what it remembers of files on disk.
func (r runner) indexed(t *testing.T) (out []string) {
	f, err := os.Open(filepath.Join(r.dir, ".git", "index"))
	if err != nil {
		return nil
	}
	defer f.Close()
	x := &index.Index{}
	if err := index.NewDecoder(f, sha1.New()).Decode(x); err != nil {
		t.Errorf("index: %v", err)
	}
	for _, e := range x.Entries {
		out = append(out, fmt.Sprintf("%o %s %d %s", uint32(e.Mode), e.Hash, e.Stage, e.Name))
	}
	return out
}

// String is the state in one line: where HEAD is, and digests of the rest.
func (s repositoryState) String() string {
	head := strings.TrimPrefix(strings.Join(s.head, ""), "ref: refs/heads/")
	return fmt.Sprintf("= %.12s refs %s index %s files %s\n", head, digest(s.refs), digest(s.index), digest(s.files))
}

func digest(lines []string) string {
	if len(lines) == 0 {
		return "-"
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(lines, "\n"))))[:7]
}

// listing is the state in full, for those who have to find the difference.
func (s repositoryState) listing() string {
	return strings.Join(slices.Concat(s.head, s.refs, s.index, s.files), "\n")
}
