package main

import (
	"bytes"
	"io"

	"github.com/terrarium-dev/terrarium/core/text"
)

// A leftover passes output on to a person's terminal, and knows what it has left that terminal
// like: on the alternate screen, with a hidden cursor, sending where the mouse is. A program that
// is killed puts nothing back.
type leftover struct {
	w      io.Writer
	filter text.Filter // of which only Finish is used
	shown  []byte      // what the filter lets through, which is for nobody
	told   []byte      // the last that was written, if it is our host's word about the command
}

func (l *leftover) Write(p []byte) (int, error) {
	l.shown = l.filter.Append(l.shown[:0], p)
	l.told = l.told[:0]
	if bytes.HasPrefix(bytes.TrimLeft(p, "\r\n"), []byte("terrarium: ")) {
		l.told = append(l.told, p...)
	}
	return l.w.Write(p)
}

// undo puts the terminal back. What was told about the command may have gone with the alternate
// screen, so it is told again.
func (l *leftover) undo() error {
	undo := l.filter.Finish(nil)
	if len(undo) == 0 {
		return nil
	}
	if bytes.Contains(undo, []byte("\x1b[?1049l")) || bytes.Contains(undo, []byte("\x1b[?47l")) || bytes.Contains(undo, []byte("\x1b[?1047l")) {
		undo = append(undo, l.told...)
	}
	_, err := l.w.Write(undo)
	return err
}

// restoreIfKilled has a terminal, which is stdout, put back after a command that was killed.
func (o *output) restoreIfKilled() {
	l := &leftover{w: o.streams[0], filter: text.Filter{Keys: true}}
	o.streams[0] = l
	o.flushes = append(o.flushes, func() error {
		if !o.killed.Load() {
			return nil // what it has left is what it wants
		}
		return l.undo()
	})
}
