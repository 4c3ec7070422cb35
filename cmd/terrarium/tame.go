package main

import (
	"io"
	"os"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/text"
)

// tames reports whether output of the command on its way to f, one of our own
// streams, goes through a text.Filter: where nobody trusts the command and a
// person looks at f, who has not said "--output raw".
func (f *runFlags) tames(stream *os.File) bool {
	return f.host == "wasm" && !f.json && !f.set.Changed("output") && isTerminal(stream)
}

// hasConsole reports whether the command gets all that the person at our
// terminal types, and that terminal sends.
func (f *runFlags) hasConsole(c *core.Command) bool {
	return c.Pty && c.Interactive && !f.json && isPerson(os.Stdin) && isTerminal(os.Stdout)
}

// A tamed writer hands on what of a command's output may reach a person.
type tamed struct {
	w      io.Writer
	filter text.Filter
	buf    []byte
}

func (t *tamed) Write(p []byte) (int, error) {
	t.buf = t.filter.Append(t.buf[:0], p)
	return len(p), t.pass()
}

// finish puts the terminal back.
func (t *tamed) finish() error {
	t.buf = t.filter.Finish(t.buf[:0])
	return t.pass()
}

func (t *tamed) pass() error {
	if len(t.buf) == 0 {
		return nil
	}
	_, err := t.w.Write(t.buf)
	return err
}

// tame has stream i of o filtered. keys says that the command has the keys.
func (o *output) tame(i int, keys bool) {
	t := &tamed{w: o.streams[i], filter: text.Filter{Keys: keys}}
	o.streams[i] = t
	o.flushes = append(o.flushes, t.finish)
}
