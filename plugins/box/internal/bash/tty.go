package bash

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/edit"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/process"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tty"
	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// terminals is what the interpreter knows of terminals. It finds it by terminalsKey, which it has
// too.
type terminals struct {
	stderr io.Writer // of the shell
	watch  *sync.Once
}

var terminalsKey = struct{ Terminals struct{} }{}

// IsTerminal reports whether a file is one.
func (terminals) IsTerminal(file any) bool { return tty.Of(file) != nil }

// Type has what is typed not be shown, or be read by keys, until restore.
func (terminals) Type(file any, silent, keys bool) (restore func()) {
	var clear proc.TerminalModes
	if silent {
		clear |= proc.Echo
	}
	if keys {
		clear |= proc.Canonical
	}
	if f := tty.Of(file); f != nil {
		if restore, err := tty.Change(f, clear, 0); err == nil {
			return restore
		}
	}
	return func() {}
}

// Edit reads a line that begins as text.
func (t terminals) Edit(ctx context.Context, file any, prompt, text string) (string, error) {
	f := tty.Of(file)
	if f == nil {
		return "", errors.ErrUnsupported
	}
	restore, err := byKeys(f)
	if err != nil {
		return "", err
	}
	defer restore()
	io.WriteString(t.stderr, prompt)
	return (&edit.Editor{Keys: f, Out: t.stderr, Size: sizeOf(f)}).ReadLine(prompt, text)
}

// Watch sends the shell SIGWINCH for each change of its terminal's size.
func (t terminals) Watch(ctx context.Context) {
	const winch = 28
	t.watch.Do(func() {
		shell := process.Of(ctx)
		for _, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
			if tty.Of(f) != nil {
				tty.Watch(f, func() { shell.Kill(shell.ID(), winch) }) // to the end of the program
				return
			}
		}
	})
}

func sizeOf(f *os.File) func() (rows, cols int) {
	return func() (rows, cols int) {
		t, _ := tty.Get(f)
		return t.Rows, t.Cols
	}
}

// byKeys has what is typed be read by keys, for an editor of lines, until restore. It comes before
// the prompt: what somebody types who has seen that must not be echoed and edited by the terminal.
// ^J and ^M are the same, as where lines are edited by the terminal: what was typed ahead may be
// for a command that reads lines.
func byKeys(f *os.File) (restore func(), err error) {
	return tty.Change(f, proc.Canonical|proc.Echo, proc.Returns|proc.Signals|proc.Newlines)
}
