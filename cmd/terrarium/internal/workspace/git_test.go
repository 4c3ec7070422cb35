package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a repository's own configuration allows starts no program, however git comes to ask for it.
func TestGitStartsNothing(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: no git here")
	}
	dir := t.TempDir()
	g := &gitRunner{dir: dir}
	for _, args := range [][]string{{"init", "--quiet"}, {"config", "protocol.ext.allow", "always"}} {
		if err := g.run(t.Context(), nil, io.Discard, args...); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.run(t.Context(), nil, io.Discard, "ls-remote", "ext::touch started"); err == nil {
		t.Error("git has asked a program for its refs")
	}
	if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
		t.Error("git has started a program")
	}
}

// Who interrupts git, or what it waits for, does not make a tree one without a history.
func TestGitInterrupted(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: no git here")
	}
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "--quiet"}, {"symbolic-ref", "HEAD", "refs/heads/x"}} {
		if err := (&gitRunner{dir: dir}).run(t.Context(), nil, io.Discard, args...); err != nil {
			t.Fatal(err)
		}
	}
	pipe := filepath.Join(dir, ".git/refs/heads/x")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("it was interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	opened := make(chan error, 1)
	go func() { // ends when git has opened the pipe, or when the test does
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		cancel(stop)
		opened <- errors.Join(err, f.Close())
	}()
	if tree, err := OpenTree(ctx, dir); !errors.Is(err, stop) {
		t.Errorf("got %+v and %v, want %v", tree, err, stop)
	}
	f, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err := errors.Join(err, <-opened, f.Close()); err != nil {
		t.Error(err)
	}
}

// A git that is killed, as by a kernel that has no memory, does not make a tree one without a
// history either.
func TestGitKilled(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("NOT RUN: no git here")
	}
	dir, bin := t.TempDir(), t.TempDir()
	if err := (&gitRunner{dir: dir}).run(t.Context(), nil, io.Discard, "init", "--quiet"); err != nil {
		t.Fatal(err)
	}
	script := `#!/bin/sh
case "$*" in *--verify*) kill -9 $$;; esac
exec "$GIT" "$@"
`
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT", git)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	if tree, err := OpenTree(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("got %+v and %v, want that git was killed", tree, err)
	}
}

// A pipe in the place of a file that git reads has an end, and so has what git has started.
func TestGitWaitsForever(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: no git here")
	}
	for _, name := range []string{".gitignore", "d/.gitignore", ".git/info/exclude", "ignore"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			g := &gitRunner{dir: dir}
			for _, args := range [][]string{{"init", "--quiet"}, {"config", "core.excludesFile", filepath.Join(dir, "ignore")}} {
				if err := g.run(t.Context(), nil, io.Discard, args...); err != nil {
					t.Fatal(err)
				}
			}
			pipe := filepath.Join(dir, name)
			os.Remove(pipe)
			if err := os.MkdirAll(filepath.Dir(pipe), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.WriteFile(filepath.Join(filepath.Dir(pipe), "file"), nil, 0o600), syscall.Mkfifo(pipe, 0o600)); err != nil {
				t.Fatal(err)
			}
			tree := &Tree{git: gitRunner{dir: dir, patience: 100 * time.Millisecond}}
			if _, _, err := tree.Names(t.Context()); err == nil || !strings.Contains(err.Error(), dir+" did nothing for 100ms") {
				t.Errorf("got %v, want that it did nothing in the directory", err)
			}
			stop := errors.New("it was interrupted")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(100*time.Millisecond, func() { cancel(stop) })
			tree.git.patience = time.Hour
			if _, _, err := tree.Names(ctx); !errors.Is(err, stop) {
				t.Errorf("got %v, want %v", err, stop)
			}
		})
	}
}

// A file that git reads as a whole, such as .gitignore, may be huge where it has holes: git has no
// memory for it, here or over there.
func TestGitMemoryBounded(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: no git here")
	}
	if runtime.GOOS != "linux" {
		t.Skip("NOT RUN: nothing bounds a process's memory here")
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	for _, args := range [][]string{
		{"init", "--quiet"}, {"-c", "user.name=a", "-c", "user.email=a", "commit", "--quiet", "--allow-empty", "-m", "one"},
	} {
		if err := (&gitRunner{dir: dir}).run(t.Context(), nil, io.Discard, args...); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := OpenTree(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	far, err := OpenFar("0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	var b bytes.Buffer
	if err := errors.Join(tree.Bundle(t.Context(), &b, ""), far.Import(t.Context(), &b, tree.Head)); err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{dir, far.tree()} {
		f, err := os.Create(filepath.Join(in, ".gitignore"))
		if err := errors.Join(err, f.Truncate(2*gitMemory), f.Close()); err != nil {
			t.Skip("NOT RUN: ", err)
		}
	}
	_, _, errNames := tree.Names(t.Context())
	_, errIgnored := tree.Ignored(t.Context(), []string{"x"})
	for name, err := range map[string]error{
		"names": errNames, "ignored": errIgnored,
		"list": far.List(t.Context(), io.Discard, nil), "left": far.Left(t.Context(), io.Discard, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), "ut of memory") || !strings.Contains(err.Error(), "is a file huge there, such as .gitignore?") {
			t.Errorf("%s: got %v, want that there is no memory for .gitignore", name, err)
		}
	}
}

// A tree of git's whose parts repeat has more files than there is memory: 2 to the power of 30, in
// 31 objects.
func TestTreeBomb(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: no git here")
	}
	dir := t.TempDir()
	g := &gitRunner{dir: dir}
	line := func(in string, args ...string) string {
		t.Helper()
		out, err := g.output(t.Context(), strings.NewReader(in), append([]string{"-c", "user.name=a", "-c", "user.email=a"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	line("", "init", "--quiet")
	kind, id := "100644 blob", line("", "hash-object", "-w", "--stdin")
	for range 30 {
		id = line(fmt.Sprintf("%s %s\ta\n%s %s\tb\n", kind, id, kind, id), "mktree")
		kind = "040000 tree"
	}
	line("", "update-ref", "HEAD", line("", "commit-tree", "-m", "bomb", id))
	tree, err := OpenTree(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := tree.Names(t.Context()); !errors.Is(err, ErrTooMany) {
		t.Errorf("got %v, want %v", err, ErrTooMany)
	}
}

// What git says of an object is one short line, or it is refused before memory ends.
func TestCatBounded(t *testing.T) {
	line := bytes.NewReader(append(bytes.Repeat([]byte("x"), 1<<20), '\n'))
	c := &cat{in: nopCloser{io.Discard}, out: bufio.NewReaderSize(line, 64<<10)}
	if _, err := c.open(strings.Repeat("0", 40)); !errors.Is(err, bufio.ErrBufferFull) {
		t.Errorf("got %v, want %v", err, bufio.ErrBufferFull)
	}
}

// A directory that has to give way is looked through in bounds.
func TestCheckEmptyBounded(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	deep := strings.Repeat("d/", maxDepth+2)
	if err := root.MkdirAll(path.Join("deep", deep), 0o700); err != nil {
		t.Fatal(err)
	}
	in := &Incoming{root: root}
	if err := in.checkEmpty("deep", "deep", nil); err == nil || !strings.Contains(err.Error(), wrongDepth) {
		t.Errorf("got %v, want that it is too deep", err)
	}
	for i := range walkBatch + 1 {
		if err := root.MkdirAll(path.Join("many", strconv.Itoa(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w := newWalker(root, "many", func(string, fs.DirEntry) error { return nil })
	w.entries = MaxEntries - walkBatch
	if err := w.walk("many"); !errors.Is(err, ErrTooMany) {
		t.Errorf("got %v, want %v", err, ErrTooMany)
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
