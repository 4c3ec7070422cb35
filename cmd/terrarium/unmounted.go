package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
)

// maxNames is how many words of a command are looked at for names of files.
const maxNames = 64

// tellUnmounted says why a command of the sandbox did not find a file of this directory, or showed
// another one: a person who was handing nothing over seldom means that.
func (f *runFlags) tellUnmounted(c core.Command, exit core.Exit) {
	if f.host != "wasm" || f.place != nil || f.json || len(f.mounts) > 0 {
		return
	}
	failed := exit.Status.ExitCode != 0
	words := strings.Fields(c.Command + " " + strings.Join(c.Args, " "))
	if len(words) == 0 {
		return
	}
	const advice = " is not in the sandbox, since nothing was handed over: --mount . hands this directory over"
	program, words := words[0], words[1:min(len(words), maxNames)]
	name := fileHere(words)
	switch {
	case failed && name != "":
		warn(os.Stderr, errors.New(printable.Text(name)+advice))
	case f.cwd == "" && looksAround(program, words, failed):
		warn(os.Stderr, errors.New("this directory"+advice))
	}
}

// looksAround reports whether a program with these arguments shows the directory where it starts,
// or may have failed for what it looked for there.
func looksAround(program string, args []string, failed bool) bool {
	switch program {
	case "ls", "find", "tree", "du":
		return !slices.ContainsFunc(args, filepath.IsAbs)
	case "git", "make":
		return failed
	}
	return failed && slices.Contains(args, ".")
}

// fileHere returns the first word that names a file below the current directory, or "".
func fileHere(words []string) string {
	for _, word := range words {
		word = strings.Trim(word, `'";`)
		if word == "." || !filepath.IsLocal(word) {
			continue
		}
		if _, err := os.Lstat(word); err == nil {
			return word
		}
	}
	return ""
}
