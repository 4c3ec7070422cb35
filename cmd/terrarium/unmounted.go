package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
)

// maxNames is how many words of a command are looked at for names of files.
const maxNames = 64

// tellUnmounted says why a command of the sandbox did not find a file of this directory: a person
// who was handing nothing over seldom means that.
func (f *runFlags) tellUnmounted(c core.Command, exit core.Exit) {
	if f.host != "wasm" || f.json || len(f.mounts) > 0 || exit.Status.ExitCode == 0 {
		return
	}
	if name := fileHere(c); name != "" {
		warn(os.Stderr, errors.New(printable.Text(name)+" is not in the sandbox, since nothing was handed over: "+
			"--mount . hands this directory over"))
	}
}

// fileHere returns the first word of a command that names a file below the current directory, or
// "".
func fileHere(c core.Command) string {
	words := strings.Fields(c.Command + " " + strings.Join(c.Args, " "))
	words = words[min(1, len(words)):] // the first is what runs
	for _, word := range words[:min(len(words), maxNames)] {
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
