package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
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
