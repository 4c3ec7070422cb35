package main

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/cast"
	"github.com/terrarium-dev/terrarium/core"
)

// A recording is a castFile of what one command writes. The zero value records nothing.
type recording struct {
	castFile
	newline bool // nothing has turned LF into CR LF, which a player's terminal needs
}

// createRecording returns one that records nothing for an empty name.
func createRecording(name string, c core.Command) (recording, error) {
	f, err := createCast(name, cast.Header{
		Title: strings.Join(append([]string{c.Command}, c.Args...), " "),
		Cols:  cmp.Or(c.Cols, defaultCols), Rows: cmp.Or(c.Rows, defaultRows),
	})
	return recording{f, !(c.Pty && c.Interactive)}, err
}

// output is a driver's OnOutput.
func (r recording) output(_ core.TerminalID, _ uint8, p []byte) {
	if r.file == nil {
		return
	}
	if r.newline {
		p = bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))
	}
	r.Output(p)
}
