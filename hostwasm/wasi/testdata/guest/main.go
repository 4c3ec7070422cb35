// Command guest is a Go program in the sandbox: it does what its first
// argument says, and exits with 1 and a message if that goes wrong.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	tasks := map[string]func() error{
		"env": env, "files": files, "root": root, "big": big, "cat": cat, "ticks": ticks, "devices": devices,
		"exit":  func() error { os.Exit(42); return nil },
		"panic": func() error { panic("as it should") },
		"sleep": func() error { time.Sleep(time.Hour); return nil },
		"spin": func() error {
			for {
			}
		},
	}
	if err := tasks[os.Args[1]](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func env() error {
	wd, err := os.Getwd()
	fmt.Println(os.Args[1:], os.Environ(), wd, err)
	return nil
}

// files uses names of all kinds. It begins in /work.
func files() error {
	for _, name := range []string{"a", "./b", "/work/c", "../work/d", "/tmp/e", "../tmp/f"} {
		if err := os.WriteFile(name, []byte(name), 0o666); err != nil {
			return err
		}
	}
	if err := errors.Join(os.MkdirAll("dir/sub", 0o777), os.Symlink("../a", "dir/link"), os.Symlink("/tmp/e", "dir/absolute"),
		os.Link("a", "dir/hard"), os.Rename("b", "dir/sub/b"), os.Chtimes("a", time.Unix(1, 0), time.Unix(2, 0))); err != nil {
		return err
	}
	var names []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		return err
	}
	want := []string{".", "a", "c", "d", "dir", "dir/absolute", "dir/hard", "dir/link", "dir/sub", "dir/sub/b"}
	if !slices.Equal(names, want) {
		return fmt.Errorf("walk: got %q, want %q", names, want)
	}
	for name, want := range map[string]string{
		"dir/link": "a", "dir/absolute": "/tmp/e", "dir/hard": "a", "dir/sub/../sub/b": "./b", "/work/dir/../a": "a", "/tmp/f": "../tmp/f", "c": "/work/c",
	} {
		if b, err := os.ReadFile(name); err != nil || string(b) != want {
			return fmt.Errorf("read %s: got %q, %v, want %q", name, b, err, want)
		}
	}
	s, err := os.Stat("a")
	if err != nil || s.ModTime().Unix() != 2 || s.Size() != 1 {
		return fmt.Errorf("stat: got %v, %v", s, err)
	}
	if target, err := os.Readlink("dir/link"); err != nil || target != "../a" {
		return fmt.Errorf("readlink: got %q, %v", target, err)
	}
	_, err = os.Open("nowhere")
	for want, err := range map[error]error{fs.ErrNotExist: err, fs.ErrExist: os.Mkdir("dir", 0o777)} {
		if !errors.Is(err, want) {
			return fmt.Errorf("got %v, want %v", err, want)
		}
	}
	if err := os.Remove("dir"); err == nil {
		return errors.New("removed a directory with files in it")
	}
	return appending()
}

func appending() error {
	f, err := os.OpenFile("log", os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprint(f, "one ")
	f.Seek(0, io.SeekStart)
	fmt.Fprint(f, "two")
	if err := errors.Join(f.Sync(), f.Truncate(6)); err != nil {
		return err
	}
	b := make([]byte, 10)
	if n, err := f.ReadAt(b, 2); err != io.EOF || string(b[:n]) != "e tw" {
		return fmt.Errorf("read at 2: got %q, %v", b[:n], err)
	}
	return os.RemoveAll("/work/dir")
}

// root uses os.Root, which opens directories from directories.
func root() error {
	if err := os.MkdirAll("jail/a/b", 0o777); err != nil {
		return err
	}
	r, err := os.OpenRoot("jail")
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := r.Create("a/b/file")
	if err != nil {
		return err
	}
	f.Close()
	if err := os.Symlink("../../..", "jail/a/out"); err != nil {
		return err
	}
	if _, err := r.Open("a/out/tmp"); err == nil {
		return errors.New("a link led out of an os.Root")
	}
	if _, err := r.Stat("a/b/../b/file"); err != nil {
		return err
	}
	return r.RemoveAll("a")
}

// big lists a directory with many files.
func big() error {
	for i := range 3000 {
		if err := os.WriteFile(fmt.Sprintf("%0100d", i), nil, 0o666); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 3000 || entries[2999].Name() != fmt.Sprintf("%0100d", 2999) {
		return fmt.Errorf("got %d entries, %v", len(entries), err)
	}
	return nil
}

// cat copies its input in capitals.
func cat() error {
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	s := bufio.NewScanner(os.Stdin)
	for s.Scan() {
		fmt.Fprintln(w, strings.ToUpper(s.Text()))
	}
	return s.Err()
}

// ticks waits for input while a timer goes on.
func ticks() error {
	input := make(chan string)
	go func() {
		b, _ := io.ReadAll(os.Stdin)
		input <- string(b)
	}()
	tick := time.NewTicker(time.Millisecond)
	for n := 0; ; {
		select {
		case <-tick.C:
			if n++; n == 5 {
				fmt.Println("five ticks")
			}
		case s := <-input:
			fmt.Printf("input %q\n", s)
			return nil
		}
	}
}

func devices() error {
	if err := os.WriteFile("/dev/null", []byte("gone"), 0); err != nil {
		return err
	}
	f, err := os.Open("/dev/zero")
	if err != nil {
		return err
	}
	b := bytes.Repeat([]byte("x"), 100)
	if _, err := io.ReadFull(f, b); err != nil || bytes.Count(b, []byte{0}) != 100 {
		return fmt.Errorf("/dev/zero: got %q, %v", b, err)
	}
	in, err := os.ReadFile("/dev/stdin")
	if err != nil {
		return err
	}
	out, err := os.OpenFile("/dev/stdout", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = out.Write(in)
	return err
}
