package repo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v6/plumbing"
)

// TestSHA256 reads commits, trees and files of a repository whose names have 32 bytes, loose and in
// a pack.
func TestSHA256(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs git")
	}
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(git, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org",
			"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	if err := exec.Command(git, "init", "-q", "-b", "main", "--object-format=sha256", dir).Run(); err != nil {
		t.Skip("needs a git that knows SHA-256")
	}
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two"} {
		for _, name := range []string{"a", "d/b"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		run("add", ".")
		run("commit", "-q", "-m", text)
	}
	want := run("log", "--format=%H %s")
	for _, repack := range []bool{false, true} {
		if repack {
			run("repack", "-adq")
		}
		r, err := Open(dir, filepath.Join(dir, ".git"), "")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		err = r.Walk([]plumbing.Hash{r.Head()}, nil, func(c *Commit) bool {
			got += c.Hash.String() + " " + c.Message
			files, err := r.Tree(c.TreeHash)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"a", "d/b"} {
				if b, err := r.Blob(files[name].Hash); err != nil || string(b) != strings.TrimSpace(c.Message) {
					t.Errorf("%s in %s: got %q, %v", name, c.Hash, b, err)
				}
			}
			return true
		})
		if err != nil || got != want {
			t.Errorf("packed %v: got\n%s%v, want\n%s", repack, got, err, want)
		}
	}
}

// TestRepackedSHA256: packs whose names we don't read are looked for again only when there are
// others than before, so that what is missing is looked for once.
func TestRepackedSHA256(t *testing.T) {
	git := filepath.Join(t.TempDir(), ".git")
	if err := Create(git, "main", false); err != nil {
		t.Fatal(err)
	}
	config := "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
	if err := os.WriteFile(filepath.Join(git, "config"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	packs := filepath.Join(git, "objects", "pack")
	if err := os.MkdirAll(packs, 0o777); err != nil {
		t.Fatal(err)
	}
	r, err := Open(filepath.Dir(git), git, "")
	if err != nil {
		t.Fatal(err)
	}
	for number := range 2 {
		if number > 0 && r.repacked() {
			t.Errorf("%d packs are others than the same", number)
		}
		r.objects()
		sparseIndex(t, packs, number, 0, 0)
		if !r.repacked() {
			t.Errorf("pack %d is not found", number)
		}
		r.objects()
	}
	if r.repacked() {
		t.Error("two packs are others than the same")
	}
}
